// Transport alone: counters, and times of arrival.
#include "sim/engine/transport.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "sim/network/network.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

struct Pair {
  Topology topology = make_topology(Ring{}, 2, kStreams);
  Transport transport;

  // 10 B of header, 5 B a number, vectors of 3 numbers.
  explicit Pair(LinkOptions options = {})
      : transport((options.header = 10, options.bytes_per_number = 5, options), 3, topology, kStreams,
                  kNoAgent, {}) {}
};

}  // namespace

TEST_CASE("transport: a broadcast counts one message per receiver, with consecutive keys") {
  Pair net;
  CHECK(net.transport.count(1, 3) == order_key(Rank::kMessage, 1, 0));
  CHECK(net.transport.count(1, 4, 5) == order_key(Rank::kMessage, 1, 1));
  CHECK(net.transport.count(1, 0) == order_key(Rank::kMessage, 1, 6));
  CHECK(net.transport.count(0, 0) == order_key(Rank::kMessage, 0, 0));
  const Traffic& traffic = net.transport.traffic();
  CHECK(traffic.messages == 1 + 5 + 1 + 1);
  CHECK(traffic.vectors == 1 + 5 * 1);  // 4 numbers: a vector of 3 and a number beside it
  CHECK(traffic.bytes == 25 + 5 * 30 + 10 + 10);
}

TEST_CASE("transport: a message counts the whole vectors in it, at least one if it carries a number") {
  Pair net;
  std::uint64_t before = 0;
  const std::uint64_t expected[] = {0, 1, 1, 1, 1, 1, 2, 2, 2, 3};  // of 0 to 9 numbers, p = 3
  for (std::size_t numbers = 0; numbers < 10; ++numbers) {
    net.transport.count(0, numbers);
    CHECK(net.transport.traffic().vectors - std::exchange(before, net.transport.traffic().vectors) ==
          expected[numbers]);
  }
}

TEST_CASE("transport: a message arrives at its receiver's downlink after uplink and latency") {
  // 20 B at 10 B/s up, 1 s of latency; 20 B at 4 B/s down.
  Pair net({.latency = 1.0, .bandwidth = UpDownBandwidth{.uplink = 10.0, .downlink = 4.0}});
  for (const Time arrival : {3.0, 5.0}) {  // the second waits for the first to leave
    Event event = Event::message(0, net.transport.count(0, 2), 1, 0, 0);
    CHECK_FALSE(net.transport.send(event, net.topology.edge(0, 1), 2, 0));
    CHECK(event.time == arrival);
    CHECK(event.has(Event::kAtDownlink));
  }
  CHECK(net.transport.receive(1, 2, 3) == 8);
  CHECK(net.transport.receive(1, 2, 5) == 13);
}

TEST_CASE("transport: on a FIFO link a message arrives no earlier than the one before it") {
  for (const MessageOrder order : {MessageOrder::kArrival, MessageOrder::kFifo}) {
    Pair net({.latency = Uniform{0, 10}, .send_order = order});
    const EdgePosition position = net.topology.edge(0, 1);
    std::size_t earlier = 0;
    Time last = 0;
    for (std::uint32_t n = 0; n < 100; ++n) {
      Event event = Event::message(0, net.transport.count(0, 1), 1, 0, 0);
      CHECK_FALSE(net.transport.send(event, position, 1, 0));
      const Time own = net.transport.links().latency(0, 1, position, n);
      CHECK(event.time == (order == MessageOrder::kFifo ? std::max(own, last) : own));
      earlier += event.time < last ? 1 : 0;
      last = event.time;
    }
    CHECK((earlier > 0) == (order == MessageOrder::kArrival));
  }
}

TEST_CASE("transport: a lost message has its reason, and counts for the numbers of the edge") {
  Pair net({.loss = BernoulliLoss{1}});
  Event event = Event::message(0, net.transport.count(0, 1), 1, 0, 0);
  CHECK(net.transport.send(event, net.topology.edge(0, 1), 1, 0) == LossReason::kLoss);
  CHECK(net.transport.links().sent(net.topology.edge(0, 1)) == 1);
}
