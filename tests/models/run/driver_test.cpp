// The driver with a protocol that only counts: when it looks, when it stops.
#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "models/run/driver.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;

namespace {

// Every tick is an iteration; agent 0's ticks also publish.
class Counting {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr models::Entry kEntry{.name = "counting", .help = "Counts ticks."};
  Counting(const Params&, const models::Study&) {}
  void on_start(models::Context& context) { context.model(0).setConstant(7); }
  void on_tick(sim::AgentId i, models::Context& context) {
    heard.push_back(context.latest(i, context.neighbours(i)[0])[0]);
    context.model(i).setConstant(static_cast<double>(context.iterations()) + 1);
    context.publish(i, context.model(i));
    context.count_iteration();
  }
  auto state() { return std::tie(heard); }
  std::vector<double> heard;
};

// A timer of agent 0 sets the next one at once; each is an iteration.
class Standing {
 public:
  using Params = Counting::Params;
  static constexpr models::Entry kEntry{.name = "standing", .help = "Sets timers."};
  Standing(const Params&, const models::Study&) {}
  auto state() { return std::tie(); }
  void on_start(models::Context& context) { context.after(0, 0, 1); }
  void on_tick(sim::AgentId, models::Context&) {}
  void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t, models::Context& context) {
    context.after(i, 0, tag);
    context.count_iteration();
  }
};

// Every tick is an iteration, whose computation takes time; its result is published at the end.
class Computing {
 public:
  using Params = Counting::Params;
  static constexpr models::Entry kEntry{.name = "computing", .help = "Computes."};
  Computing(const Params&, const models::Study&) {}
  auto state() { return std::tie(); }
  void on_tick(sim::AgentId i, models::Context& context) {
    context.compute(i);
    context.publish(i, context.model(i));
    context.count_iteration();
  }
};

// All agents publish at the start; every tick is an iteration, at which an account is opened with `opens`.
class Starting {
 public:
  using Params = Counting::Params;
  static constexpr models::Entry kEntry{.name = "starting", .help = "Sends at the start."};
  Starting(const Params&, const models::Study&) {}
  auto state() { return std::tie(); }
  void on_start(models::Context& context) {
    for (sim::AgentId i = 0; i < context.agents(); ++i) context.publish(i, context.model(i));
  }
  void on_tick(sim::AgentId i, models::Context& context) {
    if (opens) context.open_account(i, 2);
    context.count_iteration();
  }
  bool finished(const models::Context&) const { return done; }
  bool opens = false, done = false;
};

// Every so many ticks are an iteration; none with 0.
class Slow {
 public:
  using Params = Counting::Params;
  static constexpr models::Entry kEntry{.name = "slow", .help = "Counts few ticks."};
  Slow(const Params&, const models::Study&) {}
  void on_tick(sim::AgentId, models::Context& context) {
    if (per_iteration != 0 && ++ticks_ % per_iteration == 0) context.count_iteration();
  }
  auto state() { return std::tie(ticks_); }
  std::uint64_t per_iteration = 0;

 private:
  std::uint64_t ticks_ = 0;
};

// Pauses every 7 s, and goes on.
struct Pausing final : models::StateKeeper {
  sim::Time pause_after() override { return next; }
  void keep(const models::World&, const models::RunState&) override { next += 7; }
  void resume(const models::World&, models::RunState&) override {}
  sim::Time next = 7;
};

models::DataSet data(std::size_t owners) {
  models::DataSet set;
  set.feature_names = {"x"};
  for (std::size_t i = 0; i < owners; ++i) {
    set.train.push_back({models::Records::Ones(1, 1), Eigen::VectorXd::Ones(1)});
    set.test.push_back({models::Records(0, 1), Eigen::VectorXd(0)});
    set.owner_names.push_back("owner");
  }
  return set;
}

}  // namespace

TEST_CASE("driver: a run that only time ends fails where no time passes") {
  const auto run = [](std::uint64_t iterations) {
    const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(1), {}, iterations);
    return test::run<Standing>(fixture, {}, fixture.engine()).end;
  };
  CHECK_THROWS_WITH(run(models::StopLimits{}.iterations),
                    Catch::StartsWith("simulated time stands still at 0 s"));
  // As many events as that, which a limit of iterations ends.
  CHECK(run(models::kMaxAtOnce + 1000) == sim::End::kFinished);
}

TEST_CASE("driver: a run fails that comes no closer to the iterations that it waits for") {
  const test::StudyFixture fixture(data(4), {}, {}, 5, sim::Ring{}, false);
  models::Study study = fixture.study();
  study.stop.patience = 10;  // 10 (100 + 4) events
  models::StateKeeper* keeper = nullptr;
  const auto run = [&](std::uint64_t per_iteration, sim::Time limit) {
    auto options = fixture.engine();
    options.time_limit = limit;
    models::World world(study, options, sim::Streams(1, 0));
    Slow protocol({}, study);
    protocol.per_iteration = per_iteration;
    test::Watch watch([](const models::World&) {});
    watch.keeper = keeper;
    const sim::End end = models::Driver<Slow>(protocol, world, watch).run();
    CHECK(world.engine.events() >= 1000);
    return end;
  };
  CHECK_THROWS_WITH(
      run(0, sim::kNever),
      Catch::StartsWith("the run waits in vain for stop.iterations 5, of which there are 0: ") &&
          Catch::Contains("4 of 4 agents are up, 0 messages are in flight"));
  CHECK_THROWS(run(1200, sim::kNever));
  CHECK(run(900, sim::kNever) == sim::End::kFinished);
  CHECK(run(0, 1000) == sim::End::kTime);  // 4 agents tick about once a second
  // Pauses change nothing.
  const auto failure = [&] { return test::error_of<sim::UserError>([&] { run(0, sim::kNever); }); };
  const std::string without = failure();
  Pausing pausing;
  keeper = &pausing;
  CHECK(failure() == without);
  CHECK(pausing.next > 100);
}

TEST_CASE("driver: looks at the start, every so many iterations, and at the end, once each") {
  const test::StudyFixture fixture(data(2), {}, {}, 7, sim::Ring{}, false);
  std::vector<std::uint64_t> seen;
  const auto look = [&](const models::World& w) { seen.push_back(w.iterations); };
  test::run<Counting>(fixture, {}, fixture.engine(), {.every = 3}, look);
  CHECK(seen == std::vector<std::uint64_t>{0, 3, 6, 7});
}

TEST_CASE(
    "driver: looks at the end of a run that time ends, though nothing has happened since the last look") {
  const test::StudyFixture fixture(data(2), {}, {}, 100, sim::Ring{}, false);
  auto options = fixture.engine({}, sim::ClockTrace{{1.0, 9.0}, {0, 0}});
  options.time_limit = 5;
  options.observe_every = 2;
  std::vector<double> seen;
  test::run<Counting>(fixture, {}, options, [&](const models::World& w) { seen.push_back(w.engine.now()); });
  CHECK(seen == std::vector<double>{0, 1, 2, 4, 5});
}

TEST_CASE("driver: a record that is due at the last iteration is not made twice") {
  const test::StudyFixture fixture(data(2), {}, {}, 6, sim::Ring{}, false);
  std::vector<std::uint64_t> seen;
  const auto look = [&](const models::World& w) { seen.push_back(w.iterations); };
  test::run<Counting>(fixture, {}, fixture.engine(), {.every = 3}, look);
  CHECK(seen == std::vector<std::uint64_t>{0, 3, 6});
}

TEST_CASE(
    "latest: the public start before anything has arrived, then what was published, never what is not yet "
    "there") {
  // Two agents, 1 s apart in latency: agent 1 reads agent 0's start (7) at 1.0, still at 1.5 although agent 0
  // published at 1.2, and the publication (2, made at iteration 1) at 2.5.
  const test::StudyFixture fixture(data(2), {}, {}, 4, sim::Ring{}, false);
  sim::NetworkOptions network;
  network.links.latency = 1.0;
  const auto done = test::run<Counting>(
      fixture, {}, fixture.engine(network, sim::ClockTrace{{1.0, 1.2, 1.5, 2.5}, {1, 0, 1, 1}}));
  // Agent 0 at 1.2 reads agent 1's start, 0: the publication of 1.0 arrives at 2.0.
  CHECK(done.protocol->heard == std::vector<double>{7, 0, 7, 2});
}

TEST_CASE("driver: the number of observations does not change a run") {
  const auto fingerprint = [](std::uint64_t every) {
    const test::StudyFixture fixture(data(3), {}, {}, 200, sim::Ring{}, false);
    sim::NetworkOptions network;
    network.links.latency = sim::Distribution(sim::Uniform{0, 2});
    return test::run<Counting>(fixture, {}, fixture.engine(network), {.every = every}).world->fingerprint();
  };
  CHECK(fingerprint(1) == fingerprint(50));
}

namespace {

// Has a metric of its own: how often it has been told of a tick, of each agent, and in all.
class Probed {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr models::Entry kEntry{.name = "probed", .help = "Counts ticks of each agent."};
  static constexpr std::array kMetrics{
      models::ProtocolMetric{.name = "ticks", .help = "All ticks."},
      models::ProtocolMetric{.name = "ticks_by_owner", .help = "Ticks of each.", .per_agent = true}};
  Probed(const Params&, const models::Study& study) : ticks_(study.problem.owners()) {}
  void on_tick(sim::AgentId i, models::Context& context) {
    ++ticks_[i];
    context.count_iteration();
  }
  void measure(std::size_t k, const models::World&, std::span<double> out) const {
    if (k == 0) out[0] = std::accumulate(ticks_.begin(), ticks_.end(), 0.0);
    if (k == 1) std::copy(ticks_.begin(), ticks_.end(), out.begin());
  }
  auto state() { return std::tie(ticks_); }

 private:
  std::vector<double> ticks_;
};

}  // namespace

TEST_CASE("driver: a protocol's own metrics are measured by name while it runs") {
  const test::StudyFixture fixture(data(2), {}, {}, 3, sim::Ring{}, false);
  std::vector<double> all, second;
  const auto look = [&](const models::World& w) {
    std::vector<double> out(2);
    w.probe->measure("ticks", w, std::span(out).first(1));
    all.push_back(out[0]);
    w.probe->measure("ticks_by_owner", w, out);
    second.push_back(out[1]);
    CHECK_THROWS_AS(w.probe->measure("tocks", w, out), sim::InvariantError);
  };
  const auto options = fixture.engine({}, sim::ClockTrace{{1, 2, 3}, {1, 0, 1}});
  const auto done = test::run<Probed>(fixture, {}, options, look);
  CHECK(all == std::vector<double>{0, 1, 2, 3});
  CHECK(second == std::vector<double>{0, 1, 1, 2});
  CHECK(done.world->probe == nullptr);
}

TEST_CASE("driver: the last look shows what the engine has sent since the one before, without the protocol") {
  const test::StudyFixture fixture(data(2), {}, {}, 100, sim::Ring{}, false);
  sim::NetworkOptions network = test::latency(5.0);
  network.compute_time = 2.0;
  auto options = fixture.engine(network, test::ticks_of({1}));
  options.time_limit = 4;
  std::vector<std::uint64_t> sent;
  test::run<Computing>(fixture, {}, options,
                       [&](const models::World& w) { sent.push_back(w.engine.traffic().messages); });
  CHECK(sent == std::vector<std::uint64_t>{0, 0, 1});  // at 0 s, at the tick at 1 s, at 4 s: sent at 3 s
}

TEST_CASE("driver: what leaves after a computation reaches limits and is recorded at once") {
  // Ten agents, each a neighbour of all others, tick at 1 to 10 s and compute for 20 s: the first publication leaves at
  // 21 s, as 9 vectors of 8 + 64 bytes.
  const test::StudyFixture fixture(data(10), {}, {}, 1000, sim::Complete{}, false);
  sim::NetworkOptions network;
  network.compute_time = 20.0;
  const auto options = fixture.engine(network, test::ticks_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto run = [&](const models::StopLimits& stop, std::uint64_t vectors, std::uint64_t bytes) {
    models::Study study = fixture.study();
    study.stop = stop;
    models::World world(study, options, sim::Streams(1, 0));
    Computing protocol({}, study);
    std::vector<std::uint64_t> seen;
    test::Watch watch([&](const models::World& w) { seen.push_back(w.engine.traffic().vectors); }, 0);
    watch.every_vectors = vectors;
    watch.every_bytes = bytes;
    CHECK(models::Driver<Computing>(protocol, world, watch).run() == sim::End::kFinished);
    CHECK(world.engine.now() == 21);
    CHECK(world.iterations == 10);
    return seen;
  };
  const std::vector<std::uint64_t> once{0, 9};
  CHECK(run({.vectors = 9}, 9, 0) == once);
  CHECK(run({.bytes = 9 * 72}, 0, 9 * 72) == once);
  CHECK(run({.vectors = 1}, 0, 0) == once);
}

TEST_CASE("driver: a run that ends with its start has no event") {
  const test::StudyFixture fixture(data(10), {}, {}, 1000, sim::Complete{}, false);
  models::Study study = fixture.study();
  const auto events = [&](std::uint64_t vectors, bool done) {
    study.stop.vectors = vectors;
    models::World world(study, fixture.engine({}, test::ticks_of({0, 1, 2})), sim::Streams(1, 0));
    Starting protocol({}, study);
    protocol.done = done;
    test::Watch watch([](const models::World&) {});
    models::Driver<Starting>(protocol, world, watch).run();
    CHECK(world.engine.traffic().vectors == 90);
    return world.engine.events();
  };
  CHECK(events(99, true) == 0);
  CHECK(events(90, false) == 0);
  CHECK(events(91, false) > 0);
}

TEST_CASE("driver: an account is opened in on_start alone, as runs that go on from a state have no other") {
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(1), test::laplace(1, 1), 5,
                                   sim::Ring{}, false);
  const auto world = fixture.world(fixture.engine({}, test::ticks_of({0})));
  Starting protocol({}, fixture.study());
  protocol.opens = true;
  test::Watch watch([](const models::World&) {});
  models::Driver<Starting> driver(protocol, *world, watch);
  CHECK(test::error_of<sim::InvariantError>([&] { driver.run(); }) == "an account was opened after on_start");
}
