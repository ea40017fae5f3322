#pragma once
// The synchronous central learner with differentially private gradients.
//
// Wu, Farokhi, Smith, Kaafar, "The Value of Collaboration in Convex Machine Learning with Differential
// Privacy", Algorithms 1 and 2. N owners, owner l with n_l of the n records, f(theta) = g(theta) + (1/n) sum
// of the records' losses, theta in R^p. In round k = 1, ..., T-1 every owner answers the query theta[k]:
//
//   Q_l     <- (1/n_l) sum grad loss(theta[k]) + w,   w_j ~ Laplace(0, 2 Xi T/(n_l epsilon_l))   (5), (6)
//   G       <- grad g(theta[k]) + sum_l (n_l/n) Q_l
//
//   strongly_convex   theta[k+1] <- theta[k] - rho/(T^2 k) G;   result theta[T]               (Algorithm 1)
//   averaged          theta[k+1] <- Pi[ theta[k] - c1/sqrt(k) G ]                             (Algorithm 2)
//                     bar[k+1]   <- (k-1)/(s + k) bar[k] + (s + 1)/(s + k) theta[k],  s = T^(-1/2);
//                     result bar[T]                                                                    (8)
//
// theta[1] = bar[1] = 0, so bar[2] = theta[1]; Pi is the projection onto the box, and strongly_convex has
// none. An iteration is a round and k = 1 is the start: T iterations are T-1 updates, and of the T answers
// that an owner's budget is planned for T-1 are made.
//
// Over the network: the learner (agent 0) sends the query to all owners at once, and takes the next step when
// the last answer is there, so that a round lasts as long as its slowest answer; or `round_timeout`, where
// one does not come. What is missing then is, by `missing`,
//   reweight   left out: weights n_l / (sum of n over the answers that came); with none the model stays
//   zero       0 in the sum
//   last       the owner's latest answer that has ever come, 0 if none
// A later answer is discarded, but for `last`; its release stays spent either way. With zero latency and
// everyone up this is the paper's algorithm exactly. Owners' clocks are of no use here.
#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/central/given_step.hpp"

namespace hearsay::models {

enum class SyncAlgorithm { kStronglyConvex, kAveraged };
enum class MissingAnswer { kReweight, kZero, kLast };

/// The step whose first use is 1/h_max, h_max the largest eigenvalue of the Hessian of f: c1 = 1/h_max,
/// rho = T^2/h_max.
struct NewtonStep {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "c1 = 1/h_max, rho = T^2/h_max, from the private data's Hessian; squared loss only.";
  void describe(sim::Visitor&) {}
};

class CentralSync {
 public:
  using Step = std::variant<GivenStep, NewtonStep>;
  struct Params {
    SyncAlgorithm algorithm = SyncAlgorithm::kAveraged;
    std::optional<Step> rho, c1;
    std::optional<std::uint64_t> horizon;
    sim::Time round_timeout = 1;
    MissingAnswer missing = MissingAnswer::kReweight;
    std::uint32_t overlap = 1;
    std::optional<std::uint32_t> learner_is_owner;

    void describe(sim::Visitor& v);
    std::vector<std::string> fitted_on_private_data(const Study& study) const;
  };

  static constexpr Entry kEntry{
      .name = "central_sync",
      .help = "A learner that all owners answer in every round, with private gradients.",
      .hub = true};

  /// T is the horizon, by default where the run stops. Throws std::invalid_argument where T is below 2, the
  /// algorithm's step is missing or can not be worked out, or strongly_convex meets a box that it would leave
  /// or a gradient bound that rests on one.
  CentralSync(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context);
  /// A learner that is back from a crash has its start, and no answer; the round that it was in is over.
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const { return context.iterations() >= horizon_; }

  /// theta[k] of the present round k.
  const Eigen::VectorXd& theta() const { return theta_; }
  /// rho/T^2 or c1.
  double step() const { return step_; }

 private:
  enum Tag : std::uint16_t { kQuery, kAnswer, kRoundOver, kOwnAnswer };

  void begin_round(Context& context);
  void answer(const sim::Message& query, Context& context);
  void own_answer(Context& context);
  void receive(const sim::Message& answer, Context& context);
  void keep(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& q, std::uint32_t round);
  void end_round(Context& context);
  double gather(const Context& context);

  SyncAlgorithm algorithm_;
  MissingAnswer missing_;
  sim::Time round_timeout_;
  std::uint64_t horizon_;
  double step_;
  std::uint32_t overlap_;
  std::optional<sim::AgentId> learner_owner_;
  Eigen::VectorXd theta_, data_term_, gradient_;
  Eigen::MatrixXd answers_;              // the latest of each owner, p x N
  std::vector<std::uint32_t> answered_;  // by owner: the round it answers, 0 before the first
  std::uint32_t round_ = 0;              // k
  std::size_t arrived_ = 0;              // answers to this round
  bool restarts_ = false;                // the learner is back from a crash
};

ProtocolRow central_sync_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::SyncAlgorithm> {
  static constexpr std::array kValues{
      Choice{"strongly_convex", "Algorithm 1: steps rho/(T^2 k), no box, the last model"},
      Choice{"averaged", "Algorithm 2: steps c1/sqrt(k), projected, a mean of the models"}};
};
template <>
struct Choices<models::MissingAnswer> {
  static constexpr std::array kValues{Choice{"reweight", "left out, the others weigh more"},
                                      Choice{"zero", "0 in the sum"},
                                      Choice{"last", "the owner's latest answer that has come"}};
};
}  // namespace hearsay::sim
