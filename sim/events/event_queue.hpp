#pragma once
// The pending events, earliest first. Up to a few dozen of them form a heap. More are distributed over bins, intervals of
// equal width, in the order in which they come; a bin is sorted when its turn comes, and what is added to it after that
// goes to the heap. So an event is copied three times however many are pending, and only the ends of the bins and the
// bin whose turn it is need to be in the cache. A variant of the ladder queue (Tang, Goh and Thng, ACM TOMACS 15(3),
// 2005).
//
// If a bin holds too many events, finer bins divide it: a rung of their own. The
// number of a bin is a monotone function of time and equal times share a bin, so the order of events is that of a heap
// for any widths.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/events/event.hpp"
#include "sim/events/event_heap.hpp"
#include "sim/events/lists.hpp"
#include "sim/events/sort_by_place.hpp"
#include "sim/state/plain.hpp"

namespace hearsay::sim {

class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// A high-water mark: while it stays the same, nothing has been allocated.
  std::size_t capacity() const;

  /// Adds an event; O(1) amortised. event.time must be finite and not negative.
  void push(const Event& event) {
    ++size_;
    for (std::size_t r = 0; r < rungs_; ++r) {
      if (put(rung_[r], event)) return;
    }
    late_.push(event);
    if (late_.size() > most_late_) [[unlikely]]
      divide_late();
  }

  /// The earliest event. The queue must not be empty.
  const Event& top() {
    if (next_ == end_ && late_.empty()) refill();
    return late_first() ? late_.top() : *next_;
  }

  /// Removes and returns the earliest event; O(log of a bin) amortised. The queue must not be empty.
  Event pop() {
    if (next_ == end_ && late_.empty()) refill();
    --size_;
    return late_first() ? late_.pop() : *next_++;
  }

  /// Removes all events, and returns them in no order.
  std::vector<Event> take_all() {
    std::vector<Event> events;
    for_each([&events](const Event& event) { events.push_back(event); });
    while (!empty()) pop();
    return events;
  }
  /// Calls f with each event, in no order.
  template <class F>
  void for_each(F&& f) const {
    late_.for_each(f);
    for (const Event* event = next_; event != end_; ++event) f(*event);
    for (std::size_t r = 0; r < rungs_; ++r) {
      for (const Lists<Event>::List list : rung_[r].bin) Lists<Event>::for_each(list, f);
      Lists<Event>::for_each(rung_[r].rest, f);
    }
  }
  /// The events; in which bins they are depends on nothing else.
  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<Event> events;
    if constexpr (Archive::is_saving::value) {
      for_each([&events](const Event& event) { events.push_back(event); });
    } else {
      take_all();
    }
    plain(archive, events);
    if constexpr (Archive::is_loading::value)
      for (const Event& event : events) push(event);
  }

  /// The event about `distance` events after the earliest one, if it is known.
  const Event* ahead(std::ptrdiff_t distance) const {
    return distance < end_ - next_ ? next_ + distance : nullptr;
  }
  /// Calls f with pending events, about in their order, until it returns false; not with those that are too far away to be
  /// in a bin.
  template <class F>
  void for_nearest(F&& f) const {
    bool more = true;
    const auto visit = [&](const Event& event) { more = more && f(event); };
    for (const Event* event = next_; more && event != end_; ++event) visit(*event);
    if (more) late_.for_each(visit);
    for (std::size_t r = rungs_; more && r-- > 0;) {
      const Rung& rung = rung_[r];
      for (auto b = static_cast<std::size_t>(rung.open); more && b < rung.bin.size(); ++b)
        Lists<Event>::for_each(rung.bin[b], visit);
    }
  }
  /// Calls f with the events of the bin that is next, once for each bin, so that what they will touch can be fetched.
  template <class F>
  void look_ahead(F&& f) {
    if (soon_ != nullptr) Lists<Event>::for_each(std::exchange(soon_, nullptr), f);
  }

 private:
  static constexpr std::size_t kMaxLate = 48;      // a heap of so many events is as fast as bins
  static constexpr std::size_t kMaxSorted = 4096;  // events of a bin that fit the second-level cache twice
  static constexpr std::size_t kPerBin = 4;        // desired events of a bin, on average
  static constexpr std::size_t kMaxBins = 4096;    // their ends fit the first-level cache
  static constexpr std::size_t kMaxRungs = 8;

  /// Bins of equal width. Bin b has the events with b <= place < b + 1, place = (time - origin) per_width. Those of the
  /// bins before `open` are on the next rung, sorted or in the heap.
  struct Rung {
    double origin = 0, per_width = 0, open = 0, bins = 0;
    std::vector<Lists<Event>::List> bin;
    Lists<Event>::List rest = nullptr;  ///< events after the last bin
    std::size_t rest_count = 0;

    double place(Time time) const { return (time - origin) * per_width; }
  };

  // Adds an event to a rung; false if it is before its open bins.
  bool put(Rung& rung, const Event& event) {
    const double place = rung.place(event.time);
    if (place < rung.open) return false;
    if (place < rung.bins) {
      lists_.append(rung.bin[static_cast<std::size_t>(place)], event);
    } else {
      lists_.append(rung.rest, event);
      ++rung.rest_count;
    }
    return true;
  }
  bool late_first() { return next_ == end_ || (!late_.empty() && before(late_.top(), *next_)); }

  void refill();
  void open_bin(Rung& rung, std::size_t b);
  void divide_late();
  void divide(Rung& rung);

  EventHeap late_;                                // events before the open bins of all rungs, added after ...
  const Event *next_ = nullptr, *end_ = nullptr;  // ... these, which are sorted
  Lists<Event>::List soon_ = nullptr;             // the bin after the open one, if it has not been looked at
  Rung rung_[kMaxRungs];                          // each divides the last open bin of the one before it
  std::size_t rungs_ = 0;
  std::size_t size_ = 0;
  std::size_t most_late_ = kMaxLate;
  Lists<Event> lists_;
  std::vector<Event> unsorted_, sorted_;
  std::vector<Time> sample_;
  PlaceSort sort_;
};

}  // namespace hearsay::sim
