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
#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
void require_squared_loss(std::string_view key, const Loss& loss);
/// h_min and h_max, the extreme eigenvalues of the Hessian of the pooled mean loss, for the step `key` "auto", with
/// the squared loss. O(n p^2 + p^3), once per problem.
std::pair<double, double> hessian_for_step(std::string_view key, const Study& study);

/// The message for a step `key` "auto" that needs h_min > 0, of a Hessian that does not have full rank: which features
/// are linearly dependent, and what to do. O(p^3).
std::string why_singular(std::string_view key, const Problem& problem);

struct OwnerOptions {
  std::optional<std::uint64_t> horizon;
  std::uint32_t overlap = 1;
  std::optional<std::uint32_t> learner_is_owner;

  void describe(sim::Visitor& v, double min_horizon = 1);
  /// T: iterations that the budgets are planned for, by default where the run stops. Throws std::invalid_argument
  /// where neither is given, both are and differ, or T is below `min`.
  std::uint64_t planned_iterations(std::string_view protocol, const StopLimits& stop,
                                   std::uint64_t min = 1) const;
  std::uint64_t planned_iterations(std::string_view protocol, const Study& study,
                                   std::uint64_t min = 1) const {
    return planned_iterations(protocol, study.stop, min);
  }
  /// Throws std::invalid_argument if there is no owner learner_is_owner; as Privacy::require_room() of the answers that
  /// an owner's budget is planned for, if their number is known.
  void require(const Setting& setting, std::optional<std::uint64_t> answers) const;
};

class CentralOwners {
 public:
  enum Tag : std::uint16_t { kQuery, kAnswer, kRefusal, kOwnAnswer, kFreeTag };

  static std::string_view timer_name(std::uint16_t tag) { return tag == kOwnAnswer ? "own answer" : ""; }

  /// Every owner's budget is planned for so many answers. Throws BudgetError if a budget has no room for its answers.
  CentralOwners(const OwnerOptions& options, std::uint64_t answers, const Study& study);

  void open_accounts(Context& context);
  /// Whether it is the learner.
  bool is_learner(sim::AgentId owner) const { return learner_ == owner; }
  bool may_answer(sim::AgentId owner, const Context& context) const {
    return is_learner(owner) || context.may_release(owner);
  }
  /// Whether no owner may answer any more.
  bool exhausted(const Context& context) const { return !learner_ && context.all_spent(); }

  /// The learner asks an owner about `theta`: by a query, or by the timer kOwnAnswer if it is the learner.
  void query(sim::AgentId owner, std::uint32_t number, const Eigen::VectorXd& theta, Context& context) const;
  /// The owner's reply to a query: its answer, for which it draws noise, or without a release left an empty refusal.
  void answer(const sim::Message& query, Context& context) const;
  /// The learner's own owner, and its answer.
  sim::AgentId learner() const { return *learner_; }
  Eigen::VectorXd own_answer(const Eigen::VectorXd& theta, Context& context) const {
    return context.keep_local(context.gradient(*learner_, theta)).inside_owner();
  }

 private:
  std::uint64_t answers_;  // planned for
  std::uint32_t overlap_;
  std::optional<sim::AgentId> learner_;
};

}  // namespace hearsay::models
