#pragma once
// Ticks on several threads, with the same bits as on one. What a tick reads and computes, of its agent's state and of what
// its neighbours have published, is prepared before its turn by other members of the crew (sim/parallel/crew.hpp), while
// this thread handles the ticks before it. What a tick changes, it changes in its turn. So nothing depends on threads,
// the run can end, pause and be observed between any two ticks, and nothing is ever undone.
//
// Ticks are taken in windows: while those of one are handled, those of the next are prepared. A tick whose agent or a
// neighbour of which ticks in either window is not: it might read what has not been published yet. It computes in its turn.
//
// Requires publications without events (lazy_publications.hpp), at most one a tick, of the agent that ticks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/clocks/ticks.hpp"
#include "sim/engine/publications.hpp"
#include "sim/parallel/cache_line.hpp"
#include "sim/parallel/crew.hpp"
#include "sim/topology/topology.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

/// Of one tick: ns that it takes one thread to prepare it, 0 if it cannot be; bytes of what is prepared.
struct Preparation {
  double time = 0;
  std::size_t bytes = 0;
};

class Lookahead {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Prepares ticks for as long as it lives.
  class Use {
   public:
    Use(Lookahead& lookahead, const Topology& topology, Preparation one) : lookahead_(lookahead) {
      lookahead_.begin(topology, one);
    }
    ~Use() { lookahead_.end(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Lookahead& lookahead_;
  };

  /// Before each tick, the first of `ticks`. `make_rooms(count)` makes places for what is prepared, once another thread
  /// helps. `job(begin, end)` calls prepare() for these ticks of the next window; it must live as long as the Use.
  template <class MakeRooms, class Job>
  void advance(Ticks& ticks, Publications& publications, MakeRooms&& make_rooms, Job& job) {
    if (++at_ < now_.ticks.size() || width_ == 0) return;
    if (now_.ticks.empty() && ++asked_ % kPatience != 0) return;
    at_ = 0;
    if (now_.marks.empty()) {
      if (Crew::current()->helping() == 0) return;
      for (Window* window : {&now_, &next_, &after_}) window->marks.resize(kMarks / 64);
    }
    if (!std::exchange(has_rooms_, true)) make_rooms(2 * width_);
    take();
    offer(ticks, publications, job);
    if (!now_.ticks.empty()) return;
    take();
    offer(ticks, publications, job);
  }
  /// A part of a job: handler.prepare(agent, moment, room) of each tick.
  template <class Handler>
  void prepare(std::size_t begin, std::size_t end, const Topology& topology, const Publications& publications,
               Handler& handler) {
    constexpr std::size_t kNumbers = 2, kHeaders = 5, kRows = 8;  // ticks before
    for (std::size_t k = begin; k < end; ++k) topology.prefetch_place(next_.ticks[k].agent);
    for (std::size_t k = begin; k < std::min(begin + kRows, end); ++k)
      topology.prefetch_row(next_.ticks[k].agent);
    for (std::size_t k = begin; k < end; ++k) {
      if (k + kRows < end) topology.prefetch_row(next_.ticks[k + kRows].agent);
      bool free = next_.ready[k] != 0;
      topology.neighbours(next_.ticks[k].agent).for_each([&](AgentId j) {
        free = free && !now_.marked(j) && !next_.marked(j);
      });
      next_.ready[k] = free ? 1 : 0;
      if (!free) continue;
      publications.prefetch(next_.ticks[k].agent, 0);
      if constexpr (requires { handler.prefetch(next_.ticks[k].agent); })
        handler.prefetch(next_.ticks[k].agent);
    }
    const auto fetch = [&](std::size_t k, int stage) {
      if (k < end && next_.ready[k] != 0) publications.prefetch(next_.ticks[k].agent, stage);
    };
    for (std::size_t k = begin; k < begin + kHeaders; ++k) fetch(k, 1);
    for (std::size_t k = begin; k < begin + kNumbers; ++k) fetch(k, 2);
    for (std::size_t k = begin; k < end; ++k) {
      fetch(k + kHeaders, 1);
      fetch(k + kNumbers, 2);
      if (next_.ready[k] == 0) continue;
      const Tick& tick = next_.ticks[k];
      handler.prepare(tick.agent, Moment{tick.time, order_key(Rank::kTick, tick.agent, tick.n)},
                      next_.room + static_cast<std::uint32_t>(k));
    }
  }
  /// Ticks that have been prepared.
  std::uint64_t prepared() const { return prepared_; }
  /// Room of the tick so many ticks after the last that was advanced to; kNone if it has not been prepared, as far as is
  /// known.
  std::uint32_t room(std::size_t later = 0) const {
    return at_ + later < now_.ticks.size() && now_.ready[at_ + later] != 0
               ? now_.room + static_cast<std::uint32_t>(at_ + later)
               : kNone;
  }
  /// Whether the tick so many ticks later is or will be prepared, as far as is known.
  bool ready(std::size_t later) const {
    return at_ + later < now_.ticks.size() ? now_.ready[at_ + later] != 0 : offered_;
  }

 private:
  static constexpr std::size_t kMost = 256;       // ticks of a window
  static constexpr std::size_t kBytes = 1 << 20;  // of all rooms: they fit the second-level cache
  static constexpr std::uint32_t kPatience = 64;  // ticks until it looks again whether another thread helps
  static constexpr std::size_t kParts = 8;        // of a job, for each thread
  static constexpr double kConflicts = 32;  // agents for each one that ticks or is a neighbour, in a window
  static constexpr std::size_t kMarks = std::size_t{1} << 19;

  struct alignas(kCacheLine) Window {
    std::vector<Tick> ticks;
    std::vector<std::uint8_t> ready;   // by tick
    std::vector<std::uint64_t> marks;  // bits, of agents that tick and of others with the same place
    std::uint32_t room = 0;            // of the first tick

    static std::size_t place(AgentId i) { return i % kMarks; }
    bool marked(AgentId i) const { return (marks[place(i) / 64] >> (place(i) % 64) & 1) != 0; }
    void add(const Tick& tick, bool is_ready) {
      ticks.push_back(tick);
      ready.push_back(is_ready ? 1 : 0);
      marks[place(tick.agent) / 64] |= std::uint64_t{1} << (place(tick.agent) % 64);
    }
    void clear() {
      for (const Tick& tick : ticks) marks[place(tick.agent) / 64] = 0;
      ticks.clear();
      ready.clear();
    }
  };

  void begin(const Topology& topology, Preparation one) {
    width_ = 0;
    if (Crew::current() == nullptr || Crew::current()->members() == 1 || one.time == 0) return;
    const double agents = topology.agents(), reach = 1 + 2 * static_cast<double>(topology.edges()) / agents;
    const std::size_t fit = kBytes / (2 * std::max<std::size_t>(one.bytes, 1));
    const double width = std::min(static_cast<double>(std::min(kMost, fit)), agents / (kConflicts * reach));
    if (width < 1 || width * one.time < Crew::current()->worth().awake) return;
    width_ = static_cast<std::uint32_t>(width);
    has_rooms_ = false;
  }
  template <class Job>
  void offer(Ticks& ticks, Publications& publications, Job& job) {
    if (Crew::current()->helping() == 0) return after_.clear();
    if (after_.ticks.empty()) fill(ticks);
    if (after_.ticks.empty()) return;
    std::swap(next_, after_);
    next_.room = now_.room == 0 ? width_ : 0;
    publications.reserve(now_.ticks.size());
    offered_ = true;
    Crew::offer(next_.ticks.size(), kParts * (1 + Crew::current()->helping()), job);
    fill(ticks);  // meanwhile
  }
  // What has been offered is the present window; without, there is none.
  void take() {
    if (std::exchange(offered_, false)) Crew::finish();
    now_.clear();  // what prepares the next window has read it until now
    std::swap(now_, next_);
    prepared_ += static_cast<std::uint64_t>(std::count(now_.ready.begin(), now_.ready.end(), 1));
  }
  // The window after the present and the next one, whose ticks are still to be handled; empty if there are no more.
  void fill(Ticks& ticks) {
    const Window& last = next_.ticks.empty() ? now_ : next_;
    const std::size_t before = now_.ticks.size() + next_.ticks.size();
    const std::span<const Tick> known = ticks.next(before + width_);
    for (const Tick& tick : known.subspan(std::min(before, known.size()))) {
      if (after_.ticks.size() == width_ || tick.time == kNever) break;
      after_.add(tick, !last.marked(tick.agent) && !after_.marked(tick.agent));
    }
  }
  void end() {
    if (std::exchange(offered_, false)) {
      try {
        Crew::finish();
      } catch (...) {  // NOLINT(bugprone-empty-catch): what it was for is not needed any more
      }
    }
    now_.clear();
    next_.clear();
    after_.clear();
    width_ = 0;
  }

  alignas(kCacheLine) std::uint32_t width_ = 0;  // ticks of a window, 0: none is prepared
  Window now_, next_, after_;
  alignas(kCacheLine) std::size_t at_ = 0;  // of the next tick in the present window
  std::uint64_t prepared_ = 0;
  std::uint32_t asked_ = 0;
  bool offered_ = false;
  bool has_rooms_ = false;
};

}  // namespace hearsay::sim
