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
//   Q       <- (1/n_i) sum grad loss(bar) + w,  w_j ~ Laplace(0, 2 Xi T/(n_i epsilon_i))               (3),
//   (4), Theorem 1 theta_i <- Pi[ bar - N rho/(T^2 sigma) ( grad g(bar)/(2N) + (n_i/n) Q ) ] (5) theta_L <-
//   Pi[ bar - c rho/(T^2 sigma) grad g(bar) ],  c = (N-1)/N as printed, 1/2 as its proof has it  (7)
//
// Over the network a conversation is: an owner's clock ticks and it sends a request; the learner, if free,
// sends query(bar); the owner computes, releases and sends its answer; the learner updates. One conversation
// at a time. An owner that does not answer within `timeout` is forgotten: its late answer is discarded, its
// release stays spent. k counts the answers that the learner used; T is the horizon. An owner releases at
// most T answers, lost ones included, each at epsilon_i/T or what the accountant makes of it; after that it
// neither requests nor answers. With zero latency and everyone up this is Algorithm 1 exactly. Where computing
// takes time, an owner's answer leaves it that much after the query.
#include <Eigen/Core>

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "models/protocol.hpp"
#include "models/registry.hpp"

namespace hearsay::models {

enum class WhenBusy { kQueue, kRefuse };
enum class LearnerStep { kPrinted, kProof };

/// rho as a number.
struct GivenRho {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp = "A number.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1;
  void describe(sim::Visitor& v);
};
/// rho = 5 rho_1, rho_1 = (N + 1) T sigma/h_min, h_min the least eigenvalue of the Hessian of the pooled mean
/// loss.
struct AutoRho {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "5 (N + 1) T sigma/h_min, from the private data's Hessian; squared loss only.";
  void describe(sim::Visitor&) {}
};

class CentralAsync {
 public:
  struct Params {
    std::variant<GivenRho, AutoRho> rho;
    std::optional<std::uint64_t> horizon;
    std::optional<double> sigma;
    LearnerStep learner_step = LearnerStep::kPrinted;
    WhenBusy when_busy = WhenBusy::kQueue;
    sim::Time timeout = 1;

    void describe(sim::Visitor& v);
    std::vector<std::string> fitted_on_private_data(const Study& study) const;
  };

  static constexpr Entry kEntry{
      .name = "central_async",
      .help = "A learner that owners contact one at a time, with private gradients.",
      .hub = true};

  /// T is the horizon, by default where the run stops. Throws std::invalid_argument without T, without strong
  /// convexity, or where rho can not be worked out.
  CentralAsync(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId owner, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t conversation, Context& context);
  /// A learner that is back from a crash knows no owner's copy and waits for nobody; owners have no state.
  void reset(sim::AgentId agent);
  /// No owner may answer any more and nobody is being waited for.
  bool finished(const Context& context) const;

  /// The learner's copy for an owner.
  Eigen::VectorXd copy(std::size_t owner) const { return copies_.col(static_cast<Eigen::Index>(owner)); }
  /// rho/(T^2 sigma).
  double step() const { return step_; }

 private:
  enum Tag : std::uint16_t { kRequest, kQuery, kAnswer, kTimeout };

  void request(sim::AgentId owner, Context& context);
  void begin(sim::AgentId owner, Context& context);
  void answer(const sim::Message& query, Context& context);
  void update(const sim::Message& answer, Context& context);
  void serve_next(Context& context);

  WhenBusy when_busy_;
  sim::Time timeout_;
  std::uint64_t horizon_;
  double sigma_, step_, learner_factor_;
  Eigen::MatrixXd copies_;             // theta_i, p x N
  Eigen::VectorXd bar_, regulariser_;  // of the conversation under way
  std::vector<ReleasePlan> plans_;     // by owner
  std::deque<sim::AgentId> waiting_;   // requests not yet served, first come first
  std::uint32_t conversation_ = 0;     // number of the last one begun
  std::uint64_t updates_at_query_ = 0;
  sim::AgentId partner_ = sim::kNoAgent;  // of the conversation under way
};

ProtocolRow central_async_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::WhenBusy> {
  static constexpr std::array kValues{Choice{"queue", "requests wait, first come first served"},
                                      Choice{"refuse", "a request that finds the learner busy is dropped"}};
};
template <>
struct Choices<models::LearnerStep> {
  static constexpr std::array kValues{Choice{"printed", "(N-1)/N, as in equation (7)"},
                                      Choice{"proof", "1/2, as its proof has it"}};
};
}  // namespace hearsay::sim
