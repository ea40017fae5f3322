// Presence alone: which agents can act, which events wait, and the effects of a reset.
#include "sim/engine/presence.hpp"

#include <catch2/catch.hpp>

#include "sim/check.hpp"
#include "tests/support/script.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

Presence presence_of(const NetworkOptions& network, bool defers = false) {
  return Presence(network, NetworkFiles::of(network, {}, {}, test::kPair), 3, true, defers, kStreams);
}

}  // namespace

TEST_CASE("presence: without laws every agent can act and nothing is queued") {
  Presence presence = presence_of({});
  EventQueue queue;
  presence.start(queue);
  CHECK(queue.empty());
  CHECK(presence.always());
  CHECK(presence.up_count() == 3);
  presence.compute(1, 5);
  CHECK(presence.computing() == kNoAgent);
}

TEST_CASE("presence: agents except the hub go down and come up according to their law") {
  NetworkOptions network;
  network.availability = OnOff{.up = 2.0, .down = 3.0};
  Presence presence = presence_of(network);
  EventQueue queue;
  presence.start(queue);
  for (const Time at : {2.0, 5.0, 7.0, 10.0}) {
    for (const AgentId i : {1u, 2u}) {
      const Event event = queue.pop();
      CHECK(event.time == at);
      CHECK(event.target == i);
      CHECK(presence.change(event, queue));
      CHECK(presence.up(i) == (event.kind == EventKind::kUp));
    }
    CHECK(presence.up_count() == (presence.up(1) ? 3 : 1));
  }
}

TEST_CASE("presence: waiting events are released in order, one at a time, with the last missed tick") {
  NetworkOptions network;
  network.compute_time = 2.0;
  Presence presence = presence_of(network, true);
  EventQueue queue;
  presence.compute(1, 5);
  CHECK(presence.leaves(1, 5) == 7);
  const Event end = presence.occupy(order_key(Rank::kTimer, 1, 0));
  CHECK(end.kind == EventKind::kFree);
  CHECK(end.time == 7);
  CHECK(presence.busy(1));
  for (std::uint16_t tag = 8; tag < 10; ++tag) {
    const Event message = Event::message(6, order_key(Rank::kMessage, 0, tag), 1, 0, tag);
    CHECK(presence.admit(message) == Admission::kWaits);
    presence.wait(message);
  }
  presence.miss(1, 3);
  presence.miss(1, 4);
  presence.resume(1, 6.5, queue);
  CHECK(queue.empty());  // it is still busy
  presence.free(1);
  presence.resume(1, 7, queue);
  REQUIRE(queue.size() == 2);
  const Event first = queue.pop();
  CHECK(first.tag == 8);
  CHECK(first.time == 7);
  CHECK(queue.pop().key == order_key(Rank::kTick, 1, 4));
  presence.resume(1, 7, queue);
  CHECK(queue.pop().tag == 9);
}

TEST_CASE("presence: after a reset an agent is in its next life, and free") {
  NetworkOptions network;
  network.availability = Crash{.up = 2.0, .down = 3.0};
  network.compute_time = 9.0;
  Presence presence = presence_of(network);
  EventQueue queue;
  presence.start(queue);
  presence.compute(1, 1);
  const Event end = presence.occupy(order_key(Rank::kTimer, 1, 0));
  CHECK_FALSE(presence.resets(queue.top()));  // it goes down
  presence.change(queue.pop(), queue);
  presence.change(queue.pop(), queue);
  const Event back = queue.pop();
  CHECK(presence.resets(back));
  presence.change(back, queue);
  presence.reset(back.target);
  CHECK(presence.life(1) == 1);
  CHECK(end.life() == 0);
  CHECK(presence.acts(1));
}
