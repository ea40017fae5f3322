#include "scenarios/study/splitting_options.hpp"

#include "analysis/conclusions/splitting.hpp"

namespace hearsay::scenarios {

void GivenLevels::describe(sim::Visitor& v) {
  v(values, {.name = "values", .help = "The last one is the rare event.", .required = true});
  v.check(!values.empty(), "values", "expected at least one level, found an empty list");
}

void AutoLevels::describe(sim::Visitor& v) {
  v(last, {.name = "last", .help = "The rare event.", .required = true});
  v(share, {.name = "share",
            .help = "Share of runs that a level is to be reached by.",
            .min = 0,
            .max = 1,
            .open_min = true,
            .open_max = true});
}

void SplittingOptions::describe(sim::Visitor& v) {
  v(level,
    {.name = "level",
     .help = "Metric whose levels are counted; for a metric with one value per owner, the mean over owners.",
     .required = true});
  v(towards, {.name = "towards", .help = "Values by which levels are reached."});
  v(levels, {.name = "levels", .help = "Levels, each less likely than the one before.", .required = true});
  v(effort, {.name = "effort", .help = "Runs at each level.", .min = 2, .max = 1e6});
  v(check_every,
    {.name = "check_every", .help = "Iterations between checks; by default at every sample.", .min = 1});
  const auto* given = std::get_if<GivenLevels>(&levels);
  for (std::size_t k = 1; given != nullptr && k < given->values.size(); ++k) {
    const double before = given->values[k - 1], after = given->values[k];
    v.check(towards == Towards::kAbove ? after > before : after < before, "levels",
            "expected levels that {}, found {:g} after {:g}",
            towards == Towards::kAbove ? "increase" : "decrease", after, before);
  }
  if (given != nullptr)
    v.check(given->values.size() <= analysis::kMostLevels, "levels", "expected at most {} levels, found {}",
            analysis::kMostLevels, given->values.size());
}

}  // namespace hearsay::scenarios
