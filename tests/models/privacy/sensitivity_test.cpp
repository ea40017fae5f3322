// The sensitivity that scales the noise holds: no pair of neighbouring data sets has mean clipped gradients
// further apart, and some are almost as far.
#include "models/run/context.hpp"
#include "models/run/privacy.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr std::size_t kPairs = 100'000;
constexpr Eigen::Index kFeatures = 3;

double size_of(const Eigen::VectorXd& v, Norm norm) {
  return norm == Norm::kL1 ? v.lpNorm<1>() : v.norm();
}

double target(const Loss& loss, Random& random) {
  if (loss.is_classifier()) return random.uniform(0, 1) < 0.5 ? -1 : 1;
  return random.uniform(-1, 1) * random.log_uniform(1e-3, 1e3);
}

// Pairs of data sets: owner k of one and of the other differ in one record, or one has an additional record.
struct Neighbours {
  DataSet one, other;
};

DataSet empty_set() {
  DataSet data;
  data.feature_names = {"a", "b", "c"};
  return data;
}

void add_owner(DataSet& data, Shard shard) {
  data.train.push_back(std::move(shard));
  data.test.push_back({Records(0, kFeatures), Eigen::VectorXd(0)});
  data.owner_names.emplace_back("owner");
}

Shard random_shard(Eigen::Index records, const Loss& loss, Random& random) {
  Shard shard{Records(records, kFeatures), Eigen::VectorXd(records)};
  for (Eigen::Index k = 0; k < records; ++k) {
    const double scale = random.log_uniform(1e-3, 1e6);
    for (Eigen::Index j = 0; j < kFeatures; ++j) shard.features(k, j) = scale * random.uniform(-1, 1);
    shard.target[k] = target(loss, random);
  }
  return shard;
}

// Every third pair is extreme: long records that point in opposite directions, some along an axis.
Neighbours replaced(const Loss& loss, Random& random) {
  Neighbours pairs{empty_set(), empty_set()};
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    Shard shard = random_shard(random.whole(1, 3), loss, random);
    Shard changed = shard;
    if (pair % 3 == 0) {
      shard.features.row(0) *= 1e6;
      if (pair % 2 == 0) shard.features.row(0).tail(kFeatures - 1).setZero();
      if (!loss.is_classifier()) shard.target[0] = 1e3;
      changed.features.row(0) = -shard.features.row(0);
      changed.target[0] = shard.target[0];
    } else {
      const Shard fresh = random_shard(1, loss, random);
      changed.features.row(0) = fresh.features.row(0);
      changed.target[0] = fresh.target[0];
    }
    add_owner(pairs.one, std::move(shard));
    add_owner(pairs.other, std::move(changed));
  }
  return pairs;
}

Neighbours removed(const Loss& loss, Random& random) {
  Neighbours pairs{empty_set(), empty_set()};
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    Shard shard = random_shard(random.whole(2, 4), loss, random);
    if (pair % 3 == 0) shard.features.bottomRows(1) *= 1e6;
    const Eigen::Index left = shard.target.size() - 1;
    add_owner(pairs.other, {shard.features.topRows(left), shard.target.head(left)});
    add_owner(pairs.one, std::move(shard));
  }
  return pairs;
}

std::vector<Loss> losses() {
  return {SquaredLoss{}, LogisticLoss{}, HingeLoss{}, SmoothedHingeLoss{}};
}

// Over all pairs and norms: the mean of one's clipped gradients and of the other's times other_share(n) differ by at most
// the declared sensitivity, and nearly by as much.
template <class Share>
void check_sensitivity(const Loss& loss, Neighbours pairs, Adjacency adjacency, Random& random,
                       Share other_share) {
  const Problem one(std::move(pairs.one), {.loss = loss}), other(std::move(pairs.other), {.loss = loss});
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    const double clip = random.log_uniform(1e-3, 1e3);
    Eigen::VectorXd a(kFeatures), b(kFeatures), theta(kFeatures);
    double most = 0;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      for (double& t : theta) t = pair % 2 == 0 ? 0 : random.uniform(-1, 1) * random.log_uniform(1e-6, 10);
      one.mean_gradient_clipped(pair, theta, clip, norm, a);
      other.mean_gradient_clipped(pair, theta, clip, norm, b);
      const Budget privacy{.adjacency = adjacency, .bound = clip};
      const Eigen::VectorXd difference = a - other_share(static_cast<double>(one.n(pair))) * b;
      most = std::max(most, size_of(difference, norm) / privacy.sensitivity(one.n(pair)));
    }
    INFO("seed " << random.seed() << ", " << loss.name() << ", " << name_of(norm));
    CHECK(most <= 1 + 1e-12);
    CHECK(most >= 0.9);
  }
}

}  // namespace

TEST_CASE("sensitivity: a replaced record moves the mean of clipped gradients by at most 2 clip/n") {
  Random random(40);
  for (const Loss& loss : losses()) {
    check_sensitivity(loss, replaced(loss, random), Adjacency::kReplaceOne, random,
                      [](double) { return 1.0; });
  }
}

TEST_CASE(
    "sensitivity: an additional record moves the sum of clipped gradients over a public n by at most "
    "clip/n") {
  Random random(41);
  for (const Loss& loss : losses()) {
    check_sensitivity(loss, removed(loss, random), Adjacency::kAddRemove, random,
                      [](double n) { return (n - 1) / n; });
  }
}

TEST_CASE("sensitivity: gradients are clipped in the norm of the mechanism's sensitivity") {
  // The record's gradient at 0 is 2 (0 - 1) (1, 1, 1): longer than 1 in either norm.
  DataSet data = empty_set();
  add_owner(data, {Records::Ones(1, kFeatures), Eigen::VectorXd::Ones(1)});
  const auto clipped = [&](const Mechanism& mechanism) {
    PrivacyOptions privacy;
    privacy.mechanism = mechanism;
    privacy.delta = 1e-6;
    privacy.clip = 1;
    const hearsay::test::StudyFixture fixture(data, {}, privacy, 1);
    const auto world = fixture.world(fixture.engine());
    Context context(*world);
    return Eigen::VectorXd(
        context.keep_local(context.gradient(1, Eigen::VectorXd::Zero(kFeatures))).inside_owner());
  };
  CHECK(clipped(Laplace{}).lpNorm<1>() == Approx(1).epsilon(1e-14));
  CHECK(clipped(Gaussian{}).norm() == Approx(1).epsilon(1e-14));
  CHECK(clipped(ExponentialNorm{}).norm() == Approx(1).epsilon(1e-14));
}

TEST_CASE(
    "sensitivity: derived bounds hold for every record within the declared ones, and are reached to 90 %") {
  Random random(42);
  for (const Loss& loss : losses()) {
    DataSet data = empty_set();
    data.bounds = DeclaredBounds{.features_l1 = 2, .target = loss.is_classifier() ? 1 : 3.0};
    for (std::size_t owner = 0; owner < 1000; ++owner) {
      Shard shard = random_shard(20, loss, random);
      for (Eigen::Index k = 0; k < 20; ++k) {
        // On the edge of the bounds, half of them along an axis.
        if (k % 2 == 0) shard.features.row(k).tail(kFeatures - 1).setZero();
        shard.features.row(k) *= 2 / shard.features.row(k).lpNorm<1>();
        if (!loss.is_classifier()) shard.target[k] = shard.target[k] > 0 ? 3 : -3;
      }
      add_owner(data, std::move(shard));
    }
    const Problem problem(std::move(data), {.loss = loss, .theta_max = 4});
    const double bound = problem.derived_gradient_bound().value();
    double l1 = 0, l2 = 0;
    for (int k = 0; k < 100; ++k) {
      Eigen::VectorXd theta(kFeatures);
      for (double& t : theta) t = random.uniform(0, 1) < 0.5 ? -4 : 4;
      l1 = std::max(l1, problem.largest_record_gradient(theta, Norm::kL1));
      l2 = std::max(l2, problem.largest_record_gradient(theta, Norm::kL2));
    }
    INFO(loss.name());
    CHECK(l1 <= bound * (1 + 1e-12));
    CHECK(l2 <= bound * (1 + 1e-12));
    CHECK(l1 >= 0.9 * bound);
    CHECK(l2 >= 0.9 * bound);
  }
}
