#pragma once
// The asynchronous central learner with differentially private gradients.
//
// Farokhi, Wu, Smith, Kaafar, "The Cost of Privacy in Asynchronous Differentially-Private Machine Learning",
// Algorithm 1. N owners, owner i with n_i of the n records; f(theta) = g(theta) + (1/n) sum of the records' losses;
// g strongly convex with constant sigma; theta in R^p in the box Theta = {norm_inf <= theta_max}; Pi the projection
// onto it. The learner (agent 0) keeps theta_L and a copy theta_i for each owner, all 0 at the start. In the k-th
// conversation, with owner i:
//
//   bar     <- (theta_L + theta_i)/2                                                            (6)
//   Q       <- (1/n_i) sum grad loss(bar) + w,  w_j ~ Laplace(0, 2 Xi T/(n_i epsilon_i))         (3), (4), Theorem 1
//   theta_i <- Pi[ bar - N rho/(T^2 sigma) ( grad g(bar)/(2N) + (n_i/n) Q ) ]                    (5)
//   theta_L <- Pi[ bar - c rho/(T^2 sigma) grad g(bar) ],  c = (N-1)/N as printed, 1/2 by proof  (7)
//
// Over the network: an owner's clock ticks and it requests a query; the learner, if idle, sends query(bar); the owner
// computes, releases and sends its answer; the learner updates. One conversation at a time. An answer that has not come
// within `timeout` (run/timeout.hpp) is given up: when it comes it is stale and discarded, its release stays spent. k counts the
// answers that the learner used; T is the horizon. An owner releases at most T answers, lost ones included, each at
// epsilon_i/T or what the accountant makes of it; after that it neither requests nor answers. With zero latency and
// everyone up this is Algorithm 1 exactly.
//
// Variants:
//   initiative learner     no requests: at 0, `interval`, 2 `interval`, ... the learner queries every owner, each at
//                          its own bar; an answer is an iteration
//   interleave             requests are served at once, so that conversations overlap
//   stale_base             overlapping conversations update (5), (7) at bar from the copies as they are when the answer
//                          comes (current), or at the bar that was sent (sent); Q is the gradient at the latter
//                          either way. The same where conversations do not overlap
//   groups                 fictitious owners of Remark 2 (central/parties.hpp): above, i is a party, N counts
//                          parties, and a conversation ends with its last member's answer; after `timeout` the answers
//                          that have come count, with weights n_i/(sum of their n)
//   reweight_by_frequency  (n_i/n) Q is multiplied by min(10, max(0.1, k/(N visits_i))), k and the visits counting
//                          this one (Remark 4): post-processing, which costs no privacy
//   budget_for             expected_share: an owner releases at most T_i = min(T, ceil(T/N + 3 sqrt(T/N))) answers,
//                          each at epsilon_i/T_i: nearly N times less noise for the same guarantee. An owner is drawn
//                          Binomial(T, 1/N) times in T uniform draws; T_i is about three standard deviations above
//                          the mean
//   overlap kappa          budgets are epsilon_i/kappa: a record may be held by that many owners
//   learner_is_owner i     owner i answers within the learner (central/owners.hpp); its clock still says when
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/learning/columns.hpp"
#include "models/protocols/central/owners.hpp"
#include "models/protocols/central/parties.hpp"
#include "models/protocols/central/stability.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

enum class Initiative { kOwner, kLearner };
constexpr auto choices_of(Initiative) {
  return std::to_array<sim::Choice>({{"owner", "an owner requests a query at each tick of its clock"},
                                     {"learner", "the learner queries every owner at an interval"}});
}

enum class WhenBusy { kQueue, kRefuse };
constexpr auto choices_of(WhenBusy) {
  return std::to_array<sim::Choice>(
      {{"queue", "requests wait in a first-in, first-out queue"},
       {"refuse", "a request that arrives while the learner is busy is dropped"}});
}

enum class StaleBase { kCurrent, kSent };
constexpr auto choices_of(StaleBase) {
  return std::to_array<sim::Choice>(
      {{"current", "the mean of the copies at the time the answer arrives"},
       {"sent", "the mean sent with the query: undoes updates made since then"}});
}

enum class LearnerStep { kPrinted, kProof };
constexpr auto choices_of(LearnerStep) {
  return std::to_array<sim::Choice>(
      {{"printed", "(N-1)/N, as in equation (7)"}, {"proof", "1/2, as in the proof"}});
}

enum class BudgetFor { kHorizon, kExpectedShare };
constexpr auto choices_of(BudgetFor) {
  return std::to_array<sim::Choice>(
      {{"horizon", "T answers, an owner's maximum"},
       {"expected_share", "ceil(T/N + 3 sqrt(T/N)) answers, about an owner's share of T"}});
}

/// rho = 5 rho_1, rho_1 = (N + 1) T sigma/h_min, h_min the smallest eigenvalue of the Hessian of the pooled mean loss.
struct AutoRho {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "rho = 5 (N + 1) T sigma/h_min, from the Hessian of the private data; squared loss only.";
  void describe(sim::Visitor&) {}
  static double value(double parties, double horizon, double sigma, double h_min) {
    return 5 * (parties + 1) * horizon * sigma / h_min;
  }
};

class CentralAsync {
 public:
  struct Params : OwnerOptions {
    std::variant<GivenStep, AutoRho> rho;
    std::optional<double> sigma;
    LearnerStep learner_step = LearnerStep::kPrinted;
    Initiative initiative = Initiative::kOwner;
    std::optional<sim::Time> interval;
    WhenBusy when_busy = WhenBusy::kQueue;
    bool interleave = false;
    StaleBase stale_base = StaleBase::kCurrent;
    std::optional<sim::Time> timeout;
    std::vector<std::vector<std::uint32_t>> groups;
    bool reweight_by_frequency = false;
    BudgetFor budget_for = BudgetFor::kHorizon;

    void describe(sim::Visitor& v);
    /// rho, the step and its stability (central/stability.hpp). Throws as the constructor.
    UsedStep used_step(const Study& study) const;
    void require(const Setting& setting) const;
    std::vector<std::pair<std::string, double>> numbers(const Study& study) const;
    std::vector<std::string> notes(const Study& study) const;
    /// That no owner gave half of the answers that its budget is planned for.
    std::optional<std::string> warning(const World& world) const;
    /// The learner's own answers take no time.
    bool uses_late_replies() const { return learner_is_owner.has_value(); }
    /// T or T_i: answers that an owner's budget is planned for.
    std::uint64_t planned_answers(std::uint64_t horizon, std::size_t parties) const;
  };

  static constexpr Entry kEntry{
      .name = "central_async",
      .help = "Asynchronous central learner: updates its model with each private gradient that it receives.",
      .hub = true,
      .linear = true,
      .step = "protocol.rho",
      .example = R"("rho": 1)"};

  /// Throws std::invalid_argument where the options do not fit together or the study, or rho can not be computed.
  CentralAsync(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId owner, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t number) const {
    return tag == kTimeout    ? timeout_name(queries_.in_flight(number))
           : tag == kQueryAll ? "query all"
                              : CentralOwners::timer_name(tag);
  }
  /// A learner that is back from a crash has no owner's copy and nothing in flight; owners have no state.
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  /// No owner may answer any more and nothing is in flight.
  bool finished(const Context& context) const;
  auto state() { return std::tie(copies_, visits_, waiting_, queries_); }

  /// The learner's copy for a party: an owner, where there are no groups.
  Eigen::VectorXd copy(std::size_t party) const { return copies_[party]; }
  /// rho/(T^2 sigma).
  double step() const { return step_; }

 private:
  enum Tag : std::uint16_t { kRequest = CentralOwners::kFreeTag, kTimeout, kQueryAll };
  /// A query to a party.
  struct Query {
    std::uint32_t number = 0;
    std::size_t party = 0;
    std::uint64_t iteration = 0;            ///< iterations complete when it was sent
    std::size_t answers = 0, refusals = 0;  ///< that have come
    double weight = 0;                      ///< sum of their weights
    sim::Time sent = 0;                     ///< when the last of them was sent, s
    Eigen::VectorXd bar, sum;               ///< the point, R^p; the answers' weighted sum, R^p
    auto state() { return std::tie(number, party, iteration, answers, refusals, weight, sent, bar, sum); }
  };

  void query_all(Context& context);
  void request(std::size_t party, Context& context);
  void ask(std::size_t party, Context& context);
  void receive(Query& query, sim::AgentId owner, const Eigen::Ref<const Eigen::VectorXd>& q, sim::Time sent,
               Context& context);
  void end_if_last(Query& query, Context& context);
  void give_up(Query& query, Context& context);
  void complete(Query& query, Context& context);
  void update(const Query& query, Context& context);
  void serve_next(Context& context);

  Params options_;
  Parties parties_;
  std::uint64_t horizon_;  // T
  double step_, learner_factor_;
  sim::Time timeout_;
  CentralOwners owners_;
  Columns copies_;  // theta_i, p x N
  Eigen::VectorXd bar_, regulariser_;
  std::vector<std::uint64_t> visits_;  // by party
  std::deque<std::size_t> waiting_;    // parties whose requests wait, in order of arrival
  Requests<Query> queries_;
};

}  // namespace hearsay::models
