#pragma once
// Who waits for what in the loops of tasks that a server answers one by one: which turns are under way, what
// version of P each used, and how long answers took. Versions count the server's updates.
#include <cstdint>
#include <vector>

#include "models/context.hpp"

namespace hearsay::models {

/// Per task: what is known of its turns beside P and Q.
struct TurnLog {
  explicit TurnLog(std::size_t tasks = 0)
      : departure(tasks), arrival(tasks), waited(tasks), replies(tasks), turns(tasks) {}
  std::vector<double> departure, arrival;  ///< server versions of the last arrival
  std::vector<double> waited;              ///< s in all
  std::vector<double> replies, turns;
  double violations = 0;
};

class TurnLoop {
 public:
  explicit TurnLoop(std::size_t tasks)
      : log(tasks), flights_(kFlights * tasks), held_(tasks), waiting_(tasks), waits_(0) {}

  /// Task t has begun turn `turn` (from 1) with the p_t it holds, sends it at `departure`, and waits for its answer.
  void depart(std::size_t t, std::uint32_t turn, sim::Time departure) {
    flights_[t * kFlights + turn % kFlights] = {.turn = turn, .used = held_[t], .departed = departure};
    wait_for(t, turn);
    log.turns[t] = turn;
  }
  /// The server is about to make update `version` (from 1) with the turn's message; it answers with that
  /// version.
  void arrive(std::size_t t, const sim::Message& message, std::uint64_t version, Context& context) {
    Flight* const f = find(t, message.conversation);
    if (f == nullptr) return;
    context.count_staleness(static_cast<double>(version - 1 - f->used), context.now() - message.sent);
    log.departure[t] = static_cast<double>(f->used);
    log.arrival[t] = static_cast<double>(version - 1);
    f->answer = version;
  }
  /// The answer to a turn has reached its task: whether it is newer than what the task holds.
  bool answer(std::size_t t, std::uint32_t turn, sim::Time now) {
    const Flight* const f = find(t, turn);
    if (f == nullptr || f->answer <= held_[t]) return false;
    held_[t] = f->answer;
    log.waited[t] += now - f->departed;
    ++log.replies[t];
    return true;
  }
  /// If task t waits for this turn, it waits no more.
  bool stop_waiting(std::size_t t, std::uint32_t turn) {
    if (waiting_[t] != turn || turn == 0) return false;
    wait_for(t, 0);
    return true;
  }
  /// Task t has forgotten what it was sent, and waits for nothing.
  void forget(std::size_t t) {
    held_[t] = 0;
    wait_for(t, 0);
  }
  bool anybody_waits() const { return waits_ > 0; }

  TurnLog log;

 private:
  struct Flight {
    std::uint32_t turn = 0;
    std::uint64_t used = 0, answer = 0;  // version that it used, and that it was answered with
    sim::Time departed = 0;
  };
  static constexpr std::uint32_t kFlights = 16;  // turns of a task that are remembered

  Flight* find(std::size_t t, std::uint32_t turn) {
    Flight& f = flights_[t * kFlights + turn % kFlights];
    return f.turn == turn ? &f : nullptr;
  }
  void wait_for(std::size_t t, std::uint32_t turn) {
    waits_ += (turn != 0 ? 1 : 0) - (waiting_[t] != 0 ? 1 : 0);
    waiting_[t] = turn;
  }

  std::vector<Flight> flights_;
  std::vector<std::uint64_t> held_;     // version that each task holds
  std::vector<std::uint32_t> waiting_;  // turn whose answer a task waits for; 0: none
  int waits_;
};

}  // namespace hearsay::models
