#include "analysis/conclusions/conclusion_options.hpp"

namespace hearsay::analysis {

namespace {

constexpr sim::About kAboutWhere{.name = "where",
                                 .help =
                                     "Condition on the axes, as in a sweep, that points must satisfy to be "
                                     "included; by default all points."};

}  // namespace

void SlopeOptions::describe(sim::Visitor& v) {
  v(of, {.name = "of", .help = "Recorded metric; its final value, averaged over repetitions, is used."});
  v(over, {.name = "over", .help = "Numeric axis of the sweep.", .required = true});
  v(where, kAboutWhere);
}

void BoundChoice::describe_as(sim::Visitor& v, const sim::About& about) {
  std::vector<sim::Choice> all;
  for (const Bound& bound : bounds()) all.push_back({bound.name, bound.help});
  v.one_of(index, all, about);
}

void BoundOptions::describe(sim::Visitor& v) {
  v(type,
    {.name = "type",
     .help = "Bound or closed form of the central learners, for N owners and n records in all. s = sum_i "
             "1/epsilon_i^2; S = 1/T^2 + N sum_i (1/T + 2 sqrt(2)/(n epsilon_i))^2, where the noise of an "
             "answer has the variance 8 Xi^2 T^2/(n_i epsilon_i)^2. T is the horizon, p the "
             "dimension, Xi the bound of a record's gradient, rho the step parameter, L and lambda are the "
             "smallest and largest eigenvalue of the Hessian of the objective, and h I is that of the mean "
             "loss.",
     .required = true});
  v(of,
    {.name = "of",
     .help = "Recorded metric to compare with the bound: relative_fitness, cost_of_privacy or distance."});
  v(c1, {.name = "c1", .help = "Constant of the first term; by default fitted.", .min = 0});
  v(c2, {.name = "c2", .help = "Constant of the second or only term; by default fitted.", .min = 0});
  v(dimension, {.name = "dimension", .help = "Include the factor p that the proof omits."});
  v(where, kAboutWhere);
  const bool distance = type->of == BoundOf::kDistance;
  v.check(distance ? of == "distance" : of == "relative_fitness" || of == "cost_of_privacy", "of",
          "{} is a bound of {}, found {}", type->name,
          distance ? "distance" : "relative_fitness or cost_of_privacy", of);
  v.check((!c1 || type->constants == 2) && (!c2 || type->constants > 0), c1 ? "c1" : "c2", "{} has {}",
          type->name, type->constants == 0 ? "no free constants" : "one free constant, c2");
}

void ConclusionOptions::describe(sim::Visitor& v) {
  v(slopes, {.name = "slopes", .help = "Log-log slopes of means, with jackknife confidence intervals."});
  v(bounds, {.name = "bounds", .help = "Bounds and closed forms to compare with the measured means."});
  v(gains,
    {.name = "gains",
     .help =
         "Recorded metrics in which each owner is compared with its isolated model; requires the baseline "
         "isolated."});
  v(control_variates,
    {.name = "control_variates",
     .help =
         "Write estimates.csv: means of recorded metrics, also by regression on ticks, losses, latencies and energy of "
         "noise less their expectations."});
  v(confidence, {.name = "confidence",
                 .help = "Confidence level of the intervals.",
                 .min = 0,
                 .max = 1,
                 .open_min = true,
                 .open_max = true});
}

}  // namespace hearsay::analysis
