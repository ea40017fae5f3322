#pragma once
// The next ticks of all agents, earliest first, without a queue: an agent's next tick lies in a bin, an interval of time. When
// the bin's turn comes, the gaps after all its ticks are drawn, the agents' next ticks go to their bins, and the bin is
// sorted: a tick is copied three times however many agents there are, and the ticks that come next are known.
#include <cstdint>
#include <span>
#include <vector>

#include "sim/clocks/clocks.hpp"
#include "sim/events/lists.hpp"
#include "sim/events/sort_by_place.hpp"
#include "sim/state/plain.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

class Ticks {
 public:
  /// Of the agents first, ..., agents - 1. `clocks` must outlive it. No tick is drawn after one that is later than
  /// `last`.
  Ticks(const Clocks& clocks, AgentId first, AgentId agents, Time last);

  /// The next tick; at kNever if there is none. Throws LimitError where an agent has ticked too often.
  const Tick& top() {
    if (next_ == end_) [[unlikely]]
      refill();
    return *next_;
  }
  void pop() { ++next_; }
  /// The next tick of each agent: those after it are drawn again.
  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<Tick> next;
    double before = popped();
    if constexpr (Archive::is_saving::value) next = next_of_all();
    plain(archive, next);
    archive(before);
    if constexpr (Archive::is_loading::value) begin_from(next, before);
  }
  /// Draws the next tick of each agent again, given that it is after `from`; of Poisson clocks.
  void redraw(Time from);
  /// How many have been popped.
  double popped() const { return opened_ - static_cast<double>(end_ - next_); }
  /// Makes the next `count` ticks known, as far as there are so many, and returns what is known.
  std::span<const Tick> next(std::size_t count) {
    while (static_cast<std::size_t>(end_ - next_) < count && open_next()) {
    }
    return {next_, end_};
  }
  /// The tick `distance` ticks after the next one, if it is known.
  const Tick* ahead(std::ptrdiff_t distance) const {
    return distance < end_ - next_ ? next_ + distance : nullptr;
  }
  /// A high-water mark: while it stays the same, nothing has been allocated.
  std::size_t capacity() const {
    return lists_.capacity() + unsorted_.capacity() + sorted_.capacity() + following_.capacity() +
           sort_.capacity();
  }

 private:
  using List = Lists<Tick>::List;

  double place(Time time) const { return (time - origin_) * per_width_; }
  void put(const Tick& tick);
  void refill();
  bool open_next();
  void divide();
  void open(std::size_t b);
  std::vector<Tick> next_of_all() const;
  void begin_from(std::span<const Tick> next, double popped);

  const Clocks& clocks_;
  Time last_;
  double per_width_, origin_ = 0;  // 1/s, s
  std::size_t open_ = 0;           // bins whose turn has come
  double opened_ = 0;              // ticks that have been known
  std::vector<List> bins_;         // bin b: b <= place < b + 1
  List rest_ = nullptr;            // after the last bin
  Lists<Tick> lists_;
  std::vector<Tick> unsorted_, sorted_, following_;  // sorted_ holds those that are known
  const Tick *next_ = nullptr, *end_ = nullptr;
  PlaceSort sort_;
};

}  // namespace hearsay::sim
