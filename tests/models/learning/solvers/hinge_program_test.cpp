#include "models/learning/solvers/hinge_program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "models/learning/solvers/optimum.hpp"
#include "sim/random/random.hpp"
#include "tests/support/cases.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// f of one number without regulariser is linear between the records' kinks, so the least of its values there and at
// the ends of the box is its minimum.
double least_at_kinks(const HingeProgram& q) {
  const auto f = [&](double theta) { return (1 - q.a.col(0).array() * theta).max(0).mean(); };
  double least = std::min(f(q.limit), f(-q.limit));
  for (const double a : q.a.col(0)) {
    if (std::abs(1 / a) <= q.limit) least = std::min(least, f(1 / a));
  }
  return least;
}

// Records of which one in 50 is of the first class, its features shifted; the first feature is 1e4 times the others.
DataSet rare_class(Eigen::Index n, Eigen::Index p) {
  auto stream = sim::Streams(7, 0).protocol(1, 0);
  DataSet d;
  Records x(n, p);
  VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    y[i] = i % 50 == 3 ? 1 : -1;
    for (Eigen::Index j = 0; j < p; ++j)
      x(i, j) = (j == 0 ? 1e4 : 1) * sim::normal(stream, y[i] > 0 ? 1 : 0, 1);
    x(i, p - 1) = 1;
  }
  d.train = {{x, y}};
  d.test = {{Records(0, p), VectorXd(0)}};
  d.owner_names = {"a"};
  for (Eigen::Index j = 0; j < p; ++j) d.feature_names.push_back(std::to_string(j));
  return d;
}

}  // namespace

TEST_CASE("hinge program: one number, whose minimum is at a kink or an end of the box") {
  auto stream = sim::Streams(3, 0).protocol(1, 0);
  for (int trial = 0; trial < 50; ++trial) {
    HingeProgram q{MatrixXd(31, 1), 0, trial % 2 == 0 ? 0.2 : 5.0};
    for (double& a : q.a.reshaped())
      a = std::exp(sim::normal(stream, 0, 2)) * (sim::uniform(stream) < 0.7 ? 1 : -1);
    const HingeSolution found = minimise_hinge(q, 1e-12);
    const double least = least_at_kinks(q);
    INFO("trial " << trial);
    CHECK(found.value == Approx(least).epsilon(1e-9).margin(1e-12));
    CHECK(found.lower <= least + 1e-12);
    CHECK(found.lower == Approx(least).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("hinge program: without a box and with one record the minimiser is known") {
  // sigma/2 t^2 + (1 - t)+: t = min(1, 1/sigma).
  for (const double sigma : {0.5, 2.0, 10.0}) {
    const HingeSolution found =
        minimise_hinge({MatrixXd::Ones(1, 1), sigma, std::numeric_limits<double>::infinity()}, 1e-12);
    CHECK(found.theta[0] == Approx(std::min(1.0, 1 / sigma)).epsilon(1e-5));
  }
}

TEST_CASE("hinge program: no multipliers give more than a point of the box") {
  auto stream = sim::Streams(5, 0).protocol(1, 0);
  HingeProgram q{MatrixXd(40, 3), 0.1, 0.7};
  for (double& a : q.a.reshaped()) a = sim::normal(stream, 0, 1);
  for (int trial = 0; trial < 1000; ++trial) {
    Eigen::ArrayXd alpha(40);
    VectorXd theta(3);
    for (double& x : alpha) x = sim::uniform(stream) / 40;
    for (double& x : theta) x = sim::uniform(stream, -0.7, 0.7);
    const double value = 0.05 * theta.squaredNorm() + (1 - (q.a * theta).array()).max(0).mean();
    CHECK(hinge_dual(q, alpha) <= value + 1e-12);
  }
}

TEST_CASE("optimum of the hinge: certified with raw features, a rare class and a box of any size") {
  const DataSet data = rare_class(2000, 12);
  double last = std::numeric_limits<double>::infinity();
  for (const double limit : test::cases({0.1, 1.0, 3.0, 30.0})) {
    INFO("theta_max " << limit);
    const Optimum o = minimise(Problem(data, {.loss = HingeLoss{}, .l2 = 1e-5, .theta_max = limit}));
    CHECK(o.gap <= 1e-6 * o.value);
    CHECK(o.value <= last);  // a larger box contains the smaller one
    last = o.value;
  }
}
