// Computations that several threads share have the bits of those of one thread.
#include <catch2/catch.hpp>

#include <bit>
#include <span>
#include <vector>

#include "models/data/synthetic/fraud_like.hpp"
#include "models/data/synthetic/lending_like.hpp"
#include "models/data/synthetic/linear_separators.hpp"
#include "models/data/synthetic/low_rank_tasks.hpp"
#include "models/learning/problem.hpp"
#include "sim/random/random.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/crew.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::HelpedThread;

namespace {

// The representation: 0 and -0 differ, and a NaN is equal to itself.
std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> all;
  for (const double x : numbers) all.push_back(std::bit_cast<std::uint64_t>(x));
  return all;
}
std::vector<std::uint64_t> bits(const Eigen::VectorXd& x) {
  return bits(std::span(x.data(), static_cast<std::size_t>(x.size())));
}
std::vector<std::uint64_t> bits(double x) {
  return bits(std::span(&x, 1));
}

Eigen::VectorXd some_model(Eigen::Index p) {
  Eigen::VectorXd theta(p);
  for (Eigen::Index j = 0; j < p; ++j) theta[j] = 0.3 - 0.07 * static_cast<double>(j % 9);
  return theta;
}

// The gradients that follow from the scores which the mean loss has kept.
void check_gradients_of_scores(const Problem& problem, std::size_t owner, const Eigen::VectorXd& theta) {
  if (!problem.has_scores()) return;
  std::vector<double> scores(static_cast<std::size_t>(problem.n(owner)));
  Eigen::VectorXd expected(problem.p()), out(problem.p());
  CHECK(problem.mean_loss(owner, theta, scores) == problem.mean_loss(owner, theta));
  problem.mean_gradient(owner, theta, expected);
  problem.mean_gradient(owner, theta, out, scores);
  CHECK(bits(out) == bits(expected));
  const double share = problem.mean_gradient_clipped(owner, theta, 0.8, Norm::kL2, expected);
  CHECK(problem.mean_gradient_clipped(owner, theta, 0.8, Norm::kL2, out, scores) == share);
  CHECK(bits(out) == bits(expected));
}

// All that is computed in passes over the records of a problem.
std::vector<std::vector<std::uint64_t>> passes(const DataSet& data, const Loss& loss) {
  const Problem problem(data, {.loss = loss});
  const Eigen::VectorXd theta = some_model(problem.p());
  Eigen::VectorXd out(problem.p());
  std::vector<std::vector<std::uint64_t>> all;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
    problem.mean_gradient(owner, theta, out);
    all.push_back(bits(out));
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      all.push_back(bits(problem.mean_gradient_clipped(owner, theta, 0.8, norm, out)));
      all.push_back(bits(out));
    }
    all.push_back(bits(problem.mean_loss(owner, theta)));
    check_gradients_of_scores(problem, owner, theta);
    all.push_back(bits(problem.test_error(owner, theta)));
    if (!loss.quadratic()) continue;
    const Moments& m = problem.moments(owner);
    all.push_back(bits(std::span(m.a.data(), static_cast<std::size_t>(m.a.size()))));
    all.push_back(bits(m.slope));
    all.push_back(bits(m.value));
  }
  all.push_back(bits(problem.objective(theta)));
  all.push_back(bits(problem.test_error(theta)));
  all.push_back(bits(problem.largest_record_gradient(theta, Norm::kL2)));
  return all;
}

// Owners with n, 1 and n records, and as many for testing.
DataSet records(Eigen::Index n, Eigen::Index p) {
  sim::Stream s = test::kStreams(sim::Purpose::kData, 0);
  DataSet data;
  for (const Eigen::Index size : {n, Eigen::Index{1}, n}) {
    for (auto* part : {&data.train, &data.test}) {
      Shard shard{Records(size, p), Eigen::VectorXd(size)};
      for (double& x : numbers_of(shard.features)) x = sim::uniform(s, -1, 1);
      for (double& y : shard.target) y = sim::bernoulli(s, 0.5) ? 1 : -1;
      part->push_back(std::move(shard));
    }
    data.owner_names.emplace_back("owner");
  }
  data.train[1].target[0] = -data.train[0].target.head(std::min<Eigen::Index>(n, 1)).sum();
  if (n == 0) {  // both classes, all the same
    data.train[1] = {Records::Ones(2, p), Eigen::Vector2d(1, -1)};
  }
  data.feature_names.assign(static_cast<std::size_t>(p), "x");
  return data;
}

void check_equal(const DataSet& one, const DataSet& other) {
  REQUIRE(one.owners() == other.owners());
  for (std::size_t i = 0; i < one.owners(); ++i) {
    for (auto part : {&DataSet::train, &DataSet::test}) {
      const Shard &a = (one.*part)[i], &b = (other.*part)[i];
      CHECK((a.features.rows() == b.features.rows() && a.features == b.features && a.target == b.target));
    }
  }
  REQUIRE(one.bounds.has_value() == other.bounds.has_value());
  if (one.bounds) CHECK(one.bounds->target == other.bounds->target);
}

}  // namespace

TEST_CASE("crew: passes over records give the same bits on any number of threads") {
  for (const Eigen::Index p : {1, 3, 4, 31, 300}) {
    const auto many = (p < 300 ? 10'000 : 1'000) / Eigen::Index{test::kOneOf};
    for (const auto n : std::initializer_list<Eigen::Index>{0, 1, 63, 64, 65, many}) {
      const DataSet data = records(n, p);
      for (const Loss& loss :
           {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{})}) {
        const auto alone = passes(data, loss);
        for (const unsigned threads : test::cases({3U, 1U, 2U, 5U})) {
          INFO(loss.name() << ", " << n << " records of " << p << ", " << threads << " threads");
          HelpedThread helped(threads);
          CHECK(passes(data, loss) == alone);
        }
      }
    }
  }
}

TEST_CASE("crew: generated data are the same on any number of threads") {
  const auto all = [](auto&& f) {
    f(LendingLike{.owners = 3, .records = 501, .features = 7, .heterogeneity = 0.2, .test_records = 11});
    f(LendingLike{.owners = 2, .records = 40'001, .features = 5});
    f(LendingLike{.owners = 7, .records = 90, .features = 3, .whiten = true});
    f(FraudLike{.owners = 2, .records = 30'001, .features = 7, .positives = 0.3, .test_records = 5});
    f(LinearSeparators{.owners = 9, .test_records = 4});
    f(LowRankTasks{.tasks = 6, .records = 30});
  };
  all([](const auto& options) {
    const DataSet alone = make_data(options, test::kStreams);
    for (const unsigned threads : {2U, 5U}) {
      HelpedThread helped(threads);
      check_equal(make_data(options, test::kStreams), alone);
    }
  });
}

TEST_CASE("crew: an owner that cannot be whitened is refused on any number of threads") {
  const LendingLike options{.owners = 9, .records = 2, .features = 3, .whiten = true};
  for (const unsigned threads : {1U, 4U}) {
    HelpedThread helped(threads);
    CHECK_THROWS_WITH(make_data(options, test::kStreams),
                      "whiten: owner 0 has 2 records, too few for 3 features");
  }
}
