#pragma once
// Events that wait until their agent can handle them, in order of arrival for each agent.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/events/event.hpp"
#include "sim/state/plain.hpp"

namespace hearsay::sim {

class Waiting {
 public:
  /// Lists for so many agents, all empty.
  void resize(AgentId agents) { last_.assign(agents, kNoSlot); }
  /// That there are lists for.
  std::size_t agents() const { return last_.size(); }
  bool empty(AgentId i) const { return last_[i] == kNoSlot; }
  /// Events there is memory for: a high-water mark.
  std::size_t capacity() const { return places_.size(); }

  void push_back(AgentId i, const Event& event) { last_[i] = insert(i, event); }
  void push_front(AgentId i, const Event& event) {
    const std::uint32_t place = insert(i, event);
    if (last_[i] == kNoSlot) last_[i] = place;
  }
  Event pop_front(AgentId i) {
    const std::uint32_t last = last_[i], first = places_[last].next;
    if (first == last) {
      last_[i] = kNoSlot;
    } else {
      places_[last].next = places_[first].next;
    }
    places_[first].next = std::exchange(free_, first);
    return places_[first].event;
  }
  /// Takes the events of agent i for which f(event) is true, in order; the others keep theirs. f adds none.
  template <class F>
  void take_if(AgentId i, F f) {
    std::size_t count = 0;
    for_each(i, [&count](const Event&) { ++count; });
    for (; count > 0; --count) {
      const Event event = pop_front(i);
      if (!f(event)) push_back(i, event);
    }
  }
  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, last_);
    plain(archive, places_);
    archive(free_);
  }
  /// Calls f with each event of agent i, in order.
  template <class F>
  void for_each(AgentId i, F f) {
    if (empty(i)) return;
    std::uint32_t place = last_[i];
    do {
      place = places_[place].next;
      f(places_[place].event);
    } while (place != last_[i]);
  }

 private:
  struct Place {
    Event event;
    std::uint32_t next;  // the last one's next is the first
  };

  // Between the last and the first; it is both if it is alone.
  std::uint32_t insert(AgentId i, const Event& event) {
    std::uint32_t place = free_;
    if (place == kNoSlot) {
      place = next_number(places_.size(), "waiting events", 0);
      places_.push_back({});
    } else {
      free_ = places_[place].next;
    }
    const std::uint32_t last = last_[i];
    places_[place] = {event, last == kNoSlot ? place : places_[last].next};
    if (last != kNoSlot) places_[last].next = place;
    return place;
  }

  std::vector<std::uint32_t> last_;  // of each agent's circle
  std::vector<Place> places_;
  std::uint32_t free_ = kNoSlot;
};

}  // namespace hearsay::sim
