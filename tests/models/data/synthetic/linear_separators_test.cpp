#include "models/data/synthetic/linear_separators.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "sim/topology/make_topology.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

LinearSeparators small_separators() {
  LinearSeparators o;
  o.owners = 6;
  o.features = 4;
  o.weight_threshold = MinWeight{0};
  return o;
}

LinearSeparators many(std::size_t owners, std::size_t records) {
  LinearSeparators o = small_separators();
  o.owners = owners;
  o.records = records;
  o.features = 2;
  o.test_records = 0;
  o.similarity = SeparatorGraph::kNone;
  return o;
}

double weight(const DataSet& d, unsigned a, unsigned b) {
  for (std::size_t e = 0; e < d.similarity->edges.size(); ++e) {
    if (d.similarity->edges[e].a == a && d.similarity->edges[e].b == b) return d.similarity->weights[e];
  }
  return 0;
}

double angle(double weight, double gamma = 0.1) {
  return std::acos(std::clamp(1 + gamma * std::log(weight), -1.0, 1.0));
}

Eigen::VectorXd clean_labels(LinearSeparators o, std::size_t owner) {
  o.flip_probability = 0;
  return make_data(o, kStreams).train[owner].target;
}

// The directions (an arc, from and to in radians) that give every label as sign.
std::pair<double, double> separating_arc(const Shard& s) {
  const auto direction = [&](Eigen::Index k) {
    return std::atan2(s.features(k, 1) * s.target[k], s.features(k, 0) * s.target[k]);
  };
  const double first = direction(0);
  double from = first - M_PI / 2, to = first + M_PI / 2;
  for (Eigen::Index k = 1; k < s.target.size(); ++k) {
    const double middle = first + std::remainder(direction(k) - first, 2 * M_PI);
    from = std::max(from, middle - M_PI / 2);
    to = std::min(to, middle + M_PI / 2);
  }
  return {from, to};
}

}  // namespace

TEST_CASE("linear_separators: adding owners or records does not change an owner's data") {
  LinearSeparators o = small_separators();
  o.test_label_noise = true;
  const DataSet few = make_data(o, kStreams);
  o.owners = 9;
  const DataSet more = make_data(o, kStreams);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(more.train[i].features == few.train[i].features);
    CHECK(more.train[i].target == few.train[i].target);
    CHECK(more.test[i].features == few.test[i].features);
    CHECK(more.test[i].target == few.test[i].target);
  }
  for (unsigned a = 0; a < 6; ++a) {
    for (unsigned b = a + 1; b < 6; ++b) CHECK(weight(more, a, b) == weight(few, a, b));
  }
  o.records = 20;
  const DataSet short_ones = make_data(o, kStreams);
  o.records = 30;
  const DataSet long_ones = make_data(o, kStreams);
  CHECK(long_ones.train[3].features.topRows(20) == short_ones.train[3].features);
  CHECK(long_ones.train[3].target.head(20) == short_ones.train[3].target);
}

TEST_CASE("linear_separators: test records, seeds, repetitions and validation instances all differ") {
  LinearSeparators o = small_separators();
  o.records = 30;
  o.test_records = 30;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features != d.train[1].features);
  CHECK(d.train[0].features != d.test[0].features);
  o.instances = Instances::kValidation;
  for (const DataSet& other : {make_data(o, kStreams), make_data(small_separators(), sim::Streams(8, 0)),
                               make_data(small_separators(), sim::Streams(7, 1))}) {
    CHECK(other.train[0].features.topRows(5) != d.train[0].features.topRows(5));
    CHECK(other.test[0].features.topRows(5) != d.test[0].features.topRows(5));
    CHECK(weight(other, 0, 1) != weight(d, 0, 1));
  }
  LinearSeparators sizes = many(30, 1);
  sizes.records = OwnerSizes(OwnerSizes::Law(UniformInteger{.min = 1, .max = 1000}));
  const DataSet a = make_data(sizes, kStreams);
  sizes.instances = Instances::kValidation;
  const DataSet b = make_data(sizes, kStreams);
  std::size_t same = 0;
  for (std::size_t i = 0; i < 30; ++i) same += a.train[i].target.size() == b.train[i].target.size();
  CHECK(same < 8);  // binomial(30, 1/1000): 8 or more with probability below 1e-17
}

TEST_CASE("linear_separators: sizes are uniform on the whole numbers, both ends included") {
  LinearSeparators o = many(20000, 1);
  o.records = OwnerSizes(OwnerSizes::Law(UniformInteger{.min = 3, .max = 12}));
  const DataSet d = make_data(o, kStreams);
  std::vector<std::uint64_t> count(14);
  for (const Shard& s : d.train) ++count[static_cast<std::size_t>(s.target.size())];
  CHECK(count[2] + count[13] == 0);
  for (std::size_t m = 3; m <= 12; ++m) CHECK(binomial_plausible(count[m], 20000, 0.1));
}

TEST_CASE("linear_separators: features have their distribution and the declared bounds") {
  LinearSeparators o = many(1, 20000);
  o.feature_scale = 10;
  const auto sample = [&] {
    const Records x = make_data(o, kStreams).train[0].features;
    return std::vector<double>(x.data(), x.data() + x.size());
  };
  CHECK(ks_distance(sample(), [](double x) { return (x + 10) / 20; }) < dkw_threshold(40000));
  DataSet d = make_data(o, kStreams);
  REQUIRE(d.bounds);
  CHECK(d.bounds->features_l1 == 20);
  CHECK(d.bounds->features_l2 == Approx(10 * std::sqrt(2.0)));
  CHECK(d.bounds->target == 1);
  CHECK(d.train[0].features.rowwise().lpNorm<1>().maxCoeff() <= d.bounds->features_l1);
  CHECK(d.train[0].features.rowwise().norm().maxCoeff() <= d.bounds->features_l2);

  o.feature_law = PointLaw::kNormal;  // variance s^2/2: P(X <= x) = erfc(-x/s)/2
  CHECK(ks_distance(sample(), [](double x) { return std::erfc(-x / 10) / 2; }) < dkw_threshold(40000));
  d = make_data(o, kStreams);
  CHECK(std::isinf(d.bounds->features_l1));
  CHECK(std::isinf(d.bounds->features_l2));
}

TEST_CASE(
    "linear_separators: bernoulli flips have their probability, test labels are flipped only with "
    "test_label_noise") {
  LinearSeparators o = many(1, 20000);
  o.test_records = 20000;
  o.flip_probability = 0.05;
  const DataSet d = make_data(o, kStreams);
  const auto flipped = [&](const Eigen::VectorXd& y) {
    return static_cast<std::uint64_t>((y.array() != clean_labels(o, 0).array()).count());
  };
  CHECK(binomial_plausible(flipped(d.train[0].target), 20000, 0.05));
  LinearSeparators clean = o;
  clean.flip_probability = 0;
  CHECK(make_data(clean, kStreams).test[0].target == d.test[0].target);
  o.test_label_noise = true;
  const auto wrong = (make_data(o, kStreams).test[0].target.array() != d.test[0].target.array()).count();
  CHECK(binomial_plausible(static_cast<std::uint64_t>(wrong), 20000, 0.05));
}

TEST_CASE("linear_separators: exact_floor flips floor(f m) labels, all equally likely") {
  LinearSeparators o = small_separators();
  o.flip = Flip::kExactFloor;
  for (const auto& [m, count] : {std::pair{19, 0}, {20, 1}, {39, 1}, {40, 2}, {60, 3}, {99, 4}, {100, 5}}) {
    o.records = static_cast<std::size_t>(m);
    const Eigen::VectorXd y = make_data(o, kStreams).train[2].target;
    CHECK((y.array() != clean_labels(o, 2).array()).count() == count);
  }
  LinearSeparators one = many(4000, 4);
  one.flip = Flip::kExactFloor;
  one.flip_probability = 0.25;
  const DataSet d = make_data(one, kStreams);
  one.flip_probability = 0;
  const DataSet clean = make_data(one, kStreams);
  Eigen::Array4d at = Eigen::Array4d::Zero();
  for (std::size_t i = 0; i < 4000; ++i)
    at += (d.train[i].target.array() != clean.train[i].target.array()).cast<double>();
  for (const double n : at) CHECK(binomial_plausible(static_cast<std::uint64_t>(n), 4000, 0.25));
}

TEST_CASE(
    "linear_separators: labels are those of a plane through 0, and weights of the angles between them") {
  LinearSeparators o = small_separators();
  o.owners = 5;
  o.records = 20000;
  o.flip_probability = 0;
  o.features = 3;
  const DataSet d = make_data(o, kStreams);
  for (unsigned a = 0; a < 5; ++a) {
    const auto [from_a, to_a] = separating_arc(d.train[a]);
    CHECK(from_a < to_a);
    // Test labels are from the same plane.
    const auto [from_test, to_test] = separating_arc(d.test[a]);
    CHECK(std::abs(std::remainder((from_a + to_a - from_test - to_test) / 2, 2 * M_PI)) <
          (to_a - from_a + to_test - from_test) / 2);
    for (unsigned b = a + 1; b < 5; ++b) {
      const auto [from_b, to_b] = separating_arc(d.train[b]);
      const double apart = std::abs(std::remainder((from_a + to_a - from_b - to_b) / 2, 2 * M_PI));
      const double slack = (to_a - from_a + to_b - from_b) / 2;
      CHECK(slack < 5e-3);
      CHECK(std::abs(angle(weight(d, a, b)) - apart) < slack);
    }
  }
}

TEST_CASE("linear_separators: angles are uniform, so that a threshold keeps the expected fraction of pairs") {
  LinearSeparators o = many(1200, 1);
  o.similarity = SeparatorGraph::kAngle;
  const DataSet all = make_data(o, kStreams);
  REQUIRE(all.similarity->edges.size() == 1200 * 1199 / 2);
  o.weight_threshold = MinWeight{1e-3};
  const DataSet kept = make_data(o, kStreams);
  std::vector<double> angles;
  std::uint64_t edges = 0;
  for (std::size_t e = 0; e < all.similarity->edges.size(); ++e) {
    const auto [a, b] = all.similarity->edges[e];
    if (a % 2 == 0 && b == a + 1) angles.push_back(angle(all.similarity->weights[e]) / M_PI);
  }
  for (std::size_t e = 0; e < kept.similarity->edges.size(); ++e) {
    CHECK(kept.similarity->weights[e] >= 1e-3);
    edges += kept.similarity->edges[e].a % 2 == 0 &&
             kept.similarity->edges[e].b == kept.similarity->edges[e].a + 1;
  }
  REQUIRE(angles.size() == 600);
  CHECK(ks_distance(angles, [](double x) { return x; }) < dkw_threshold(600));
  // Angles up to acos(1 + 0.1 ln 1e-3) = 72 degrees: a mean degree of 39.6 among 100.
  CHECK(binomial_plausible(edges, 600, angle(1e-3) / M_PI));
}

TEST_CASE("linear_separators: gamma sets how fast weights fall, and by default the graph is just connected") {
  LinearSeparators o = small_separators();
  const double wide = angle(weight(make_data(o, kStreams), 0, 1));
  o.gamma = 0.5;
  CHECK(angle(weight(make_data(o, kStreams), 0, 1), 0.5) == Approx(wide));
  const DataSet d = make_data(LinearSeparators{}, kStreams);
  CHECK(d.owners() == 100);
  CHECK(d.p() == 100);
  REQUIRE(d.similarity);
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(100, 100);
  for (std::size_t e = 0; e < d.similarity->edges.size(); ++e) {
    const auto [a, b] = d.similarity->edges[e];
    w(a, b) = w(b, a) = d.similarity->weights[e];
  }
  CHECK(algebraic_connectivity(w) > 1e-3);
  CHECK_THAT(d.similarity_from, Catch::StartsWith("angles of the true separators"));
  CHECK(d.fitted_on_private_data.empty());
  CHECK_FALSE(make_data(many(10, 3), kStreams).similarity);
  CHECK(make_data(many(10, 3), kStreams).fitted_on_private_data.empty());
}

TEST_CASE(
    "linear_separators: by position they are N(0, 1/2 I), and their product has mean exp(-d^2/(2 l^2))") {
  LinearSeparators o = many(3, 1);
  o.separators = SeparatorsByPosition{.length = 0.4};
  std::vector<double> squares;
  test::Mean excess;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const sim::Streams streams(seed, 0);
    const auto theta = draw_separators(o, streams);
    // |theta|^2 is exponential of mean 1.
    squares.push_back(theta[0].squaredNorm());
    const auto a = sim::place_of_node(1, 1, streams), b = sim::place_of_node(2, 1, streams);
    const double distance = std::hypot(a.x - b.x, a.y - b.y);
    excess.add(theta[1].dot(theta[2]) - std::exp(-distance * distance / (2 * 0.4 * 0.4)));
  }
  CHECK(ks_distance(squares, [](double x) { return 1 - std::exp(-x); }) < dkw_threshold(4000));
  CHECK(std::abs(excess.mean()) < 6.2 * excess.standard_error());  // two-sided, probability 6e-10
}

TEST_CASE(
    "linear_separators: by position, owners have the places of random_geometric, whatever their number") {
  const sim::Topology graph =
      sim::make_topology(sim::RandomGeometric{.radius = 2e6, .side = 3e6}, 20, kStreams);
  for (sim::AgentId i = 0; i < 20; ++i) {
    CHECK(graph.places()[i].x == Approx(3e6 * sim::place_of_node(i, 1, kStreams).x));
    CHECK(graph.places()[i].y == Approx(3e6 * sim::place_of_node(i, 1, kStreams).y));
  }
  LinearSeparators o = many(20, 1);
  o.separators = SeparatorsByPosition{.length = 1e6};  // all alike
  const auto same = draw_separators(o, kStreams);
  for (const auto& theta : same) CHECK((theta - same[0]).norm() < 1e-4);
  o.separators = SeparatorsByPosition{};
  const auto all = draw_separators(o, kStreams);
  o.owners = 5;
  const auto few = draw_separators(o, kStreams);
  for (std::size_t i = 0; i < 5; ++i) CHECK(few[i] == all[i]);
}
