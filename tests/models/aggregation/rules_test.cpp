// Rules on three vectors worked by hand, and the laws that hold for all of them.
#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

#include "models/aggregation/aggregation.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

using Options = AggregateOptions<NeighbourRules>;

sim::Stream draw() {
  return sim::Streams(1, 0)(sim::Purpose::kHostile, 0, 0, 0);
}

Gathered gathered(const MatrixXd& x) {
  Gathered all;
  all.centre = VectorXd::Zero(x.rows());
  for (Eigen::Index k = 0; k < x.cols(); ++k) all.add(1 / static_cast<double>(x.cols()), x.col(k));
  return all;
}

MatrixXd three() {
  MatrixXd x(3, 3);
  x << 1, 4, 7, 2, 5, 8, 3, 6, 9;
  return x;
}

VectorXd aggregate(const Options& options, const MatrixXd& x) {
  Gathered all = gathered(x);
  VectorXd out;
  REQUIRE(options(all, out, draw));
  return out;
}

MatrixXd prepared(const BeforeAggregation& step, const MatrixXd& x) {
  Gathered all = gathered(x);
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s(all); }) s(all);
      },
      step);
  return all.columns();
}

bool close(const MatrixXd& a, const MatrixXd& b, double to = 5e-9) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a - b).cwiseAbs().maxCoeff() <= to;
}

// Numbers without a pattern.
MatrixXd scattered(Eigen::Index p, Eigen::Index n) {
  MatrixXd x(p, n);
  for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] = std::sin(static_cast<double>(k * k + 1) * 0.7);
  return x;
}

KrumRule krum(std::uint32_t f, KrumScore score) {
  KrumRule rule;
  rule.f = f;
  rule.score = score;
  return rule;
}

template <class Rule>
Rule with_f(std::uint32_t f) {
  Rule rule;
  rule.f = f;
  return rule;
}

CenteredClippingRule centered(double tau) {
  CenteredClippingRule rule;
  rule.tau = tau;
  return rule;
}

// All rules, meant for no hostile vector, and clipping nothing where they clip.
std::vector<Options> all_rules(std::uint32_t f) {
  ClippedSumRule sum;
  RemoveFarthestRule farthest;
  sum.b = farthest.b = 0;
  GeometricMedianRule exact;
  exact.tolerance = 1e-12;
  std::vector<Options> all;
  for (const NeighbourRules& rule : std::vector<NeighbourRules>{
           MeanRule{}, MedianRule{}, with_f<TrimmedMeanRule>(f), with_f<MeanAroundMedianRule>(f),
           krum(f, KrumScore::kBlanchard), with_f<MultiKrumRule>(f), exact, centered(1e6),
           with_f<MinimumDiameterRule>(f), SelfCenteredClippingRule{}, sum, farthest})
    all.push_back({rule, {}});
  for (const BeforeAggregation& step : std::vector<BeforeAggregation>{
           with_f<NearestNeighbourMixing>(f), Bucketing{}, ClipVectors{1e6}, with_f<AdaptiveClip>(f)})
    all.push_back({MeanRule{}, {step}});
  return all;
}

}  // namespace

TEST_CASE("aggregation: three vectors on a line, by hand") {
  const Vector3d middle(4, 5, 6), low(2.5, 3.5, 4.5);
  CHECK(aggregate({MedianRule{}, {}}, three()) == middle);
  CHECK(aggregate({with_f<TrimmedMeanRule>(1), {}}, three()) == middle);
  CHECK(close(aggregate({centered(100), {}}, three()), middle));
  CHECK(close(aggregate({GeometricMedianRule{}, {}}, three()), Vector3d(3.78788764, 4.78788764, 5.78788764)));
  CHECK(aggregate({krum(1, KrumScore::kWithItself), {}}, three()) == Vector3d(1, 2, 3));
  MultiKrumRule multi;
  multi.score = KrumScore::kWithItself;
  CHECK(aggregate({multi, {}}, three()) == low);
  CHECK(aggregate({with_f<MinimumDiameterRule>(1), {}}, three()) == low);
  CHECK(aggregate({with_f<MeanAroundMedianRule>(1), {}}, three()) == low);
}

TEST_CASE("aggregation: what a few steps to the geometric median are, and what it is within nu") {
  // 1000, ..., 1013 and a zero, whose median is 1006. The first step from 0 gives 14/(1/0.1 + sum 1/x) = 1.398, the third 215.6.
  MatrixXd x(1, 15);
  for (Eigen::Index k = 0; k < 14; ++k) x(0, k) = 1000 + static_cast<double>(k);
  x(0, 14) = 0;
  GeometricMedianRule rule;
  CHECK(std::abs(aggregate({rule, {}}, x)[0] - 215.616) < 1e-3);
  rule.tolerance = 1e-9;
  CHECK(std::abs(aggregate({rule, {}}, x)[0] - 1006) < 1e-6);
  MatrixXd near(1, 3);
  near << 0.01, 0.02, 0.09;
  for (const auto& tolerance : {std::optional<double>(), std::optional(1e-12)}) {
    rule.tolerance = tolerance;
    CHECK(std::abs(aggregate({rule, {}}, near)[0] - 0.04) < 1e-15);
  }
}

TEST_CASE("aggregation: vectors whose squares are too large for a double") {
  const MatrixXd large = MatrixXd::Constant(3, 1, 1e200), larger = MatrixXd::Constant(3, 1, 1.7e308);
  CHECK(close(aggregate({GeometricMedianRule{}, {}}, large) / 1e200, Vector3d::Ones(), 1e-14));
  CHECK(close(aggregate({GeometricMedianRule{}, {}}, larger) / 1.7e308, Vector3d::Ones(), 1e-14));
  // Around 0, with tau = 1: a vector of length 1. The rules for graphs have the agent's own vector 0 in the middle.
  MatrixXd two = MatrixXd::Zero(3, 2);
  two(0, 1) = 1e200;
  const Vector3d unit(1, 0, 0);
  CHECK(close(aggregate({centered(1), {}}, two.rightCols(1)), unit, 1e-14));
  CHECK(close(prepared(ClipVectors{2}, two).col(1), 2 * unit, 1e-14));
  CHECK(close(aggregate({GeometricMedianRule{}, {}}, two), Vector3d(0.1, 0, 0), 1e-14));
}

TEST_CASE("aggregation: a note where there can never be enough vectors") {
  const auto noted = [](const Options& options, std::size_t most) {
    std::vector<std::string> notes;
    options.note_too_few(most, notes);
    return notes.size() == 1;
  };
  CHECK(noted({with_f<TrimmedMeanRule>(2), {}}, 4));
  CHECK_FALSE(noted({with_f<TrimmedMeanRule>(2), {}}, 5));
  CHECK_FALSE(noted({MedianRule{}, {}}, 1));
  // Buckets of two: two of three vectors, three of five.
  CHECK(noted({krum(1, KrumScore::kBlanchard), {Bucketing{}}}, 3));
  CHECK(noted({krum(1, KrumScore::kBlanchard), {Bucketing{}}}, 4));
  CHECK_FALSE(noted({krum(1, KrumScore::kBlanchard), {Bucketing{}}}, 5));
  CHECK(noted({MeanRule{}, {with_f<AdaptiveClip>(2)}}, 4));
}

TEST_CASE("aggregation: steps before it on three vectors, by hand") {
  MatrixXd rows(3, 3);
  rows << 2.5, 2.5, 5.5, 3.5, 3.5, 6.5, 4.5, 4.5, 7.5;
  CHECK(prepared(with_f<NearestNeighbourMixing>(1), three()) == rows);
  rows << .53452248, .91168461, 1.00514142, 1.06904497, 1.13960576, 1.14873305, 1.60356745, 1.36752692,
      1.29232469;
  CHECK(close(prepared(ClipVectors{2}, three()), rows));
  const MatrixXd adapted = prepared(with_f<AdaptiveClip>(1), three());
  CHECK(adapted.leftCols(2) == three().leftCols(2));
  CHECK(close(adapted.col(2), Vector3d(4.41004009, 5.04004582, 5.67005155)));
  // Buckets of two keep the sum: two of the vectors make one, with twice the weight.
  Gathered all = gathered(three());
  auto stream = draw();
  Bucketing{}(all, stream);
  REQUIRE(all.size == 2);
  CHECK(all.weight[0] == Approx(2.0 / 3));
  CHECK(close(all.columns() * all.weights(), Vector3d(4, 5, 6), 1e-14));
}

TEST_CASE("aggregation: Krum adds up the n - f - 2 nearest others, or n - f - 1") {
  // On a line 0, 1, 3, 7 with f = 1: of the nearest other the squared distances are 1, 1, 4, 16, of two 10, 5, 13, 52.
  MatrixXd x(1, 4);
  x << 3, 7, 1, 0;
  CHECK(aggregate({krum(1, KrumScore::kBlanchard), {}}, x)[0] == 0);  // the smaller of two equals
  CHECK(aggregate({krum(1, KrumScore::kWithItself), {}}, x)[0] == 1);
}

TEST_CASE("aggregation: rules for graphs, by hand") {
  // Agent at 0 with weight 0.4; neighbours at 1, 2 and 10 with 0.2, the last hostile.
  Gathered all;
  all.centre = VectorXd::Zero(1);
  all.add(0.4, VectorXd::Constant(1, 0));
  all.add(0.2, VectorXd::Constant(1, 1));
  all.add(0.2, VectorXd::Constant(1, 10), true);
  all.add(0.2, VectorXd::Constant(1, -2));
  VectorXd out;
  // tau^2 = (0.2 + 0.8)/0.2 = 5, tau = 2.236: 0.2 - 0.4 + 0.2 tau.
  REQUIRE(SelfCenteredClippingRule{}(all, out));
  CHECK(out[0] == Approx(-0.2 + 0.2 * std::sqrt(5.0)));
  ClippedSumRule sum;
  sum.b = 0.1;  // all neighbours but those with a weight of 0.2: up to distance 2
  REQUIRE(sum(all, out));
  CHECK(out[0] == Approx(0.2 * (1 - 2 + 2)));
  sum.b = 0.3;
  REQUIRE(sum(all, out));
  CHECK(out[0] == 0);
  RemoveFarthestRule farthest;
  farthest.b = 0.3;  // all of 10, half of -2
  REQUIRE(farthest(all, out));
  CHECK(std::abs(out[0] - (0.2 * 1 - 0.1 * 2)) < 1e-15);
}

TEST_CASE("aggregation: equal vectors have that vector as their aggregate, and f = 0 is the mean") {
  const VectorXd one = scattered(5, 1);
  for (const std::uint32_t f : {0u, 2u}) {
    for (const Options& rule : all_rules(f)) {
      Gathered all = gathered(one.replicate(1, 7));
      all.centre = one;
      VectorXd out;
      REQUIRE(rule(all, out, draw));
      CHECK(close(out, one, 1e-12));
    }
  }
  const MatrixXd x = scattered(5, 7);
  const VectorXd mean = x.rowwise().mean();
  for (const Options& rule : std::vector<Options>{{with_f<TrimmedMeanRule>(0), {}},
                                                  {with_f<MultiKrumRule>(0), {}},
                                                  {with_f<MeanAroundMedianRule>(0), {}},
                                                  {with_f<MinimumDiameterRule>(0), {}},
                                                  {MeanRule{}, {with_f<NearestNeighbourMixing>(0)}},
                                                  {MeanRule{}, {with_f<AdaptiveClip>(0)}}})
    CHECK(close(aggregate(rule, x), mean, 1e-12));
}

TEST_CASE("aggregation: the order of the vectors has no effect") {
  for (const bool ties : {false, true}) {
    MatrixXd x = scattered(6, 8);
    if (ties) x = (x.array() * 2).round();
    MatrixXd turned(6, 8);
    for (Eigen::Index k = 0; k < 8; ++k) turned.col((k * 3 + 5) % 8) = x.col(k);
    for (const Options& rule : all_rules(2)) {
      const bool draws = !rule.before.empty() && std::holds_alternative<Bucketing>(rule.before[0]);
      const bool own = std::holds_alternative<ClippedSumRule>(rule.aggregate) ||
                       std::holds_alternative<RemoveFarthestRule>(rule.aggregate);
      if (draws || own) continue;  // of graphs: the first is the agent's own
      CHECK(close(aggregate(rule, x), aggregate(rule, turned), 1e-12));
    }
  }
}

TEST_CASE("aggregation: f hostile vectors do not move a robust rule far, the mean they do") {
  MatrixXd x = scattered(4, 9) * 0.1;
  x.leftCols(2).setConstant(1e9);
  GeometricMedianRule exact;
  exact.tolerance = 1e-12;
  for (const NeighbourRules& rule :
       std::vector<NeighbourRules>{MedianRule{}, with_f<TrimmedMeanRule>(2), with_f<MeanAroundMedianRule>(2),
                                   krum(2, KrumScore::kBlanchard), with_f<MultiKrumRule>(2), exact,
                                   centered(1), with_f<MinimumDiameterRule>(2)})
    CHECK(aggregate({rule, {}}, x).norm() < 1);
  CHECK(aggregate({MeanRule{}, {}}, x).norm() > 1e8);
  CHECK(aggregate({MedianRule{}, {with_f<NearestNeighbourMixing>(2)}}, x).norm() < 1);
}

TEST_CASE("aggregation: fewer than 2 f + 1 vectors have no aggregate") {
  for (const Eigen::Index n : {4, 5}) {
    for (const NeighbourRules& rule : std::vector<NeighbourRules>{
             with_f<TrimmedMeanRule>(2), with_f<MeanAroundMedianRule>(2), krum(2, KrumScore::kBlanchard),
             with_f<MultiKrumRule>(2), with_f<MinimumDiameterRule>(2)}) {
      Gathered all = gathered(scattered(3, n));
      VectorXd out;
      CHECK(Options{rule, {}}(all, out, draw) == (n == 5));
    }
  }
  for (const BeforeAggregation& step :
       std::vector<BeforeAggregation>{with_f<NearestNeighbourMixing>(2), with_f<AdaptiveClip>(2)}) {
    for (const Eigen::Index n : {4, 5}) {
      Gathered all = gathered(scattered(3, n));
      VectorXd out;
      CHECK(Options{MeanRule{}, {step}}(all, out, draw) == (n == 5));
    }
    // Nine vectors in buckets of two are five; eight are too few.
    for (const Eigen::Index n : {8, 9}) {
      Gathered all = gathered(scattered(3, n));
      VectorXd out;
      CHECK(Options{MeanRule{}, {Bucketing{}, step}}(all, out, draw) == (n == 9));
    }
  }
  Gathered none;
  VectorXd out;
  CHECK_FALSE(Options{}(none, out, draw));
}

TEST_CASE("aggregation: a vector without weight is a bucket like others") {
  Gathered all;
  all.add(0.5, Vector3d(1, 2, 3));
  all.add(0, Vector3d(4, 5, 6));
  all.add(0.5, Vector3d(7, 8, 9));
  Bucketing one;
  one.size = 1;
  auto stream = draw();
  one(all, stream);
  REQUIRE(all.size == 3);
  for (Eigen::Index k = 0; k < 3; ++k)
    if (all.weight[k] == 0) CHECK(all.x.col(k) == Vector3d(4, 5, 6));
  CHECK(close(all.columns() * all.weights(), Vector3d(4, 5, 6), 1e-14));
}

TEST_CASE("aggregation: means of large numbers are finite") {
  Gathered all;
  for (int k = 0; k < 3; ++k) all.add(50, Vector3d(1.5e308, -1.5e308, 1));
  Gathered mixed = all;
  auto stream = draw();
  Bucketing{}(all, stream);
  REQUIRE(all.size == 2);
  REQUIRE(with_f<NearestNeighbourMixing>(1)(mixed));
  for (const Gathered& means : {all, mixed})
    for (Eigen::Index k = 0; k < means.size; ++k)
      CHECK(close(means.x.col(k).cwiseProduct(Vector3d(1e-308, 1e-308, 1)), Vector3d(1.5, -1.5, 1), 1e-14));
}

TEST_CASE("aggregation: two steps of bucketing draw their own numbers") {
  // Which of 0, 1 and 4 is alone in the last bucket: one median is (a + (5 - a)/2)/2. Of 600 each is in 200 +- 5 sqrt(600 2/9),
  // all of them but with a probability of 2e-6. With the same numbers twice the last is alone in 400.
  Bucketing one;
  one.size = 1;
  MatrixXd x(1, 3);
  x << 0, 1, 4;
  std::array<int, 3> alone{};
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Gathered all = gathered(x);
    VectorXd out;
    REQUIRE(Options{MedianRule{}, {one, Bucketing{}}}(
        all, out, [&] { return sim::Streams(seed, 0)(sim::Purpose::kProtocol, 3); }));
    ++alone[out[0] < 1.3 ? 0 : out[0] < 2 ? 1 : 2];
  }
  for (const int count : alone) CHECK(std::abs(count - 200) < 58);
}

TEST_CASE("aggregation: vectors whose distances are infinite have a minimum diameter") {
  MatrixXd x = MatrixXd::Constant(2, 3, 1);
  x.col(1).setConstant(1e200);
  x.col(2).setConstant(-1e200);
  CHECK(aggregate({with_f<MinimumDiameterRule>(1), {}}, x).allFinite());
}

TEST_CASE("aggregation: coordinates are brought into order, for any number of vectors") {
  for (Eigen::Index n = 1; n <= 40; ++n) {
    const MatrixXd x = scattered(37, n);
    const Gathered all = gathered(x);
    const Eigen::Index low = n / 3, count = (n + 2) / 3;
    const auto check = [&](const OrderedCoordinates& order, Eigen::Index from, Eigen::Index places) {
      order.each(all, [&](const auto& block, Eigen::Index first, Eigen::Index lanes) {
        for (Eigen::Index lane = 0; lane < lanes; ++lane) {
          VectorXd expected = x.row(first + lane), found = block.row(lane).segment(from, places);
          std::sort(expected.begin(), expected.end());
          if (places < n) std::sort(found.begin(), found.end());
          CHECK(found == expected.segment(from, places));
        }
      });
    };
    check(OrderedCoordinates(n), 0, n);
    check(OrderedCoordinates(n, low, count), low, count);
  }
}
