#pragma once
// The owners of a central learner (agent 0), the options about them that both learners have, and the given step.
//
// An owner answers a query with theta in R^p by its private gradient
//
//   Q_i = (1/n_i) sum grad loss(theta) + w_i
//
// n_i its records, w_i the noise of its next release. Once its planned answers are released it refuses: an empty reply. Where
// computing takes time, the answer leaves that much after the query has arrived.
//
// learner_is_owner: one owner is the learner. It answers within the learner, in no time, without noise and uncharged
// (Wu, Farokhi, Smith, Kaafar, "The Value of Collaboration in Convex Machine Learning with Differential Privacy",
// section V: as no other owner sees the final model, its own budget may be infinite). But the queries carry models that
// depend on its data, and the other owners see them: its privacy rests on trust in them. Its gradient never leaves
// the learner; the study's statement lists it as unaccounted.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/learning/solvers/dependence.hpp"
#include "models/run/context.hpp"
#include "models/run/setting.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// The step of a learner as a number.
struct GivenStep {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp = "Given value.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1;
  void describe(sim::Visitor& v) {
    v(value,
      {.name = "value", .help = "Value of the parameter.", .min = 0, .open_min = true, .required = true});
  }
};

/// Throws std::invalid_argument unless the loss is the squared one, for the step `key` "auto".
inline void require_squared_loss(std::string_view key, const Loss& loss) {
  if (loss.quadratic()) return;
  throw std::invalid_argument(fmt::format("protocol.{} \"auto\" needs the squared loss; give a number", key));
}
/// h_min and h_max, the extreme eigenvalues of the Hessian of the pooled mean loss, for the step `key` "auto", with
/// the squared loss. O(n p^2 + p^3), once per problem.
inline std::pair<double, double> hessian_for_step(std::string_view key, const Study& study) {
  require_squared_loss(key, study.problem.loss());
  return study.exact(fmt::format("protocol.{}: step from private data", key)).hessian_extremes();
}

/// The message for a step `key` "auto" that needs h_min > 0, of a Hessian that does not have full rank: which features
/// are linearly dependent, and what to do. O(p^3).
inline std::string why_singular(std::string_view key, const Problem& problem) {
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

struct OwnerOptions {
  std::optional<std::uint64_t> horizon;
  std::uint32_t overlap = 1;
  std::optional<std::uint32_t> learner_is_owner;

  void describe(sim::Visitor& v, double min_horizon = 1) {
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
  /// T: iterations that the budgets are planned for, by default where the run stops. Throws std::invalid_argument
  /// where neither is given, both are and differ, or T is below `min`.
  std::uint64_t planned_iterations(std::string_view protocol, const StopLimits& limits,
                                   std::uint64_t min = 1) const {
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
  std::uint64_t planned_iterations(std::string_view protocol, const Study& study,
                                   std::uint64_t min = 1) const {
    return planned_iterations(protocol, study.stop, min);
  }
  /// Throws std::invalid_argument if there is no owner learner_is_owner; as Privacy::require_room() of the answers that
  /// an owner's budget is planned for, if their number is known.
  void require(const Setting& setting, std::optional<std::uint64_t> answers) const {
    if (learner_is_owner && setting.owners &&
        (*learner_is_owner < 1 || *learner_is_owner > *setting.owners)) {
      throw std::invalid_argument(
          fmt::format("protocol.learner_is_owner: expected an owner from 1 to {}, found {}", *setting.owners,
                      *learner_is_owner));
    }
    const Budget& privacy = setting.privacy;
    if (privacy.epsilon_warm)
      throw std::invalid_argument(
          "central learners make no release up front: leave out privacy.epsilon_warm");
    if (privacy.expected && !privacy.planned) return;
    if (!privacy.steps.empty()) answers = std::ranges::max(privacy.steps);
    if (answers) privacy.require_room(*answers, overlap);
  }
};

class CentralOwners {
 public:
  enum Tag : std::uint16_t { kQuery, kAnswer, kRefusal, kOwnAnswer, kFreeTag };

  static std::string_view timer_name(std::uint16_t tag) { return tag == kOwnAnswer ? "own answer" : ""; }

  /// Every owner's budget is planned for so many answers. Throws BudgetError if a budget has no room for its answers.
  CentralOwners(const OwnerOptions& options, std::uint64_t answers, const Study& study)
      : answers_(answers), overlap_(options.overlap), learner_(options.learner_is_owner) {
    if (learner_) {
      study.exact(fmt::format(
          "protocol.learner_is_owner: owner {} uses its own gradient without noise, and the other "
          "owners see the resulting models",
          *learner_));
    }
  }

  void open_accounts(Context& context) {
    for (std::size_t owner = 0; owner < context.owners(); ++owner) {
      const sim::AgentId agent = context.agent_of(owner);
      if (is_learner(agent)) continue;
      context.open_account(agent, context.privacy().steps_or(owner, answers_), overlap_);
    }
  }
  /// Whether it is the learner.
  bool is_learner(sim::AgentId owner) const { return learner_ == owner; }
  bool may_answer(sim::AgentId owner, const Context& context) const {
    return is_learner(owner) || context.may_release(owner);
  }
  /// Whether no owner may answer any more.
  bool exhausted(const Context& context) const { return !learner_ && context.all_spent(); }

  /// The learner asks an owner about `theta`: by a query, or by the timer kOwnAnswer if it is the learner.
  void query(sim::AgentId owner, std::uint32_t number, const Eigen::VectorXd& theta, Context& context) const {
    if (is_learner(owner)) {
      // By a separate event, so that no update is made in the middle of another.
      context.after(0, 0, kOwnAnswer, number);
    } else {
      context.send(0, owner, kQuery, number, theta);
    }
  }
  /// The owner's reply to a query: its answer, for which it draws noise, or without a release left an empty refusal.
  void answer(const sim::Message& query, Context& context) const {
    const sim::AgentId owner = query.to;
    if (!may_answer(owner, context)) return context.send(owner, 0, kRefusal, query.conversation);
    context.compute(owner);
    const Vector theta = vector_of(query);
    const auto noisy = context.release(owner, context.gradient(owner, theta));
    context.send(owner, 0, kAnswer, query.conversation, *noisy);
  }
  /// The learner's own owner, and its answer.
  sim::AgentId learner() const { return *learner_; }
  Eigen::VectorXd own_answer(const Eigen::VectorXd& theta, Context& context) const {
    Eigen::VectorXd answer = context.keep_local(context.gradient(*learner_, theta)).inside_owner();
    context.transformed(answer, theta);
    return answer;
  }

 private:
  std::uint64_t answers_;  // planned for
  std::uint32_t overlap_;
  std::optional<sim::AgentId> learner_;
};

}  // namespace hearsay::models
