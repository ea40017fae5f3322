#pragma once
// Computes on other threads what agents will need at events that are pending: where a handler touches its agent alone,
// nothing else than an event of that agent changes what the computation begins from. Another event of the agent may come
// first, and change it. So a handler uses what has been computed if its inputs are, bit for bit, those at its turn, and
// otherwise computes it itself: results depend neither on threads nor on what is computed ahead.
//
// The nearest events that have not been taken yet make a job for the other members of the crew (sim/parallel/crew.hpp);
// when it is done, the next is made. An agent of the job may have an event meanwhile: what has not been begun for it is left
// to the event. What has been begun is waited for, so that no agent is read while its state changes; until then this thread
// computes what the others would come to last.
//
// Agents are looked up in a small table of sets with two places each; an agent that finds none is left to its turn.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/agenda.hpp"
#include "sim/engine/lookahead.hpp"
#include "sim/events/event.hpp"
#include "sim/parallel/crew.hpp"

namespace hearsay::sim {

class Speculation {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// At which events there is something to compute.
  struct Kinds {
    bool ticks, messages;
  };

  /// Computes ahead for as long as it lives.
  class Use {
   public:
    /// `one`: of an event.
    Use(Speculation& speculation, AgentId agents, Preparation one) : speculation_(speculation) {
      speculation_.begin(agents, one);
    }
    ~Use() { speculation_.end(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Speculation& speculation_;
  };

  /// Before an event is handled, which is no longer pending. `make_rooms(count)` makes places for what is computed, once
  /// another thread helps. `job(begin, end)` calls compute(); it must live as long as the Use.
  template <class MakeRooms, class Job>
  void reach(const Event& event, Agenda& agenda, Kinds kinds, MakeRooms&& make_rooms, Job& job) {
    if (width_ == 0) return;
    if (open_) {
      const Place* const place = find(event.target);
      if (place != nullptr && place->job == number_) leave(*place, job);
      if (event.kind != EventKind::kTimeline && !Crew::done()) return;
      finish();
    }
    if (wait_ > 0) {
      --wait_;
      return;
    }
    if (Crew::current()->helping() == 0) {
      wait_ = kPatience;
      return;
    }
    if (places_.empty()) {
      make_places();
      make_rooms(static_cast<std::uint32_t>(free_.size()));
    }
    if (gather(event, agenda, kinds); events_.size() >= least_) {
      open_ = true;
      last_ = events_.size();
      for (std::size_t k = 0; k < events_.size(); ++k) states_[k].store(kWaits, std::memory_order_relaxed);
      Crew::offer(events_.size(), kParts * (1 + Crew::current()->helping()), job);
    } else {
      wait_ = least_ - static_cast<std::uint32_t>(events_.size());
      for (const Pending& pending : events_) vacate(*find(pending.event.target));
    }
  }
  /// A part of a job: one(event, room) of each event. What it throws is left to the event's turn.
  template <class Prefetch, class One>
  void compute(std::size_t begin, std::size_t end, Prefetch&& prefetch, One&& one) {
    constexpr std::size_t kAhead = 4;  // events
    for (std::size_t k = begin; k < std::min(begin + kAhead, end); ++k) prefetch(events_[k].event.target);
    for (std::size_t k = begin; k < end; ++k) {
      if (k + kAhead < end) prefetch(events_[k + kAhead].event.target);
      std::uint8_t waits = kWaits;
      if (!states_[k].compare_exchange_strong(waits, kBegun)) continue;
      try {
        one(events_[k].event, events_[k].room);
      } catch (...) {  // NOLINT(bugprone-empty-catch): at its turn it is computed again, if it comes to that
      }
      states_[k].store(kDone, std::memory_order_release);
    }
  }
  /// Where something has been computed for agent i; kNone: nowhere.
  std::uint32_t room(AgentId i) const {
    const Place* const place = places_.empty() ? nullptr : find(i);
    return place != nullptr ? place->room : kNone;
  }

 private:
  static constexpr std::uint32_t kMost = 128;      // events of a job
  static constexpr std::uint32_t kEach = 4;        // at least, for each thread
  static constexpr double kJob = 50'000;           // ns of a job, if there are not more events
  static constexpr std::size_t kBytes = 64 << 20;  // of all rooms
  static constexpr std::size_t kParts = 8;         // of a job, for each thread
  static constexpr std::uint32_t kPatience = 64;   // events until it looks again whether another thread helps
  static constexpr std::size_t kLook = 8;  // events of the queue that are looked at, for each of a job

  enum : std::uint8_t { kWaits, kBegun, kDone, kLeft };  // a computation
  struct Place {
    AgentId agent = kNoAgent;
    std::uint32_t room = 0, job = 0, index = 0;  // of the computation in the job
    Time time = 0;                               // of the event
  };
  struct Pending {
    Event event;
    std::uint32_t room;
  };

  void begin(AgentId agents, Preparation one) {
    width_ = 0;
    const Crew* const crew = Crew::current();
    if (crew == nullptr || crew->members() == 1 || !(one.time > 0)) return;
    const auto each = static_cast<std::uint32_t>(kEach * crew->members());
    const auto fitting =
        static_cast<std::uint32_t>(std::min<std::size_t>(kBytes / (kJobs * one.bytes), kMost));
    const double several = std::clamp<double>(std::ceil(kJob / one.time), each, std::max(kMost, each));
    least_ = static_cast<std::uint32_t>(std::max(1.0, std::ceil(crew->worth().awake / one.time)));
    const std::uint32_t width = std::min({static_cast<std::uint32_t>(several), fitting, agents});
    if (width < std::max(least_, 2U)) return;
    width_ = width;
    wait_ = 0;
  }
  void make_places() {
    places_.assign(std::size_t{2} * std::bit_ceil(4 * width_), {});
    states_ = std::vector<std::atomic<std::uint8_t>>(width_);
    free_.resize(std::size_t{kJobs} * width_);
    for (std::uint32_t room = 0; room < free_.size(); ++room) free_[room] = room;
  }
  void end() {
    if (open_) finish();
    width_ = 0;
    places_.clear();
  }
  void finish() {
    open_ = false;
    Crew::finish();
  }
  // Takes events for the next job, but none of the agent whose event is about to be handled.
  void gather(const Event& present, Agenda& agenda, Kinds kinds) {
    for (Place& place : places_)
      if (place.agent != kNoAgent && place.time < present.time) vacate(place);
    busy_ = present.target;
    ++number_;
    events_.clear();
    const auto full = [this](std::size_t width) { return events_.size() >= width || free_.empty(); };
    if (kinds.ticks) {
      for (const Tick& tick : agenda.ticks().next(std::size_t{kJobs} * width_)) {
        if (full(kinds.messages ? width_ / 2 : width_) || tick.time == kNever) break;
        take(Event::tick(tick.time, tick.agent, tick.n));
      }
    }
    if (kinds.messages) {
      std::size_t looked = 0;
      agenda.queue().for_nearest([&](const Event& event) {
        if (event.kind == EventKind::kMessage && !event.has(Event::kAtDownlink) && !full(width_)) take(event);
        return !full(width_) && ++looked < kLook * width_;
      });
    }
  }
  void take(const Event& event) {
    Place* const set = set_of(event.target);
    if (event.target == busy_ || set[0].agent == event.target || set[1].agent == event.target) return;
    Place* const place = set[0].agent == kNoAgent ? set : set + 1;
    if (place->agent != kNoAgent) return;
    *place = {event.target, free_.back(), number_, static_cast<std::uint32_t>(events_.size()), event.time};
    free_.pop_back();
    events_.push_back({event, place->room});
  }
  // An agent of the open job has an event.
  template <class Job>
  void leave(const Place& place, Job& job) {
    std::atomic<std::uint8_t>& state = states_[place.index];
    std::uint8_t found = kWaits;
    if (state.compare_exchange_strong(found, kLeft)) return;
    for (; found == kBegun; found = state.load(std::memory_order_acquire)) {
      if (last_ == 0) continue;
      --last_;
      job(last_, last_ + 1);
    }
  }
  void vacate(Place& place) {
    place.agent = kNoAgent;
    free_.push_back(place.room);
  }
  Place* set_of(AgentId i) { return places_.data() + 2 * (i & (places_.size() / 2 - 1)); }
  const Place* set_of(AgentId i) const { return places_.data() + 2 * (i & (places_.size() / 2 - 1)); }
  Place* find(AgentId i) {
    return const_cast<Place*>(std::as_const(*this).find(i));  // NOLINT: the places are this object's
  }
  const Place* find(AgentId i) const {
    const Place* const set = set_of(i);
    if (set[0].agent == i) return set;
    return set[1].agent == i ? set + 1 : nullptr;
  }

  // Rooms for so many jobs: the one that is computed, the one that is used, and what is left of others.
  static constexpr std::uint32_t kJobs = 3;

  std::uint32_t width_ = 0;   // most events of a job; 0: nothing is computed ahead
  std::uint32_t least_ = 0;   // fewest
  std::uint32_t wait_ = 0;    // events until the next job is tried
  std::uint32_t number_ = 0;  // of the last job
  AgentId busy_ = kNoAgent;
  std::size_t last_ = 0;  // before which this thread has computed nothing of the job
  bool open_ = false;     // that is, whether others may compute it
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;  // rooms
  std::vector<Pending> events_;      // of the job, and how far the computation of each is
  std::vector<std::atomic<std::uint8_t>> states_;
};

}  // namespace hearsay::sim
