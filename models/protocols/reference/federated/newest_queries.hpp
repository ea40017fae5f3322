#pragma once
// Queries that wait at owners until these are free. Of the queries that come meanwhile an owner trains from the newest alone,
// so that a slow owner does not fall behind. Agent 0 is the server.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/core/columns.hpp"
#include "models/core/context.hpp"

namespace hearsay::models {

class NewestQueries {
 public:
  struct Query {
    sim::AgentId owner;
    std::uint32_t number;  ///< the server's
    Vector numbers;        ///< the model, and what else it carries; valid until the owner's next query
  };

  /// Of so many numbers each.
  NewestQueries(Eigen::Index numbers, std::size_t owners) : waiting_(owners), queries_(numbers, owners) {}

  /// A query arrives at an owner: it waits for the timer `tag`, which fires when the owner is free. Discards one that is
  /// older than what waits.
  void receive(const sim::Message& query, std::uint16_t tag, Context& context) {
    const std::size_t owner = context.owner(query.to);
    if (query.conversation < waiting_[owner]) return context.discard(query);
    queries_[owner] = vector_of(query);
    // Messages precede timers, so that all queries that have waited come before it.
    if (waiting_[owner] == 0) context.after(query.to, 0, tag);
    waiting_[owner] = query.conversation;
  }
  /// What agent i begins with at its timer; nothing if that is lost.
  std::optional<Query> take(sim::AgentId i, const Context& context) {
    const std::size_t owner = context.owner(i);
    const std::uint32_t number = std::exchange(waiting_[owner], 0U);
    if (number == 0) return std::nullopt;
    return Query{i, number, {queries_[owner].data(), queries_.rows()}};
  }
  /// An owner has lost its state.
  void lose(std::size_t owner) { waiting_[owner] = 0; }

 private:
  std::vector<std::uint32_t> waiting_;  // by owner: number of the query, 0 if none
  Columns queries_;                     // of these, by owner
};

}  // namespace hearsay::models
