// Running sums by a binary tree: what they cost, and the law of their noise.
#include <bit>

#include "models/privacy/accountants/theorems/tree.hpp"
#include "models/privacy/budget/calculator.hpp"
#include "models/privacy/mechanisms/tree_noise.hpp"
#include "models/run/privacy.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

// Sum over all nodes of the squared number of the contributions in them, by the definition: the contributions of the rounds
// `takes_part` of trees that begin after every `leaves` rounds.
double squares(const Tree& tree, std::uint64_t rounds, const std::vector<bool>& takes_part) {
  double sum = 0;
  for (std::uint64_t start = 0; start < rounds; start += tree.leaves) {
    const std::uint64_t made = std::min(tree.leaves, rounds - start);
    const bool last = start + tree.leaves >= tree.rounds;
    const std::uint64_t size = tree.complete && !last && made == tree.leaves ? std::bit_ceil(made) : made;
    for (std::uint64_t width = 1; width <= size; width *= 2) {
      for (std::uint64_t node = 0; (node + 1) * width <= size; ++node) {
        double count = 0;
        for (std::uint64_t leaf = node * width; leaf < (node + 1) * width; ++leaf)
          count += leaf < made && takes_part[start + leaf] ? 1 : 0;
        sum += count * count;
      }
    }
  }
  return sum;
}

double most_squares(const Tree& tree, std::uint64_t rounds) {
  double most = 0;
  for (std::uint64_t position = 0; position < tree.epoch; ++position) {
    std::vector<bool> takes_part(rounds);
    for (std::uint64_t t = position; t < rounds; t += tree.epoch) takes_part[t] = true;
    most = std::max(most, squares(tree, rounds, takes_part));
  }
  return most;
}

// 50 000 records, batches of 500, 100 epochs with a restart after every 20.
constexpr Tree kCifar{.rounds = 10'000, .leaves = 2000, .epoch = 100};

}  // namespace

TEST_CASE("tree: sensitivity of small trees by hand") {
  const auto d2 = [](const Tree& tree) { return tree_sensitivity_squared(tree, tree.rounds); };
  // Every round: four leaves, two pairs, the root.
  CHECK(d2({.rounds = 4, .leaves = 4, .epoch = 1}) == 4 * 1 + 2 * 4 + 16);
  CHECK(d2({.rounds = 4, .leaves = 4, .epoch = 4}) == 3);          // a leaf, its pair, the root
  CHECK(d2({.rounds = 4, .leaves = 4, .epoch = 2}) == 2 + 2 + 4);  // two leaves, two pairs, twice in the root
  CHECK(d2({.rounds = 5, .leaves = 5, .epoch = 2}) == 3 + 2 + 4);  // a fifth leaf without a pair
  CHECK(d2({.rounds = 6, .leaves = 3, .epoch = 3, .complete = false}) == 2 + 2);
  CHECK(d2({.rounds = 6, .leaves = 3, .epoch = 3}) == 3 + 2);  // the first tree has four leaves
  CHECK(d2({.rounds = 3, .leaves = 1, .epoch = 1}) == 3);      // a restart after every round: no sums
}

TEST_CASE("tree: sensitivity by its definition, of random trees and of their parts") {
  Random random(61);
  for (int k = 0; k < 2000; ++k) {
    Tree tree;
    tree.rounds = static_cast<std::uint64_t>(random.log_whole(1, 70));
    tree.leaves = static_cast<std::uint64_t>(random.log_whole(1, 40));
    tree.epoch = static_cast<std::uint64_t>(random.log_whole(1, 20));
    tree.complete = random.whole(0, 1) == 0;
    const auto rounds = static_cast<std::uint64_t>(random.whole(1, static_cast<std::int64_t>(tree.rounds)));
    INFO("seed " << random.seed() << ": " << tree.rounds << " rounds, " << tree.leaves << " leaves, epoch "
                 << tree.epoch << ", " << rounds << " made");
    const double d2 = tree_sensitivity_squared(tree, rounds);
    REQUIRE(d2 == most_squares(tree, rounds));
    REQUIRE(d2 <= tree_sensitivity_squared(tree, tree.rounds));
    // A user that misses rounds of its position costs no more.
    std::vector<bool> takes_part(rounds);
    const auto position =
        static_cast<std::uint64_t>(random.whole(0, static_cast<std::int64_t>(tree.epoch) - 1));
    for (std::uint64_t t = position; t < rounds; t += tree.epoch) takes_part[t] = random.whole(0, 1) == 0;
    REQUIRE(squares(tree, rounds, takes_part) <= d2);
  }
}

TEST_CASE("tree: the example of DP-FTRL's authors, noise 46.3 on CIFAR-10, costs epsilon 6.92") {
  CostQuestion question{
      .mechanism = Gaussian{}, .noise = 46.3, .delta = 1e-5, .steps = 10'000, .tree = kCifar};
  question.adjacency = Adjacency::kAddRemove;
  const auto total = [&](Accountant accountant) {
    const CostAnswer answer = cost_under(accountant, question);
    CHECK(answer.refusal.empty());
    CHECK(answer.step.noise_multiplier == 46.3);
    return answer.total.epsilon;
  };
  CHECK(total(Accountant::kRdp) == Approx(6.92).margin(0.005));  // their conversion from Renyi divergences
  // All nodes are one Gaussian release, whose trade-off is known in closed form.
  const double exact = gaussian_epsilon(1e-5, std::sqrt(tree_sensitivity_squared(kCifar, 10'000)) / 46.3);
  CHECK(total(Accountant::kPld) >= exact);
  CHECK(total(Accountant::kPld) <= exact * (1 + 1e-4));
  CHECK(total(Accountant::kZcdp) > total(Accountant::kRdp));
  CHECK_FALSE(cost_under(Accountant::kBasic, question).refusal.empty());
}

TEST_CASE("tree: the calculator finds the noise for a budget, and refuses what a tree is not") {
  CostQuestion question{
      .mechanism = Gaussian{}, .epsilon = 5, .delta = 1e-5, .steps = 10'000, .tree = kCifar};
  const double z = cost_under(Accountant::kRdp, question).step.noise_multiplier;
  question.epsilon.reset();
  question.noise = z;
  CHECK(cost_under(Accountant::kRdp, question).total.epsilon == near(5, 1e-9));
  question.sampling_rate = 0.5;
  CHECK_THROWS_WITH(cost_under(Accountant::kRdp, question), Catch::Contains("without sampling"));
  question.sampling_rate = 1;
  question.mechanism = Laplace{};
  CHECK_THROWS_WITH(cost_under(Accountant::kRdp, question), Catch::Contains("requires mechanism gaussian"));
}

TEST_CASE("tree: planned running sums use up the budget, and a part costs what its nodes cost") {
  Budget budget{.mechanism = Gaussian{},
                .accountant = Accountant::kRdp,
                .adjacency = Adjacency::kAddRemove,
                .delta = 1e-5,
                .epsilon = {2, 3}};
  budget.schedules = std::make_shared<const ReleaseCache>();
  const auto schedule = budget.releases_of(0, {.tree = kCifar});
  CHECK(budget.releases_of(0, {.tree = kCifar}) == schedule);
  CHECK(budget.releases_of(1, {.tree = kCifar}) != schedule);
  CHECK(schedule->releases() == 10'000);
  CHECK(schedule->after(10'000).epsilon == near(2, 1e-9));
  const double z = schedule->step(0).noise_multiplier;
  CHECK(schedule->step(9999).noise_multiplier == z);
  CHECK(schedule->after(1).epsilon ==
        near(epsilon({gaussian_step(z), 1}, Accountant::kRdp, 1e-5), 1e-12));  // a leaf
  double before = 0;
  for (const std::uint64_t n : {1U, 2U, 100U, 101U, 1999U, 2000U, 2001U, 9999U}) {
    CHECK(schedule->after(n).epsilon >= before);
    before = schedule->after(n).epsilon;
  }
  CHECK_THROWS_WITH(plan_releases(Gaussian{}, 3, {Accountant::kBasic, 1e-5}, 2, {.tree = kCifar}),
                    Catch::Contains("use zcdp, rdp or pld"));
  CHECK_THROWS_WITH(plan_releases(Laplace{}, 3, {}, 2, {.tree = kCifar}),
                    Catch::Contains("require mechanism gaussian"));
}

TEST_CASE("tree: variance of the noise of every prefix, and what a restart keeps of it") {
  // Independent coordinates: their sample variance has relative standard deviation sqrt(2/p) = 0.32 %, and a sample
  // correlation 0.22 %; six of them fail with probability 2e-9.
  constexpr Eigen::Index kCoordinates = 200'000;
  constexpr double kScale = 3, kTolerance = 0.02;
  const auto variance = [](const Eigen::VectorXd& x) {
    return x.squaredNorm() / static_cast<double>(x.size()) / (kScale * kScale);
  };
  for (const TreeEstimate estimate : {TreeEstimate::kPlain, TreeEstimate::kHonaker}) {
    INFO(sim::name_of(estimate));
    const auto node = [&](int height) {
      return estimate == TreeEstimate::kPlain ? 1 : 1 / (2 - std::ldexp(1, -height));
    };
    TreeNoise noise(kCoordinates, estimate);
    Eigen::VectorXd before = noise.noise();
    CHECK(before.isZero());
    for (std::uint64_t t = 1; t <= 13; ++t) {
      sim::Stream stream = sim::Streams(7, 0)(sim::Purpose::kNoise, 0, 0, static_cast<std::uint32_t>(t));
      noise.next(kScale, stream);
      double expected = 0;
      for (int height = 0; height < 4; ++height)
        expected += static_cast<double>(t >> height & 1) * node(height);
      INFO("prefix " << t);
      CHECK(variance(noise.noise()) == near(expected, kTolerance));
      // An odd prefix adds one leaf to the one before.
      if (t % 2 == 1) CHECK(variance(noise.noise() - before) == near(1, kTolerance));
      before = noise.noise();
    }
    sim::Stream stream = sim::Streams(7, 0)(sim::Purpose::kNoise, 0, 0, 14);
    noise.complete(kScale, stream);
    CHECK(noise.prefix() == 16);
    CHECK(variance(noise.noise()) == near(node(4), kTolerance));
    before = noise.noise();
    noise.complete(kScale, stream);  // is complete
    CHECK(noise.noise() == before);
    noise.restart();
    CHECK(noise.noise().isZero());
    noise.next(kScale, stream);
    CHECK(variance(noise.noise()) == near(1, kTolerance));
    CHECK(std::abs(noise.noise().dot(before)) / (noise.noise().norm() * before.norm()) < kTolerance);
  }
}
