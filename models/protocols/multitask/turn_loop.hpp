#pragma once
// Who waits for what in the loops of tasks that a server answers one by one: which turns are under way, what version of
// P each used, and how long answers took. Versions count the server's updates.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/core/context.hpp"

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
  /// One turn of a task.
  struct Flight {
    std::uint32_t turn = 0;
    std::uint64_t used = 0, answer = 0;  ///< version that it used, and that it was answered with; 0: none yet
    sim::Time departed = 0;              ///< when its message left the task, s
    sim::Time used_since = 0;            ///< when the server sent the version that it used, s
  };

  explicit TurnLoop(std::size_t tasks) : log(tasks), tasks_(tasks), waits_(0) {}

  /// Task t has begun turn `turn` (from 1) with the p_t it holds, sends it at `departure`, and waits for its
  /// answer.
  void depart(std::size_t t, std::uint32_t turn, sim::Time departure) {
    Task& task = tasks_[t];
    task.make_room(turn);
    task.flight(turn) = {
        .turn = turn, .used = task.held, .departed = departure, .used_since = task.held_since};
    wait_for(task, turn);
    log.turns[t] = turn;
  }
  /// The server is about to make update `version` (from 1) with the turn's message; it answers with that
  /// version. The turn, or nullptr if it is forgotten.
  const Flight* arrive(std::size_t t, const sim::Message& message, std::uint64_t version, Context& context) {
    Flight* const f = find(t, message.conversation);
    if (f == nullptr) return nullptr;
    context.count_staleness(static_cast<double>(version - 1 - f->used), context.now() - message.sent);
    log.departure[t] = static_cast<double>(f->used);
    log.arrival[t] = static_cast<double>(version - 1);
    f->answer = version;
    return f;
  }
  /// The answer to a turn, sent at `sent`, has reached its task: whether it is newer than what the task
  /// holds.
  bool answer(std::size_t t, std::uint32_t turn, sim::Time now, sim::Time sent) {
    const Flight* const f = find(t, turn);
    Task& task = tasks_[t];
    if (f == nullptr || f->answer <= task.held) return false;
    task.held = f->answer;
    task.held_since = sent;
    task.taken = std::max(task.taken, turn);
    log.waited[t] += now - f->departed;
    ++log.replies[t];
    return true;
  }
  /// If task t waits for this turn, it waits no more.
  bool stop_waiting(std::size_t t, std::uint32_t turn) {
    if (tasks_[t].waiting != turn || turn == 0) return false;
    wait_for(tasks_[t], 0);
    return true;
  }
  bool waits(std::size_t t) const { return tasks_[t].waiting != 0; }
  /// Whatever it is that task t waits for, it does so no more.
  void give_up(std::size_t t) { wait_for(tasks_[t], 0); }
  /// Task t has forgotten what it was sent, and waits for nothing.
  void forget(std::size_t t) {
    tasks_[t].held = 0;
    tasks_[t].held_since = 0;
    give_up(t);
  }
  bool anybody_waits() const { return waits_ > 0; }

  TurnLog log;

 private:
  // Turns under way that are remembered: those since the last whose answer was taken, and some before it.
  // Beyond kMost the oldest are forgotten, and their answers are of no use.
  static constexpr std::size_t kFew = 16, kMost = 1024;

  struct Task {
    std::vector<Flight> flights{kFew};  // turn k at k modulo the size, a power of two
    std::uint64_t held = 0;             // version that it holds
    sim::Time held_since = 0;           // when the server sent that
    std::uint32_t taken = 0;            // last turn whose answer it has taken
    std::uint32_t waiting = 0;          // turn whose answer it waits for; 0: none

    Flight& flight(std::uint32_t turn) { return flights[turn & (flights.size() - 1)]; }
    void make_room(std::uint32_t turn) {
      while (turn - taken > flights.size() && flights.size() < kMost) {
        std::vector<Flight> more(2 * flights.size());
        for (const Flight& f : flights) more[f.turn & (more.size() - 1)] = f;
        flights = std::move(more);
      }
    }
  };

  Flight* find(std::size_t t, std::uint32_t turn) {
    Flight& f = tasks_[t].flight(turn);
    return f.turn == turn ? &f : nullptr;
  }
  void wait_for(Task& task, std::uint32_t turn) {
    waits_ += (turn != 0 ? 1 : 0) - (task.waiting != 0 ? 1 : 0);
    task.waiting = turn;
  }

  std::vector<Task> tasks_;
  int waits_;
};

}  // namespace hearsay::models
