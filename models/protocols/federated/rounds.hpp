#pragma once
// Rounds of a federated server: what fedavg, fedprox and scaffold share. In round r the server (agent 0)
//
//   1. draws a cohort of C owners uniformly without replacement, and more with `over_selection` s: min(N, ceil(s C)),
//   2. sends them its model x and waits for the first C answers, for an answer of everyone asked, or for `round_timeout`,
//   3. x <- aggregate of the updates y_i - x that have come (aggregator.hpp), with weights
//        records   w_i = n_i, w = sum of n_i over these answers        McMahan et al. 2017, Algorithm 1
//        equal     w_i = 1, w = the number of these answers
//      and begins round r + 1.
//
// The server does not know who is up: a query to an owner that is down is lost. An answer that comes after its round
// has ended is stale: it is discarded, its releases stay spent, and what it carried never enters the model. If no
// answer comes, the model stays, and the round counts. Refusals count as answers without an update; who refuses is
// not drawn again. While the server is down, answers to it are lost and its timeout waits for its return.
//
// A server that has crashed starts again from its first model, without the state of its optimiser; the interrupted
// round counts, and answers to queries from before the crash are stale. Round numbers go on, and with them a
// decreasing step size.
//
// Step t of a training: owner i's steps in round r are numbered from (r - 1) K. Iteration: a round. Clocks have no
// effect.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/protocols/federated/aggregator.hpp"
#include "models/protocols/federated/clients.hpp"
#include "models/protocols/federated/cohort.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

enum class ClientWeights { kRecords, kEqual };

struct RoundOptions {
  Cohort cohort;
  double over_selection = 1;
  std::optional<sim::Time> round_timeout;
  ClientWeights weights = ClientWeights::kRecords;
  Aggregator::Params server;
  LocalTraining::Params local;

  void describe(sim::Visitor& v);
  std::vector<std::string> notes(const Study& study) const { return local.notes(study); }
  bool self_paced() const { return true; }
  /// Throws as LocalTraining::Params::require, and OptionError for a cohort of more owners than there are.
  void require(const Setting& setting) const;
  /// Answers that a round waits for, and owners that it asks for so many.
  std::size_t cohort_of(std::size_t owners) const;
  std::size_t asked(std::size_t goal) const;
};

class FederatedRounds : public FederatedClients {
 public:
  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTrain ? "train" : timeout_name(round_.in_flight(round));
  }
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  bool finished(const Context&) const { return candidates_.empty() && !round_.in_flight(); }

 protected:
  FederatedRounds(const RoundOptions& options, const Study& study, Eigen::Index vectors = 1);

  LocalTerms terms(const Query& query, Context& context) override;
  /// w_i, and its share of the sum over all owners.
  double weight(std::size_t owner) const { return weights_[owner]; }
  double share(std::size_t owner) const { return weights_[owner] / all_weights_; }
  /// The numbers of a query beyond the first p, and those of an answer that is used.
  virtual void fill(Eigen::Ref<Eigen::VectorXd> rest) { rest.setZero(); }
  virtual void receive(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& rest) {
    static_cast<void>(owner), static_cast<void>(rest);
  }
  /// An agent has lost its state.
  virtual void lose(sim::AgentId agent) { static_cast<void>(agent); }

 private:
  static constexpr std::uint32_t kCohort = LocalTraining::kFreePurpose;  // purpose of the draws

  void begin_round(Context& context);
  void end_round(Context& context);
  void next_round(Context& context);

  RoundOptions options_;
  sim::Time timeout_;
  std::uint64_t last_;  // round, after which the run ends
  Aggregator aggregator_;
  std::vector<double> weights_;  // by owner
  double all_weights_ = 0;
  std::vector<sim::AgentId> candidates_;
  Request round_;         // to the cohort; its number is r
  std::size_t goal_ = 0;  // answers after which the round ends
  Eigen::VectorXd query_;
};

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::ClientWeights> {
  static constexpr std::array kValues{Choice{"records", "proportional to the owner's number of records"},
                                      Choice{"equal", "the same for every owner"}};
};
