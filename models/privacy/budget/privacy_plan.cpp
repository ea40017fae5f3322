#include "models/privacy/budget/privacy_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace hearsay::models {

namespace {

constexpr std::uint32_t kEpsilonOption = 1, kStepsOption = 13;  // index of (kPerAgent, agent)

std::vector<std::uint64_t> steps_of(const sim::PerAgent& steps, sim::AgentId first, sim::AgentId count,
                                    const sim::Streams& streams) {
  std::vector<std::uint64_t> rounded;
  for (const double value : steps.values(first, count, kStepsOption, streams)) {
    if ((steps.constant() || steps.list()) && value != std::round(value))
      throw std::invalid_argument(fmt::format("privacy.steps must be whole numbers, got {}", value));
    rounded.push_back(static_cast<std::uint64_t>(std::max(1.0, std::round(value))));
  }
  return rounded;
}

void find_bound(const PrivacyOptions& options, const Problem& problem, const LazyOptimum& optimum,
                PrivacyPlan& plan) {
  if (options.clip) {
    plan.source = BoundSource::kClip;
    plan.bound = *options.clip;
  } else if (options.gradient_bound) {
    plan.source = BoundSource::kGiven;
    plan.bound = *options.gradient_bound;
  } else if (options.bound_from_data) {
    plan.source = BoundSource::kFromData;
    plan.bound = std::max(problem.largest_record_gradient(Eigen::VectorXd::Zero(problem.p()), plan.norm()),
                          problem.largest_record_gradient(optimum.get().theta, plan.norm()));
  } else if (options.by_turn()) {
    const auto& declared = problem.data().bounds;
    plan.source = BoundSource::kProtocol;  // unless slopes are at most 1 and the length of a record is known
    if (problem.loss().is_classifier() && declared && std::isfinite(declared->features_l2)) {
      plan.source = BoundSource::kDerived;
      plan.bound = declared->features_l2;
    }
  } else if (const auto derived = problem.derived_gradient_bound()) {
    plan.source = BoundSource::kDerived;
    plan.bound = *derived;  // of the L1 norm, and norm_2 <= norm_1
  } else {
    throw std::invalid_argument(
        "noise needs a bound on a record's gradient: give gradient_bound or clip, or declare bounds of the "
        "data and theta_max, or say bound_from_data");
  }
}

// A release of each kind is put before the accountant, so that one it does not cover is refused before the
// run.
void require_cover(const PrivacyPlan& plan, int dimension) {
  Step step = shape_of(plan.mechanism, dimension);
  step.epsilon = 1;
  if (step.kind == StepKind::kGaussian) step.noise_multiplier = 1;
  const bool stated = plan.accountant == Accountant::kBasic || plan.accountant == Accountant::kKairouz;
  if (step.kind == StepKind::kGaussian && stated) step.delta = plan.delta / 2;
  if (step.kind == StepKind::kGaussian && !stated) step.epsilon = 0;
  total_guarantee(Releases(step, 1), {plan.accountant, plan.delta, plan.adjacency});
}

void warn(PrivacyPlan& plan, const Problem& problem) {
  if (plan.source == BoundSource::kFromData) {
    plan.warnings.emplace_back(
        "privacy.bound_from_data: the bound is taken from the private data, so the stated epsilon does not "
        "hold; "
        "use clip for one that does");
  }
  Eigen::Index fewest = problem.n(), exposed = 0;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
    if (plan.delta * static_cast<double>(problem.n(owner)) >= 1) ++exposed;
    if (problem.n(owner) > 0) fewest = std::min(fewest, problem.n(owner));
  }
  if (exposed > 0) {
    plan.warnings.push_back(
        fmt::format("privacy.delta: {:g} is at least 1/records of {} of {} owners: to publish a record at "
                    "random would keep "
                    "it; choose delta well below {:.3g}",
                    plan.delta, exposed, problem.owners(), 1 / static_cast<double>(fewest)));
  }
  const auto* gaussian = std::get_if<Gaussian>(&plan.mechanism);
  const double greatest = *std::max_element(plan.epsilon.begin(), plan.epsilon.end());
  if (gaussian != nullptr && gaussian->calibration == GaussianCalibration::kPaper && greatest > 1) {
    plan.warnings.emplace_back(
        "privacy.mechanism.calibration: paper is proved for an epsilon of at most 1 a release; use analytic");
  }
}

}  // namespace

std::string PrivacyPlan::describe_bound() const {
  switch (source) {
    case BoundSource::kNone:
      return "none";
    case BoundSource::kGiven:
      return "given by the scenario, not enforced";
    case BoundSource::kDerived:
      return "derived from declared bounds of features, target and theta_max";
    case BoundSource::kClip:
      return "enforced: each record's gradient is clipped";
    case BoundSource::kProtocol:
      return "worked out by the protocol from the bounds that it is told";
    case BoundSource::kFromData:
      return "taken from the private data: the stated epsilon does not hold";
  }
  return "";
}

void PrivacyPlan::require_room(std::uint64_t releases, std::uint32_t overlap) const {
  if (!active()) return;
  for (const double budget : std::set<double>(epsilon.begin(), epsilon.end())) {
    spending->uniform(budget, releases, overlap);
  }
}

void PrivacyPlan::require_room_for_steps(const std::optional<Step>& upfront) const {
  if (!active()) return;
  if (steps.empty()) {
    throw std::invalid_argument(
        "this protocol spreads each owner's budget over its own releases: give privacy.steps, how many");
  }
  std::set<std::pair<double, std::uint64_t>> different;
  for (std::size_t owner = 0; owner < epsilon.size(); ++owner)
    different.emplace(epsilon[owner], steps[owner]);
  for (const auto& [budget, releases] : different) spending->uniform(budget, releases, 1, upfront);
}

PrivacyPlan make_plan(const PrivacyOptions& options, const Problem& problem, const LazyOptimum& optimum,
                      sim::AgentId first_agent, const sim::Streams& streams) {
  PrivacyPlan plan{.mechanism = options.mechanism,
                   .accountant = options.accountant,
                   .adjacency = options.adjacency,
                   .schedule = options.schedule};
  if (options.steps) {
    plan.steps = steps_of(*options.steps, first_agent, static_cast<sim::AgentId>(problem.owners()), streams);
  }
  if (!plan.active()) return plan;
  plan.delta = options.needs_delta() ? options.delta : 0;
  if (options.by_turn()) {
    if (!std::holds_alternative<ExponentialNorm>(plan.mechanism))
      throw std::invalid_argument("epsilon_1 and epsilon_2 are of mechanism exponential_norm");
    plan.epsilon_1 = options.epsilon_1.value_or(0);
    plan.epsilon_2 = *options.epsilon_2;
    plan.epsilon.assign(problem.owners(), plan.epsilon_1 + plan.epsilon_2);
    const PrivacyOptions defaults;
    if (!options.epsilon.constant() || options.epsilon.mean() != defaults.epsilon.mean())
      plan.warnings.emplace_back(
          "privacy.epsilon: of no use beside epsilon_1 and epsilon_2, which are of a turn");
    if (options.steps)
      plan.warnings.emplace_back(
          "privacy.steps: of no use beside epsilon_1 and epsilon_2; see protocol.turns");
  } else {
    plan.epsilon = options.epsilon.values(first_agent, static_cast<sim::AgentId>(problem.owners()),
                                          kEpsilonOption, streams);
  }
  plan.epsilon_warm = options.epsilon_warm;
  find_bound(options, problem, optimum, plan);
  const auto dimension = static_cast<int>(problem.p());
  require_cover(plan, dimension);
  warn(plan, problem);
  plan.spending = std::make_shared<SpendingPlans>(
      plan.mechanism, AccountantOptions{plan.accountant, plan.delta, plan.adjacency}, dimension);
  return plan;
}

}  // namespace hearsay::models
