#include "models/run/privacy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/budget/calculator.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {

constexpr std::uint32_t kEpsilonOption = 1, kStepsOption = 13;  // index of (kPerAgent, owner)

// The owners of a run, and the streams of what is drawn for each.
struct OwnerValues {
  sim::AgentId first, count;
  const sim::Streams& streams;
  // Their values of an option, drawn by owner: the same with a hub and without. Where their number is unknown: the value
  // for all of them, if there is one.
  std::vector<double> values_of(const char* key, const sim::PerAgent& option, std::uint32_t number) const {
    if (count == 0) return option.constant() ? std::vector<double>{option.mean()} : std::vector<double>{};
    try {
      const std::vector<sim::Distribution> laws = option.laws(first, count);
      std::vector<double> values(count);
      for (sim::AgentId owner = 0; owner < count; ++owner) {
        sim::Stream s = streams(sim::Purpose::kPerAgent, owner, 0, number);
        values[owner] = laws[laws.size() == 1 ? 0 : owner].sample(s);
      }
      return values;
    } catch (const std::invalid_argument& error) {
      throw sim::OptionError(key, error.what());
    }
  }
};

std::vector<std::uint64_t> steps_of(const sim::PerAgent& steps, const OwnerValues& owners) {
  std::vector<std::uint64_t> rounded;
  std::vector<sim::Distribution> laws;
  if (owners.count > 0) laws = steps.laws(owners.first, owners.count);
  for (const double value : owners.values_of("steps", steps, kStepsOption)) {
    const bool stated = laws.empty() || laws[laws.size() == 1 ? 0 : rounded.size()].constant();
    if (stated && value != std::round(value))
      throw std::invalid_argument(fmt::format("privacy.steps: expected whole numbers, found {}", value));
    if (!(value <= kMaxSteps))
      throw std::invalid_argument(
          fmt::format("privacy.steps: expected at most {:g}, found {}", kMaxSteps, value));
    rounded.push_back(static_cast<std::uint64_t>(std::max(1.0, std::round(value))));
  }
  return rounded;
}

// Where the bound comes from, and the bound itself unless it is taken from the data.
void find_bound(const PrivacyOptions& options, const ModelOptions& model,
                const std::optional<DeclaredBounds>& declared, Budget& budget) {
  if (options.clip) {
    budget.source = budget.unit == PrivacyUnit::kOwner ? BoundSource::kUpdateClip : BoundSource::kClip;
    budget.bound = *options.clip;
  } else if (options.gradient_bound) {
    budget.source = BoundSource::kGiven;
    budget.bound = *options.gradient_bound;
  } else if (options.bound_from_data) {
    if (!model.convex())
      throw sim::OptionError("bound_from_data", "requires theta*, which only a linear model has: set clip");
    budget.source = BoundSource::kFromData;
  } else if (options.by_turn()) {
    budget.source = BoundSource::kProtocol;  // unless slopes and the length of a record are bounded
    const double slope = model.loss.max_slope();
    if (declared && std::isfinite(slope * declared->norm_2())) {
      budget.source = BoundSource::kDerived;
      budget.bound = slope * declared->norm_2();
    }
  } else if (const auto derived = derived_gradient_bound(model, declared)) {
    budget.source = BoundSource::kDerived;
    budget.bound = *derived;  // of the L1 norm, and norm_2 <= norm_1
  } else {
    throw std::invalid_argument(
        model.convex()
            ? "noise requires a bound on a record's gradient: set gradient_bound or clip, or declare bounds "
              "of the data and theta_max, or set bound_from_data"
            : "noise requires a bound on a record's gradient: set clip or gradient_bound");
  }
}

// Composes one release, or checks as composing it would, so that a mechanism that the accountant does not cover is refused before the run.
void require_cover(const Budget& budget, int dimension) {
  Step step = shape_of(budget.mechanism, dimension);
  const bool stated = composes_stated_guarantees(budget.accountant);
  if (step.law().pure || stated) step.epsilon = 1;
  if (!step.law().pure) step.noise_multiplier = 1;
  if (!step.law().pure && stated) step.delta = budget.delta / 2;
  if (budget.accountant == Accountant::kPld) return require_pld_cover(step, budget.delta, budget.adjacency);
  total_guarantee(Releases(step, 1), {budget.accountant, budget.delta, budget.adjacency});
}

void warn(Budget& budget, const Problem& problem) {
  if (budget.source == BoundSource::kFromData) {
    budget.warnings.emplace_back(
        "privacy.bound_from_data: the bound is taken from the private data, so the stated epsilon does not "
        "hold; use clip for one that does");
  }
  if (budget.unit == PrivacyUnit::kOwner && budget.delta * static_cast<double>(problem.owners()) >= 1) {
    budget.warnings.push_back(
        fmt::format("privacy.delta: {:g} is at least 1/owners: publishing the data of a random owner would "
                    "satisfy it; choose "
                    "delta well below {:.3g}",
                    budget.delta, 1 / static_cast<double>(problem.owners())));
  }
  Eigen::Index fewest = problem.n(), exposed = 0;
  for (std::size_t owner = 0; budget.unit == PrivacyUnit::kRecord && owner < problem.owners(); ++owner) {
    if (budget.delta * static_cast<double>(problem.n(owner)) >= 1) ++exposed;
    if (problem.n(owner) > 0) fewest = std::min(fewest, problem.n(owner));
  }
  if (exposed > 0) {
    budget.warnings.push_back(fmt::format(
        "privacy.delta: {:g} is at least 1/records of {} of {} owners: publishing a random record "
        "would satisfy it; choose delta well below {:.3g}",
        budget.delta, exposed, problem.owners(), 1 / static_cast<double>(fewest)));
  }
  const double greatest = *std::max_element(budget.epsilon.begin(), budget.epsilon.end());
  // Of a release at most.
  if (beyond_proof(calibration_of(budget.mechanism).calibration, budget.accountant, greatest))
    budget.warnings.push_back(fmt::format("privacy.mechanism.calibration: {}", kPaperProof));
}

}  // namespace

std::string_view describe(BoundSource source) {
  switch (source) {
    case BoundSource::kNone:
      break;
    case BoundSource::kGiven:
      return "gradient_bound: given, not enforced";
    case BoundSource::kDerived:
      return "derived from declared bounds of features, target and theta_max";
    case BoundSource::kClip:
      return "clip: every record's gradient is scaled to the bound";
    case BoundSource::kFromData:
      return "bound_from_data: the stated epsilon does not hold";
    case BoundSource::kProtocol:
      return "computed by the protocol from the bounds in its options";
    case BoundSource::kUpdateClip:
      return "clip: every owner's update is scaled to the bound";
  }
  return "";
}

std::string Budget::meaning() const {
  return fmt::format("unit {}, trust {}, adjacency {}; {}", name_of(unit), name_of(trust), name_of(adjacency),
                     describe(source));
}

std::shared_ptr<const ReleaseSchedule> Budget::plan(double total, const Timetable& timetable,
                                                    Schedule by) const {
  const auto make = [&] {
    return plan_releases(mechanism, dimension, {accountant, delta, adjacency, schedules->watch}, total,
                         timetable, by);
  };
  if (by != Schedule::kUniform) return make();
  // What it does not depend on is left out of the key.
  return schedules->get(total,
                        {.releases = timetable.releases,
                         .overlap = timetable.overlap,
                         .upfront = timetable.upfront,
                         .sampling_rate = timetable.sampling_rate,
                         .tree = timetable.tree,
                         .turn = timetable.turn},
                        make);
}

std::shared_ptr<const ReleaseSchedule> Budget::releases_of(std::size_t owner,
                                                           const Timetable& timetable) const {
  return active() ? plan(epsilon[owner], timetable, schedule) : nullptr;
}

bool Budget::amplifies(Sampling sampling) const {
  if (!active() || sampling == Sampling::kAll || sampling == Sampling::kShuffled) return false;
  const bool poisson = sampling == Sampling::kPoisson;
  if (law_of(mechanism).pure) return poisson || adjacency == Adjacency::kReplaceOne;
  const bool covered = accountant == Accountant::kRdp || accountant == Accountant::kPld;
  return poisson && covered && adjacency == Adjacency::kAddRemove;
}

void Budget::require_room(std::uint64_t releases, std::uint32_t overlap) const {
  if (!schedules) return;
  for (const double total : std::set<double>(epsilon.begin(), epsilon.end()))
    plan(total, {.releases = releases, .overlap = overlap}, Schedule::kUniform);
}

std::vector<std::string> full_charge_note(std::string_view what, Sampling sampling, const Budget& budget) {
  const bool random = sampling == Sampling::kPoisson || sampling == Sampling::kWithoutReplacement;
  if (!budget.active() || !random || budget.amplifies(sampling)) return {};
  return {fmt::format(
      "warning: {} are charged as if they used everything, because their sampling is not covered; {}", what,
      law_of(budget.mechanism).pure
          ? "add_remove needs poisson sampling"
          : "gaussian noise needs poisson sampling, adjacency add_remove and accountant rdp or pld")};
}

void Budget::require_steps() const {
  if (active() && steps.empty())
    throw std::invalid_argument(
        "this protocol spreads each owner's budget over a number of releases: give privacy.steps");
}

void Budget::require_room_for_steps(const std::optional<Step>& upfront,
                                    std::span<const double> sampling_rates) const {
  if (!schedules || (expected && !planned)) return;
  require_steps();
  std::set<std::tuple<double, std::uint64_t, double>> different;
  for (std::size_t owner = 0; owner < epsilon.size(); ++owner)
    different.emplace(epsilon[owner], steps[owner], sampling_rates.empty() ? 1 : sampling_rates[owner]);
  for (const auto& [total, releases, q] : different)
    plan(total, {.releases = releases, .upfront = upfront, .sampling_rate = q}, Schedule::kUniform);
}

Budget settle_budget(const PrivacyOptions& options, const ModelOptions& model, const KnownData& known,
                     sim::AgentId first_agent, const sim::Streams& streams, bool gradients) {
  const OwnerValues owners{first_agent, static_cast<sim::AgentId>(known.owners.value_or(0)), streams};
  Budget budget{.mechanism = options.mechanism,
                .accountant = options.accountant,
                .adjacency = options.adjacency,
                .schedule = options.schedule,
                .unit = options.unit,
                .trust = options.trust,
                .dimension = known.parameters};
  const std::optional<sim::PerAgent> steps = options.steps ? options.steps->given() : std::nullopt;
  if (steps) budget.steps = steps_of(*steps, owners);
  if (steps && budget.steps.empty()) budget.steps = {1};  // given, but not known yet
  budget.expected = options.expects_steps();
  if (budget.expected) budget.steps.assign(std::max<std::size_t>(1, owners.count), 1);
  if (!budget.active()) return budget;
  budget.delta = options.total_delta();
  if (options.by_turn()) {
    if (!std::holds_alternative<ExponentialNorm>(budget.mechanism))
      throw std::invalid_argument("epsilon_1 and epsilon_2 require mechanism exponential_norm");
    budget.epsilon_1 = options.epsilon_1.value_or(0);
    budget.epsilon_2 = *options.epsilon_2;
    budget.epsilon.assign(known.owners.value_or(1), budget.epsilon_1 + budget.epsilon_2);
    const PrivacyOptions defaults;
    if (!options.epsilon.constant() || options.epsilon.mean() != defaults.epsilon.mean())
      budget.warnings.emplace_back(
          "privacy.epsilon: ignored with epsilon_1 and epsilon_2, which give the budget of a turn");
    if (options.steps)
      budget.warnings.emplace_back("privacy.steps: ignored with epsilon_1 and epsilon_2; see protocol.turns");
  } else {
    budget.epsilon = owners.values_of("epsilon", options.epsilon, kEpsilonOption);
  }
  for (const double epsilon : budget.epsilon) {
    if (!(epsilon >= kMinEpsilon && epsilon <= kMaxEpsilon))
      throw sim::OptionError(
          options.by_turn() ? "epsilon_2" : "epsilon", "expected {} from {:g} to {:g}, found {:g}",
          options.by_turn() ? "epsilon_1 and epsilon_2 that add up to a number" : "a number", kMinEpsilon,
          kMaxEpsilon, epsilon);
    if (budget.accountant == Accountant::kPld && epsilon > kPldMostEpsilon)
      throw sim::OptionError("epsilon", "pld: expected a total epsilon of at most {:g}, found {:g}",
                             kPldMostEpsilon, epsilon);
  }
  const auto equal = [&](double epsilon) { return epsilon == budget.epsilon.front(); };
  if (budget.trust == Trust::kAggregator &&
      !std::all_of(budget.epsilon.begin(), budget.epsilon.end(), equal)) {
    throw sim::OptionError(
        "epsilon",
        "expected one value for all owners with trust aggregator, whose releases cover all of them");
  }
  budget.epsilon_warm = options.epsilon_warm;
  if (gradients) {
    find_bound(options, model, known.bounds, budget);
  } else {
    budget.source = BoundSource::kProtocol;
    if (options.clip || options.gradient_bound || options.bound_from_data)
      budget.warnings.emplace_back(
          "privacy.clip, gradient_bound and bound_from_data: ignored, the protocol releases no gradients");
  }
  require_cover(budget, known.parameters);
  constexpr std::size_t kFewOwners = 1000;  // whose noise is quickly solved for
  const bool equal_owners = options.epsilon.constant() && (!steps || steps->constant());
  const bool quick = equal_owners || (known.owners && *known.owners <= kFewOwners);
  if (quick && composes_stated_guarantees(budget.accountant) &&
      calibration_of(budget.mechanism).calibration == GaussianCalibration::kClassic)
    budget.schedules = std::make_shared<ReleaseCache>();
  return budget;
}

Budget resolve_budget(const PrivacyOptions& options, const Problem& problem, const LazyOptimum& optimum,
                      sim::AgentId first_agent, const sim::Streams& streams,
                      std::shared_ptr<const ReleaseCache> schedules, bool gradients) {
  Budget budget = settle_budget(options, problem.model(),
                                {problem.data().bounds, problem.owners(), static_cast<int>(problem.p())},
                                first_agent, streams, gradients);
  if (!budget.active()) return budget;
  if (budget.source == BoundSource::kFromData) {
    budget.bound =
        std::max(problem.largest_record_gradient(Eigen::VectorXd::Zero(problem.p()), budget.norm()),
                 problem.largest_record_gradient(optimum.get().theta, budget.norm()));
  }
  warn(budget, problem);
  budget.schedules = schedules ? std::move(schedules) : std::make_shared<const ReleaseCache>();
  return budget;
}

}  // namespace hearsay::models
