#include "models/data/synthetic/lending_like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/solvers/dense.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
class LendingDraws {
 public:
  LendingDraws(const LendingLike& options, const sim::Streams& streams)
      : options_(options), streams_(streams), p_(static_cast<Index>(options.features)) {
    auto stream =
        streams(sim::Purpose::kData, kWholeStudy, 0, static_cast<std::uint32_t>(DataDraw::kParameters));
    theta_.resize(p_);
    for (double& t : theta_) t = sim::uniform(stream, -1, 1);
  }

  Eigen::VectorXd theta(std::size_t owner) const {
    Eigen::VectorXd theta = theta_;
    auto stream = of(owner, DataDraw::kParameters);
    for (double& t : theta) t += sim::normal(stream, 0, options_.heterogeneity);
    return theta;
  }
  Records features(std::size_t owner, std::size_t records, DataDraw what) const {
    Records x(static_cast<Index>(records), p_);
    auto stream = of(owner, what);
    for (double* v = x.data(); v != x.data() + x.size(); ++v) *v = sim::uniform(stream, -kRoot3, kRoot3);
    return x;
  }
  Eigen::VectorXd target(std::size_t owner, const Records& x, const Eigen::VectorXd& theta,
                         DataDraw what) const {
    Eigen::VectorXd y = x * theta;
    auto stream = of(owner, what);
    for (double& v : y) v += options_.noise * sim::uniform(stream, -kRoot3, kRoot3);
    return y;
  }

 private:
  sim::Stream of(std::size_t owner, DataDraw what) const {
    return streams_(sim::Purpose::kData, static_cast<std::uint32_t>(owner), 0,
                    static_cast<std::uint32_t>(what));
  }

  const LendingLike& options_;
  const sim::Streams& streams_;
  Index p_;
  Eigen::VectorXd theta_;
};

// (X^T X / n)^(-1/2).
Eigen::MatrixXd whitening(const Records& x, std::size_t owner) {
  const Eigen::MatrixXd second = x.transpose() * x / static_cast<double>(x.rows());
  SymmetricEigen eigen;
  eigen.compute(second);
  if (eigen.values()[0] <= 1e-9 * eigen.values().reverse()[0]) {
    throw DataError(
        fmt::format("whiten: owner {} has {} records, too few for {} features", owner, x.rows(), x.cols()));
  }
  return eigen.vectors() * eigen.values().cwiseInverse().cwiseSqrt().asDiagonal() *
         eigen.vectors().transpose();
}

}  // namespace

void LendingLike::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8});
  v(records,
    {.name = "records",
     .help = "Number of records of each owner: a number, a distribution drawn once per owner, or a list."});
  v(features, {.name = "features", .help = "Number of features p.", .min = 1, .max = 1e5});
  v(noise, {.name = "noise", .help = "Standard deviation of the target's noise.", .min = 0});
  v(heterogeneity, {.name = "heterogeneity",
                    .help = "Standard deviation of an owner's parameters around the common ones; 0: all "
                            "owners have the same parameters.",
                    .min = 0});
  v(test_records,
    {.name = "test_records", .help = "Number of test records of each owner, in addition to `records`."});
  v(whiten,
    {.name = "whiten",
     .help = "Transform each owner's features so that the Hessian of its squared loss is exactly 2 I."});
  v(draw, kAboutDraw);
  v.check(!records.list() || records.list()->values.size() == owners, "records",
          fmt::format("expected {} values, one an owner, found {}", owners,
                      records.list() ? records.list()->values.size() : 0));
}

DataSet make_data(const LendingLike& options, const sim::Streams& streams) {
  const LendingDraws draws(options, streams);
  DataSet out;
  double theta_l1 = 0;
  for (std::size_t i = 0; i < options.owners; ++i) {
    const Eigen::VectorXd theta = draws.theta(i);
    theta_l1 = std::max(theta_l1, theta.lpNorm<1>());
    Records x = draws.features(i, options.records.size(i, streams), DataDraw::kFeatures);
    Records x_test = draws.features(i, options.test_records, DataDraw::kTestFeatures);
    if (options.whiten) {
      const Eigen::MatrixXd w = whitening(x, i);
      x *= w;
      x_test *= w;
    }
    Eigen::VectorXd y = draws.target(i, x, theta, DataDraw::kTargetNoise);
    Eigen::VectorXd y_test = draws.target(i, x_test, theta, DataDraw::kTestNoise);
    out.train.push_back({std::move(x), std::move(y)});
    out.test.push_back({std::move(x_test), std::move(y_test)});
    out.owner_names.push_back(fmt::format("owner {}", i + 1));
  }
  for (std::size_t j = 0; j < options.features; ++j) out.feature_names.push_back(fmt::format("x{}", j + 1));
  if (options.whiten) {
    out.fitted_on_private_data.emplace_back("second moments of every owner's features (whiten)");
  } else {
    const auto p = static_cast<double>(options.features);
    out.bounds = DeclaredBounds{.features_l1 = kRoot3 * p, .target = kRoot3 * (theta_l1 + options.noise)};
  }
  return out;
}

}  // namespace hearsay::models
