// Releases of the two repetitions of an antithetic pair.
#include <catch2/catch.hpp>

#include "models/privacy/mechanisms/mechanism.hpp"
#include "models/protocols/baselines/local_dp.hpp"
#include "models/run/context.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::VectorXd;

namespace {

constexpr std::uint64_t kReleases = 6;

PrivacyOptions private_by(const Mechanism& mechanism) {
  PrivacyOptions privacy;
  privacy.mechanism = mechanism;
  privacy.epsilon = 1.0;
  privacy.gradient_bound = 1;
  if (std::holds_alternative<Gaussian>(mechanism)) privacy.delta = 1e-5;
  return privacy;
}

// The noise of the releases of an agent, one after the other.
std::vector<VectorXd> noise_of(const test::StudyFixture& fixture, std::uint32_t repetition, bool antithetic) {
  World world(fixture.study(), fixture.engine(), sim::Streams(1, repetition, antithetic));
  Context context(world);
  context.open_account(1, kReleases);
  const VectorXd zero = VectorXd::Zero(fixture.problem().p());
  std::vector<VectorXd> all;
  for (std::uint64_t k = 0; k < kReleases; ++k)
    all.emplace_back(*context.release(1, context.sensitive(zero, 0.5)));
  return all;
}

}  // namespace

TEST_CASE(
    "antithetic: the noise of each release of the second repetition is the negative of the first one's") {
  for (const Mechanism& mechanism :
       {Mechanism(Laplace{}), Mechanism(Gaussian{}), Mechanism(ExponentialNorm{})}) {
    INFO(name_of(mechanism));
    const test::StudyFixture fixture(
        make_data(LendingLike{.owners = 3, .records = 60, .features = 5}, sim::Streams(3, 0)), {},
        private_by(mechanism), kReleases);
    const auto first = noise_of(fixture, 2, true), second = noise_of(fixture, 3, true);
    CHECK(first == noise_of(fixture, 2, false));
    for (std::uint64_t k = 0; k < kReleases; ++k) {
      CHECK(first[k].norm() > 0);
      CHECK(second[k] == -first[k]);
    }
  }
}

TEST_CASE("antithetic: so is the noise of sums that a hub releases, also by a tree") {
  PrivacyOptions privacy = private_by(Gaussian{});
  privacy.gradient_bound.reset();
  privacy.accountant = Accountant::kRdp;
  privacy.adjacency = Adjacency::kAddRemove;
  privacy.unit = PrivacyUnit::kOwner;
  privacy.trust = Trust::kAggregator;
  privacy.clip = 1.0;
  const test::StudyFixture fixture(test::one_record_each({1, 2}), test::ridge(0), privacy, kReleases);
  const auto noise = [&](std::uint32_t repetition, EntrustedSum sum) {
    World world(fixture.study(), fixture.engine(), sim::Streams(1, repetition, true));
    Context context(world);
    context.open_shared_account(fixture.study().privacy.releases_of(0, {.releases = kReleases}));
    std::vector<double> all;
    for (std::uint64_t k = 0; k < kReleases; ++k) all.push_back((*context.release(sum, 1))[0]);
    return all;
  };
  const Tree tree{.rounds = 8, .leaves = 4, .epoch = 4};
  for (const EntrustedSum& sum : {EntrustedSum(1, 2), EntrustedSum(1, 2, tree, TreeEstimate::kPlain),
                                  EntrustedSum(1, 2, tree, TreeEstimate::kHonaker)}) {
    const std::vector<double> first = noise(2, sum), second = noise(3, sum);
    for (std::uint64_t k = 0; k < kReleases; ++k) {
      CHECK(first[k] != 0);
      CHECK(second[k] == -first[k]);
    }
  }
}

TEST_CASE(
    "antithetic: local_dp adds negative noise to features, and flips labels by each repetition's own draws") {
  const test::PersonalFixture fixture(test::random_agents({.agents = 6}), LogisticLoss{},
                                      test::laplace_for(3, 1), 3);
  LocalDp::Params params;
  params.epsilon_label = 0.5;
  const auto perturbed = [&](std::uint32_t repetition) {
    World world(fixture.study(), fixture.engine(), sim::Streams(1, repetition, true));
    Context context(world);
    LocalDp protocol(params, fixture.study());
    protocol.on_start(context);
    return protocol.perturbed().data().train;
  };
  const double flip = 1 / (1 + std::exp(0.5));
  std::size_t equal = 0, all = 0;
  const auto first = perturbed(2), second = perturbed(3);
  for (std::size_t i = 0; i < first.size(); ++i) {
    Records middle = (first[i].features + second[i].features) / 2;
    Records clipped = fixture.problem().data().train[i].features;
    for (Eigen::Index k = 0; k < clipped.rows(); ++k)
      clipped.row(k) *= std::min(1.0, params.clip / clipped.row(k).lpNorm<1>());
    CHECK((middle - clipped).norm() < 1e-9);
    CHECK((first[i].features - clipped).norm() > 0.1);
    sim::Stream own = sim::Streams(1, 3)(sim::Purpose::kNoise, static_cast<sim::AgentId>(i), 0, 0);
    for (Eigen::Index k = 0; k < clipped.rows(); ++k, ++all) {
      const double label = fixture.problem().data().train[i].target[k];
      CHECK(second[i].target[k] == (sim::bernoulli(own, flip) ? -label : label));
      equal += first[i].target[k] == second[i].target[k] ? 1 : 0;
    }
  }
  CHECK(equal > 0);
  CHECK(equal < all);
}
