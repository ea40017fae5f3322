// Multi-task protocols on networks that are late, compute, crash or have many messages under way. Numbers
// worked by hand are of one record x = y = 1 under the squared loss, gradient 2 (w - 1), with
// quarter_steps().
#include <catch2/catch.hpp>
#include <cmath>

#include "models/protocols/multitask/amtl.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

models::Amtl::Params plain_amtl() {
  models::Amtl::Params params;
  params.alpha = 0.25;
  params.threshold = 0;
  params.start = models::TaskStart::kZero;
  return params;
}

}  // namespace

TEST_CASE(
    "multi-task: a turn computes, then waits: the run is as long as both, the waiting time as its links") {
  // Computing takes 0.05 s, links 0.1 s one way and none back: three turns of both tasks end at 0.45.
  const StudyFixture fixture(one_record_each({1, 1}), squared(), {}, 1 << 30);
  auto params = quarter_steps();
  params.turns = 3;
  sim::NetworkOptions network = to_hub(0.1);
  network.compute_time = 0.05;
  const MultitaskRun<models::AsyncMtl> async(fixture, params, network);
  CHECK(async.end == sim::End::kFinished);
  CHECK(async.world->engine.now() == Approx(0.45).epsilon(1e-12));
  CHECK(async.metric("waiting_time")[1] == Approx(0.1).epsilon(1e-12));
  CHECK(async.protocol.p()(0, 0) == 103.0 / 256);
  const MultitaskRun<models::SyncMtl> rounds(fixture, synchronous(params), network);
  CHECK(rounds.world->engine.now() == Approx(0.45).epsilon(1e-12));
  CHECK(rounds.metric("waiting_time")[1] == Approx(0.1).epsilon(1e-12));
  CHECK(rounds.protocol.p()(0, 0) == 103.0 / 256);
  auto plain = plain_amtl();
  plain.turns = 3;
  const MultitaskRun<models::Amtl> amtl(fixture, plain, network);
  CHECK(amtl.world->engine.now() == Approx(0.45).epsilon(1e-12));
  CHECK(amtl.metric("waiting_time")[1] == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("multi-task: tasks that compute, drop out and crash make their turns and no more") {
  const StudyFixture fixture(one_record_each({1, 1, 1}), squared(), {}, 1 << 30);
  auto params = quarter_steps();
  params.turns = 40;
  params.timeout = 0.3;
  sim::NetworkOptions network = to_hub(0.01);
  network.compute_time = 0.05;
  const std::vector<sim::AvailabilityOptions> laws{
      sim::OnOff{.up = sim::Exponential{0.2}, .down = sim::Exponential{0.02}},
      sim::OnOff{.up = sim::Exponential{0.2}, .down = sim::Exponential{0.1}, .hub = true},
      sim::Crash{.up = sim::Exponential{0.2}, .down = sim::Exponential{0.1}, .hub = true}};
  for (const sim::AvailabilityOptions& law : laws) {
    network.availability = law;
    const MultitaskRun<models::AsyncMtl> async(fixture, params, network);
    CHECK(async.end == sim::End::kFinished);
    CHECK(async.metric("turns_by_task") == std::vector<double>{40, 40, 40});
    auto plain = plain_amtl();
    plain.turns = 40;
    plain.timeout = 0.3;
    const MultitaskRun<models::Amtl> amtl(fixture, plain, network);
    CHECK(amtl.end == sim::End::kFinished);
    CHECK(amtl.metric("turns_by_task") == std::vector<double>{40, 40, 40});
    auto round = synchronous(params);
    round.round_timeout = 0.3;
    const MultitaskRun<models::SyncMtl> rounds(fixture, round, network);
    CHECK(rounds.end == sim::End::kFinished);
    CHECK(rounds.world->iterations == 40);
    for (const double turns : rounds.metric("turns_by_task")) CHECK(turns <= 40);
  }
}

TEST_CASE(
    "multi-task: a latency drawn once for each task is its waiting time, and sets its number of turns") {
  const StudyFixture fixture(one_record_each({1, -1, 1, -1}), squared(), {}, 4000);
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::LatencyOptions(sim::Uniform{0.01, 0.1}, sim::Drawn::kPerAgent);
  const MultitaskRun<models::AsyncMtl> run(fixture, quarter_steps(), network);
  const auto waits = run.metric("waiting_time"), turns = run.metric("turns_by_task");
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(waits[t] > 0.01);
    CHECK(waits[t] < 0.1);
    CHECK(turns[t] == Approx(run.world->engine.now() / waits[t] + 1).margin(1.001));
    for (std::size_t s = 0; s < t; ++s) CHECK(waits[s] != waits[t]);
  }
}

TEST_CASE(
    "async_mtl: with a hundred turns of a task under way every answer is taken, and staleness counted") {
  // Ticks at 0.01, 0.02, .., 2; legs of 1 s each: the answer to turn k comes 2 s after it, for k of 100 after
  // the last tick. Turn k's gradient finds the k - 1 updates before it made, those of turns that began since
  // the p_t it used (0).
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 200);
  auto params = quarter_steps();
  params.activation = models::Activation::kPoisson;
  params.timeout = 60;
  sim::ClockTrace ticks;
  for (int k = 1; k <= 200; ++k) {
    ticks.times.push_back(0.01 * k);
    ticks.agents.push_back(1);
  }
  sim::NetworkOptions both;
  both.links.latency = 1.0;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, both, nullptr, ticks);
  CHECK(run.world->iterations == 200);
  CHECK(run.world->tally.updates == 200);
  // Turn 200 at t = 2 used p = 0 as all did: the first answer comes at 2.01.
  CHECK(run.world->tally.staleness_steps == 199.0 * 200 / 2);
  CHECK(run.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kStale)] == 0);
}

TEST_CASE("sync_mtl: in the middle of a round P is that of the last one") {
  // Latencies are drawn once for each task, so that one's answer is in while the other's is awaited. Looked
  // at every 40 ms, P is the same whether it has been looked at every millisecond in between or not.
  const StudyFixture fixture(one_record_each({1, 1}), squared(), {}, 1 << 30);
  auto params = synchronous(quarter_steps());
  params.turns = 20;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::LatencyOptions(sim::Uniform{0, 0.1}, sim::Drawn::kPerAgent);
  const auto trajectory = [&](double every) {
    std::vector<double> p;
    sim::Engine::Options options = fixture.engine(network);
    options.observe_every = every;
    const auto world = fixture.world(options);
    models::SyncMtl protocol(params, fixture.study());
    Watch watch([&](const models::World&) { p.push_back(protocol.p()(0, 1)); }, 0);
    watch.every_time = every;
    models::Driver<models::SyncMtl>(protocol, *world, watch).run();
    return p;
  };
  const auto often = trajectory(0.001), seldom = trajectory(0.04);
  REQUIRE(seldom.size() > 5);
  for (std::size_t k = 0; k + 1 < seldom.size(); ++k) CHECK(seldom[k] == often[40 * k]);
}

TEST_CASE("amtl: the delay of a step is since the server sent what it used, also when turns overlap") {
  // Legs of 20 s there and none back, timeout 15 s: turn 2 begins at 15 with w = 0, as turn 1 did. Turn 1
  // arrives at 20 (delay 20), turn 2 at 35: it used what was sent at 0, delay 35, not the w of 20. Weights c
  // = ln 20 / 4 and ln of the mean, (20 + 35)/2: u = 1/2 for both.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 2);
  auto params = plain_amtl();
  params.step_rule = models::StepRule::kDelayAdaptive;
  params.eta = 0.25;
  params.timeout = 15;
  const MultitaskRun<models::Amtl> run(fixture, params, to_hub(20));
  const double c = std::log(20) / 4, d = std::log(27.5) / 4;
  CHECK(run.world->iterations == 2);
  CHECK(run.protocol.w()(0, 0) == Approx(c / 2 + d * (0.5 - c / 2)).epsilon(1e-14));
}

TEST_CASE(
    "multi-task: a task back from a crash begins with p = 0 and its first q, its turns and the server's P "
    "stay") {
  // Turns arrive at 0.1, 0.2, 0.3; the task is down from 0.25 to 1.25, so that the last answer is lost. Turn
  // 4 is as turn 1: g = -1 at p = 0.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = quarter_steps();
  params.turns = 4;
  params.timeout = 60;
  sim::NetworkOptions network = to_hub(0.1);
  network.availability = sim::Crash{.up = 0.25, .down = 1.0};
  std::vector<double> p;
  const auto look = [&](const auto& protocol) { p.push_back(protocol.p()(0, 0)); };
  const MultitaskRun<models::AsyncMtl> block(fixture, params, network, nullptr, {}, look);
  CHECK(p == std::vector<double>{0, 0.25, 11.0 / 32, 103.0 / 256, 0.25, 0.25});  // and once more at the end
  CHECK(block.protocol.q()(0, 0) == 0.5);
  CHECK(block.metric("turns_by_task")[0] == 4);
  CHECK(block.world->engine.now() == Approx(1.35).epsilon(1e-12));

  // all: the server's P goes on from where it was, 103/256 + 1/4.
  params.column_update = models::ColumnUpdate::kAll;
  const MultitaskRun<models::AsyncMtl> all(fixture, params, network);
  CHECK(all.protocol.p()(0, 0) == 167.0 / 256);

  // The server crashes too: turn 3 finds it down, and P begins at 0 again.
  network.availability = sim::Crash{.up = 0.25, .down = 1.0, .hub = true};
  p.clear();
  const MultitaskRun<models::AsyncMtl> both(fixture, params, network, nullptr, {}, look);
  CHECK(p == std::vector<double>{0, 0.25, 11.0 / 32, 0.25, 0.25});
}

TEST_CASE("sync_mtl: a task back from a crash has its first q and the column of the round it comes back to") {
  // Rounds end at 0.1, 0.2, 0.3, then by timeout at 0.8 and 1.3. Round 6 at p = 103/256 from q = 0: gradient
  // -153/128, q = 153/512, g = -153/256, V = 103/256 + 153/1024.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = synchronous(quarter_steps());
  params.turns = 6;
  params.round_timeout = 0.5;
  sim::NetworkOptions network = to_hub(0.1);
  network.availability = sim::Crash{.up = 0.25, .down = 1.0};
  const MultitaskRun<models::SyncMtl> run(fixture, params, network);
  CHECK(run.world->iterations == 6);
  CHECK(run.world->engine.now() == Approx(1.4).epsilon(1e-12));
  CHECK(run.protocol.p()(0, 0) == 565.0 / 1024);
  CHECK(run.protocol.q()(0, 0) == 153.0 / 512);
}

TEST_CASE("amtl: a task back from a crash begins with its first w, the server's V stays") {
  // alpha = 1/4, eta = 1/2: u = (1 + w)/2; v = 1/4, 7/16, 37/64, then u = 1/2 from w = 0: v = 69/128.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  models::Amtl::Params params;
  params.alpha = 0.25;
  params.threshold = 0;
  params.start = models::TaskStart::kZero;
  params.turns = 4;
  params.timeout = 60;
  sim::NetworkOptions network = to_hub(0.1);
  network.availability = sim::Crash{.up = 0.25, .down = 1.0};
  const MultitaskRun<models::Amtl> run(fixture, params, network);
  CHECK(run.world->iterations == 4);
  CHECK(run.protocol.w()(0, 0) == 69.0 / 128);
}

TEST_CASE("amtl: the delay of the first step after a crash is since the task was back, whenever that was") {
  // Legs of 1 s there and none back: each turn takes 1 s. The task is down from 1000.5 to 1001.5 and begins with its start: the
  // last five delays are 1 s then, too, and c = ln 10 / 4 as ever. Its v, at a fixed point of 1 = u = w, goes from 1 towards u = 1/2.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = plain_amtl();
  params.step_rule = models::StepRule::kDelayAdaptive;
  params.eta = 0.25;
  params.turns = 1002;
  params.timeout = 60;
  sim::NetworkOptions network = to_hub(1);
  network.availability = sim::Crash{.up = 1000.5, .down = 1.0};
  const MultitaskRun<models::Amtl> run(fixture, params, network);
  CHECK(run.world->iterations == 1002);
  CHECK(run.protocol.w()(0, 0) == Approx(1 - std::log(10) / 8).epsilon(1e-12));
}
