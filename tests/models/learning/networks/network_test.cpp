#include "models/learning/networks/network.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "sim/random/random.hpp"
#include "tests/support/crew.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

sim::Stream stream(std::uint32_t index) {
  return sim::Streams(7, 0)(sim::Purpose::kData, 0, 0, index);
}

// `n` records of `d` normal features, the last of them 1; classes 0, ..., K - 1 in turn, or -1 and +1, or numbers.
Shard records(Index n, Index d, const Loss& loss, Index classes = 3) {
  Shard shard{Records(n, d), VectorXd(n)};
  sim::Stream s = stream(static_cast<std::uint32_t>(n));
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j + 1 < d; ++j) shard.features(k, j) = sim::normal(s, 0, 1);
    shard.features(k, d - 1) = 1;
    shard.target[k] = !loss.scalar()         ? static_cast<double>(k % classes)
                      : loss.is_classifier() ? (k % 2 == 0 ? 1 : -1)
                                             : sim::normal(s, 0, 1);
  }
  return shard;
}

VectorXd point(Index p) {
  sim::Stream s = stream(1000);
  VectorXd theta(p);
  for (double& x : theta) x = sim::normal(s, 0, 0.7);
  return theta;
}

struct Kind {
  std::string name;
  Loss loss;
  NetworkOptions options;
  Index scores;
};

const std::vector<Kind> kKinds{
    {"softmax", SoftmaxLoss{}, LinearScores{}, 3},
    {"mlp, relu, softmax", SoftmaxLoss{}, Mlp{5, HiddenFunction::kRelu}, 3},
    {"mlp, tanh, softmax", SoftmaxLoss{}, Mlp{5, HiddenFunction::kTanh}, 3},
    {"mlp, tanh, squared", SquaredLoss{}, Mlp{4, HiddenFunction::kTanh}, 1},
    {"mlp, relu, logistic", LogisticLoss{}, Mlp{4, HiddenFunction::kRelu}, 1},
};

DataSet data_of(const Shard& train, const Shard& test = {}) {
  DataSet d;
  d.train = {train};
  d.test = {test.target.size() > 0 ? test : Shard{Records(0, train.features.cols()), VectorXd(0)}};
  d.owner_names = {"a"};
  for (Index j = 0; j < train.features.cols(); ++j) d.feature_names.push_back(std::to_string(j));
  return d;
}

VectorXd record_gradient(const Network& network, const Shard& shard, Index k, const VectorXd& theta) {
  VectorXd own(network.p());
  network.sum_gradients(shard, std::span(&k, 1), theta, 1, kUnbounded, Norm::kL2, own);
  return own;
}

}  // namespace

TEST_CASE("softmax: loss, gradient and error of a record by hand") {
  const Network network(LinearScores{}, SoftmaxLoss{}, 1, 2);
  const Shard shard{Records{{2.0}}, VectorXd{{0}}};
  const VectorXd theta{{0, std::log(3) / 2}};  // scores 0 and ln 3: q = (1/4, 3/4)
  CHECK(network.p() == 2);
  CHECK(network.total_loss(shard, theta) == Approx(std::log(4)));
  CHECK(network.total_error(shard, theta) == 1);
  VectorXd gradient(2);
  CHECK(network.sum_gradients(shard, theta, kUnbounded, Norm::kL2, gradient) == 0);
  CHECK(gradient[0] == Approx(-1.5));  // (1/4 - 1) 2
  CHECK(gradient[1] == Approx(1.5));
  CHECK(network.largest_gradient(shard, theta, Norm::kL1) == Approx(3));
  CHECK(network.largest_gradient(shard, theta, Norm::kL2) == Approx(1.5 * std::sqrt(2)));
  // Of equal scores the first counts.
  CHECK(network.total_error(shard, VectorXd::Zero(2)) == 0);
}

TEST_CASE("mlp: loss and gradient of a record by hand") {
  const Network network(Mlp{2, HiddenFunction::kRelu}, SquaredLoss{}, 1, 1);
  const Shard shard{Records{{1.0}}, VectorXd{{0}}};
  // V = (2, -1), a = (2, 0), W = (3, 5), b = 1: s = 7, loss 49, slope 14.
  const VectorXd theta{{2, -1, 3, 5, 1}};
  CHECK(network.p() == 5);
  CHECK(network.total_loss(shard, theta) == 49);
  VectorXd gradient(5);
  network.sum_gradients(shard, theta, kUnbounded, Norm::kL2, gradient);
  CHECK(gradient == VectorXd{{42, 0, 28, 0, 14}});
  // Scaled down to half of its norm, sqrt(42^2 + 28^2 + 14^2) = 14 sqrt(14).
  VectorXd half(5);
  CHECK(network.sum_gradients(shard, theta, 7 * std::sqrt(14), Norm::kL2, half) == 1);
  CHECK((half - gradient / 2).norm() < 1e-13);
  CHECK(network.sum_gradients(shard, theta, 42, Norm::kL1, half) == 1);  // norm_1 = 84
  CHECK((half - gradient / 2).norm() < 1e-13);
}

TEST_CASE("networks: a record whose hidden layer is not finite is left out") {
  const Network network(Mlp{1, HiddenFunction::kRelu}, LogisticLoss{}, 1, 1);
  Shard shard{Records(2, 1), VectorXd{{1, 1}}};
  shard.features << 1e10, 0;
  // V = 1e300, W = 1, b = 0: of x = 0 only the constant has a slope, -1/2.
  VectorXd gradient(3);
  CHECK(network.sum_gradients(shard, VectorXd{{1e300, 1, 0}}, 1, Norm::kL2, gradient) == 1);
  CHECK(gradient == VectorXd{{0, 0, -0.5}});
}

TEST_CASE("networks: gradients are the differences of the loss") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    const Shard shard = records(70, 4, kind.loss);
    const Network network(kind.options, kind.loss, 4, kind.scores);
    const VectorXd theta = point(network.p());
    VectorXd gradient(network.p());
    network.sum_gradients(shard, theta, kUnbounded, Norm::kL2, gradient);
    // A step crosses no kink of relu here: the error of central differences is of order h^2.
    const double h = 1e-6;
    for (Index j = 0; j < network.p(); ++j) {
      VectorXd up = theta, down = theta;
      up[j] += h;
      down[j] -= h;
      const double slope = (network.total_loss(shard, up) - network.total_loss(shard, down)) / (2 * h);
      CHECK(std::abs(slope - gradient[j]) < 1e-5 * (1 + std::abs(gradient[j])));
    }
  }
}

TEST_CASE("networks: clipping scales every record's gradient to the bound by its exact norm") {
  for (const Kind& kind : kKinds) {
    const Shard shard = records(70, 4, kind.loss);
    const Network network(kind.options, kind.loss, 4, kind.scores);
    const VectorXd theta = point(network.p());
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      INFO(kind.name << (norm == Norm::kL1 ? ", norm_1" : ", norm_2"));
      const auto length = [&](const VectorXd& x) { return norm == Norm::kL1 ? x.lpNorm<1>() : x.norm(); };
      double largest = 0;
      for (Index k = 0; k < 70; ++k)
        largest = std::max(largest, length(record_gradient(network, shard, k, theta)));
      CHECK(network.largest_gradient(shard, theta, norm) == Approx(largest).epsilon(1e-12));
      const double bound = largest / 3;
      VectorXd sum = VectorXd::Zero(network.p()), clipped(network.p());
      Index longer = 0;
      for (Index k = 0; k < 70; ++k) {
        VectorXd own = record_gradient(network, shard, k, theta);
        if (length(own) > bound) {
          own *= bound / length(own);
          ++longer;
        }
        sum += own;
      }
      CHECK(longer > 0);
      CHECK(longer < 70);
      CHECK(network.sum_gradients(shard, theta, bound, norm, clipped) == longer);
      CHECK((clipped - sum).norm() < 1e-12 * (1 + sum.norm()));
      std::vector<Index> all(70);
      for (Index k = 0; k < 70; ++k) all[static_cast<std::size_t>(k)] = 69 - k;
      CHECK(network.sum_gradients(shard, all, theta, 0.25, bound, norm, clipped) == longer);
      CHECK((clipped - sum / 4).norm() < 1e-12 * (1 + sum.norm()));
    }
  }
}

TEST_CASE("clipping: a record whose gradient is not finite is left out") {
  // Without this a diverged model would give out NaN, which no noise hides.
  const double inf = std::numeric_limits<double>::infinity();
  const Network network(LinearScores{}, SoftmaxLoss{}, 1, 2);
  const Shard shard{Records{{2.0}, {0.0}}, VectorXd{{0, 1}}};
  VectorXd out(2);
  CHECK(network.sum_gradients(shard, VectorXd{{inf, 0}}, 1, Norm::kL2, out) == 2);
  CHECK(out == VectorXd::Zero(2));
  const Problem problem(data_of({Records{{1e100}, {1.0}}, VectorXd{{0, 0}}}),
                        {.loss = SquaredLoss{}, .l2 = 0});
  const VectorXd theta{{1e250}};  // slopes infinite and 2e250
  VectorXd gradient(1);
  CHECK(problem.mean_gradient_clipped(0, theta, 1, Norm::kL2, gradient) == 1);
  CHECK(gradient[0] == 0.5);
  const std::vector<Index> both{0, 1};
  CHECK(problem.gradient_of_records(0, both, theta, 2, 1, Norm::kL2, gradient) == 2);
  CHECK(gradient[0] == 0.5);
}

TEST_CASE("networks: sums are the same bits on several threads") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    const Shard shard = records(1000, 7, kind.loss);
    const Network network(kind.options, kind.loss, 7, kind.scores);
    const VectorXd theta = point(network.p());
    VectorXd alone(network.p()), together(network.p());
    network.sum_gradients(shard, theta, 0.5, Norm::kL2, alone);
    const double loss = network.total_loss(shard, theta), errors = network.total_error(shard, theta);
    const test::HelpedThread helped(3);
    network.sum_gradients(shard, theta, 0.5, Norm::kL2, together);
    CHECK(network.total_loss(shard, theta) == loss);
    CHECK(network.total_error(shard, theta) == errors);
    CHECK(alone == together);
  }
}

TEST_CASE("softmax: two classes are logistic regression") {
  // With W = (-theta/2, theta/2) the losses are equal; norm(W)^2 = norm(theta)^2/2, so that l2 is half as strong.
  Shard shard = records(40, 3, LogisticLoss{});
  shard.target[0] = -1;  // not separable
  Shard classes = shard;
  classes.target = (shard.target.array() + 1) / 2;
  const Problem logistic(data_of(shard), {.loss = LogisticLoss{}, .l2 = 0.01});
  const Problem softmax(data_of(classes), {.loss = SoftmaxLoss{}, .l2 = 0.02});
  CHECK(softmax.p() == 6);
  CHECK(softmax.features() == 3);
  const VectorXd theta = point(3);
  VectorXd w(6);
  w << -theta / 2, theta / 2;
  CHECK(softmax.objective(w) == Approx(logistic.objective(theta)).epsilon(1e-13));
  const Optimum one = minimise(logistic), two = minimise(softmax);
  CHECK(two.value == Approx(one.value).epsilon(1e-12));
  CHECK((two.theta.tail(3) - one.theta / 2).norm() < 1e-8);
  CHECK((two.theta.head(3) + one.theta / 2).norm() < 1e-8);
  CHECK(two.kkt_residual <= 1e-10);
}

TEST_CASE("softmax: how many classes there are is private where the data do not say so") {
  DataSet data;
  data.train = {Shard{Records::Zero(3, 1), VectorXd{{0, 2, 1}}}};
  const auto named = [](DataSet of, const Loss& loss) {
    name_classes(of, {.loss = loss});
    return of;
  };
  const DataSet found = named(data, SoftmaxLoss{});
  CHECK(found.classes == std::vector<std::string>{"0", "1", "2"});
  CHECK(found.fitted_on_private_data.size() == 1);
  CHECK(named(data, SquaredLoss{}).classes.empty());
  data.classes = {"a", "b", "c", "d"};
  CHECK(named(data, SoftmaxLoss{}).classes.size() == 4);
  CHECK(named(data, SoftmaxLoss{}).fitted_on_private_data.empty());
}

TEST_CASE("softmax: the curvature is the difference of gradients") {
  const Problem problem(data_of(records(30, 3, SoftmaxLoss{})), {.loss = SoftmaxLoss{}, .l2 = 0.05});
  const Optimum best = minimise(problem);
  VectorXd gradient(problem.p()), regulariser(problem.p());
  problem.mean_gradient(0, best.theta, gradient);
  problem.regulariser_gradient(best.theta, regulariser);
  CHECK((gradient + regulariser).norm() < 1e-9);
  CHECK(best.gap < 1e-12);
  // Adding a vector to all classes changes no loss, so that the minimiser's classes sum to 0.
  const Eigen::Map<const Records> classes(best.theta.data(), 3, 3);
  CHECK(classes.colwise().sum().norm() < 1e-9);
}

TEST_CASE("models that are no score theta . x: what is refused") {
  const Shard classes = records(30, 3, SoftmaxLoss{}), numbers = records(30, 3, SquaredLoss{});
  CHECK_THROWS_WITH(Problem(data_of(numbers), {.loss = SoftmaxLoss{}}),
                    Catch::Contains("expected a class 0, 1, 2, ... as target, found ") &&
                        Catch::EndsWith("for two classes -1 and +1 use logistic, for numbers squared"));
  CHECK_THROWS_WITH(Problem(data_of(records(30, 3, LogisticLoss{})), {.loss = SoftmaxLoss{}}),
                    Catch::Contains("expected a class 0, 1, 2, ... as target, found -1"));
  DataSet unseen = data_of(classes);
  unseen.test.push_back({Records::Ones(1, unseen.p()), Eigen::VectorXd::Constant(1, 7)});
  CHECK_THROWS_WITH(
      Problem(unseen, {.loss = SoftmaxLoss{}}),
      Catch::EndsWith("expected classes 0, 1, ..., 2, the largest of the training records, found 7; list "
                      "the classes of the data"));
  CHECK_THROWS_WITH(minimise(Problem(data_of(classes), {.loss = SoftmaxLoss{}, .l2 = 0})),
                    Catch::Contains("needs l2 > 0"));
  CHECK_THROWS_WITH(minimise(Problem(data_of(classes), {.loss = SoftmaxLoss{}, .network = Mlp{}})),
                    Catch::Contains("has no theta*"));
  CHECK_THROWS_AS(Loss(SoftmaxLoss{}).slope(0, 0), std::logic_error);
}

TEST_CASE("networks: learning starts at 0, or at random weights within 1/sqrt(inputs)") {
  const Shard shard = records(30, 4, SoftmaxLoss{});
  const Problem linear(data_of(shard), {.loss = SoftmaxLoss{}});
  CHECK(linear.start(sim::Streams(1, 0)) == VectorXd::Zero(12));
  const Problem problem(data_of(shard), {.loss = SoftmaxLoss{}, .network = Mlp{400}});
  const VectorXd start = problem.start(sim::Streams(1, 0));
  CHECK(start == problem.start(sim::Streams(1, 0)));
  CHECK(start != problem.start(sim::Streams(1, 1)));
  // 1600 and 1203 uniform weights: none beyond a tenth below the limit has probability 0.9^1203 < 1e-54.
  const auto largest = [](const auto& x) { return x.cwiseAbs().maxCoeff(); };
  CHECK(largest(start.head(1600)) <= 0.5);
  CHECK(largest(start.head(1600)) > 0.45);
  CHECK(largest(start.tail(1203)) <= 0.05);
  CHECK(largest(start.tail(1203)) > 0.045);
}

TEST_CASE("networks: test loss and error are means over test records") {
  const Shard one{Records{{2.0}}, VectorXd{{0}}};
  const Shard both{Records{{2.0}, {2.0}}, VectorXd{{0, 1}}};
  const Problem problem(data_of(both, one), {.loss = SoftmaxLoss{}, .l2 = 0.5});
  const VectorXd theta{{0, std::log(3) / 2}};
  CHECK(problem.test_loss(theta) == Approx(std::log(4)));
  CHECK(problem.test_error(theta) == 1);
  CHECK(problem.objective(theta) ==
        Approx((std::log(4) + std::log(4.0 / 3)) / 2 + 0.5 * theta.squaredNorm()));
}
