#pragma once
// Requests and replies, as the requester sees them.
//
//   requester                                       peer
//   number = begin()
//   send(requester, peer, kRequest, number)    -->  on_message: works out a reply
//   after(requester, timeout, kTimeout, number)     send(peer, requester, kReply, message.conversation)
//   on_message: match() or stale               <--
//   on_timer: end(number), or void
//
// A requester numbers its requests 1, 2, ... and never reuses a number, so that a reply or a timeout belongs to
// exactly one of them. A request is in flight until it is replied to or timed out. A reply to one that is not is
// stale: it is discarded and counted as lost. A timeout of one that is not is void. All state is the requester's; a
// peer copies the number of the request to its reply.
//
// A requester that crashes has nothing in flight, and numbers go on where they were. Its timers are void, so that it
// restarts when it comes up: crash() in the protocol's reset(), restarts() in its on_up().
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/run/context.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

/// Name of a timeout in the trace.
constexpr std::string_view timeout_name(bool in_flight) {
  return in_flight ? "timeout" : "timeout (no effect)";
}

/// One request at a time, to one peer or to several: a round. O(1), no allocation.
class Request {
 public:
  /// Begins the next request, to `peers`; gives up the one before if it is in flight. Returns its number.
  std::uint32_t begin(std::size_t peers = 1) {
    missing_ = static_cast<std::uint32_t>(peers);
    return number_ = sim::next_number(number_, "requests");
  }
  /// Of the last request; 0 before the first.
  std::uint32_t number() const { return number_; }
  bool in_flight() const { return missing_ > 0; }
  bool in_flight(std::uint32_t number) const { return in_flight() && number == number_; }
  /// Whether a reply answers the request in flight; discards it if not.
  bool match(const sim::Message& reply, Context& context) const {
    const bool found = in_flight(reply.conversation);
    context.count_reply(found);
    if (!found) context.discard(reply);
    return found;
  }
  /// Counts a reply to the request in flight. Returns whether it was the last; then the request has ended.
  bool count_reply() { return --missing_ == 0; }
  /// Ends the request of that number. Returns false if it was not in flight.
  bool end(std::uint32_t number) {
    if (!in_flight(number)) return false;
    end();
    return true;
  }
  void end() { missing_ = 0; }

  void crash() {
    end();
    restarts_ = true;
  }
  /// Whether the requester is up for the first time after a crash.
  bool restarts() { return std::exchange(restarts_, false); }
  auto state() { return std::tie(number_, missing_, restarts_); }

 private:
  std::uint32_t number_ = 0, missing_ = 0;  // replies that have not come
  bool restarts_ = false;
};

/// Any number of requests at a time, each with a State. All operations are O(1) on average; nothing is allocated but
/// where more numbers lie between the oldest in flight and the newest than ever before.
template <class State>
class Requests {
 public:
  /// Room for `few` requests at first and for `most` at last, powers of two, since the oldest in flight, also for those
  /// that have ended: beyond that the oldest is given up.
  explicit Requests(std::size_t few = 1, std::size_t most = std::size_t{1} << 31) : ring_(few), most_(most) {}

  /// Begins the next request. Its state is that of some request before it. Invalidates what find() has returned.
  State& begin() {
    last_ = sim::next_number(last_, "requests");
    while (first_ != last_ && slot(first_).number != first_) ++first_;
    if (last_ - first_ == ring_.size() && ring_.size() < most_) grow();
    Slot& next = slot(last_);
    if (next.number == 0) ++in_flight_;
    next.number = last_;
    return next.kept;
  }
  /// Number of the last request; 0 before the first.
  std::uint32_t last() const { return last_; }
  std::size_t in_flight() const { return in_flight_; }
  bool in_flight(std::uint32_t number) const {
    return number != 0 && ring_[number & (ring_.size() - 1)].number == number;
  }
  /// The request of a number, or null if it is not in flight.
  State* find(std::uint32_t number) {
    Slot& found = slot(number);
    return number != 0 && found.number == number ? &found.kept : nullptr;
  }
  /// The request that a reply answers; discards the reply if none in flight is.
  State* match(const sim::Message& reply, Context& context) {
    State* const found = find(reply.conversation);
    context.count_reply(found != nullptr);
    if (found == nullptr) context.discard(reply);
    return found;
  }
  /// Ends a request that is in flight.
  void end(std::uint32_t number) {
    slot(number).number = 0;
    --in_flight_;
  }
  /// Replies to requests up to this one are no longer needed: the next requests may take their places.
  void recycle_through(std::uint32_t number) {
    if (first_ <= number) first_ = number + 1;
  }

  void crash() {
    for (Slot& s : ring_) s.number = 0;
    in_flight_ = 0;
    restarts_ = true;
  }
  /// Whether the requester is up for the first time after a crash.
  bool restarts() { return std::exchange(restarts_, false); }
  auto state() { return std::tie(ring_, first_, last_, in_flight_, restarts_); }

 private:
  struct Slot {
    std::uint32_t number = 0;  // 0: none
    State kept{};
    auto state() { return std::tie(number, kept); }
  };

  Slot& slot(std::uint32_t number) { return ring_[number & (ring_.size() - 1)]; }
  void grow() {
    std::vector<Slot> old(2 * ring_.size());
    old.swap(ring_);
    for (Slot& s : old) {
      if (s.number != 0) slot(s.number) = std::move(s);
    }
  }

  std::vector<Slot> ring_;  // by number modulo its size
  std::size_t most_;
  std::uint32_t first_ = 1;  // none before it has to be kept
  std::uint32_t last_ = 0;
  std::size_t in_flight_ = 0;
  bool restarts_ = false;
};

}  // namespace hearsay::models
