// Splitting against the exact probability of the gambler's ruin, and by hand.
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/conclusions/splitting.hpp"
#include "sim/random/random.hpp"

using namespace hearsay;

namespace {

// A walk that begins at 1 and ends at 0: up by 1 with probability 1/3, down with 2/3. Its position is the level function.
class Walk final : public analysis::Trajectories {
 public:
  explicit Walk(std::uint32_t repetition) : streams_(5, repetition) {}
  analysis::Trajectory simulate(std::uint32_t number, const analysis::Trajectory* from,
                                double level) override {
    sim::Stream s = streams_.protocol(0, number);
    int at = from == nullptr ? 1 : *static_cast<const int*>(from->state.get());
    double most = at;
    for (; at > 0 && at < level; ++steps)
      most = std::max<double>(most, at += sim::bernoulli(s, 1.0 / 3) ? 1 : -1);
    ++runs;
    return {most, at == 0 ? nullptr : std::make_shared<const int>(at)};
  }
  double place(std::uint32_t number) const {
    sim::Stream s = streams_.protocol(1, number);
    return sim::uniform(s);
  }
  std::atomic<std::uint64_t> runs = 0, steps = 0;

 private:
  sim::Streams streams_;
};

// P(20 before 0 | 1) = (2 - 1)/(2^20 - 1).
const double kExact = 1 / (std::exp2(20) - 1);

std::vector<double> every_level() {
  std::vector<double> levels;
  for (int k = 2; k <= 20; ++k) levels.push_back(k);
  return levels;
}

analysis::RareEvent estimate(Walk& walk, const std::vector<double>& levels, std::uint32_t effort) {
  return analysis::split(
      levels, effort, 1, 0.95, [&](std::uint32_t n) { return walk.place(n); }, walk);
}

// Of trajectories 1, 2, ..., those whose number is a multiple of `reaches` reach every level, the others none.
struct Every final : analysis::Trajectories {
  explicit Every(std::uint32_t n) : reaches(n) {}
  analysis::Trajectory simulate(std::uint32_t number, const analysis::Trajectory*, double level) override {
    if (reaches == 0 || number % reaches != 0) return {};
    return {level, std::make_shared<const int>(0)};
  }
  std::uint32_t reaches;
};

analysis::RareEvent every(std::uint32_t reaches, const std::vector<double>& levels) {
  Every trajectories(reaches);
  return analysis::split(
      levels, 100, 1, 0.95, [](std::uint32_t) { return 0.5; }, trajectories);
}

}  // namespace

// The relative variance is about sum_i (1 - p_i)/(p_i effort), 19/20000 for p_i = 1/2: 10 % are 3.2 deviations, which a
// right estimator exceeds with probability 0.0013.
TEST_CASE("splitting: the gambler's ruin within 10 %, by a thousandth of the runs of crude simulation") {
  constexpr double kEffort = 20'000;
  Walk walk(0);
  const analysis::RareEvent event = estimate(walk, every_level(), static_cast<std::uint32_t>(kEffort));
  CHECK(event.probability.value == Approx(kExact).epsilon(0.1));
  CHECK(event.stages.size() == 19);
  double variance = 0;
  for (int i = 1; i < 20; ++i) {
    const double p = (std::exp2(i) - 1) / (std::exp2(i + 1) - 1);
    variance += (1 - p) / (p * kEffort);
  }
  const double crude = 1 / (kExact * variance);
  CHECK(1000 * static_cast<double>(walk.runs) < crude);
  CHECK(500 * static_cast<double>(walk.steps) < 3 * crude);  // a crude run has 3 steps: 1/(2/3 - 1/3)
}

// 4.5 standard errors: failure probability 7e-6, as the mean of 200 is nearly normal.
TEST_CASE("splitting: estimates are unbiased over 200 repetitions") {
  double sum = 0, squares = 0;
  for (std::uint32_t r = 0; r < 200; ++r) {
    Walk walk(r);
    const double p = estimate(walk, every_level(), 100).probability.value / kExact;
    sum += p / 200, squares += p * p / 200;
  }
  const double error = std::sqrt((squares - sum * sum) / 199);
  CHECK(error < 0.05);
  CHECK(std::abs(sum - 1) < 4.5 * error);
}

TEST_CASE("splitting: levels are chosen that about the wanted share reaches") {
  Walk walk(3);
  const auto place = [&](std::uint32_t n) { return walk.place(n); };
  const std::vector<double> levels = analysis::choose_levels(20, 0.2, 1000, 1U << 31, place, walk);
  REQUIRE(levels.size() >= 5);
  CHECK(levels.back() == 20);
  for (std::size_t k = 1; k < levels.size(); ++k) CHECK(levels[k] > levels[k - 1]);
  // Steps of a walk in whole numbers: the largest value that a fifth exceeds has between a fifth and twice as many.
  const analysis::RareEvent event = estimate(walk, levels, 1000);
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    CHECK(event.stages[k].reached > 100);
    CHECK(event.stages[k].reached < 700);
  }
  CHECK(analysis::choose_levels(1, 0.2, 100, 1, place, walk) == std::vector<double>{1});
}

TEST_CASE("splitting: no level is chosen before the last where the level function has no value") {
  Every none(0);
  CHECK(analysis::choose_levels(
            3, 0.2, 10, 1, [](std::uint32_t) { return 0.0; }, none) == std::vector<double>{3});
}

// 0.25 exp(-+1.959964 sqrt(0.75/25)) = 0.25/1.404211, 0.25 x 1.404211.
TEST_CASE("splitting: the interval of one stage by hand") {
  const analysis::RareEvent event = every(4, {1});
  CHECK(event.probability.value == 0.25);
  CHECK(event.probability.low == Approx(0.178036).epsilon(1e-5));
  CHECK(event.probability.high == Approx(0.351053).epsilon(1e-5));
  // Two stages of a quarter: 0.0625 exp(-+1.959964 sqrt(0.06)).
  CHECK(every(4, {1, 2}).probability.value == 0.0625);
  CHECK(every(4, {1, 2}).probability.high == Approx(0.0625 * 1.616215).epsilon(1e-4));
}

// Clopper and Pearson's upper bound of 0 of 100: 1 - 0.025^(1/100) = 0.036217.
TEST_CASE("splitting: where nothing reaches a level the probability is 0, up to a bound") {
  const analysis::RareEvent event = every(0, {1, 2});
  CHECK(event.probability.value == 0);
  CHECK(event.probability.low == 0);
  CHECK(event.probability.high == Approx(0.036217).epsilon(1e-4));
  CHECK(event.stages[1].reached == 0);
}

TEST_CASE("splitting: a trajectory that passes several levels at once counts at each of them") {
  struct Jump final : analysis::Trajectories {
    analysis::Trajectory simulate(std::uint32_t number, const analysis::Trajectory* from, double) override {
      CHECK(from == nullptr);
      return {number % 2 == 0 ? 5.0 : 0.0, nullptr};
    }
  } jump;
  const auto place = [](std::uint32_t) { return 0.0; };
  const analysis::RareEvent event = analysis::split({1, 3, 5}, 10, 1, 0.95, place, jump);
  CHECK(event.probability.value == 0.5);
  CHECK(event.stages[2].reached == 10);
}

TEST_CASE(
    "splitting: one that is beyond the next level and could go on is not continued until it is short of one") {
  struct Jump final : analysis::Trajectories {
    analysis::Trajectory simulate(std::uint32_t, const analysis::Trajectory* from, double level) override {
      if (from != nullptr) CHECK(level == 5);
      return {from == nullptr ? 3.0 : 5.0, std::make_shared<const int>(0)};
    }
  } jump;
  const auto place = [](std::uint32_t) { return 0.0; };
  CHECK(analysis::split({1, 2, 3, 5}, 10, 1, 0.95, place, jump).probability.value == 1);
}
