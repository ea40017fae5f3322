#include "models/data/synthetic/lending_like.hpp"

#include <fmt/format.h>

#include "models/solvers/dense.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

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

void describe_common(auto& o, sim::Visitor& v, auto describe_own) {
  v(o.owners, {.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8});
  o.records.describe_for(
      o.owners, v,
      "Number of records of each owner: a number, a distribution drawn once per owner, or a list.");
  v(o.features, {.name = "features", .help = "Number of features p.", .min = 1, .max = 1e5});
  v(o.noise, {.name = "noise", .help = "Standard deviation of the target's noise.", .min = 0});
  v(o.heterogeneity, {.name = "heterogeneity",
                      .help = "Standard deviation of an owner's parameters around the common ones; 0: all "
                              "owners have the same parameters.",
                      .min = 0});
  v(o.test_records,
    {.name = "test_records", .help = "Number of test records of each owner, in addition to `records`."});
  describe_own();
  v(o.draw, kAboutDraw);
}

}  // namespace

void LendingLike::describe(sim::Visitor& v) {
  describe_common(*this, v, [&] {
    v(whiten,
      {.name = "whiten",
       .help = "Transform each owner's features so that the Hessian of its squared loss is exactly 2 I."});
  });
}

void HospitalLike::describe(sim::Visitor& v) {
  describe_common(*this, v, [] {});
}

DataSet make_data(const LendingLike& options, const sim::Streams& streams) {
  const auto p = static_cast<Eigen::Index>(options.features);
  Eigen::VectorXd common(p);
  auto stream = data_stream(streams, kWholeStudy, DataDraw::kParameters);
  for (double& t : common) t = sim::uniform(stream, -1, 1);

  DataSet out{.owner_names = numbered("owner ", options.owners),
              .feature_names = numbered("x", options.features)};
  double theta_l1 = 0;
  for (std::size_t i = 0; i < options.owners; ++i) {
    Eigen::VectorXd theta = common;
    auto own = data_stream(streams, i, DataDraw::kParameters);
    for (double& t : theta) t += sim::normal(own, 0, options.heterogeneity);
    theta_l1 = std::max(theta_l1, theta.lpNorm<1>());

    const auto features = [&](std::size_t records, DataDraw what) {
      Records x(static_cast<Eigen::Index>(records), p);
      auto draws = data_stream(streams, i, what);
      for (double& v : numbers_of(x)) v = sim::uniform(draws, -kRoot3, kRoot3);
      return x;
    };
    const auto shard = [&](Records x, DataDraw noise) {
      Eigen::VectorXd y = x * theta;
      auto draws = data_stream(streams, i, noise);
      for (double& v : y) v += options.noise * sim::uniform(draws, -kRoot3, kRoot3);
      return Shard{std::move(x), std::move(y)};
    };
    Records x = features(options.records.size(i, streams), DataDraw::kFeatures);
    Records x_test = features(options.test_records, DataDraw::kTestFeatures);
    if (options.whiten) {
      const Eigen::MatrixXd w = whitening(x, i);
      x *= w;
      x_test *= w;
    }
    out.train.push_back(shard(std::move(x), DataDraw::kTargetNoise));
    out.test.push_back(shard(std::move(x_test), DataDraw::kTestNoise));
  }
  if (options.whiten) {
    out.fitted_on_private_data.emplace_back("second moments of every owner's features (whiten)");
  } else {
    out.bounds = DeclaredBounds{.features_l1 = kRoot3 * static_cast<double>(p),
                                .target = kRoot3 * (theta_l1 + options.noise)};
  }
  return out;
}

DataSet make_data(const HospitalLike& o, const sim::Streams& streams) {
  DataSet out = make_data(LendingLike{.owners = o.owners,
                                      .records = o.records,
                                      .features = o.features,
                                      .noise = o.noise,
                                      .heterogeneity = o.heterogeneity,
                                      .test_records = o.test_records,
                                      .draw = o.draw},
                          streams);
  out.owner_names = numbered("hospital ", o.owners);
  return out;
}

DataNeed need_of(const LendingLike& o, const sim::Streams& streams) {
  return need_of_generated(o, static_cast<double>(o.features), streams);
}

DataNeed need_of(const HospitalLike& o, const sim::Streams& streams) {
  return need_of_generated(o, static_cast<double>(o.features), streams);
}

}  // namespace hearsay::models
