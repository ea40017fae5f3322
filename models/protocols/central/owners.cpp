#include "models/protocols/central/owners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "models/learning/solvers/dependence.hpp"

namespace hearsay::models {

void require_squared_loss(std::string_view key, const Loss& loss) {
  if (loss.quadratic()) return;
  throw std::invalid_argument(fmt::format("protocol.{} \"auto\" needs the squared loss; give a number", key));
}

std::pair<double, double> hessian_for_step(std::string_view key, const Study& study) {
  require_squared_loss(key, study.problem.loss());
  return study.exact(fmt::format("protocol.{}: step from private data", key)).hessian_extremes();
}

std::string why_singular(std::string_view key, const Problem& problem) {
  constexpr std::size_t kMaxNames = 12;
  const DataSet& data = problem.data();
  const auto dependent = dependent_columns(problem.pooled_moments(problem.everyone()).a);
  std::string why = "its smallest eigenvalue is 0 to rounding", what = "set data.standardise";
  if (problem.n() < problem.p()) {
    why = fmt::format("there are {} training records for {} features", problem.n(), problem.p());
    what = "use more records or fewer features";
  } else if (dependent.size() == 1) {
    why = fmt::format("feature '{}' is 0 in every training record",
                      data.feature_names[static_cast<std::size_t>(dependent.front())]);
    what = "remove the feature";
  } else if (!dependent.empty()) {
    std::vector<std::string> names;
    names.reserve(dependent.size());
    for (const auto j : dependent)
      names.push_back(fmt::format("'{}'", data.feature_names[static_cast<std::size_t>(j)]));
    const bool whole_category = std::ranges::any_of(data.full_categories, [&](const std::string& category) {
      return std::ranges::any_of(names, [&](const auto& n) { return n.starts_with("'" + category + "="); });
    });
    const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
    names.resize(names.size() - more);
    why = fmt::format("features {}{} are linearly dependent{}", fmt::join(names, ", "),
                      more > 0 ? fmt::format(" and {} more", more) : "",
                      whole_category ? " (the columns of a category sum to 1)" : "");
    what = whole_category ? "set data.drop_first to true" : "remove one of the features";
  }
  return fmt::format("protocol.{} \"auto\" needs a Hessian of full rank, but {}; {}, or give a number", key,
                     why, what);
}

void OwnerOptions::describe(sim::Visitor& v, double min_horizon) {
  v(horizon,
    {.name = "horizon",
     .help = "Number of iterations T for which the privacy budget is planned; by default stop.iterations.",
     .source = "Farokhi, Wu, Smith, Kaafar, Algorithm 1; Wu, Farokhi, Smith, Kaafar, Algorithms 1 and 2",
     .min = min_horizon});
  v(overlap, {.name = "overlap",
              .help = "Number of owners that may hold the same record; each spends epsilon/overlap.",
              .source = "Wu, Farokhi, Smith, Kaafar, section II.A",
              .min = 1});
  v(learner_is_owner, {.name = "learner_is_owner",
                       .help = "Number, from 1, of the owner that acts as the learner and uses its own "
                               "gradient without noise; by default none.",
                       .source = "Wu, Farokhi, Smith, Kaafar, section V",
                       .min = 1});
}

void OwnerOptions::require(const Setting& setting, std::optional<std::uint64_t> answers) const {
  if (learner_is_owner && setting.owners && (*learner_is_owner < 1 || *learner_is_owner > *setting.owners)) {
    throw std::invalid_argument(
        fmt::format("protocol.learner_is_owner: expected an owner from 1 to {}, found {}", *setting.owners,
                    *learner_is_owner));
  }
  if (answers) setting.privacy.require_room(*answers, overlap);
}

std::uint64_t OwnerOptions::planned_iterations(std::string_view protocol, const StopLimits& limits,
                                               std::uint64_t min) const {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t stop = limits.iterations;
  const std::uint64_t planned = horizon.value_or(stop);
  if (planned == kNever) {
    throw std::invalid_argument(
        fmt::format("{} needs a horizon: give stop.iterations or protocol.horizon", protocol));
  }
  if (stop < kNever && stop != planned) {
    throw std::invalid_argument(fmt::format(
        "protocol.horizon ({}) and stop.iterations ({}) must agree where both are given", planned, stop));
  }
  if (planned < min) {
    throw std::invalid_argument(
        fmt::format("{} needs a horizon of at least {}: the first iteration is the start", protocol, min));
  }
  return planned;
}

CentralOwners::CentralOwners(const OwnerOptions& options, std::uint64_t answers, const Study& study)
    : answers_(answers), overlap_(options.overlap), learner_(options.learner_is_owner) {
  if (learner_) {
    study.exact(
        fmt::format("protocol.learner_is_owner: owner {} uses its own gradient without noise, and the other "
                    "owners see the resulting models",
                    *learner_));
  }
}

void CentralOwners::open_accounts(Context& context) {
  for (std::size_t owner = 0; owner < context.owners(); ++owner) {
    const sim::AgentId agent = context.agent_of(owner);
    if (!is_learner(agent)) context.open_account(agent, answers_, overlap_);
  }
}

void CentralOwners::query(sim::AgentId owner, std::uint32_t number, const Eigen::VectorXd& theta,
                          Context& context) const {
  if (is_learner(owner)) {
    // By a separate event, so that no update is made in the middle of another.
    context.after(0, 0, kOwnAnswer, number);
  } else {
    context.send(0, owner, kQuery, number, theta);
  }
}

void CentralOwners::answer(const sim::Message& query, Context& context) const {
  const sim::AgentId owner = query.to;
  if (!may_answer(owner, context)) return context.send(owner, 0, kRefusal, query.conversation);
  context.compute(owner);
  const Vector theta = vector_of(query);
  const auto noisy = context.release(owner, context.gradient(owner, theta));
  context.send(owner, 0, kAnswer, query.conversation, *noisy);
}

}  // namespace hearsay::models
