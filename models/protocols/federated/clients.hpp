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

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/protocols/federated/local_training.hpp"
#include "models/run/context.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

// Queries that wait at owners until these are free. Of the queries that come meanwhile an owner trains from the newest alone,
// so that a slow owner does not fall behind, and from none that is older than one that it has trained from: the server has
// given that one up. Agent 0 is the server.
class NewestQueries {
 public:
  struct Query {
    sim::AgentId owner;
    std::uint32_t number;  ///< the server's
    sim::HeldPayload payload;
    /// The model, and what else it carries.
    Vector numbers() const { return vector_of(payload.numbers()); }
  };

  explicit NewestQueries(std::size_t owners) : waiting_(owners), begun_(owners, 0) {}

  /// A query arrives at an owner: it waits for the timer `tag`, which fires when the owner is free. Discards one that is
  /// older than what waits or was begun.
  void receive(const sim::Message& query, std::uint16_t tag, Context& context) {
    const std::size_t owner = context.owner(query.to);
    Waiting& waiting = waiting_[owner];
    if (query.conversation < std::max(waiting.number, begun_[owner])) return context.discard(query);
    // Messages precede timers, so that all queries that have waited come before it.
    if (waiting.number == 0) context.after(query.to, 0, tag);
    waiting = {query.conversation, context.hold(query)};
  }
  /// What agent i begins with at its timer; nothing if that is lost.
  std::optional<Query> take(sim::AgentId i, const Context& context) {
    Waiting taken = std::exchange(waiting_[context.owner(i)], {});
    if (taken.number == 0) return std::nullopt;
    begun_[context.owner(i)] = taken.number;
    return Query{i, taken.number, std::move(taken.payload)};
  }
  /// An owner has lost its state.
  void lose(std::size_t owner) {
    waiting_[owner] = {};
    begun_[owner] = 0;
  }
  auto state() { return std::tie(waiting_, begun_); }

 private:
  struct Waiting {
    std::uint32_t number = 0;  // of the query; 0: none
    sim::HeldPayload payload;
    auto state() { return std::tie(number, payload); }
  };
  std::vector<Waiting> waiting_;      // by owner
  std::vector<std::uint32_t> begun_;  // number of the last query, by owner
};

/// The row of a federated protocol.
constexpr Entry federated_entry(std::string_view name, std::string_view help, std::uint32_t vectors = 1,
                                std::string_view step = "protocol.step or protocol.server_step") {
  return {.name = name,
          .help = help,
          .hub = true,
          .vectors = vectors,
          .messages = {.rounds = true},  // of asynchronous ones, each training has its number
          .any_model = true,
          .linear = true,
          .step = step};
}

class FederatedClients {
 public:
  virtual ~FederatedClients() = default;

  static constexpr std::array kMetrics{
      ProtocolMetric{.name = "answers_used_by_owner",
                     .help = "Number of an owner's answers that the server has used.",
                     .per_agent = true,
                     .exact = false}};
  void measure(std::size_t, const World&, std::span<double> out) const {
    std::copy(used_.begin(), used_.end(), out.begin());
  }
  auto state() { return std::tie(local_, used_, queries_); }
  const LocalTraining& foresight() const { return local_; }
  void foresee_message(const sim::Message& message, const Context& context, std::uint32_t room) const {
    if (message.tag != kQuery) return;
    const Asked asked{message.to, message.conversation, vector_of(message)};
    Eigen::VectorXd tilt;
    local_.foresee(asked.owner, asked.numbers.head(context.p()), context, terms(asked, tilt, context), room);
  }

 protected:
  enum Tag : std::uint16_t { kQuery, kAnswer, kRefusal, kRequest, kTimeout, kTrain };
  enum class Answer { kUpdate, kModel };
  using Query = NewestQueries::Query;
  /// What a query asks of an owner.
  struct Asked {
    sim::AgentId owner;
    std::uint32_t number;  ///< of the query
    Vector numbers;        ///< the model, and what else the query carries
  };

  /// `vectors`: of p numbers, in a message.
  FederatedClients(const LocalTraining::Params& params, const Study& study, Answer answer = Answer::kUpdate,
                   Eigen::Index vectors = 1)
      : local_(params, study),
        answer_(answer),
        ends_spent_(study.stop.budgets_spent),
        used_(study.problem.owners()),
        queries_(study.problem.owners()),
        reply_(vectors * study.problem.p()) {
    for (std::size_t owner = 0; owner < study.problem.owners(); ++owner) {
      if (study.problem.n(owner) > 0) trainers_.push_back(static_cast<sim::AgentId>(owner) + 1);
    }
  }
  FederatedClients(const FederatedClients&) = delete;
  FederatedClients& operator=(const FederatedClients&) = delete;

  void open_accounts(Context& context) {
    for (const sim::AgentId i : trainers_) local_.open_account(i, context);
  }
  /// An owner receives a query; at the timer kTrain it trains and answers.
  void receive_query(const sim::Message& query, Context& context) {
    queries_.receive(query, kTrain, context);
  }
  void train(sim::AgentId i, Context& context) {
    const auto taken = queries_.take(i, context);
    if (!taken) return;
    const Query& query = *taken;
    if (!context.may_release(i, least_releases_)) return context.send(i, 0, kRefusal, query.number);
    context.compute(i);
    const Asked asked{i, query.number, query.numbers()};
    before_training(asked, context);
    const LocalTerms added = terms(asked, tilt_, context);
    const auto x = asked.numbers.head(context.p());
    const auto [y, steps] = local_.train(i, x, context, added);
    if (steps == 0) return context.send(i, 0, kRefusal, query.number);
    complete(asked, steps, y, reply_.tail(reply_.size() - context.p()));
    if (answer_ == Answer::kUpdate) {
      reply_.head(context.p()) = y - x;
    } else {
      reply_.head(context.p()) = y;
    }
    context.send(i, 0, kAnswer, query.number, reply_);
  }
  /// An owner has lost its state.
  void reset_client(sim::AgentId i) {
    queries_.lose(i - 1);
    local_.reset(i);
  }
  /// Whether a server begins no training any more: owners without a budget would refuse.
  bool ends_spent(const Context& context) const { return ends_spent_ && context.all_spent(); }
  /// The agents of the owners that have records.
  const std::vector<sim::AgentId>& trainers() const { return trainers_; }
  void count_used(const sim::Message& answer, const Context& context) { ++used_[context.owner(answer.from)]; }

  /// What the protocol does before it asks for the terms of a training.
  virtual void before_training(const Asked& asked, Context& context) {
    static_cast<void>(asked), static_cast<void>(context);
  }
  /// What it adds to the training; `tilt` is room for one.
  virtual LocalTerms terms(const Asked& asked, Eigen::VectorXd& tilt, const Context& context) const = 0;
  /// Writes the numbers of an answer beyond the first p, after `steps` steps from the query's model to y.
  virtual void complete(const Asked& asked, std::uint64_t steps, const Eigen::VectorXd& y,
                        Eigen::Ref<Eigen::VectorXd> rest) {
    static_cast<void>(asked), static_cast<void>(steps), static_cast<void>(y);
    rest.setZero();
  }

  LocalTraining local_;
  std::uint64_t least_releases_ = 1;  // of a training that is of use

 private:
  Answer answer_;
  bool ends_spent_;  // stop.budgets_spent
  std::vector<sim::AgentId> trainers_;
  std::vector<std::uint64_t> used_;  // answers by owner
  NewestQueries queries_;
  Eigen::VectorXd reply_, tilt_;
};

}  // namespace hearsay::models
