#pragma once
// The owners of a federated server (agent 0), as all its protocols see them. A query carries the server's model x, p
// numbers. The owner trains from it (local_training.hpp) to y and answers with the update y - x, or with y, as the
// protocol says. SCAFFOLD's messages carry p numbers more.
//
// The answer leaves when the owner's computation ends: one computation for all K local steps. Of the queries that
// come meanwhile the owner trains from the newest alone, so that a slow owner does not fall behind. An owner whose
// budget is used up answers with an empty refusal, and is not queried again. If the budget ends within a training,
// the owner answers with the steps that it has made.
//
// A crash of an owner loses its training and what the protocol keeps there; it answers the next query. Owners without
// records are never queried.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/protocols/federated/local_training.hpp"
#include "models/protocols/federated/newest_queries.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

class FederatedClients {
 public:
  virtual ~FederatedClients() = default;

  static constexpr std::array kMetrics{
      ProtocolMetric{.name = "answers_used_by_owner",
                     .help = "Number of an owner's answers that the server has used.",
                     .per_agent = true,
                     .exact = false}};
  void measure(std::size_t, const World& world, std::span<double> out) const;

 protected:
  enum Tag : std::uint16_t { kQuery, kAnswer, kRefusal, kRequest, kTimeout, kTrain };
  enum class Answer { kUpdate, kModel };
  using Query = NewestQueries::Query;

  /// `vectors`: of p numbers, in a message.
  FederatedClients(const LocalTraining::Params& params, const Study& study, Answer answer = Answer::kUpdate,
                   Eigen::Index vectors = 1);
  FederatedClients(const FederatedClients&) = delete;
  FederatedClients& operator=(const FederatedClients&) = delete;

  void open_accounts(Context& context);
  /// An owner receives a query; at the timer kTrain it trains and answers.
  void receive_query(const sim::Message& query, Context& context) {
    queries_.receive(query, kTrain, context);
  }
  void train(sim::AgentId i, Context& context);
  /// An owner has lost its state.
  void reset_client(sim::AgentId i);
  /// The agents of the owners that have records.
  const std::vector<sim::AgentId>& trainers() const { return trainers_; }
  void count_used(const sim::Message& answer, const Context& context) { ++used_[context.owner(answer.from)]; }

  /// What the protocol adds to the training that a query asks for. Called before it.
  virtual LocalTerms terms(const Query& query, Context& context) = 0;
  /// Writes the numbers of an answer beyond the first p, after `steps` steps from the query's model to y.
  virtual void complete(const Query& query, std::uint64_t steps, const Eigen::VectorXd& y,
                        Eigen::Ref<Eigen::VectorXd> rest) {
    static_cast<void>(query), static_cast<void>(steps), static_cast<void>(y);
    rest.setZero();
  }

  LocalTraining local_;

 private:
  Answer answer_;
  std::vector<sim::AgentId> trainers_;
  std::vector<std::uint64_t> used_;  // answers by owner
  NewestQueries queries_;
  Eigen::VectorXd reply_;
};

}  // namespace hearsay::models
