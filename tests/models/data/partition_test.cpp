#include "models/data/partition.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "models/data/csv/csv_data.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::kStreams;

namespace {

using Lists = std::vector<std::vector<std::size_t>>;

// `each` records of every class, the classes in turns.
std::vector<std::size_t> in_turns(std::size_t classes, std::size_t each) {
  std::vector<std::size_t> of(classes * each);
  for (std::size_t k = 0; k < of.size(); ++k) of[k] = k % classes;
  return of;
}

Lists drawn(const Partition& rule, const std::vector<std::size_t>& class_of, std::size_t classes,
            std::uint64_t seed) {
  return draw_partition(rule, class_of, classes, sim::Streams(seed, 0));
}

std::size_t count_of(const std::vector<std::size_t>& records, const std::vector<std::size_t>& class_of,
                     std::size_t wanted) {
  return static_cast<std::size_t>(
      std::ranges::count_if(records, [&](std::size_t k) { return class_of[k] == wanted; }));
}

std::size_t classes_of(const std::vector<std::size_t>& records, const std::vector<std::size_t>& class_of) {
  std::set<std::size_t> seen;
  for (const std::size_t k : records) seen.insert(class_of[k]);
  return seen.size();
}

// Hoeffding: the mean of so many independent numbers in [0, 1] is farther from its expectation with probability at
// most kAlpha.
double hoeffding(std::size_t count) {
  return test::dkw_threshold(count);
}

std::string refusal(const Partition& rule, std::size_t records) {
  return test::error_at<DataError>([&] { drawn(rule, std::vector<std::size_t>(records, 0), 1, 1); });
}

}  // namespace

TEST_CASE("partition: every record has exactly one owner, under all rules") {
  const auto class_of = in_turns(7, 143);
  const std::vector<Partition> rules{IidOwners{10},
                                     ClassShards{10, 3},
                                     DirichletOwners{10, 0.1, 1},
                                     DirichletOwners{10, 1e-12, 0},
                                     DirichletOwners{10, 1e6, 1},
                                     QuantityOwners{10, 0.3, 0},
                                     IidOwners{1}};
  for (const Partition& rule : rules) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Lists of = drawn(rule, class_of, 7, seed);
      CHECK(of.size() == owners_of(rule));
      std::vector<std::size_t> all;
      for (const auto& one : of) {
        CHECK(std::ranges::is_sorted(one));
        all.insert(all.end(), one.begin(), one.end());
      }
      std::ranges::sort(all);
      std::vector<std::size_t> expected(class_of.size());
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      CHECK(all == expected);
      CHECK(drawn(rule, class_of, 7, seed) == of);
    }
    if (owners_of(rule) > 1) CHECK(drawn(rule, class_of, 7, 1) != drawn(rule, class_of, 7, 2));
  }
}

TEST_CASE("partition iid: sizes differ by at most one, all assignments are equally likely") {
  const std::vector<std::size_t> class_of(12, 0);
  constexpr std::uint64_t kDraws = 20000;
  std::uint64_t first = 0, together = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Lists of = drawn(IidOwners{3}, class_of, 1, seed);
    const auto holds = [&](std::size_t i, std::size_t k) { return std::ranges::count(of[i], k) > 0; };
    first += holds(0, 0);
    for (std::size_t i = 0; i < 3; ++i) together += holds(i, 0) && holds(i, 1);
  }
  CHECK(test::binomial_plausible(first, kDraws, 1.0 / 3));
  CHECK(test::binomial_plausible(together, kDraws, 3.0 / 11));  // 3 places beside record 0 among 11
  const Lists of = drawn(IidOwners{5}, class_of, 1, 1);
  CHECK(of[0].size() == 3);
  CHECK(of[1].size() == 3);
  for (std::size_t i = 2; i < 5; ++i) CHECK(of[i].size() == 2);
}

TEST_CASE("partition class_shards: shards that divide the classes give an owner as many classes at most") {
  // 10 classes of 60 records, 60 shards of 10: every shard has one class, every class six shards.
  const auto class_of = in_turns(10, 60);
  constexpr std::uint64_t kDraws = 4000;
  std::uint64_t same = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Lists of = drawn(ClassShards{30, 2}, class_of, 10, seed);
    for (const auto& one : of) {
      CHECK(one.size() == 20);
      CHECK(classes_of(one, class_of) <= 2);
    }
    same += classes_of(of[7], class_of) == 1;
  }
  // The second shard is one of the five others of the class, of 59.
  CHECK(test::binomial_plausible(same, kDraws, 5.0 / 59));
  // With one shard for each owner, an owner has consecutive records of the sorted ones.
  for (const auto& one : drawn(ClassShards{60, 1}, class_of, 10, 3)) {
    REQUIRE(one.size() == 10);
    for (std::size_t k = 1; k < 10; ++k) CHECK(one[k] == one[k - 1] + 10);
  }
}

TEST_CASE("partition: fractions have the Dirichlet distribution's marginals") {
  // A coordinate of Dirichlet(a, ..., a) of n is Beta(a, (n - 1) a).
  for (const double alpha : {0.05, 0.3, 1.0, 20.0}) {
    std::vector<double> first, last;
    for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
      sim::Stream stream = data_stream(sim::Streams(seed, 0), 0, DataDraw::kPartition);
      const auto q = draw_dirichlet(5, alpha, stream);
      CHECK(std::accumulate(q.begin(), q.end(), 0.0) == Approx(1).epsilon(1e-12));
      first.push_back(q.front());
      last.push_back(q.back());
    }
    const boost::math::beta_distribution<double> law(alpha, 4 * alpha);
    const auto beta = [&](double x) { return x <= 0 ? 0 : x >= 1 ? 1 : cdf(law, x); };
    CHECK(test::ks_distance(first, beta) < test::dkw_threshold(first.size()));
    CHECK(test::ks_distance(last, beta) < test::dkw_threshold(last.size()));
  }
}

TEST_CASE("partition dirichlet, quantity: mean, variance and independence of the owners' fractions") {
  constexpr std::size_t kDraws = 10000 / test::kOneOf, kEach = 200, kOwners = 5;
  constexpr double kAlphaOfTest = 0.3, n = kOwners;
  const auto class_of = in_turns(2, kEach);
  double mean = 0, square = 0, product = 0, sizes = 0, squared_sizes = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Lists of = drawn(DirichletOwners{kOwners, kAlphaOfTest, 0}, class_of, 2, seed);
    const double a = static_cast<double>(count_of(of[2], class_of, 0)) / kEach;
    const double b = static_cast<double>(count_of(of[2], class_of, 1)) / kEach;
    mean += a / kDraws;
    square += a * a / kDraws;
    product += a * b / kDraws;
    const double size =
        static_cast<double>(drawn(QuantityOwners{kOwners, kAlphaOfTest, 0}, class_of, 2, seed)[2].size());
    sizes += size / (2 * kEach * kDraws);
    squared_sizes += size * size / (4.0 * kEach * kEach * kDraws);
  }
  const double variance = (n - 1) / (n * n * (n * kAlphaOfTest + 1));
  // Rounding changes a fraction by at most 1/kEach, a product of two by twice that.
  const double tolerance = hoeffding(kDraws) + 2.0 / kEach;
  CHECK(std::abs(mean - 1 / n) < tolerance);
  CHECK(std::abs(square - (variance + 1 / (n * n))) < tolerance);
  CHECK(std::abs(product - 1 / (n * n)) < tolerance);  // classes are independent
  CHECK(std::abs(sizes - 1 / n) < tolerance);
  CHECK(std::abs(squared_sizes - (variance + 1 / (n * n))) < tolerance);
}

TEST_CASE("partition dirichlet: equal fractions for a large alpha, one owner of each class for a small one") {
  const auto class_of = in_turns(4, 1000);
  // The standard deviation of a number of records is below 0.01: none is a whole one off.
  for (const auto& one : drawn(DirichletOwners{5, 1e8, 1}, class_of, 4, 1)) {
    for (std::size_t c = 0; c < 4; ++c) {
      const auto count = count_of(one, class_of, c);
      CHECK(count >= 199);
      CHECK(count <= 201);
    }
  }
  // Two owners share a class only if two uniform numbers agree to about 1e-11.
  const Lists of = drawn(DirichletOwners{5, 1e-12, 0}, class_of, 4, 1);
  for (std::size_t c = 0; c < 4; ++c) {
    CHECK(std::ranges::count_if(of, [&](const auto& one) { return count_of(one, class_of, c) == 1000; }) ==
          1);
  }
}

TEST_CASE("partition quantity: the records are drawn at random") {
  // Large alpha: both owners get half of the records. Record 0 is with owner 0 with probability 1/2.
  const std::vector<std::size_t> class_of(20, 0);
  constexpr std::uint64_t kDraws = 10000;
  std::uint64_t first = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Lists of = drawn(QuantityOwners{2, 1e8, 1}, class_of, 1, seed);
    REQUIRE(of[0].size() == 10);
    first += of[0].front() == 0;
  }
  CHECK(test::binomial_plausible(first, kDraws, 0.5));
}

TEST_CASE("partition: fractions are drawn again until every owner has min_records") {
  const auto class_of = in_turns(10, 100);
  std::size_t redrawn = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Lists any = drawn(DirichletOwners{20, 0.1, 0}, class_of, 10, seed);
    const Lists enough = drawn(DirichletOwners{20, 0.1, 5}, class_of, 10, seed);
    CHECK(std::ranges::all_of(enough, [](const auto& one) { return one.size() >= 5; }));
    const bool sufficed = std::ranges::all_of(any, [](const auto& one) { return one.size() >= 5; });
    CHECK((any == enough) == sufficed);
    redrawn += !sufficed;
  }
  CHECK(redrawn > 0);
}

TEST_CASE("partition: too few records are refused") {
  CHECK(refusal(IidOwners{5}, 4) == "owner: expected at least 5 records for 5 owners, found 4");
  CHECK(refusal(ClassShards{5, 2}, 9) == "owner: expected at least 10 records for 10 shards, found 9");
  CHECK(refusal(QuantityOwners{5, 1, 2}, 9) == "owner: expected at least 10 records for 5 owners, found 9");
  CHECK(
      refusal(DirichletOwners{5, 1e-9, 1}, 9) ==
      "owner: expected 1 or more records for each of 5 owners, found fewer in all 1000 draws with alpha 1e-09; "
      "reduce owners or min_records, or increase alpha");
}

TEST_CASE("csv: a partition assigns the rows of all files, owners without rows are excluded and noted") {
  std::string north = "x,y\n", south = "x,y\n";
  for (int k = 0; k < 60; ++k) {
    (k < 30 ? north : south) += std::to_string(k) + "," + std::to_string(k % 3) + "\n";
  }
  const test::TextFile a(north, "north.csv"), b(south, "south.csv");
  CsvData o;
  o.files = {a.input(), b.input()};
  o.target = "y";
  o.classes = ClassesFound{};
  o.owner = ClassShards{3, 1};
  o.draw = Draw::kRepetition;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.owner_names == std::vector<std::string>{"owner 1", "owner 2", "owner 3"});
  for (const Shard& one : d.train) {
    REQUIRE(one.target.size() == 20);
    for (Eigen::Index k = 0; k < 20; ++k) {
      CHECK(one.target[k] == one.target[0]);
      CHECK(one.features(k, 0) == 3 * static_cast<double>(k) + one.target[0]);
    }
  }
  // The three owners' classes are in another order in some other repetition.
  std::set<double> classes_of_first;
  for (std::uint32_t r = 0; r < 40; ++r)  // one order in 40 repetitions: probability 3 (1/3)^40
    classes_of_first.insert(make_data(o, sim::Streams(1, r)).train[0].target[0]);
  CHECK(classes_of_first.size() > 1);

  o.owner = DirichletOwners{5, 1e-12, 0};
  const DataSet skewed = make_data(o, kStreams);
  CHECK(skewed.owners() <= 3);
  REQUIRE(skewed.notes.size() == 1);
  CHECK_THAT(skewed.notes[0], Catch::Contains("owners with fewer than 1 records (0 records)"));
}

TEST_CASE("partition: `records` keeps random rows of an owner, not the first of the file") {
  // 120 rows sorted by class, 60 of them of class 0: of the 45 kept 22.5 are expected, with the hypergeometric variance
  // 45/4 * 75/119 = 7.09. The mean of 200 draws deviates by 6 deviations in one of 5e8 tests.
  std::string text = "x,y\n";
  for (int k = 0; k < 120; ++k) text += std::to_string(k) + (k < 60 ? ",0\n" : k < 100 ? ",1\n" : ",2\n");
  const test::TextFile file(text);
  CsvData o = test::csv_data(file);
  o.classes = ClassesFound{};
  o.owner = IidOwners{3};
  const auto records_of = [&](std::uint64_t seed) { return make_data(o, sim::Streams(seed, 0)).train; };
  const auto all = records_of(1);
  o.records = 15;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const Shard& owner : records_of(seed)) {
      REQUIRE(owner.target.size() == 15);
      mean += static_cast<double>((owner.target.array() == 0).count()) / 200;
    }
  }
  CHECK(std::abs(mean - 22.5) < 6 * std::sqrt(7.09 / 200));
  // The rows that an owner keeps are of those that it has without `records`, in file order.
  const auto kept = records_of(1);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto own = all[i].features.col(0), some = kept[i].features.col(0);
    CHECK(std::ranges::includes(own, some));
  }
  o.records = 40;
  CHECK(records_of(1)[2].features == all[2].features);
  // Consecutive blocks keep their first rows.
  o.owner = OwnerBlocks{3};
  o.records = 2;
  CHECK(records_of(1)[1].features == Eigen::Vector2d(40, 41));
}

TEST_CASE("partition: by the values of another column than the target") {
  // Ten digits, of which the target is the parity: with one shard each, an owner has the records of one digit.
  std::string text = "x,digit,odd\n";
  for (int k = 0; k < 60; ++k)
    text += std::to_string(k) + "," + std::to_string(k % 10) + (k % 2 == 1 ? ",1\n" : ",0\n");
  const test::TextFile file(text);
  CsvData o = test::csv_data(file);
  o.target = "odd";
  o.owner = ClassShards{.owners = 10, .shards = 1, .by = "digit"};
  const DataSet d = make_data(o, kStreams);
  std::set<double> digits;
  for (const Shard& owner : d.train) {
    REQUIRE(owner.target.size() == 6);
    CHECK((owner.features.col(1).array() == owner.features(0, 1)).all());
    digits.insert(owner.features(0, 1));
  }
  CHECK(digits.size() == 10);
  // A digit of dirichlet with a large alpha has all owners, and without a class of the target nothing else is needed.
  o.owner = DirichletOwners{.owners = 2, .alpha = 1e6, .by = "digit"};
  o.drop = {"digit"};
  const DataSet even = make_data(o, kStreams);
  CHECK(even.train[0].target.size() == 30);
  CHECK(even.p() == 1);
  o.owner = ClassShards{.owners = 10, .shards = 1, .by = "digits"};
  CHECK_THROWS_WITH(make_data(o, kStreams),
                    Catch::Contains("digits") && Catch::Contains("the nearest is 'digit'"));
}
