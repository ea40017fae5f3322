// What hostile agents send, on three honest vectors worked by hand.
#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

#include "models/hostile/misconduct.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr std::uint16_t kTag = 3;

HostileGroup group_of(Behaviour behaviour, bool omniscient = true, std::vector<sim::AgentId> agents = {3}) {
  HostileGroup group;
  group.agents = std::move(agents);
  group.behaviour = std::move(behaviour);
  group.omniscient = omniscient;
  return group;
}

// Agents 0 to 2 are honest and have sent (1, 2, 3), (4, 5, 6), (7, 8, 9); agent 3 is hostile and sends (1, 1, 1).
class Scene {
 public:
  explicit Scene(HostileOptions options, sim::TopologyOptions topology = sim::Complete{},
                 MessageForm form = {.rounds = true})
      : fixture_(test::two_classes(4, 3, 3), {.loss = LogisticLoss{}}, {}, 10, topology, false),
        agents_(options, fixture_.study().topology, 0, true, sim::Streams(1, 0)),
        world_(fixture_.world(fixture_.engine())),
        misconduct_(agents_, 3, form, MixingWeights::kMetropolis, sim::Streams(1, 0)) {}

  void note(sim::AgentId from, const VectorXd& x, std::uint32_t round = 1) {
    misconduct_.note_made({from, from, kTag, round}, {x.data(), static_cast<std::size_t>(x.size())}, 0);
  }
  void note_all() {
    note(0, Vector3d(1, 2, 3));
    note(1, Vector3d(4, 5, 6));
    note(2, Vector3d(7, 8, 9));
  }
  // What would arrive at once. `sealed` false: what leaves.
  VectorXd sent(const VectorXd& x = Vector3d(1, 1, 1), sim::AgentId to = 0, std::uint32_t round = 1,
                std::uint16_t tag = kTag, bool sealed = true) {
    last_ = misconduct_.send({3, to, tag, round}, {x.data(), static_cast<std::size_t>(x.size())},
                             {world_->engine, world_->models, {}}, sealed);
    return Eigen::Map<const VectorXd>(last_.numbers.data(), static_cast<Eigen::Index>(last_.numbers.size()));
  }
  double withheld() const { return last_.withheld; }
  World& world() { return *world_; }
  const HostileAgents& agents() const { return agents_; }

 private:
  test::StudyFixture fixture_;
  HostileAgents agents_;
  std::unique_ptr<World> world_;
  Misconduct misconduct_;
  Misconduct::Sent last_;
};

VectorXd sent_by(Behaviour behaviour, bool omniscient = true) {
  Scene scene(group_of(std::move(behaviour), omniscient));
  scene.note_all();
  return scene.sent();
}

ALittle a_little(std::optional<double> tau, std::uint32_t ddof = 1) {
  ALittle how;
  how.tau = tau;
  how.ddof = ddof;
  return how;
}

}  // namespace

TEST_CASE("misconduct: attacks on three vectors, by hand") {
  CHECK(sent_by(SignFlip{}) == Vector3d(-4, -5, -6));
  CHECK(sent_by(InnerProduct{2}) == Vector3d(-8, -10, -12));
  CHECK(sent_by(a_little(1.5)) == Vector3d(8.5, 9.5, 10.5));
  CHECK((sent_by(a_little(1, 0)) - (Vector3d(4, 5, 6) + Vector3d::Constant(std::sqrt(6)))).norm() < 1e-14);
  // n = 4, f = 1: q = 2, and the quantile of (4 - 1 - 2)/3.
  CHECK((sent_by(a_little({})) - (Vector3d(4, 5, 6) - 3 * Vector3d::Constant(0.43072729929545749))).norm() <
        1e-12);
  CHECK(sent_by(Mimic{}) == Vector3d(1, 2, 3));
  CHECK(sent_by(Mimic{2}) == Vector3d(7, 8, 9));
  CHECK(sent_by(ConstantVectors{5}) == Vector3d(5, 5, 5));
  CHECK(sent_by(FreeRider{}) == Vector3d(0, 0, 0));
  CHECK(std::isinf(sent_by(InfiniteVectors{})[0]));
  CHECK(std::isnan(sent_by(NotANumber{})[2]));
  CHECK(sent_by(SignFlip{true}) == Vector3d(-1, -1, -1));
}

TEST_CASE(
    "misconduct: an agent that is not omniscient knows what it has received, else only its own vector") {
  CHECK(sent_by(SignFlip{}, false) == Vector3d(-1, -1, -1));
  CHECK(sent_by(a_little(1.5), false) == Vector3d(1, 1, 1));
}

TEST_CASE("misconduct: vectors of the same round come before newer and older ones") {
  Scene scene(group_of(SignFlip{}));
  scene.note_all();
  scene.note(0, Vector3d(3, 3, 3), 2);
  CHECK(scene.sent(Vector3d(1, 1, 1), 0, 2) == Vector3d(-3, -3, -3));
  CHECK(scene.sent(Vector3d(1, 1, 1), 0, 1) == Vector3d(-5.5, -6.5, -7.5));
  CHECK((scene.sent(Vector3d(1, 1, 1), 0, 3) + Vector3d(14, 16, 18) / 3).norm() < 1e-14);
}

TEST_CASE("misconduct: without rounds an equal number is chance, and the newest of all agents count") {
  Scene scene(group_of(SignFlip{}), sim::Complete{}, {});
  scene.note_all();
  scene.note(0, Vector3d(4, 5, 6), 2);
  CHECK(scene.sent(Vector3d(1, 1, 1), 0, 2) == Vector3d(-5, -6, -7));
}

TEST_CASE("misconduct: what is settled at its arrival leaves as it was made, once for all") {
  Scene scene(group_of(InnerProduct{10}));
  CHECK(scene.sent(Vector3d(1, 2, 3), 0, 1, kTag, false) == Vector3d(1, 2, 3));
  Scene knows_less(group_of(InnerProduct{10}, false));
  CHECK(knows_less.sent(Vector3d(1, 2, 3), 0, 1, kTag, false) == Vector3d(-10, -20, -30));
}

TEST_CASE("misconduct: kinds of messages that leave at one time with one number are kept apart") {
  Scene stuck(group_of(Stuck{}));
  CHECK(stuck.sent(Vector3d(1, 1, 1), 0, 1, 3) == Vector3d(1, 1, 1));
  CHECK(stuck.sent(Vector3d(2, 2, 2), 0, 1, 4) == Vector3d(2, 2, 2));
  CHECK(stuck.sent(Vector3d(3, 3, 3), 0, 2, 4) == Vector3d(2, 2, 2));
  Scene noisy(group_of(GaussianVectors{}));
  CHECK(noisy.sent(Vector3d(1, 1, 1), 0, 1, 3) != noisy.sent(Vector3d(1, 1, 1), 0, 1, 4));
  // Where a tag carries a number, its other bits are the kind.
  Scene numbered(group_of(Stuck{}), sim::Complete{}, {.kinds = 1});
  CHECK(numbered.sent(Vector3d(1, 1, 1), 0, 1, 2 | 1) == Vector3d(1, 1, 1));
  CHECK(numbered.sent(Vector3d(2, 2, 2), 0, 2, 4 | 1) == Vector3d(1, 1, 1));
  CHECK(numbered.sent(Vector3d(3, 3, 3), 0, 3, 4) == Vector3d(3, 3, 3));
}

TEST_CASE("misconduct: the factor of a_little does not depend on how many vectors are known") {
  Scene scene(group_of(a_little({})));
  scene.note(0, Vector3d(1, 2, 3));
  scene.note(1, Vector3d(4, 5, 6));
  // n = 4, f = 1, as above; the mean of two, with s = 3/sqrt(2).
  CHECK(
      (scene.sent() - (Vector3d(2.5, 3.5, 4.5) - Vector3d::Constant(3 / std::sqrt(2) * 0.43072729929545749)))
          .norm() < 1e-12);
}

TEST_CASE("misconduct: what a payload has besides vectors stays as it is") {
  Scene scene(group_of(ConstantVectors{5}));
  CHECK(scene.sent(Eigen::Vector4d(1, 1, 1, 7)) == Eigen::Vector4d(5, 5, 5, 7));
  CHECK(scene.sent(Eigen::Vector2d(1, 7)) == Eigen::Vector2d(1, 7));
  // One parameter and a weight.
  Misconduct scalar(scene.agents(), 1, {.tail = 1}, MixingWeights::kMetropolis, sim::Streams(1, 0));
  const std::vector<double> x{1, 7};
  const auto sent = scalar.send({3, 0, 0, 1}, x, {scene.world().engine, scene.world().models, {}});
  CHECK(std::vector(sent.numbers.begin(), sent.numbers.end()) == std::vector<double>{5, 7});
}

TEST_CASE(
    "misconduct: vectors of any length are replaced up to the tail, by models only where p numbers are sent") {
  const MessageForm form{.tail = 1, .any_length = true};
  Scene scene(group_of(ConstantVectors{5}), sim::Complete{}, form);
  CHECK(scene.sent(Eigen::Vector2d(1, 7)) == Eigen::Vector2d(5, 7));
  CHECK(scene.sent(VectorXd::Ones(5)) == (VectorXd(5) << 5, 5, 5, 5, 1).finished());
  CHECK(scene.sent(VectorXd::Ones(1)) == VectorXd::Ones(1));
  const Vector3d state(1, 1, 1);  // a publication has no tail
  CHECK(scene.sent(state, 3, 0, Misconduct::kPublication) == Vector3d(5, 5, 5));
  // The mean of what has as many numbers: of (1) and (4).
  Scene flips(group_of(SignFlip{}), sim::Complete{}, form);
  flips.note(0, Eigen::Vector2d(1, 9));
  flips.note(1, Eigen::Vector2d(4, 9));
  flips.note(2, Vector3d(7, 8, 9));
  CHECK(flips.sent(Eigen::Vector2d(1, 7)) == Eigen::Vector2d(-2.5, 7));
  Scene pulls(group_of(Dissensus{}), sim::Ring{}, form);
  pulls.world().models.row(0) << 3, 6, 100, 50;
  CHECK(pulls.sent(Vector3d(1, 1, 7)) == Vector3d(1, 1, 7));
  CHECK(pulls.sent(Eigen::Vector4d(1, 1, 1, 7))[0] == Approx(0));  // 3 - (6 - 3)
}

TEST_CASE("misconduct: faults replay, get stuck, withhold and fall silent") {
  ReplayOld two;
  two.age = 2;
  for (const bool stuck : {false, true}) {
    Scene scene(group_of(stuck ? Behaviour(Stuck{}) : Behaviour(two)));
    for (std::uint32_t round = 1; round <= 6; ++round) {
      const double expected = stuck ? 1 : std::max(1.0, round - 2.0);
      CHECK(scene.sent(Vector3d::Constant(round), 0, round) == Vector3d::Constant(expected));
      CHECK(scene.sent(Vector3d::Constant(round), 1, round) == Vector3d::Constant(expected));  // to another
    }
  }
  Scene silent(group_of(Silent{}));
  silent.sent();
  CHECK(silent.withheld() == sim::kNever);
  Late late;
  late.delay = sim::Distribution(2.5);
  Scene withholds(group_of(late));
  CHECK(withholds.sent() == Vector3d(1, 1, 1));
  CHECK(withholds.withheld() == 2.5);
}

TEST_CASE("misconduct: what was made before an agent is hostile counts as old, but it is not stuck at that") {
  ReplayOld two;
  two.age = 2;
  FreeRider old;
  old.sends = Ridden::kOld;
  for (const auto& [how, expected] :
       {std::pair(Behaviour(two), 2.), {Behaviour(old), 1.}, {Behaviour(Stuck{}), 4.}}) {
    Scene scene(group_of(how));
    for (std::uint32_t round = 1; round <= 3; ++round) scene.note(3, Vector3d::Constant(round), round);
    CHECK(scene.sent(Vector3d::Constant(4), 0, 4) == Vector3d::Constant(expected));
  }
}

TEST_CASE(
    "misconduct: noise is one vector for all receivers, of an agent that equivocates another for each") {
  Scene same(group_of(GaussianVectors{3}));
  const VectorXd first = same.sent();
  CHECK(same.sent(Vector3d(2, 2, 2), 1) == first);
  CHECK(same.sent(Vector3d(2, 2, 2), 1, 2) != first);
  Scene different(group_of(Equivocate{3}));
  const VectorXd one = different.sent();
  CHECK(different.sent(Vector3d(1, 1, 1), 1) != one);
  // A flipped bit changes one number, and flipping it again would restore it.
  Scene flips(group_of(BitFlip{}));
  const VectorXd flipped = flips.sent();
  CHECK(((flipped - Vector3d(1, 1, 1)).array() != 0).count() == 1);
}

TEST_CASE("misconduct: dissensus cancels what honest neighbours do, spectral drives them apart") {
  // A ring 0-1-2-3: metropolis weights are 1/3. Agent 0 has the neighbours 1 (at 6) and 3, hostile.
  Scene scene(group_of(Dissensus{}), sim::Ring{});
  scene.world().models.row(0) << 3, 6, 100, 50;
  CHECK(scene.sent()[0] == Approx(3 - (6 - 3)));
  // The honest agents are a path 0-1-2, whose e is (1, 0, -1)/sqrt(2) up to its sign: to agent 0 x_0 + eps (x_0 - x_2)/2.
  Scene apart(group_of(Spectral{4}), sim::Ring{});
  apart.world().models.row(0) << 3, 6, 100, 50;
  CHECK(apart.sent()[0] == Approx(3 + 4 * (3 - 100) / 2.0));
}

TEST_CASE("hostile agents: who they are") {
  std::vector<sim::Edge> path;
  for (sim::AgentId i = 0; i < 10; ++i) path.push_back({i, i + 1});
  const sim::Topology graph = sim::Topology::from_edges(11, path);
  const auto agents_with = [&](const HostileGroup& group) {
    const HostileAgents agents(group, graph, 1, true, sim::Streams(7, 0));
    std::vector<sim::AgentId> all;
    for (sim::AgentId i = 0; i < 11; ++i)
      if (agents.is(i)) all.push_back(i);
    CHECK(all.size() == agents.count());
    return all;
  };
  HostileGroup group;
  group.share = 0.3;
  const auto three = agents_with(group);
  CHECK(three.size() == 3);
  CHECK(three.front() >= 1);
  group.share = 0.5;
  const auto five = agents_with(group);
  CHECK(five.size() == 5);
  CHECK(std::includes(five.begin(), five.end(), three.begin(), three.end()));
  // On a path the middle lies on most shortest paths; degrees are equal but at the ends.
  group.share = 0.1;
  group.by = ChosenBy::kBetweenness;
  CHECK(agents_with(group) == std::vector<sim::AgentId>{5});
  group.by = ChosenBy::kDegree;
  CHECK(agents_with(group) == std::vector<sim::AgentId>{1});
  // The learner never is, and others are as without it.
  group.by = ChosenBy::kRandom;
  group.share = 1;
  const HostileAgents others(group, graph, 1, true, sim::Streams(7, 0), 4);
  CHECK(others.count() == 9);
  CHECK_FALSE(others.is(4));
  // The first group that is active counts.
  HostileGroup early = group_of(SignFlip{}), late = group_of(Silent{});
  early.to = 10;
  late.from = 5;
  Scene scene(HostileGroups{{early, late}});
  CHECK(std::holds_alternative<SignFlip>(scene.agents().acting(3, 7)->behaviour));
  CHECK(std::holds_alternative<Silent>(scene.agents().acting(3, 10)->behaviour));
  CHECK(scene.agents().acting(2, 7) == nullptr);
}

TEST_CASE("hostile agents: groups that can not be are refused") {
  const auto refused = [](const HostileGroup& group, sim::AgentId first, bool classes) {
    const sim::Topology graph = sim::make_topology(sim::Complete{}, 4, sim::Streams(1, 0));
    return test::error_at<sim::OptionError>(
        [&] { HostileAgents(group, graph, first, classes, sim::Streams(1, 0)); });
  };
  CHECK(refused(group_of(SignFlip{}, true, {1, 0}), 1, true) ==
        "agents/1: expected an agent that holds data, from 1 to 3, found 0");
  CHECK(refused(group_of(SignFlip{}, true, {4}), 0, true) ==
        "agents/0: expected an agent that holds data, from 0 to 3, found 4");
  CHECK(test::error_at<sim::OptionError>([&] {
          const sim::Topology graph = sim::make_topology(sim::Complete{}, 4, sim::Streams(1, 0));
          HostileAgents(group_of(SignFlip{}, true, {2, 1}), graph, 1, true, sim::Streams(1, 0), 1);
        }) ==
        "agents/1: agent 1 is the learner, which is never hostile: choose another agent than "
        "protocol.learner_is_owner");
  CHECK(refused(group_of(LabelFlip{}), 0, false) ==
        "behaviour: expected data with classes with label_flip, found numbers");
  CHECK(refused(group_of(Mimic{3}), 0, true) ==
        "behaviour/of: expected an honest agent that holds data, found 3");
  CHECK(refused(group_of(Mimic{0}), 1, true) ==
        "behaviour/of: expected an honest agent that holds data, found 0");
  CHECK(refused(group_of(Mimic{4}), 0, true) ==
        "behaviour/of: expected an honest agent that holds data, found 4");
  CHECK(refused(group_of(ALittle{}, true, {0, 1, 2}), 0, true) ==
        "behaviour: a_little has no default for 3 hostile agents of 4: set tau");
  CHECK(refused(group_of(SignFlip{}, true, {0, 1, 2, 3}), 0, true) ==
        ": expected at least one honest agent, found none");
}
