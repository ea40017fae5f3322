// Where learning starts: models/learning/start_options.hpp.
#include "models/learning/start_options.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/learning/problem.hpp"
#include "sim/random/random.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::VectorXd;

namespace {

// A problem with so many features, of a model that starts as told.
Problem problem(Eigen::Index features, ModelOptions model) {
  DataSet data;
  data.train.push_back({Records::Constant(2, features, 0.5), VectorXd{{1, -1}}});
  data.test.push_back({Records(0, features), VectorXd(0)});
  data.feature_names.resize(static_cast<std::size_t>(features));
  return {std::move(data), model};
}

VectorXd start(Eigen::Index features, std::optional<StartOptions> law, std::uint32_t repetition = 0) {
  return problem(features, {.loss = LogisticLoss{}, .start = law}).start(sim::Streams(5, repetition));
}

}  // namespace

TEST_CASE("start: a linear model starts at 0, by default and where it is said") {
  CHECK(start(7, {}) == VectorXd::Zero(7));
  CHECK(start(7, ZeroStart{}) == VectorXd::Zero(7));
}

TEST_CASE("start: uniform parameters are within the bound, with mean 0 and variance bound^2/3") {
  constexpr Eigen::Index n = 40'000;
  constexpr double b = 0.3, kSigmas = 6;  // two-sided: probability 2e-9 each
  const VectorXd theta = start(n, UniformStart{b});
  CHECK(theta.maxCoeff() < b);
  CHECK(theta.minCoeff() >= -b);
  // Of one parameter: variance b^2/3; of its square: b^4/5 - b^4/9.
  CHECK(std::abs(theta.mean()) < kSigmas * b / std::sqrt(3.0 * n));
  CHECK(std::abs(theta.squaredNorm() / n - b * b / 3) < kSigmas * b * b * std::sqrt(4.0 / 45 / n));
  // Independent: neighbours have a mean product of 0, with standard deviation b^2/3.
  CHECK(std::abs(theta.head(n - 1).dot(theta.tail(n - 1)) / (n - 1)) <
        kSigmas * b * b / 3 / std::sqrt(n - 1.0));
}

TEST_CASE("start: drawn from its own stream, anew in every repetition, scaled by the bound") {
  sim::Stream stream = sim::Streams(5, 2)(sim::Purpose::kStart, 0);
  const VectorXd theta = start(6, UniformStart{0.25}, 2);
  for (const double value : theta) CHECK(value == sim::uniform(stream, -0.25, 0.25));
  CHECK(theta == start(6, UniformStart{0.25}, 2));
  CHECK(theta != start(6, UniformStart{0.25}, 3));
  CHECK(2 * theta == start(6, UniformStart{0.5}, 2));
}

TEST_CASE("start: without a bound it is 1/sqrt(inputs), within the box") {
  CHECK(start(16, UniformStart{}) == start(16, UniformStart{0.25}));
  const ModelOptions boxed{.loss = LogisticLoss{}, .theta_max = 0.1, .start = UniformStart{}};
  const VectorXd inside = problem(16, boxed).start(sim::Streams(5, 0));
  CHECK(inside == start(16, UniformStart{0.25}).cwiseMax(-0.1).cwiseMin(0.1));
  CHECK(inside.cwiseAbs().maxCoeff() == 0.1);
}

TEST_CASE(
    "start: a hidden layer starts uniform by default, its layers within their own limits or one bound") {
  const ModelOptions model{.loss = LogisticLoss{}, .network = Mlp{.hidden = 50}};
  const VectorXd theta = problem(4, model).start(sim::Streams(5, 0));
  ModelOptions said = model;
  said.start = UniformStart{};
  CHECK(theta == problem(4, said).start(sim::Streams(5, 0)));
  said.start = UniformStart{1};
  const VectorXd wide = problem(4, said).start(sim::Streams(5, 0));
  CHECK(wide.head(200) / 2 == theta.head(200));  // 4 inputs
  CHECK((wide.tail(51) / std::sqrt(50.0)).isApprox(theta.tail(51), 1e-15));
}
