#include "models/data/synthetic/lending_like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/algebra/dense.hpp"
#include "models/data/data_facts.hpp"
#include "models/data/draw_shards.hpp"
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
  v(o.noise, sim::non_negative("noise", "Standard deviation of the target's noise."));
  v(o.heterogeneity,
    sim::non_negative("heterogeneity",
                      "Standard deviation of an owner's parameters around the common ones; 0: all "
                      "owners have the same parameters."));
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
  std::vector<double> theta_l1(options.owners);
  draw_shards(out, options, streams, true, [&](std::size_t i, Shard& train, Shard& test) {
    Eigen::VectorXd theta = common;
    auto own = data_stream(streams, i, DataDraw::kParameters);
    for (double& t : theta) t += sim::normal(own, 0, options.heterogeneity);
    theta_l1[i] = theta.lpNorm<1>();

    const auto draw = [&](double* to, std::size_t records, std::size_t each, DataDraw what) {
      draw_records(records, each, data_stream(streams, i, what),
                   [&](std::size_t begin, std::size_t end, sim::Stream& draws) {
                     for (double* v = to + begin * each; v != to + end * each; ++v)
                       *v = sim::uniform(draws, -kRoot3, kRoot3);
                   });
    };
    const auto features = [&](std::size_t records, DataDraw what) {
      Records x(static_cast<Eigen::Index>(records), p);
      draw(x.data(), records, options.features, what);
      return x;
    };
    const auto shard = [&](Records x, DataDraw what) {
      Eigen::VectorXd y = x * theta, noise(y.size());
      draw(noise.data(), static_cast<std::size_t>(y.size()), 1, what);
      y += options.noise * noise;
      return Shard{std::move(x), std::move(y)};
    };
    Records x = features(options.records.size(i, streams), DataDraw::kFeatures);
    Records x_test = features(options.test_records, DataDraw::kTestFeatures);
    if (options.whiten) {
      const Eigen::MatrixXd w = whitening(x, i);
      x *= w;
      x_test *= w;
    }
    train = shard(std::move(x), DataDraw::kTargetNoise);
    test = shard(std::move(x_test), DataDraw::kTestNoise);
  });
  if (options.whiten) {
    out.fitted_on_private_data.emplace_back("second moments of every owner's features (whiten)");
  } else {
    out.bounds = bounds_of(options);
    out.bounds->target = kRoot3 * (*std::ranges::max_element(theta_l1) + options.noise);
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

}  // namespace hearsay::models
