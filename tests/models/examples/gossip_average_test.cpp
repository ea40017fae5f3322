// The protocol of docs/example-protocol.
#include "docs/example-protocol/gossip_average.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "models/data/synthetic/lending_like.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using gossip::GossipAverage;
using namespace hearsay::test;

namespace {

constexpr Eigen::Index kFeatures = 2;

models::DataSet some_data(std::size_t agents) {
  models::LendingLike data;
  data.owners = agents;
  data.records = 3;
  data.features = kFeatures;
  return make_data(data, sim::Streams(1, 0));
}

test::StudyFixture study_on(const sim::TopologyOptions& topology, std::size_t agents, std::uint64_t ticks,
                            std::uint64_t seed = 1) {
  return {some_data(agents), {}, {}, ticks, topology, false, seed};
}

// Runs the protocol; calls look(models) after every `every` ticks. The run's fingerprint.
template <class F>
std::uint64_t run(const test::StudyFixture& fixture, const sim::Engine::Options& options, double step,
                  F&& look, std::uint64_t every = 1) {
  const auto of_models = [&](const models::World& w) { look(w.models); };
  return test::run<GossipAverage>(fixture, {.step = step}, options, {.every = every}, of_models)
      .world->fingerprint();
}

// The models of a schedule's agents at its end: first coordinates.
Eigen::VectorXd end_of(const test::StudyFixture& fixture, const sim::ClockTrace& schedule, double step,
                       sim::NetworkOptions network = {}) {
  Eigen::VectorXd last;
  run(fixture, fixture.engine(std::move(network), schedule), step,
      [&](const Eigen::MatrixXd& models) { last = models.row(0).transpose(); });
  return last;
}

// Calls f(schedule) for every schedule of `length` ticks of `agents` agents.
template <class F>
void each_schedule(std::size_t agents, std::size_t length, F&& f) {
  const auto count = static_cast<std::size_t>(std::lround(std::pow(agents, length)));
  for (std::size_t code = 0; code < count; ++code) {
    std::vector<sim::AgentId> schedule;
    for (std::size_t k = 0, rest = code; k < length; ++k, rest /= agents)
      schedule.push_back(static_cast<sim::AgentId>(rest % agents));
    f(schedule);
  }
}

}  // namespace

TEST_CASE("gossip averaging: three ticks on a ring of three, by hand") {
  const auto fixture = study_on(sim::Ring{}, 3, 3);
  std::vector<Eigen::MatrixXd> seen;
  run(fixture, fixture.engine({}, ticks_of({0, 2, 1})), 0.5,
      [&](const Eigen::MatrixXd& models) { seen.push_back(models); });
  // (0, 1, 2): agent 0 hears 1 and 2, mean 1.5; agent 2 then hears 0.75 and 1; agent 1 hears 0.75 and 1.4375.
  const std::vector<Eigen::RowVector3d> by_hand{
      {0, 1, 2}, {0.75, 1, 2}, {0.75, 1, 1.4375}, {0.75, 1.046875, 1.4375}};
  REQUIRE(seen.size() == by_hand.size());
  for (std::size_t k = 0; k < seen.size(); ++k) {
    REQUIRE(seen[k].rows() == kFeatures);
    for (Eigen::Index j = 0; j < kFeatures; ++j) CHECK(seen[k].row(j) == by_hand[k]);
  }
}

TEST_CASE("gossip averaging: what is still under way is not heard, by hand") {
  const auto fixture = study_on(sim::Ring{}, 3, 3);
  const sim::ClockTrace schedule{.times = {1, 1.5, 3}, .agents = {0, 2, 2}};
  // Latency 1 s: at 1.5 s agent 2 hears the starts 0 and 1, at 3 s 0.75 and 1.
  const Eigen::VectorXd end = end_of(fixture, schedule, 0.5, latency(1.0));
  CHECK(end == Eigen::Vector3d(0.75, 1, 1.0625));
}

TEST_CASE("gossip averaging: the step is how far an agent goes") {
  const auto fixture = study_on(sim::Ring{}, 3, 1);
  CHECK(end_of(fixture, ticks_of({0}), 1) == Eigen::Vector3d(1.5, 1, 2));
  CHECK(end_of(fixture, ticks_of({0}), 0.25) == Eigen::Vector3d(0.375, 1, 2));
}

TEST_CASE("gossip averaging: on a complete graph disagreement contracts at the rate of theory") {
  // The mean over all schedules is the expectation, so this is exact but for rounding.
  constexpr std::size_t kAgents = 4, kTicks = 4;
  constexpr double kStep = 0.5;
  const auto fixture = study_on(sim::Complete{}, kAgents, kTicks);
  double sum = 0, schedules = 0;
  each_schedule(kAgents, kTicks, [&](const std::vector<sim::AgentId>& schedule) {
    const Eigen::VectorXd x = end_of(fixture, ticks_of(schedule), kStep);
    sum += (x.array() - x.mean()).square().sum();
    ++schedules;
  });
  // l = 4/3, so 1 - (2 * 4/3 * 1/2 - 1/4 * 16/9 * 3/4)/4 = 3/4; V_0 of 0, 1, 2, 3 is 5.
  CHECK(sum / schedules == Approx(5 * std::pow(0.75, kTicks)).epsilon(1e-12));
}

TEST_CASE("gossip averaging: the degree-weighted mean is kept in expectation, the plain mean is not") {
  constexpr std::size_t kTicks = 3;
  const auto fixture = study_on(sim::Star{}, 3, kTicks);
  double weighted = 0, plain = 0, schedules = 0;
  each_schedule(3, kTicks, [&](const std::vector<sim::AgentId>& schedule) {
    const Eigen::VectorXd x = end_of(fixture, ticks_of(schedule), 0.5);
    weighted += Eigen::Vector3d(2, 1, 1).dot(x) / 4;
    plain += x.mean();
    ++schedules;
  });
  CHECK(weighted / schedules == Approx(0.75).epsilon(1e-12));
  CHECK(std::abs(plain / schedules - 1) > 0.05);
}

TEST_CASE("gossip averaging: over late links agents come to agree inside the interval of the start") {
  constexpr std::size_t kAgents = 8;
  const auto fixture = study_on(sim::Ring{}, kAgents, 3000);
  double last = kAgents;
  run(
      fixture, fixture.engine(latency(sim::Distribution(sim::Uniform{0, 2}))), 0.5,
      [&](const Eigen::MatrixXd& models) {
        CHECK(models.minCoeff() >= 0);
        CHECK(models.maxCoeff() <= kAgents - 1);
        last = models.maxCoeff() - models.minCoeff();
      },
      100);
  CHECK(last < 1e-6);
}

TEST_CASE("gossip averaging: a fingerprint is the seed's and does not change with how often one looks") {
  const auto fingerprint = [](std::uint64_t seed, std::uint64_t every) {
    const auto fixture = study_on(sim::Ring{}, 5, 400, seed);
    return run(
        fixture, fixture.engine(latency(sim::Distribution(sim::Uniform{0, 0.5}))), 0.5,
        [](const Eigen::MatrixXd&) {}, every);
  };
  const std::uint64_t one = fingerprint(1, 1);
  CHECK(fingerprint(1, 1) == one);
  CHECK(fingerprint(1, 37) == one);
  CHECK(fingerprint(2, 1) != one);
}
