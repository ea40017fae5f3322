#include "models/protocols/gossip/gossip_learning.hpp"

#include <catch2/catch.hpp>

#include "tests/models/protocols/gossip/gossip_run.hpp"

using namespace hearsay;
using models::GossipLearning;
using models::MergeRule;
using models::MergeWeights;
using namespace hearsay::test;

namespace {

GossipLearning::Params with(GossipLearning::Params params, MergeRule rule,
                            MergeWeights weights = MergeWeights::kEqual) {
  params.merge = rule;
  params.merge_weights = weights;
  return params;
}

// Step 1/4 at age 0, 1/8 at age 1, 1/12 at age 2: the update goes 1/2, 1/4, 1/6 of the way to the target.
GossipLearning::Params by_age() {
  GossipLearning::Params params;
  params.step = models::DecreasingStep{.first = 0.25, .decay = 1, .power = 1};
  return params;
}

}  // namespace

TEST_CASE("gossip_learning: random walks, by hand") {
  // Model 0 of agent 0 is updated at 1 with target 3, then sent back and updated at 0 with target 1.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto params = with(quarter_step<GossipLearning>(), MergeRule::kRandomWalk);
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0})}) == Eigen::Vector2d(0, 1.5));
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 1})}) == Eigen::Vector2d(1.25, 1.5));
}

TEST_CASE("gossip_learning: merge, then update, by hand") {
  // 0 merged with the start 8 is 4; 4 goes to 3.5. The next 0 is merged with the 0 received before, and goes to 1.5.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto params = with(quarter_step<GossipLearning>(), MergeRule::kMergeUpdate);
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0})}) == Eigen::Vector2d(0, 3.5));
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 0})}) == Eigen::Vector2d(0, 1.5));
  // Sent back, 3.5 is merged with the start 0: 1.75 goes to 1.375.
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 1})}) == Eigen::Vector2d(1.375, 3.5));
}

TEST_CASE("gossip_learning: the step is that of the model's age, rules and weights of merging, by hand") {
  // Tick of 0: 0 (age 0) and the start 8 (age 0) at agent 1, target 3: mu 4 -> 3.5; um (1.5 + 5.5)/2. Age 1 for both.
  // Tick of 1: 3.5 (age 1) and the start 0 (age 0) at agent 0, target 1, with steps 1/2 and, at age 1, 1/4 of the way:
  //   mu, equal  1.75, age 1 -> 1.5625     age  3.5 -> 2.875          age 2
  //   um, equal  (2.875 + 0.5)/2           age  (2 * 2.875 + 1 * 0.5)/3
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto end = [&](MergeRule rule, MergeWeights weights) {
    const Eigen::VectorXd x =
        end_of<GossipLearning>(fixture, with(by_age(), rule, weights), {{0, 8}, ticks_of({0, 1})});
    CHECK(x[1] == 3.5);
    return x[0];
  };
  CHECK(end(MergeRule::kMergeUpdate, MergeWeights::kEqual) == 1.5625);
  CHECK(end(MergeRule::kMergeUpdate, MergeWeights::kAge) == 2.875);
  CHECK(end(MergeRule::kUpdateMerge, MergeWeights::kEqual) == 1.6875);
  CHECK(end(MergeRule::kUpdateMerge, MergeWeights::kAge) == Approx(6.25 / 3).epsilon(1e-15));
  // A third message, from 0 with 2.875 (age 2) to 1, which received 0 (age 0) before: age 2, a sixth of the way to 3.
  const auto params = with(by_age(), MergeRule::kMergeUpdate, MergeWeights::kAge);
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 1, 0})})[1] ==
        Approx(2.875 + 0.125 / 6).epsilon(1e-15));
}

TEST_CASE(
    "gossip_learning: with clipping a message moves its receiver by at most tau before its update, by hand") {
  // Agent 1 at 8 receives 0, tau = 2, target 3; updates go half of the way.
  //   rw  8 - 2 = 6 -> 4.5
  //   mu  of 0 and the start 8: 8 + (-2 + 0)/2 = 7 -> 5
  //   um  of 0 -> 1.5 and 8 -> 5.5: 8 + (-2 - 2)/2 = 6; with tau = 4: 8 + (-4 - 2.5)/2 = 4.75
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto end = [&](MergeRule merge, double tau) {
    auto params = with(quarter_step<GossipLearning>(), merge);
    params.rule.aggregate = models::CenteredClippingRule{.tau = tau};
    return end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0})});
  };
  CHECK(end(MergeRule::kRandomWalk, 2) == Eigen::Vector2d(0, 4.5));
  CHECK(end(MergeRule::kMergeUpdate, 2) == Eigen::Vector2d(0, 5));
  CHECK(end(MergeRule::kUpdateMerge, 2) == Eigen::Vector2d(0, 6));
  CHECK(end(MergeRule::kUpdateMerge, 4) == Eigen::Vector2d(0, 4.75));
  // Where nothing is clipped, what the mean gives.
  CHECK(end(MergeRule::kRandomWalk, 9) == Eigen::Vector2d(0, 1.5));
  CHECK(end(MergeRule::kMergeUpdate, 9) == Eigen::Vector2d(0, 3.5));
}

TEST_CASE("gossip_learning: the expected mean of random walks is constant on a complete graph") {
  const std::vector<double> start{0, 1, 3, 12};
  const auto fixture = test::targets(start, sim::Complete{});
  const auto params = with(mixing_only<GossipLearning>(), MergeRule::kRandomWalk);
  double sum = 0;
  for (sim::AgentId i = 0; i < 4; ++i) {
    const auto outcomes = test::equally_likely(3, [&](std::uint32_t repetition) {
      return end_of<GossipLearning>(fixture, params, {start, ticks_of({i})}, repetition);
    });
    for (const Eigen::VectorXd& x : outcomes) sum += x.mean();
  }
  CHECK(sum / 12 == Approx(4).epsilon(1e-15));
}

TEST_CASE("gossip_learning: late, lost and after a crash, by hand") {
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto params = with(by_age(), MergeRule::kMergeUpdate, MergeWeights::kAge);
  // Latency 1 s, ticks of 0 at 1 and 2 s: 0 and 0 arrive at 2 and 3 s: 4 -> 3.5, then 0 -> 1.5.
  CHECK(end_of<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 0}), latency(1.0)}) ==
        Eigen::Vector2d(0, 1.5));
  // Agent 1 is down at 2 s: it loses the first, and with its state nothing else: 0 is merged with the start.
  for (const auto state : {sim::StateOnReturn::kKeep, sim::StateOnReturn::kReset}) {
    CHECK(end_of<GossipLearning>(
              fixture, params,
              {{0, 8}, ticks_of({0, 0}), latency(1.0), {test::crash_between(1, 1.75, 2.5, state)}}) ==
          Eigen::Vector2d(0, 3.5));
  }
  // Reset after it has received 0: merged with the start 8 again.
  CHECK(end_of<GossipLearning>(fixture, params,
                               {{0, 8},
                                ticks_of({0, 0}),
                                latency(1.0),
                                {test::crash_between(1, 2.25, 2.5, sim::StateOnReturn::kReset)}}) ==
        Eigen::Vector2d(0, 3.5));
  // Agent 0 has received 3.5 of age 1 when 8 of age 0 comes, the start of agent 1 after a crash: 5.75 of age 1.
  CHECK(end_of<GossipLearning>(fixture, with(by_age(), MergeRule::kMergeUpdate),
                               {{0, 8},
                                ticks_of({0, 1, 1}),
                                {},
                                {test::crash_between(1, 2.25, 2.5, sim::StateOnReturn::kReset)}})[0] ==
        4.5625);
}

TEST_CASE("gossip_learning: an exhausted budget ends the updates, not the merging") {
  models::PrivacyOptions privacy = test::laplace(4, 1);
  privacy.steps = models::Steps(1.0);
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), privacy, 100, sim::Ring{},
                                   false);
  const auto params = with(quarter_step<GossipLearning>(), MergeRule::kMergeUpdate);
  std::vector<double> noise;
  Eigen::Vector2d end;
  test::run_gossip<GossipLearning>(fixture, params, {{0, 8}, ticks_of({0, 0, 0})},
                                   [&](const models::World& world) {
                                     noise.push_back(world.tally.noise);
                                     end = world.models.row(0).transpose();
                                   });
  REQUIRE(noise.size() == 5);
  CHECK(noise[2] > 0);
  CHECK(noise[4] == noise[2]);
  CHECK(end == Eigen::Vector2d(0, 0));  // of 0 and 0
}

TEST_CASE("gossip_learning: agents that crash, compute and lose messages go on") {
  for (const auto rule : {MergeRule::kRandomWalk, MergeRule::kMergeUpdate, MergeRule::kUpdateMerge}) {
    const auto params = with(quarter_step<GossipLearning>(), rule);
    const auto run = test::in_hostile_network<GossipLearning>(params, sim::Ring{});
    CHECK(run.worst <= 2);
    CHECK(run.updates > 1000);
  }
}
