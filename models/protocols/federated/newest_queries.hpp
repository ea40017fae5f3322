#pragma once
// Queries that wait at owners until these are free. Of the queries that come meanwhile an owner trains from the newest alone,
// so that a slow owner does not fall behind. Agent 0 is the server.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/run/context.hpp"

namespace hearsay::models {

class NewestQueries {
 public:
  struct Query {
    sim::AgentId owner;
    std::uint32_t number;  ///< the server's
    sim::HeldPayload payload;
    /// The model, and what else it carries.
    Vector numbers() const { return vector_of(payload.numbers()); }
  };

  explicit NewestQueries(std::size_t owners) : waiting_(owners) {}

  /// A query arrives at an owner: it waits for the timer `tag`, which fires when the owner is free. Discards one that is
  /// older than what waits.
  void receive(const sim::Message& query, std::uint16_t tag, Context& context) {
    Waiting& waiting = waiting_[context.owner(query.to)];
    if (query.conversation < waiting.number) return context.discard(query);
    // Messages precede timers, so that all queries that have waited come before it.
    if (waiting.number == 0) context.after(query.to, 0, tag);
    waiting = {query.conversation, context.hold(query)};
  }
  /// What agent i begins with at its timer; nothing if that is lost.
  std::optional<Query> take(sim::AgentId i, const Context& context) {
    Waiting taken = std::exchange(waiting_[context.owner(i)], {});
    if (taken.number == 0) return std::nullopt;
    return Query{i, taken.number, std::move(taken.payload)};
  }
  /// An owner has lost its state.
  void lose(std::size_t owner) { waiting_[owner] = {}; }

 private:
  struct Waiting {
    std::uint32_t number = 0;  // of the query; 0: none
    sim::HeldPayload payload;
  };
  std::vector<Waiting> waiting_;  // by owner
};

}  // namespace hearsay::models
