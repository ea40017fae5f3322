#include "models/learning/solvers/optimum.hpp"

#include <linear.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <utility>

#include "models/data/synthetic/lending_like.hpp"
#include "sim/random/random.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::Vector2d;
using Eigen::VectorXd;
using test::two_classes;

namespace {

DataSet one_owner(const Eigen::MatrixXd& x, const VectorXd& y) {
  DataSet d;
  d.train = {{x, y}};
  d.test = {{Records(0, x.cols()), VectorXd(0)}};
  d.owner_names = {"a"};
  for (Eigen::Index j = 0; j < x.cols(); ++j) d.feature_names.push_back(std::to_string(j + 1));
  return d;
}

// grad f over all owners, from the owners' mean gradients.
VectorXd gradient(const Problem& problem, const VectorXd& theta) {
  VectorXd sum = problem.sigma() * theta, one(problem.p());
  for (std::size_t i = 0; i < problem.owners(); ++i) {
    problem.mean_gradient(i, theta, one);
    sum += static_cast<double>(problem.n(i)) / static_cast<double>(problem.n()) * one;
  }
  return sum;
}

// Largest violation of the optimality conditions of the box, over the gradient at 0.
double kkt(const Problem& problem, const VectorXd& theta) {
  VectorXd moved = theta - gradient(problem, theta);
  problem.project(moved);
  return (theta - moved).lpNorm<Eigen::Infinity>() /
         gradient(problem, VectorXd::Zero(problem.p())).lpNorm<Eigen::Infinity>();
}

// Three of four records (1 -> +1), one (1 -> -1): functions of one number, minimised by hand.
DataSet three_to_one() {
  return one_owner(Eigen::MatrixXd::Ones(4, 1), Eigen::Vector4d(1, 1, -1, 1));
}

// f of liblinear's support vector machine (L2R_L1LOSS_SVC_DUAL): (1/2) norm(w)^2 + C sum of hinges.
double liblinear_value(const Problem& ours) {
  const Shard& s = ours.data().train[0];
  const auto n = static_cast<std::size_t>(s.target.size()), p = static_cast<std::size_t>(ours.p());
  std::vector<feature_node> nodes(n * (p + 1));
  std::vector<feature_node*> rows(n);
  VectorXd labels = s.target;
  for (std::size_t k = 0; k < n; ++k) {
    rows[k] = &nodes[k * (p + 1)];
    for (std::size_t j = 0; j < p; ++j) {
      rows[k][j] = {static_cast<int>(j + 1),
                    s.features(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j))};
    }
    rows[k][p].index = -1;
  }
  const problem theirs{
      .l = static_cast<int>(n), .n = static_cast<int>(p), .y = labels.data(), .x = rows.data(), .bias = -1};
  parameter how{};
  how.solver_type = L2R_L1LOSS_SVC_DUAL;
  how.eps = 1e-9;
  how.C = 1 / (ours.sigma() * static_cast<double>(n));
  set_print_string_function([](const char*) {});
  struct model* model = train(&theirs, &how);
  VectorXd theta = Eigen::Map<VectorXd>(model->w, ours.p()) * model->label[0];
  free_and_destroy_model(&model);
  return ours.objective(theta);
}

}  // namespace

TEST_CASE("optimum of squared loss: the normal equations of two records") {
  // (1, 1) -> 3 and (1, 0) -> 2 are met by theta = (2, 1).
  const Problem problem(one_owner(Eigen::MatrixXd{{1, 1}, {1, 0}}, Vector2d(3, 2)), {.l2 = 0});
  const Optimum o = minimise(problem);
  CHECK((o.theta - Vector2d(2, 1)).norm() < 1e-13);
  CHECK(std::abs(o.value) < 1e-25);
  CHECK_FALSE(o.box_active);
  CHECK(o.gap < 1e-25);
}

TEST_CASE("optimum of squared loss: an active box is not the clipped free optimum") {
  // f = ((a + b - 3)^2 + (a - 2)^2)/2 in |a|, |b| <= 1.6: a = 1.6, then b = 1.4 and f = 0.08. Clipping gives
  // (1.6, 1), 0.16.
  const Problem problem(one_owner(Eigen::MatrixXd{{1, 1}, {1, 0}}, Vector2d(3, 2)),
                        {.l2 = 0, .theta_max = 1.6});
  const Optimum o = minimise(problem);
  CHECK((o.theta - Vector2d(1.6, 1.4)).norm() < 1e-12);
  CHECK(o.value == Approx(0.08).epsilon(1e-12));
  CHECK(o.box_active);
  CHECK(o.gap < 1e-12);
  CHECK(kkt(problem, o.theta) < 1e-10);
}

TEST_CASE("optimum of squared loss: ridge regression of one number") {
  // f = l2 t^2 + (t - 2)^2: t = 2/(1 + l2), f = 4 l2/(1 + l2).
  const Problem problem(one_owner(Eigen::MatrixXd{{1}}, VectorXd{{2}}), {.l2 = 0.25});
  CHECK(minimise(problem).theta[0] == Approx(1.6).epsilon(1e-14));
  CHECK(minimise(problem).value == Approx(0.8).epsilon(1e-14));
  const Problem half(one_owner(Eigen::MatrixXd{{1}}, VectorXd{{2}}), {.l2 = 0.5, .l2_half = true});
  CHECK(minimise(half).theta[0] == Approx(1.6).epsilon(1e-14));
}

TEST_CASE("optimum of squared loss: singular features still have a minimiser") {
  // Twice the same feature: a + b = 2, f = 1/2 ((2 - 1)^2 + (2 - 3)^2) = 1.
  const Problem problem(one_owner(Eigen::MatrixXd{{1, 1}, {1, 1}}, Vector2d(1, 3)), {.l2 = 0});
  const Optimum o = minimise(problem);
  CHECK(o.theta.sum() == Approx(2).epsilon(1e-13));
  CHECK(o.value == Approx(1).epsilon(1e-13));
}

TEST_CASE("optimum: 0 where the gradient at 0 is nothing but rounding") {
  // One owner has only targets 0, so that its optimum is 0; that of both, about which moments are gathered, is not.
  DataSet data = one_owner(Eigen::MatrixXd{{13.1, 0.3, 0.7}, {12.9, -0.2, 0.4}, {13.4, 0.1, -0.9}},
                           VectorXd{{9, -7, 8}});
  data.train.push_back({Eigen::MatrixXd{{-8.3, 0.6, 1.1}, {-8.1, 0.2, -0.3}}, Vector2d(0, 0)});
  data.test.push_back(data.test[0]);
  data.owner_names.emplace_back("b");
  const Optimum o = minimise_isolated(Problem(data, {.l2 = 1e-5}), 1);
  CHECK(o.theta.norm() < 1e-10);
  CHECK(o.value < 1e-12);

  // Each record of a class is one of the other, in another order.
  const Eigen::MatrixXd x{{0.1, 0.7}, {0.3, 0.9}, {1.1, -0.6}, {0.3, 0.9}, {1.1, -0.6}, {0.1, 0.7}};
  const VectorXd y{{1, 1, 1, -1, -1, -1}};
  const Optimum even = minimise(Problem(one_owner(x, y), {.loss = LogisticLoss{}, .l2 = 1e-5}));
  CHECK(even.theta.norm() < 1e-10);
  CHECK(even.value == Approx(std::log(2)).epsilon(1e-12));
}

TEST_CASE("optimum: logistic and hinge of one number") {
  // Logistic, l2 = 0: 1/(1 + exp(-t)) = 3/4, t = ln 3.
  const Problem logistic(three_to_one(), {.loss = LogisticLoss{}, .l2 = 0});
  CHECK(minimise(logistic).theta[0] == Approx(std::log(3)).epsilon(1e-12));
  CHECK(minimise(logistic).value == Approx(-(0.75 * std::log(0.75) + 0.25 * std::log(0.25))).epsilon(1e-14));
  const Problem boxed(three_to_one(), {.loss = LogisticLoss{}, .l2 = 0, .theta_max = 1});
  CHECK(minimise(boxed).theta[0] == 1);
  CHECK(minimise(boxed).box_active);
  // Hinge: 0.1 t^2 + 3/4 max(0, 1 - t) + 1/4 max(0, 1 + t) falls up to its kink t = 1, f = 0.6.
  const Optimum kink = minimise(Problem(three_to_one(), {.loss = HingeLoss{}, .l2 = 0.1}));
  CHECK(kink.theta[0] == Approx(1).margin(1e-7));
  CHECK(kink.value == Approx(0.6).margin(1e-7));
  CHECK(kink.value - 0.6 <= kink.gap + 1e-15);
  CHECK(kink.gap < 1e-7);
  // In the box |t| <= 1/2: f = 0.025 + 0.375 + 0.375.
  const Optimum corner =
      minimise(Problem(three_to_one(), {.loss = HingeLoss{}, .l2 = 0.1, .theta_max = 0.5}));
  CHECK(corner.theta[0] == 0.5);
  CHECK(corner.value == Approx(0.775).epsilon(1e-14));
  CHECK(corner.gap < 1e-14);
}

TEST_CASE("optimum: meets the optimality conditions, free and boxed, of all owners and of one") {
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(SmoothedHingeLoss{0.5})}) {
    for (const double theta_max : {0.15, 10.0}) {
      INFO(loss.name() << ", box " << theta_max);
      const Problem problem(two_classes(3, 100, 8), {.loss = loss, .l2 = 1e-3, .theta_max = theta_max});
      const Optimum all = minimise(problem);
      CHECK(all.kkt_residual <= 1e-10);
      CHECK(kkt(problem, all.theta) <= 1e-10);
      CHECK(all.theta.lpNorm<Eigen::Infinity>() <= theta_max);
      CHECK(all.box_active == (theta_max < 1));
      CHECK(all.gap < 1e-12);
      CHECK(all.value == Approx(problem.objective(all.theta)).epsilon(1e-14));

      DataSet alone = two_classes(3, 100, 8);
      const Problem one(
          DataSet{.train = {alone.train[1]}, .test = {alone.test[1]}, .feature_names = alone.feature_names},
          {.loss = loss, .l2 = 1e-3, .theta_max = theta_max});
      const Optimum isolated = minimise_isolated(problem, 1);
      CHECK(kkt(one, isolated.theta) <= 1e-10);
      CHECK(isolated.value == Approx(one.objective(isolated.theta)).epsilon(1e-12));
      CHECK(problem.objective(isolated.theta) >= all.value);
    }
  }
}

// Record j is size times unit vector j.
DataSet unit_records(Eigen::Index n, double size, const VectorXd& target) {
  return one_owner(size * Eigen::MatrixXd::Identity(n, n), target);
}

TEST_CASE("optimum: of more numbers than a Hessian is formed for, each minimised by hand") {
  // Logistic loss of (2 e_j, y_j): theta_j = y_j t with 2/(1 + exp(2 t)) / n = 2 l2 t. At t = 1 for l2 as below.
  const Eigen::Index n = 1200;
  VectorXd target(n);
  for (Eigen::Index j = 0; j < n; ++j) target[j] = j % 3 == 0 ? -1 : 1;
  const double l2 = 1 / (1 + std::exp(2)) / static_cast<double>(n);
  const auto logistic = [&](std::optional<double> theta_max) {
    const Problem problem(unit_records(n, 2, target),
                          {.loss = LogisticLoss{}, .l2 = l2, .theta_max = theta_max});
    return minimise(problem).theta;
  };
  CHECK((logistic({}) - target).lpNorm<Eigen::Infinity>() < 1e-9);
  CHECK(logistic(0.5) == 0.5 * target);

  // Softmax of (e_j, class y_j) of 3: column j of W is u for that class and -u/2 for the others, with
  // (1 - q)/n = 2 l2 u and q = exp(u)/(exp(u) + 2 exp(-u/2)). At u = 1 for l2 as below.
  const Eigen::Index d = 400;
  for (Eigen::Index j = 0; j < d; ++j) target[j] = static_cast<double>(j % 3);
  const double q = std::exp(1) / (std::exp(1) + 2 * std::exp(-0.5));
  DataSet of_classes = unit_records(d, 1, target.head(d));
  of_classes.classes = {"a", "b", "c"};
  const Problem softmax(std::move(of_classes),
                        {.loss = SoftmaxLoss{}, .l2 = (1 - q) / static_cast<double>(2 * d)});
  const VectorXd theta = minimise(softmax).theta;
  REQUIRE(theta.size() == 3 * d);
  for (Eigen::Index k = 0; k < 3; ++k) {
    for (Eigen::Index j = 0; j < d; ++j)
      CHECK(theta[k * d + j] == Approx(k == j % 3 ? 1 : -0.5).epsilon(1e-9));
  }
}

TEST_CASE("optimum: fewer records than more than a thousand features") {
  // Of a smoothed hinge most records have no curvature.
  const Eigen::Index n = 200, p = 1001;
  Eigen::MatrixXd x(n, p);
  VectorXd y(n);
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kData, 0);
  for (Eigen::Index k = 0; k < n; ++k) {
    y[k] = k % 2 == 0 ? 1 : -1;
    for (Eigen::Index j = 0; j < p; ++j) x(k, j) = sim::uniform(s, -1, 1);
  }
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(SmoothedHingeLoss{0.5})}) {
    INFO(loss.name());
    const Problem problem(one_owner(x, y), {.loss = loss, .l2 = 1e-5});
    CHECK(kkt(problem, minimise(problem).theta) <= 1e-10);
  }
}

TEST_CASE("optimum of the hinge: at most liblinear's value, and within its own certificate of it") {
  for (const double l2 : {1e-1, 1e-3, 1e-5}) {
    INFO("l2 " << l2);
    const Problem problem(two_classes(1, 400, 6), {.loss = HingeLoss{}, .l2 = l2});
    const Optimum o = minimise(problem);
    const double theirs = liblinear_value(problem);
    CHECK(o.gap >= 0);
    CHECK(o.gap < 1e-8);
    CHECK(o.value - o.gap <= theirs + 1e-14);  // the lower bound is one
    // liblinear stops after 1000 sweeps, which do not suffice at the smallest l2.
    if (l2 > 1e-4) CHECK(o.value == Approx(theirs).margin(1e-6));
  }
}

TEST_CASE("optimum of the hinge: an active box is certified too") {
  const Problem problem(two_classes(2, 300, 5), {.loss = HingeLoss{}, .l2 = 1e-3, .theta_max = 0.3});
  const Optimum o = minimise(problem);
  CHECK(o.box_active);
  CHECK(o.gap < 1e-8);
  // No point of the box that was tried is lower than the certificate allows.
  auto stream = sim::Streams(1, 0).protocol(1, 0);
  for (int i = 0; i < 2000; ++i) {
    VectorXd theta = o.theta;
    for (double& t : theta) t += sim::normal(stream, 0, 1e-3);
    problem.project(theta);
    CHECK(problem.objective(theta) >= o.value - o.gap);
  }
}

// At 0 both records have gap 1, beyond the parabola: none is curved. In 60 dimensions Eigen blocks its products.
TEST_CASE("optimum: a smoothed hinge starts where no record is curved") {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(2, 60);
  x.col(0) = Vector2d(1, -1);
  const Problem problem(one_owner(x, Vector2d(1, -1)), {.loss = SmoothedHingeLoss{.width = 0.5}, .l2 = 0.05});
  // 2 l2 s = (1 - s)/width: s = 2/2.1.
  CHECK(minimise(problem).theta[0] == Approx(2 / 2.1).epsilon(1e-9));
  CHECK(minimise(problem).theta.tail(59).norm() == 0);
}

TEST_CASE("optimum: a smoothed hinge without l2 leaves a point where it is linear") {
  // Margins t, -t, t, 2t. For 1/2 < t < 1: 4 f = 2 (1 - t)^2 + 1 + t - 1/4, which is least at t = 3/4, 1.625.
  const DataSet four = one_owner(Eigen::MatrixXd{{1}, {1}, {-1}, {2}}, Eigen::Vector4d(1, -1, -1, 1));
  for (const std::optional<double> limit : {std::optional<double>(), std::optional<double>(5)}) {
    const Optimum o =
        minimise(Problem(four, {.loss = SmoothedHingeLoss{.width = 0.5}, .l2 = 0, .theta_max = limit}));
    CHECK(o.theta[0] == Approx(0.75).epsilon(1e-9));
    CHECK(o.value == Approx(1.625 / 4).epsilon(1e-12));
  }
}

TEST_CASE("optimum: a Newton step that the sides of the box turn uphill is shortened") {
  // f = ((8.5 - a - 1.5 b)^2 + (0.5 + 0.5 b)^2)/2 is least at (10, -1). At (1, 1) its gradient is (-6, -8.5). From 0 the
  // Newton step ends at (1, -1) in the box, which is uphill: the gradient is -(8.5, 12.5).
  const Problem problem(one_owner(Eigen::MatrixXd{{1, 1.5}, {0, 0.5}}, Vector2d(8.5, -0.5)),
                        {.l2 = 0, .theta_max = 1});
  const Optimum o = minimise(problem);
  CHECK(o.theta == Vector2d(1, 1));
  CHECK(o.value == Approx(18.5).epsilon(1e-14));
  CHECK(o.box_active);
}

// Adding a number to the scores of all classes has curvature l2 alone: 145 of 410 coordinates end at the box.
TEST_CASE("optimum: softmax in a box that many coordinates reach, with a small l2") {
  constexpr Eigen::Index kRecords = 200, kFeatures = 40, kClasses = 10;
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(kRecords, kFeatures + 1);
  VectorXd y(kRecords);
  for (Eigen::Index k = 0; k < kRecords; ++k) {
    VectorXd scores(kClasses);
    const auto row = static_cast<double>(k + 1);
    for (int j = 1; j <= kFeatures; ++j) x(k, j - 1) = std::sin(7.7 * row * j) / std::sqrt(j) + std::cos(j);
    for (int i = 1; i <= kClasses; ++i) {
      scores[i - 1] = 3 * std::cos(5.0 * i);
      for (int j = 1; j <= kFeatures; ++j)
        scores[i - 1] += x(k, j - 1) * (std::sin(0.9 * i * j) + std::cos(2.0 * i));
    }
    Eigen::Index best = 0;
    scores.maxCoeff(&best);
    y[k] = static_cast<double>(best);
  }
  DataSet data = one_owner(x, y);
  for (Eigen::Index k = 0; k < kClasses; ++k) data.classes.push_back(std::to_string(k));
  const Problem problem(data, {.loss = SoftmaxLoss{}, .l2 = 1e-6, .theta_max = 1});
  const Optimum o = minimise(problem);
  CHECK(o.value == Approx(0.2389066672528).epsilon(1e-12));  // of scipy's L-BFGS-B
  CHECK(kkt(problem, o.theta) <= 1e-10);
  CHECK((o.theta.array().abs() > 1 - 1e-9).count() == 145);
}

TEST_CASE("optimum: where all records are met the value is 0, not its rounding") {
  const Problem met(one_owner(Eigen::MatrixXd{{1, 0}, {1, 1}}, Vector2d(0.1, 0.3)), {.l2 = 0});
  const Optimum o = minimise(met);
  CHECK((o.theta - Vector2d(0.1, 0.2)).norm() < 1e-15);
  CHECK(o.value == 0);
  CHECK(std::isinf(models::relative_excess(met.objective(Vector2d(0, 0)), o.value)));
  // Of a record that is missed by 1e-8 the value is not 0: one number for 0 and 2e-8.
  const Problem missed(one_owner(Eigen::MatrixXd{{1}, {1}}, Vector2d(1, 1 + 2e-8)), {.l2 = 0});
  CHECK(minimise(missed).value == Approx(1e-16).epsilon(1e-6));
}

TEST_CASE("optimum: refuses what has no minimiser") {
  const DataSet separable = one_owner(Eigen::MatrixXd{{1}, {-1}}, Vector2d(1, -1));
  CHECK_THROWS_WITH(minimise(Problem(separable, {.loss = LogisticLoss{}, .l2 = 0})),
                    Catch::Contains("l2 > 0 or theta_max"));
  // The second feature, of records of one class, grows for ever; the first goes to 0.
  const Eigen::MatrixXd some{{1, 0}, {1, 0}, {1, 1}, {-1, 2}};
  const Eigen::Vector4d classes(1, -1, 1, 1);
  CHECK_THROWS_WITH(minimise(Problem(one_owner(some, classes), {.loss = LogisticLoss{}, .l2 = 0})),
                    Catch::Contains("or some of their records, are separable"));
  // The derivative of log(1 + e^-s) + log(1 + e^-2s) + log(1 + e^s) is 0 at s = 0.75630...: z = e^s, z^3 = z^2 + z + 3.
  const Eigen::MatrixXd mixed{{1}, {2}, {1}};
  CHECK(minimise(Problem(one_owner(mixed, Eigen::Vector3d(1, 1, -1)), {.loss = LogisticLoss{}, .l2 = 0}))
            .theta[0] == Approx(0.756307612615964774).epsilon(1e-12));
  // Of 100 log(1 + e^-t) + 2 log(1 + e^(1e-5 t)) it is 0 at t = 16.118...: the gradient is small long before.
  Eigen::MatrixXd far = Eigen::MatrixXd::Ones(102, 1);
  far(100, 0) = far(101, 0) = -1e-5;
  VectorXd of_far = VectorXd::Ones(102);
  far(0, 0) = of_far[0] = -1;  // of two classes
  CHECK(minimise(Problem(one_owner(far, of_far), {.loss = LogisticLoss{}, .l2 = 0})).theta[0] ==
        Approx(16.1180149641).epsilon(1e-6));
  CHECK_THROWS_WITH(minimise(Problem(separable, {.loss = HingeLoss{}, .l2 = 0})),
                    Catch::Contains("l2 > 0 or theta_max"));
  CHECK(minimise(Problem(separable, {.loss = LogisticLoss{}, .l2 = 0, .theta_max = 3})).theta[0] == 3);
}
