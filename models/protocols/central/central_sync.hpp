#pragma once
// The synchronous central learner with differentially private gradients.
//
// Wu, Farokhi, Smith, Kaafar, "The Value of Collaboration in Convex Machine Learning with Differential Privacy",
// Algorithms 1 and 2. N owners, owner l with n_l of the n records; f(theta) = g(theta) + (1/n) sum of the records'
// losses; theta in R^p. In round k = 1, ..., T-1 every owner answers the query theta[k]:
//
//   Q_l        <- (1/n_l) sum grad loss(theta[k]) + w,  w_j ~ Laplace(0, 2 Xi T/(n_l epsilon_l))   (5), (6)
//   G          <- grad g(theta[k]) + sum_l (n_l/n) Q_l
//
//   strongly_convex, result theta[T]:
//   theta[k+1] <- theta[k] - rho/(T^2 k) G                                                       Algorithm 1
//
//   averaged, result bar[T], s = T^(-1/2):
//   theta[k+1] <- Pi[ theta[k] - c1/sqrt(k) G ]                                                  Algorithm 2
//   bar[k+1]   <- (k-1)/(s + k) bar[k] + (s + 1)/(s + k) theta[k]                                (8)
//
// theta[1] = bar[1] = 0, so bar[2] = theta[1]; Pi is the projection onto the box, and strongly_convex has none. An
// iteration is a round and k = 1 is the start: T iterations are T-1 updates, and of the T answers that an owner's
// budget is planned for T-1 are made.
//
// Over the network: the learner (agent 0) queries all owners at once and takes the next step at the last answer, so
// that a round lasts as long as its slowest answer, or `round_timeout` where one does not come. `missing` says what
// replaces an answer that has not come:
//   reweight   nothing: weights n_l/(sum of n over the answers that came); without any the model stays
//   zero       0 in the sum
//   last       the owner's latest answer that has ever come, 0 if none
// With another `aggregate` than the mean, its rule makes one vector of the answers that would be added up, in place of the sum
// over owners; if they are too few for it, that is 0.
// A later answer is discarded except by `last`; its release stays spent either way. With zero latency and everyone up
// this is the paper's algorithm exactly. The owners' clocks have no effect.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/aggregation/aggregation.hpp"
#include "models/learning/columns.hpp"
#include "models/protocols/central/owners.hpp"
#include "models/protocols/central/stability.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

enum class SyncAlgorithm { kStronglyConvex, kAveraged };
constexpr auto choices_of(SyncAlgorithm) {
  return std::to_array<sim::Choice>(
      {{"strongly_convex", "Algorithm 1: step sizes rho/(T^2 k), no projection; returns the last model"},
       {"averaged", "Algorithm 2: step sizes c1/sqrt(k), with projection; returns a mean of the models"}});
}

enum class MissingAnswer { kReweight, kZero, kLast };
constexpr auto choices_of(MissingAnswer) {
  return std::to_array<sim::Choice>({{"reweight", "omitted; the weights of the other answers increase"},
                                     {"zero", "zero in the sum"},
                                     {"last", "the latest answer received from the owner"}});
}

/// The step whose first use is 1/h_max, h_max the largest eigenvalue of the Hessian of f: c1 = 1/h_max,
/// rho = T^2/h_max.
struct NewtonStep {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "c1 = 1/h_max, rho = T^2/h_max, from the Hessian of the private data; squared loss only.";
  void describe(sim::Visitor&) {}
};

class CentralSync {
 public:
  using Step = std::variant<GivenStep, NewtonStep>;
  struct Params : OwnerOptions {
    SyncAlgorithm algorithm = SyncAlgorithm::kAveraged;
    std::optional<Step> rho, c1;
    std::optional<sim::Time> round_timeout;
    MissingAnswer missing = MissingAnswer::kReweight;
    AggregateOptions<ServerRules> rule;

    void describe(sim::Visitor& v);
    /// The step and its stability (central/stability.hpp). Throws as the constructor.
    UsedStep used_step(const Study& study) const;
    void require(const Setting& setting) const;
    std::vector<std::pair<std::string, double>> numbers(const Study& study) const;
    std::vector<std::string> notes(const Study& study) const;
    std::vector<std::string> notes_of_step(const Study& study) const;
    /// The key and the value of the algorithm's step.
    std::string_view step_key() const { return algorithm == SyncAlgorithm::kAveraged ? "c1" : "rho"; }
    bool uses_late_replies() const { return missing == MissingAnswer::kLast || learner_is_owner; }
    const std::optional<Step>& step() const { return algorithm == SyncAlgorithm::kAveraged ? c1 : rho; }
  };

  static constexpr Entry kEntry{
      .name = "central_sync",
      .help = "Synchronous central learner: in each round all owners answer with private gradients.",
      .hub = true,
      .messages = {.rounds = true},
      .linear = true,
      .step = "the step (protocol.rho or protocol.c1)",
      .example = R"("c1": 1)"};

  /// Throws std::invalid_argument where T is below 2, the algorithm's step is missing or can not be computed, or
  /// strongly_convex meets a box that it would leave or a gradient bound that rests on one.
  CentralSync(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTimeout ? timeout_name(round_.in_flight(round)) : CentralOwners::timer_name(tag);
  }
  /// A learner that is back from a crash has its start and no answer; its round is over.
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const { return context.iterations() >= horizon_; }
  auto state() { return std::tie(theta_, answers_, answered_, round_, gathered_.centre); }

  /// theta[k] of the present round k.
  const Eigen::VectorXd& theta() const { return theta_; }
  /// rho/T^2 or c1.
  double step() const { return step_; }

 private:
  enum Tag : std::uint16_t { kTimeout = CentralOwners::kFreeTag };

  void begin_round(Context& context);
  void receive(const sim::Message& answer, Context& context);
  void keep(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& q, std::uint32_t round,
            Context& context);
  void end_round(Context& context);
  void next_round(Context& context);
  double gather(Context& context);

  Params params_;
  std::uint64_t horizon_;  // T
  double step_;
  sim::Time timeout_;
  CentralOwners owners_;
  Eigen::VectorXd theta_, data_term_, gradient_;
  Columns answers_;                      // the latest of each owner, p x N
  std::vector<std::uint32_t> answered_;  // by owner: the round it answers, 0 before the first
  Gathered gathered_;                    // answers, for rules that need all of them
  Request round_;                        // to all owners; its number is k
};

}  // namespace hearsay::models
