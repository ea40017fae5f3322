#include "models/core/crew.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>

#include "models/core/problem.hpp"
#include "models/data/synthetic/fraud_like.hpp"
#include "models/data/synthetic/linear_separators.hpp"
#include "models/data/synthetic/low_rank_tasks.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"
#include "tests/support/crew.hpp"
#include "tests/support/streams.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::HelpedThread;

namespace {

constexpr double kLong = 1e9;  // ns: to be divided

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

// Waits until `others` threads have come here, so that no thread can do all the parts.
void meet(std::atomic<unsigned>& here, unsigned others) {
  ++here;
  while (here < others) std::this_thread::yield();
}

Eigen::VectorXd point(Eigen::Index p) {
  Eigen::VectorXd theta(p);
  for (Eigen::Index j = 0; j < p; ++j) theta[j] = 0.3 - 0.07 * static_cast<double>(j % 9);
  return theta;
}

// All that is computed in passes over the records of a problem.
std::vector<std::vector<std::uint64_t>> passes(const DataSet& data, const Loss& loss) {
  const Problem problem(data, {.loss = loss});
  const Eigen::VectorXd theta = point(problem.p());
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

TEST_CASE("crew: the ranges of a divided computation make up all of it, once") {
  for (const unsigned threads : {1, 2, 3, 5}) {
    HelpedThread helped(threads);
    for (const std::size_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<std::atomic<int>> called(count);
      Crew::divide(count, kLong, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) ++called[k];
      });
      CHECK(std::ranges::all_of(called, [](const auto& c) { return c == 1; }));
    }
  }
}

TEST_CASE("crew: several threads compute parts at the same time") {
  for (const unsigned threads : {2, 5}) {
    HelpedThread helped(threads);
    for (int k = 0; k < 20; ++k) {
      std::atomic<unsigned> here = 0;
      Crew::each(threads, kLong, [&](std::size_t) { meet(here, threads); });
      CHECK(here == threads);
    }
  }
}

TEST_CASE("crew: terms are added in their order, whoever computes them") {
  // 1 is lost beside 1e16, so that another order gives another sum: (1e16 + 1) - 1e16 = 0, (1e16 - 1e16) + 1 = 1.
  const std::vector<double> terms{1e16, 1, -1e16, 1, 1e16, -1e16, 1};
  for (const unsigned threads : {1, 2, 3, 5, 9}) {
    HelpedThread helped(threads);
    std::vector<double> out{0, 0.5};
    Crew::sum_in_order(terms.size(), 2, kLong, out.data(),
                       [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                         for (std::size_t k = begin; k < end; ++k, to += stride) {
                           to[0] += terms[k];
                           to[1] += static_cast<double>(k);
                         }
                       });
    // 1e16 + 1 -> 1e16; - 1e16 -> 0; + 1 -> 1; + 1e16 -> 1e16; - 1e16 -> 0; + 1 -> 1.
    CHECK(out == std::vector<double>{1, 21.5});
  }
}

TEST_CASE("crew: more terms than there is room for are added in their order too") {
  constexpr std::size_t kTerms = 2500, kWidth = 2048;
  HelpedThread helped(3);
  std::vector<double> out(kWidth);
  Crew::sum_in_order(kTerms, kWidth, kLong, out.data(),
                     [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                       for (std::size_t k = begin; k < end; ++k, to += stride) {
                         // As above every 1 between is lost, unless some are added up before.
                         to[0] += k == 0 ? 1e16 : k + 1 == kTerms ? -1e16 : 1;
                         for (std::size_t j = 1; j < kWidth; ++j) to[j] += static_cast<double>(k);
                       }
                     });
  CHECK(out[0] == 0);
  CHECK(std::ranges::count(out, 2500.0 * 2499 / 2) == kWidth - 1);
}

TEST_CASE("crew: the exception of the first range that throws arrives, and the crew goes on") {
  HelpedThread helped(3);
  for (int k = 0; k < 200; ++k) {
    std::atomic<unsigned> here = 0;
    std::string caught;
    try {
      // All three threads compute a part, so that other threads than this one throw.
      Crew::each(3, kLong, [&](std::size_t i) {
        meet(here, 3);
        if (i > 0) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
    CHECK(caught == "1");
  }
  std::atomic<int> sum = 0;
  Crew::each(10, kLong, [&](std::size_t i) { sum += static_cast<int>(i); });
  CHECK(sum == 45);
}

TEST_CASE("crew: a part is not divided again") {
  HelpedThread helped(3);
  std::atomic<int> whole = 0;
  Crew::each(30, kLong, [&](std::size_t) {
    CHECK(Crew::current() == nullptr);
    Crew::divide(10, kLong, [&](std::size_t begin, std::size_t end) { whole += begin == 0 && end == 10; });
  });
  CHECK(whole == 30);
  CHECK(Crew::current() == &helped.crew());
}

TEST_CASE("crew: a thread that waits for another member helps it, and goes on when ready") {
  Crew crew(2, {.awake = 0, .asleep = 0, .part = 1});
  std::atomic<bool> ready = false;
  std::atomic<unsigned> here = 0;
  bool waited = false;
  {
    const Crew::Member member(crew);
    std::jthread other([&] {
      const Crew::Member of_other(crew);
      crew.help_until([&] { return ready.load(); });
      waited = Crew::current() == &crew;
    });
    while (crew.helping() == 0) std::this_thread::yield();
    // Long enough for the other to fall asleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Crew::each(2, kLong, [&](std::size_t) { meet(here, 2); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ready = true;
    crew.ring();
  }
  CHECK(here == 2);
  CHECK(waited);
  CHECK(crew.helping() == 0);
}

TEST_CASE("crew: several members divide their computations at the same time") {
  constexpr unsigned kMembers = 5;
  Crew crew(kMembers, {.awake = 0, .asleep = 0, .part = 1});
  std::atomic<unsigned> left = kMembers;
  std::array<std::uint64_t, kMembers> sums{};
  {
    std::vector<std::jthread> threads;
    for (unsigned m = 0; m < kMembers; ++m) {
      threads.emplace_back([&, m] {
        const Crew::Member member(crew);
        for (int k = 0; k < 300 * static_cast<int>(m); ++k) {
          std::atomic<std::uint64_t> sum = 0;
          Crew::each(40, kLong, [&](std::size_t i) { sum += i; });
          sums[m] += sum;
        }
        if (--left == 0) return crew.ring();
        crew.help_until([&] { return left == 0; });
      });
    }
  }
  for (unsigned m = 0; m < kMembers; ++m) CHECK(sums[m] == 300 * m * 780);
}

TEST_CASE("crew: has room for its members") {
  Crew crew(1);
  const Crew::Member member(crew);
  CHECK_THROWS_AS(Crew::Member(crew), sim::InvariantError);
}

TEST_CASE("crew: passes over records give the same bits on any number of threads") {
  for (const Eigen::Index p : {1, 3, 4, 31, 300}) {
    for (const Eigen::Index n : {0, 1, 63, 64, 65, 10'000}) {
      if (n * p > 400'000) continue;
      const DataSet data = records(n, p);
      for (const Loss& loss :
           {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{})}) {
        const auto alone = passes(data, loss);
        for (const unsigned threads : {1, 2, 3, 5}) {
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
    for (const unsigned threads : {2, 5}) {
      HelpedThread helped(threads);
      check_equal(make_data(options, test::kStreams), alone);
    }
  });
}

TEST_CASE("crew: an owner that cannot be whitened is refused on any number of threads") {
  const LendingLike options{.owners = 9, .records = 2, .features = 3, .whiten = true};
  for (const unsigned threads : {1, 4}) {
    HelpedThread helped(threads);
    CHECK_THROWS_WITH(make_data(options, test::kStreams),
                      "whiten: owner 0 has 2 records, too few for 3 features");
  }
}
