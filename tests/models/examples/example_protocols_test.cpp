// Push-sum and local steps of docs/example-protocol.
#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include "docs/example-protocol/local_steps.hpp"
#include "docs/example-protocol/push_sum.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using gossip::LocalSteps;
using gossip::PushSum;
using test::ticks_of;

namespace {

// Calls look(world) after every tick. Messages may have two numbers for each of the model.
template <class P, class F>
void run_example(const test::StudyFixture& fixture, const typename P::Params& params,
                 sim::NetworkOptions network, sim::ClockOptions clocks, F&& look,
                 std::uint32_t repetition = 0) {
  test::run<P>(fixture, params, fixture.engine(std::move(network), std::move(clocks), 2),
               {.repetition = repetition}, look);
}

double held_weight(const models::World& world) {
  double held = 0;
  world.probe->measure("held_weight", world, {&held, 1});
  return held;
}

}  // namespace

TEST_CASE("push-sum: two agents by hand") {
  const test::StudyFixture fixture(test::one_record_each({0, 0}), {}, {}, 3, sim::Ring{}, false);
  std::vector<std::pair<double, double>> models;
  std::vector<double> held;
  run_example<PushSum>(fixture, {}, test::latency(0.25), ticks_of({0, 1, 0}),
                       [&](const models::World& world) {
                         models.emplace_back(world.models(0, 0), world.models(0, 1));
                         held.push_back(held_weight(world));
                       });
  // Tick 1: (0, 1/2) goes to agent 1, which then has (1, 3/2). Tick 2: (1/2, 3/4) goes to agent 0, which then has
  // (1/2, 5/4). The third half is under way at the end.
  REQUIRE(models.size() == 4);
  CHECK(models[0] == std::pair(0.0, 1.0));
  CHECK(models[1] == std::pair(0.0, 1.0));
  CHECK(models[2].first == 0.0);
  CHECK(models[2].second == Approx(2.0 / 3));
  CHECK(models[3].first == Approx(0.4));
  CHECK(held == std::vector<double>{2, 1.5, 1.25, 1.375});  // 2 less the half that is under way
}

TEST_CASE("push-sum: without loss all agents reach the mean of the start values, a loss takes weight away") {
  constexpr std::size_t kAgents = 6;
  const test::StudyFixture fixture(test::one_record_each(std::vector<double>(kAgents)), {}, {}, 3000,
                                   sim::Star{}, false);
  double held = 0;
  Eigen::VectorXd end;
  const auto look = [&](const models::World& world) {
    held = held_weight(world);
    end = world.models.row(0).transpose();
  };
  const sim::ClockOptions clocks = sim::Poisson{};
  run_example<PushSum>(fixture, {}, test::latency(sim::Uniform{0, 2}), clocks, look);
  CHECK((end.array() - 2.5).abs().maxCoeff() < 1e-9);
  run_example<PushSum>(fixture, {}, test::latency(0.0, 0.1), clocks, look);
  CHECK(held < 1);
}

TEST_CASE("push-sum: hostile agents change sums and no weight, though a model is one number") {
  const test::StudyFixture fixture(test::one_record_each(std::vector<double>(10)), {}, {}, 100, sim::Ring{},
                                   false);
  models::HostileGroup group;
  group.agents = {3};
  group.behaviour = models::SignFlip{};
  const models::HostileAgents agents(group, fixture.topology(), 0, false, sim::Streams(1, 0));
  models::Study study = fixture.study();
  study.messages = PushSum::kEntry.messages;
  const auto end = [&](const models::HostileAgents* hostile) {
    study.hostile = hostile;
    models::World world(study, fixture.engine(test::latency(0.001), sim::Poisson{}, 2), sim::Streams(1, 0));
    PushSum protocol({}, study);
    double held = 0;
    test::Watch watch([&](const models::World& w) { held = held_weight(w); });
    models::Driver<PushSum>(protocol, world, watch).run();
    return std::pair(held, world.models.sum());
  };
  const auto honest = end(nullptr), attacked = end(&agents);
  CHECK(attacked.first == honest.first);
  CHECK(attacked.second != honest.second);
}

TEST_CASE("local steps: two ticks by hand, and the clipped update") {
  // Gradients 2 (theta - y), y = 1 and 3; step 1/4. Agent 0 from 0: 1/2, 3/4. Agent 1 from the mean 3/8: 27/16, 75/32.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 2, sim::Ring{}, false);
  const auto end = [&](double clip) {
    std::pair<double, double> last;
    run_example<LocalSteps>(fixture, {.step = 0.25, .local_steps = 2, .batch = 1, .clip = clip}, {},
                            ticks_of({0, 1}), [&](const models::World& world) {
                              last = {world.models(0, 0), world.models(0, 1)};
                            });
    return last;
  };
  CHECK(end(10) == std::pair(0.75, 75.0 / 32));
  CHECK(end(0.5) == std::pair(0.5, 0.75));  // 0 + 1/2, then 1/4 + 1/2
}

TEST_CASE("local steps: Laplace noise of scale 2 clip/epsilon, a spent budget leaves the average") {
  constexpr double kClip = 0.5;
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), test::laplace(4, 1), 3,
                                   sim::Ring{}, false);
  test::Mean magnitude;
  for (std::uint32_t repetition = 0; repetition < 4000; ++repetition) {
    std::vector<double> first;
    double spent = 0;
    std::vector<double> noise;
    run_example<LocalSteps>(
        fixture, {.step = 0.25, .local_steps = 2, .batch = 1, .clip = kClip, .updates = 2}, {},
        ticks_of({0, 0, 0}),
        [&](const models::World& world) {
          first.push_back(world.models(0, 0));
          spent = world.ledger.account(0).spent().epsilon;
          noise.push_back(world.tally.noise);
        },
        repetition);
    REQUIRE(first.size() == 4);
    // Two releases of epsilon 2 each: E |noise| = 2 clip/2 = 1/2.
    magnitude.add(std::abs(first[1] - kClip));
    CHECK(noise[1] == Approx((first[1] - kClip) * (first[1] - kClip)));
    CHECK(noise[3] == noise[2]);
    CHECK(spent == Approx(4));
    CHECK(first[3] == first[2] / 2);  // agent 1 has never ticked: its model is 0
  }
  CHECK(std::abs(magnitude.mean() - 0.5) < 6.2 * magnitude.standard_error());
}

TEST_CASE("local steps: privacy.steps says how many releases an agent makes") {
  models::PrivacyOptions privacy = test::laplace(50, 1);
  privacy.steps = models::Steps(10);
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), privacy, 300, sim::Ring{},
                                   false);
  const auto look = [](const models::World& world) {
    if (world.iterations < 300) return;
    for (const sim::AgentId i : {0, 1}) {
      CHECK(world.ledger.account(i).releases == 10);
      CHECK(world.ledger.account(i).spent().epsilon == Approx(50));
    }
  };
  run_example<LocalSteps>(fixture, {}, {}, sim::Poisson{}, look);
}
