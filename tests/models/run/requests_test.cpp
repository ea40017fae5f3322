#include "models/run/requests.hpp"

#include <catch2/catch.hpp>

#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::test;
using models::Request;
using models::Requests;

namespace {

// A network of a requester, agent 0, and its peers, without a protocol.
struct RequesterRun {
  StudyFixture fixture{one_record_each({1, 3}), ridge(1), {}, 10};
  std::unique_ptr<models::World> world = fixture.world(fixture.engine());
  models::Context context{*world};

  std::uint64_t stale() const {
    return world->engine.traffic().lost[static_cast<std::size_t>(sim::LossReason::kStale)];
  }
};

sim::Message reply_to(std::uint32_t number) {
  return {.from = 1, .to = 0, .tag = 0, .conversation = number, .sent = 0, .payload = {}, .id = {}};
}

struct AskedQuestion {
  int about = 0;
};

}  // namespace

TEST_CASE("request: a reply in time is used and makes its timeout void") {
  RequesterRun network;
  Request request;
  CHECK(!request.in_flight());
  const std::uint32_t number = request.begin();
  CHECK(request.match(reply_to(number), network.context));
  CHECK(request.count_reply());
  CHECK(!request.end(number));
  CHECK(network.stale() == 0);
}

TEST_CASE("request: a reply after the timeout, or to an earlier request, is discarded as stale") {
  RequesterRun network;
  Request request;
  const std::uint32_t first = request.begin();
  CHECK(request.end(first));
  CHECK(!request.match(reply_to(first), network.context));
  CHECK(network.stale() == 1);

  const std::uint32_t second = request.begin();
  CHECK(!request.match(reply_to(first), network.context));
  CHECK(network.stale() == 2);
  CHECK(!request.end(first));  // the timeout of the first is void
  CHECK(request.in_flight(second));
  CHECK(request.match(reply_to(second), network.context));
}

TEST_CASE("request: a round ends with the last reply of its peers") {
  Request round;
  round.begin(3);
  CHECK(!round.count_reply());
  CHECK(!round.count_reply());
  CHECK(round.in_flight());
  CHECK(round.count_reply());
  CHECK(!round.in_flight());
}

TEST_CASE("request: a crash ends what is in flight, restarts once, and never reuses a number") {
  RequesterRun network;
  Request request;
  const std::uint32_t before = request.begin();
  CHECK(!request.restarts());
  request.crash();
  CHECK(!request.match(reply_to(before), network.context));
  CHECK(request.restarts());
  CHECK(!request.restarts());
  CHECK(request.begin() == before + 1);
  CHECK(!request.match(reply_to(before), network.context));
  CHECK(network.stale() == 2);
}

TEST_CASE("requests: two in flight are distinguished whatever the order of their replies") {
  RequesterRun network;
  Requests<AskedQuestion> requests;
  requests.begin().about = 10;
  const std::uint32_t first = requests.last();
  requests.begin().about = 20;
  const std::uint32_t second = requests.last();
  CHECK(requests.in_flight() == 2);

  AskedQuestion* const late = requests.match(reply_to(second), network.context);
  REQUIRE(late != nullptr);
  CHECK(late->about == 20);
  requests.end(second);
  CHECK(requests.match(reply_to(second), network.context) == nullptr);
  CHECK(network.stale() == 1);

  AskedQuestion* const early = requests.match(reply_to(first), network.context);
  REQUIRE(early != nullptr);
  CHECK(early->about == 10);
  CHECK(requests.in_flight() == 1);
  CHECK(requests.find(0) == nullptr);
}

TEST_CASE("requests: an old one stays in flight while a thousand begin and end after it") {
  Requests<AskedQuestion> requests;
  requests.begin().about = 7;
  for (int k = 0; k < 1000; ++k) {
    requests.begin().about = -1;
    CHECK(requests.last() == static_cast<std::uint32_t>(k) + 2);
    requests.end(requests.last());
  }
  REQUIRE(requests.find(1) != nullptr);
  CHECK(requests.find(1)->about == 7);
  CHECK(requests.in_flight() == 1);
}

TEST_CASE("requests: room for a bounded number keeps the latest, and more once earlier ones are not needed") {
  Requests<AskedQuestion> requests(2, 4);
  for (int k = 1; k <= 6; ++k) requests.begin().about = k;  // 4 are kept
  CHECK(requests.find(2) == nullptr);
  REQUIRE(requests.find(3) != nullptr);
  CHECK(requests.find(3)->about == 3);
  CHECK(requests.find(6)->about == 6);

  Requests<AskedQuestion> recycling(2, 4);
  for (int k = 1; k <= 6; ++k) {
    recycling.begin().about = k;
    recycling.recycle_through(recycling.last());
  }
  CHECK(recycling.find(4) == nullptr);  // it never had to grow: two are kept
  CHECK(recycling.find(5)->about == 5);
  CHECK(recycling.find(6)->about == 6);
}

TEST_CASE("requests: room is since the oldest in flight, also for those that have ended") {
  Requests<AskedQuestion> requests(1, 4);
  requests.begin();
  for (int k = 0; k < 3; ++k) {
    requests.begin();
    requests.end(requests.last());
  }
  CHECK(requests.find(1) != nullptr);
  requests.begin();
  CHECK(requests.find(1) == nullptr);
  CHECK(requests.in_flight() == 1);
}

TEST_CASE("requests: a crash ends all, restarts once, and never reuses a number") {
  RequesterRun network;
  Requests<AskedQuestion> requests;
  requests.begin();
  requests.begin();
  requests.crash();
  CHECK(requests.in_flight() == 0);
  CHECK(requests.match(reply_to(1), network.context) == nullptr);
  CHECK(requests.match(reply_to(2), network.context) == nullptr);
  CHECK(network.stale() == 2);
  CHECK(requests.restarts());
  CHECK(!requests.restarts());
  requests.begin();
  CHECK(requests.last() == 3);
}
