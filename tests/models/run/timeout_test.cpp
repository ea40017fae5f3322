#include "models/run/timeout.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "models/protocols/central/central_async.hpp"
#include "models/registry.hpp"
#include "tests/models/protocols/central_run.hpp"
#include "tests/support/refusals.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

// A protocol that says nothing of what it uses, with an own warning and a timeout of so many seconds; with 0 it drives
// itself, and its timeout has another name.
template <int kSeconds>
struct OwnParams {
  std::optional<sim::Time> timeout = kSeconds;
  std::optional<std::string> warning(const World&) const { return "its own"; }
  void describe(sim::Visitor&) {}
};
template <>
struct OwnParams<0> {
  std::optional<sim::Time> reply_timeout = {};
  OwnPace self_paced() const { return OwnPace::kMessages; }
  void describe(sim::Visitor&) {}
};
template <int kSeconds>
struct Own {
  using Params = OwnParams<kSeconds>;
  static constexpr Entry kEntry{.name = "own", .help = "Does nothing.", .snapshots = false};
  Own(const Params&, const Study&) {}
  void on_tick(sim::AgentId, Context&) {}
};

// A study of two owners on a network, with its round trips.
Study on(const test::StudyFixture& fixture, const sim::NetworkOptions& network) {
  const auto options = fixture.engine(network);
  Study study = fixture.study();
  study.round_trips = sim::RoundTrips(options, study.topology, sim::Streams(1, 0), 1);
  return study;
}

}  // namespace

TEST_CASE("timeout: infinite where every reply arrives, else five typical round trips, at least 1 s") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 2);
  CHECK(timeout_of({}, on(fixture, latency(0.6))) == sim::kNever);
  CHECK(timeout_of(0.3, on(fixture, latency(0.6))) == 0.3);
  CHECK(timeout_of({}, on(fixture, latency(0.6, 0.1))) == Approx(6).epsilon(1e-14));
  CHECK(timeout_of({}, on(fixture, latency(0.01, 0.1))) == 1);
  CHECK(finite_timeout_of({}, on(fixture, latency(0.6))) == Approx(6).epsilon(1e-14));
}

TEST_CASE("timeout: the default is of what the run itself draws once, not of another repetition's") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 2);
  sim::NetworkOptions network = latency(0.6, 0.1);
  network.compute_time = sim::ComputeOptions(sim::Uniform{1, 9}, sim::ComputeDrawn::kPerAgent);
  const Study study = on(fixture, network);
  for (const std::uint32_t repetition : {0, 1, 2}) {
    // Five times both ways and the computation of the slower owner.
    const sim::Streams streams(1, repetition);
    const sim::ComputeTime compute(network.compute_time, 3, 1, streams);
    const World world(study, fixture.engine(network), streams);
    CHECK(timeout_of({}, world.study) == Approx(5 * (1.2 + std::max(compute.of(1, 0), compute.of(2, 0)))));
  }
  CHECK_THAT(timeout_note("timeout", {}, study).value(),
             Catch::EndsWith(" s, in repetition 0; others draw their own agents or links"));
}

TEST_CASE("timeout: a protocol that drives itself needs time that passes, or another limit than time") {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  const test::StudyFixture limited(one_record_each({1, 3}), ridge(1), {}, 2);
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, kUnlimited);
  for (const OwnPace pace : {OwnPace::kTrainings, OwnPace::kMessages}) {
    CHECK_THROWS_WITH(require_passing_time(setting_of(on(fixture, latency(0))), pace),
                      Catch::Contains("rounds and trainings take no time"));
    CHECK_NOTHROW(require_passing_time(setting_of(on(fixture, latency(0.01))), pace));
    CHECK_NOTHROW(require_passing_time(setting_of(on(limited, latency(0))), pace));
  }
  CHECK_NOTHROW(require_passing_time(setting_of(on(fixture, latency(0))), OwnPace::kNone));
  // Both protocols of rounds ask, by way of the table; one that clocks drive does not.
  const auto asks = [&](std::string_view name) {
    for (const ProtocolRow& row : protocols()) {
      if (row.entry.name != name) continue;
      try {
        row.make()->check_timeout(setting_of(on(fixture, latency(0))));
      } catch (const std::invalid_argument&) {
        return true;
      }
    }
    return false;
  };
  const auto own = row<Own<0>>().make();
  CHECK(own->needs_round_trips());
  CHECK_THROWS_AS(own->check_timeout(setting_of(on(fixture, latency(0)))), std::invalid_argument);
  CHECK(asks("fedavg"));
  CHECK(asks("fedbuff"));
  CHECK(asks("dpsgd_gossip"));
  CHECK_FALSE(asks("ad_psgd"));
  CHECK_FALSE(asks("central_async"));
}

TEST_CASE("timeout: a warning where more than 1 % of round trips take longer") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 2);
  const Study study = on(fixture, latency(0.6));
  CHECK_FALSE(timeout_note("timeout", std::nullopt, study));
  CHECK(timeout_note("timeout", std::nullopt, on(fixture, latency(0.6, 0.1))).value() ==
        "protocol.timeout is 6 s by default: at least 1 s and 5 typical round trips of up to 1.2 s");
  CHECK_FALSE(timeout_note("timeout", 1.3, study));
  CHECK(timeout_note("timeout", 1.0, study).value() ==
        "warning: protocol.timeout is 1 s, and 100 % of round trips take longer (typically up to 1.2 s): "
        "their replies "
        "are discarded; leave out protocol.timeout or increase it");
}

TEST_CASE("timeout: one that is shorter than every round trip is refused, and a finite default is noted") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 2);
  const Study study = on(fixture, latency(0.75));
  CHECK_NOTHROW(require_possible_timeout("timeout", std::nullopt, study.round_trips));
  CHECK_NOTHROW(require_possible_timeout("timeout", 1.5, study.round_trips));
  CHECK_THROWS_WITH(
      require_possible_timeout("round_timeout", 1.4, study.round_trips),
      "expected at least the smallest possible round trip (1.5 s), found 1.4 s: every reply would be "
      "discarded; leave out protocol.round_timeout or increase it");
  // Where the reply takes no time, its leaving and a timeout of 2 s fall together, and the timeout comes first.
  sim::NetworkOptions computing;
  computing.compute_time = 2;
  CHECK_THROWS_WITH(
      require_possible_timeout("round_timeout", 2, on(fixture, computing).round_trips),
      "expected more than the smallest possible round trip (2 s), found 2 s: every reply would be "
      "discarded; leave out protocol.round_timeout or increase it");
  CHECK_NOTHROW(require_possible_timeout("round_timeout", 2.1, on(fixture, computing).round_trips));
  // A round trip of 1.4 s is unlikely, but possible.
  CHECK_NOTHROW(
      require_possible_timeout("timeout", 1.4, on(fixture, latency(sim::Uniform{0.7, 9})).round_trips));
  CHECK(timeout_note("timeout", std::nullopt, study, true).value() ==
        "protocol.timeout is 7.5 s by default: at least 1 s and 5 typical round trips of up to 1.5 s");
}

TEST_CASE("timeout: a run that discards its replies says so, and without a timeout it uses them") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), test::laplace(1, 1), 5);
  auto options = fixture.engine(latency(0.6));
  const Study study = on(fixture, latency(0.6));
  CentralAsync::Params params;
  params.rho = GivenStep{1};
  params.timeout = 1;
  const auto late = test::CentralRun<CentralAsync>(fixture, params, options);
  CHECK(late.world->iterations == 0);
  World world(study, options, sim::Streams(1, 0));
  CHECK_FALSE(unused_replies_warning(params.timeout, world));  // nothing has happened
  world.engine.discard({});
  CHECK(unused_replies_warning(params.timeout, world).value() ==
        "0 of 1 replies used: timeout 1 s, smallest round trip 1.2 s");
  world.tally.updates = 1;
  CHECK_FALSE(unused_replies_warning(params.timeout, world));
  params.timeout.reset();
  CHECK(test::CentralRun<CentralAsync>(fixture, params, options).world->iterations == 5);
}

TEST_CASE("timeout: of a protocol that counts no reply, only a timeout below round trips is a sign of none") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 5);
  const Study study = on(fixture, latency(0.6));
  World world(study, fixture.engine(latency(0.6)), sim::Streams(1, 0));
  world.engine.discard({});
  CHECK(row<Own<2>>().make()->warning(world).value() == "its own");
  CHECK(row<Own<1>>().make()->warning(world).value() ==
        "0 of 1 replies used: timeout 1 s, smallest round trip 1.2 s; its own");
  // One that counts when replies come: the timeout of 2 s is above all round trips, but this was late.
  world.tally.matches = true;
  CHECK(row<Own<2>>().make()->warning(world).value() ==
        "0 of 1 replies used: timeout 2 s, smallest round trip 1.2 s; its own");
  world.tally.in_time = 1;
  CHECK(row<Own<2>>().make()->warning(world).value() == "its own");
}

TEST_CASE("timeout: an owner without a release left refuses, and the learner waits no more") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), test::laplace(1, 1), 2);
  CentralAsync::Params params;
  params.rho = GivenStep{1};
  CentralAsync protocol(params, fixture.study());
  const auto world = fixture.world(fixture.engine());
  Context context(*world);
  protocol.on_start(context);
  const Eigen::VectorXd theta = Eigen::VectorXd::Zero(1);
  const auto spend = [&](sim::AgentId owner) {
    for (int k = 0; k < 2; ++k) REQUIRE(context.release(owner, context.gradient(owner, theta)));
  };
  spend(1);
  const std::vector<double> bar{0};
  const sim::Message query{.from = 0,
                           .to = 1,
                           .tag = CentralOwners::kQuery,
                           .conversation = 1,
                           .sent = 0,
                           .payload = bar,
                           .id = {}};
  protocol.on_message(query, context);
  CHECK(world->engine.traffic().messages == 1);  // the refusal
  CHECK(world->engine.traffic().vectors == 0);

  // A request of owner 1 is queried; owner 2's waits until the refusal has come.
  const auto request = [&](sim::AgentId owner) {
    protocol.on_message({.from = owner,
                         .to = 0,
                         .tag = CentralOwners::kFreeTag,
                         .conversation = 0,
                         .sent = 0,
                         .payload = {},
                         .id = {}},
                        context);
  };
  request(1);
  request(2);
  CHECK(world->engine.traffic().messages == 2);
  protocol.on_message({.from = 1,
                       .to = 0,
                       .tag = CentralOwners::kRefusal,
                       .conversation = 1,
                       .sent = 0,
                       .payload = {},
                       .id = {}},
                      context);
  CHECK(world->engine.traffic().messages == 3);  // the query to owner 2
  CHECK(context.iterations() == 0);
  spend(2);
  CHECK_FALSE(protocol.finished(context));
  protocol.on_message({.from = 2,
                       .to = 0,
                       .tag = CentralOwners::kRefusal,
                       .conversation = 2,
                       .sent = 0,
                       .payload = {},
                       .id = {}},
                      context);
  CHECK(protocol.finished(context));
}
