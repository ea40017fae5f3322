// FedAsync and FedBuff: staleness, who trains when, and that no owner is lost.
#include <catch2/catch.hpp>

#include "models/protocols/federated/fedasync.hpp"
#include "models/protocols/federated/fedavg.hpp"
#include "models/protocols/federated/fedbuff.hpp"
#include "tests/models/protocols/federated/federated_run.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using models::FedAsync;
using models::FedBuff;
using namespace hearsay::test;

namespace {

FedAsync::Params fedasync_with(double alpha, models::Staleness staleness = models::ConstantStaleness{}) {
  auto params = jumping<FedAsync::Params>();
  params.alpha = alpha;
  params.staleness = staleness;
  return params;
}

FedBuff::Params fedbuff_with(std::uint32_t buffer,
                             models::Staleness staleness = models::ConstantStaleness{}) {
  auto params = jumping<FedBuff::Params>();
  params.buffer = buffer;
  params.staleness = staleness;
  return params;
}

/// Owners with y = 8, 16, 64 that take 1, 1.6 and 2.5 s. Answers: owner 1 at 1 s, staleness 0; owner 2 at 1.6 s,
/// staleness 1; owner 1 at 2 s, staleness 1; owner 3 at 2.5 s, staleness 3 (as every answer updates the model).
struct ThreeClients {
  explicit ThreeClients(std::uint64_t iterations)
      : fixture(test::one_record_each({8, 16, 64}), test::ridge(0), {}, iterations),
        options(fixture.engine(computing({1, 1.6, 2.5}))) {}
  test::StudyFixture fixture;
  sim::Engine::Options options;
};

}  // namespace

TEST_CASE("staleness: the weights") {
  CHECK(models::PolynomialStaleness{0.5}.weight(3) == 0.5);
  CHECK(models::HingeStaleness{10, 4}.weight(4) == 1);
  CHECK(models::HingeStaleness{10, 4}.weight(5) == 1.0 / 11);
  CHECK(models::ConstantStaleness{}.weight(1e9) == 1);
  for (const models::Staleness& kind :
       {models::Staleness{models::PolynomialStaleness{}}, models::Staleness{models::HingeStaleness{}}})
    CHECK(models::weight_of(kind, 0) == 1);
}

TEST_CASE("fedasync: three clients with staleness 0, 1 and 3 by hand") {
  const ThreeClients three(4);
  // alpha = 1/2, a = 1: shares 1/2, 1/4, 1/4, 1/8.
  const CentralRun<FedAsync> run(three.fixture, fedasync_with(0.5, models::PolynomialStaleness{1}),
                                 three.options);
  check_all(run.learner, {0, 4, 7, 7.25, 14.34375});
  check_all(run.time, {0, 1, 1.6, 2, 2.5});
  CHECK(run.world->tally.updates == 4);
  CHECK(run.world->tally.staleness_steps == 0 + 1 + 1 + 3);
  CHECK(used(run, 0) == 2);
  // Differences clipped to 6, all shares 1/2: each answer adds 3, but for 8 - 6 = 2 at the third.
  auto clipping = fedasync_with(0.5);
  clipping.rule.aggregate = models::CenteredClippingRule{.tau = 6};
  check_all(CentralRun<FedAsync>(three.fixture, clipping, three.options).learner, {0, 3, 6, 7, 10});
  // Hinge with a = b = 1: shares 1/2, 1/2, 1/2, 1/6.
  check_all(
      CentralRun<FedAsync>(three.fixture, fedasync_with(0.5, models::HingeStaleness{1, 1}), three.options)
          .learner,
      {0, 4, 10, 9, 7.5 + 64.0 / 6});
}

TEST_CASE("fedasync: with alpha 1 the last writer wins") {
  const ThreeClients three(4);
  check_all(CentralRun<FedAsync>(three.fixture, fedasync_with(1), three.options).learner, {0, 8, 16, 8, 64});
}

TEST_CASE("fedasync: the proximal term pulls to the model that was sent") {
  // y = 8, eta = 1/4, K = 2, rho = 2: 0 -> 4, where 2 (4 - 8) + 2 * 4 = 0. Without it: 6.
  const test::StudyFixture fixture(test::one_record_each({8}), test::ridge(0), {}, 1);
  auto params = fedasync_with(1);
  params.local.local_steps = 2;
  params.local.step = models::ConstantStep{0.25};
  check_all(CentralRun<FedAsync>(fixture, params, fixture.engine()).learner, {0, 6});
  params.rho = 2;
  check_all(CentralRun<FedAsync>(fixture, params, fixture.engine()).learner, {0, 4});
}

TEST_CASE(
    "fedbuff: a buffer of one without weights is plain asynchronous descent, with weights and a buffer of "
    "two") {
  const ThreeClients three(4);
  // Updates y - x_sent: 8 - 0, 16 - 0, 8 - 8 (sent at 1 s), 64 - 0.
  check_all(CentralRun<FedBuff>(three.fixture, fedbuff_with(1), three.options).learner, {0, 8, 24, 24, 88});
  // a = 1: 8, then 16/2, 0, 64/4.
  const models::PolynomialStaleness inverse{1};
  check_all(CentralRun<FedBuff>(three.fixture, fedbuff_with(1, inverse), three.options).learner,
            {0, 8, 16, 16, 32});
  // Buffer 2: the server steps at 1.6 s by (8 + 16)/2, both of staleness 0. The next two were sent before: staleness
  // 1. Owner 1 trained from 0. At 2.5 s by (8/2 + 64/2)/2.
  const ThreeClients two(2);
  auto params = fedbuff_with(2, inverse);
  const CentralRun<FedBuff> run(two.fixture, params, two.options);
  check_all(run.learner, {0, 12, 30});
  check_all(run.time, {0, 1.6, 2.5});
  CHECK(run.world->tally.staleness_steps == 2);
  params.server.server_step = 0.5;
  check_all(CentralRun<FedBuff>(two.fixture, params, two.options).learner, {0, 6, 15});
}

TEST_CASE(
    "asynchronous server: with all owners in training, their shares are those of their speeds, with one, "
    "equal") {
  const test::StudyFixture fixture(test::one_record_each({1, 1}), test::ridge(0), {}, 1'000'000);
  auto options = fixture.engine(computing({1, 10}));
  options.time_limit = 100.5;
  auto params = fedasync_with(0.5);
  const CentralRun<FedAsync> all(fixture, params, options);
  CHECK(used(all, 0) == 100);
  CHECK(used(all, 1) == 10);
  params.concurrency = 1;
  options.time_limit = 20000;
  const CentralRun<FedAsync> one(fixture, params, options);
  const std::uint64_t trainings = one.world->iterations;
  // One training follows another: the time is 1 s for each of owner 1's and 10 s for each of owner 2's.
  CHECK(used(one, 0) + 10 * used(one, 1) <= 20000);
  CHECK(used(one, 0) + 10 * used(one, 1) > 19989);
  CHECK(test::binomial_plausible(used(one, 0), trainings, 0.5));
}

TEST_CASE("asynchronous server: an owner whose messages are lost trains again after the timeout") {
  // Both take 0.5 s. Owner 2 is down from 0.25 to 3.1 s: its first answer is lost, then the queries at 1, 2 and 3 s.
  // That at 4 s is answered at 4.5 s, when owner 1 has made its ninth.
  const test::StudyFixture fixture(test::one_record_each({1, 1}), test::ridge(0), {}, 10);
  auto params = fedasync_with(0.5);
  params.timeout = 1;
  sim::NetworkOptions network = computing({0.5, 0.5});
  network.availability = outage({2}, 0.25, 3.1);
  const CentralRun<FedAsync> run(fixture, params, fixture.engine(network));
  CHECK(run.world->engine.now() == 4.5);
  CHECK(used(run, 0) == 9);
  CHECK(used(run, 1) == 1);
  // An answer after the timeout is stale: owner 1 takes longer, and never counts.
  const test::StudyFixture four(test::one_record_each({1, 3}), test::ridge(0), {}, 4);
  const CentralRun<FedAsync> slow(four, params, four.engine(computing({1.25, 0.5})));
  CHECK(used(slow, 0) == 0);
  CHECK(test::lost(*slow.world, sim::LossReason::kStale) == 1);
}

TEST_CASE("asynchronous server: a crash of the server loses the model and the buffer, and it starts again") {
  // y = 2, eta = 1/4, 1 s: updates of 1 from x = 0, two of which are a step of (1 + 1)/2. The server is down from 3.5
  // to 3.75 s with one update in its buffer. The answer at 4 s is stale; those at 5 and 6 s make the next step, from
  // x = 0.
  const test::StudyFixture fixture(test::one_record_each({2}), test::ridge(0), {}, 2);
  auto params = fedbuff_with(2);
  params.local.step = models::ConstantStep{0.25};
  sim::NetworkOptions network = computing({1});
  network.availability = outage({0}, 3.5, 3.75, sim::StateOnReturn::kReset);
  const CentralRun<FedBuff> run(fixture, params, fixture.engine(network));
  check_all(run.learner, {0, 1, 1});
  check_all(run.time, {0, 2, 6});
  CHECK(test::lost(*run.world, sim::LossReason::kStale) == 1);
}

TEST_CASE("asynchronous server: owners that ask by their clocks") {
  // Latency 1/4, 0.5 s. Owner 1 asks at 1 s, has the model at 1.5, and its answer is there at 2.25. What it asks at
  // 1.4 is ignored, and so is owner 2 at 1.1 with concurrency 1. Owner 1 asks again at 2.1: the answer is there at
  // 3.35.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 2);
  auto params = fedasync_with(1);
  params.trigger = models::TrainingTrigger::kClock;
  params.concurrency = 1;
  sim::NetworkOptions network = computing({0.5, 0.5});
  network.links.latency = 0.25;
  const sim::ClockTrace ticks{{1, 1.1, 1.4, 2.1, 2.2}, {1, 2, 1, 1, 2}};
  const CentralRun<FedAsync> run(fixture, params, fixture.engine(network, ticks));
  check_all(run.time, {0, 2.25, 3.35});
  CHECK(used(run, 0) == 2);
  params.concurrency = 2;  // owner 2 as well: 1.1 + 1.25
  const CentralRun<FedAsync> both(fixture, params, fixture.engine(network, ticks));
  check_all(both.time, {0, 2.25, 2.35});
  check_all(both.learner, {0, 1, 3});
}

TEST_CASE("asynchronous server: who has no budget left refuses, and the run ends when nobody has") {
  auto privacy = test::laplace(1e6, 1);
  privacy.steps = models::Steps(sim::ValueList{{2, 4}});
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), privacy, 100);
  const CentralRun<FedAsync> run(fixture, fedasync_with(0.5), fixture.engine());
  CHECK(used(run, 0) == 2);
  CHECK(used(run, 1) == 4);
  CHECK(run.end == sim::End::kFinished);
  CHECK(run.world->engine.traffic().messages == 2 * (3 + 5));
}

TEST_CASE("asynchronous server: a run that ends with its budgets waits for the answers that they have paid") {
  const auto run = test::until_spent<FedAsync>();
  CHECK(run.iterations == 2);
  CHECK(run.updates == 2);
  CHECK(run.messages == 4);
  CHECK(run.time == 2);
}

TEST_CASE("asynchronous server: a training that overflows ends the run, whose models are finite until then") {
  // Alone with B = 1, each answer multiplies the distance from y = 1 by (1 - 2 3/2)^3 = -8: after k answers it is
  // 2^(3 k), and its update is 9/8 of that. Numbers end at 2^1024: the 341st is the last.
  const test::StudyFixture fixture(test::one_record_each({1}), test::ridge(0), {}, 5000);
  auto params = fedbuff_with(1);
  params.local.local_steps = 3;
  params.local.step = models::ConstantStep{1.5};
  const CentralRun<FedBuff> run(fixture, params, fixture.engine(computing({1})));
  CHECK(run.world->overflowed == 1);
  CHECK(run.world->iterations == 341);
  CHECK(run.time.back() == 342);
  CHECK(run.world->models.allFinite());
}

TEST_CASE(
    "asynchronous server: through losses and crashes of owners and server, every owner keeps training") {
  // The five owners are alike, so that each has the same share of the answers in expectation; with 3000 of them, a
  // share below half of that would be more than 12 standard deviations of independent draws away.
  const test::StudyFixture fixture(test::one_record_each({1, 2, 3, 4, 5}), test::ridge(0), {}, 3000);
  auto params = fedbuff_with(1);
  params.concurrency = 3;
  params.timeout = 2;
  params.server.server_step = 0.1;
  auto network = test::latency(sim::Distribution(sim::Uniform{0, 0.5}), 0.25);
  network.compute_time = sim::ComputeOptions(sim::Exponential{0.25});
  network.availability = sim::Crash{.up = sim::Exponential{20}, .down = sim::Exponential{4}, .hub = true};
  const CentralRun<FedBuff> run(fixture, params, fixture.engine(network));
  CHECK(run.end == sim::End::kFinished);
  for (std::size_t owner = 0; owner < 5; ++owner) CHECK(used(run, owner) > 300);
}
