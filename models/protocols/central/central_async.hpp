#pragma once
// The asynchronous central learner with differentially private gradients.
//
// Farokhi, Wu, Smith, Kaafar, "The Cost of Privacy in Asynchronous Differentially-Private Machine Learning",
// Algorithm 1. N owners, owner i with n_i of the n records, f(theta) = g(theta) + (1/n) sum of the records'
// losses, g strongly convex with sigma, theta in R^p in the box Theta = {norm_inf <= theta_max}, Pi the
// projection onto it. The learner (agent 0) keeps theta_L and a copy theta_i for each owner, all 0 at the
// start. In the k-th conversation, with owner i:
//
//   bar     <- (theta_L + theta_i)/2                                                                   (6)
//   Q       <- (1/n_i) sum grad loss(bar) + w,  w_j ~ Laplace(0, 2 Xi T/(n_i epsilon_i))   (3), (4), Theorem
//   1 theta_i <- Pi[ bar - N rho/(T^2 sigma) ( grad g(bar)/(2N) + (n_i/n) Q ) ]                          (5)
//   theta_L <- Pi[ bar - c rho/(T^2 sigma) grad g(bar) ],  c = (N-1)/N as printed, 1/2 by its proof    (7)
//
// Over the network a conversation is: an owner's clock ticks and it sends a request; the learner, if free,
// sends query(bar); the owner computes, releases and sends its answer; the learner updates. One conversation
// at a time. An owner that does not answer within `timeout` is forgotten: its late answer is discarded, its
// release stays spent. k counts the answers that the learner used; T is the horizon. An owner releases at
// most T answers, lost ones included, each at epsilon_i/T or what the accountant makes of it; after that it
// neither requests nor answers. With zero latency and everyone up this is Algorithm 1 exactly. Where computing
// takes time, an owner's answer leaves it that much after the query.
//
// Variants:
//   initiative learner      no requests: at 0, `interval`, 2 `interval`, ... the learner queries every owner,
//                           each at its own bar; an answer is an iteration
//   interleave              requests are served at once, so that conversations overlap
//   stale_base              overlapping conversations update (5), (7) at bar from the copies as they are when
//                           the answer comes (current), or at the bar that was sent (sent); Q is the gradient
//                           at the latter either way. The same where conversations do not overlap
//   groups                  fictitious owners of Remark 2 (central/parties.hpp): in the above i is a party, N
//                           counts parties, and a conversation ends with its last member's answer; after
//                           `timeout` the answers that have come count, with weights n_i/(sum of their n)
//   reweight_by_frequency   (n_i/n) Q is multiplied by min(10, max(0.1, k/(N visits_i))), k and the visits
//                           counting this one (Remark 4): post-processing, which costs no privacy
//   budget_for expected_share   an owner releases at most T_i = min(T, ceil(T/N + 3 sqrt(T/N))) answers, each
//                           at epsilon_i/T_i: nearly N times less noise for the same guarantee
//   overlap kappa           budgets are epsilon_i/kappa: a record may be held by that many owners
//   learner_is_owner i      owner i answers within the learner, in no time, without noise and uncharged
//                           (central/learner_owner.hpp); its clock still says when
#include <Eigen/Core>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/central/async_options.hpp"
#include "models/protocols/central/conversations.hpp"
#include "models/protocols/central/parties.hpp"

namespace hearsay::models {

class CentralAsync {
 public:
  using Params = CentralAsyncOptions;

  static constexpr Entry kEntry{
      .name = "central_async",
      .help = "A learner that owners contact one at a time, with private gradients.",
      .hub = true};

  /// T is the horizon, by default where the run stops. Throws std::invalid_argument where the options do not
  /// fit together or the study.
  CentralAsync(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId owner, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t conversation, Context& context);
  /// A learner that is back from a crash knows no owner's copy and waits for nobody; owners have no state.
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  /// No owner may answer any more and nobody is being waited for.
  bool finished(const Context& context) const;

  /// The learner's copy for a party: an owner, where there are no groups.
  Eigen::VectorXd copy(std::size_t party) const { return copies_.col(static_cast<Eigen::Index>(party)); }
  /// rho/(T^2 sigma).
  double step() const { return step_; }

 private:
  enum Tag : std::uint16_t { kRequest, kQuery, kAnswer, kTimeout, kQueryAll, kOwnAnswer };

  void query_all(Context& context);
  void request(std::size_t party, Context& context);
  void begin(std::size_t party, Context& context);
  void answer(const sim::Message& query, Context& context);
  void own_answer(Conversation& conversation, Context& context);
  void receive(const sim::Message& answer, Context& context);
  void complete(Conversation& conversation, Context& context);
  void update(const Conversation& conversation, Context& context);
  void serve_next(Context& context);

  Params options_;
  Parties parties_;
  std::uint64_t horizon_, answers_;  // T, T_i
  sim::Time interval_;
  double step_, learner_factor_;
  std::optional<sim::AgentId> learner_owner_;
  Eigen::MatrixXd copies_;  // theta_i, p x N
  Eigen::VectorXd bar_, regulariser_;
  std::vector<std::uint64_t> visits_;  // by party
  std::deque<std::size_t> waiting_;    // requests not yet served, first come first
  Conversations conversations_;
  bool restarts_ = false;  // the learner is back from a crash
};

ProtocolRow central_async_row();

}  // namespace hearsay::models
