#include "models/data/synthetic/synthetic_classes.hpp"

#include <cmath>

#include "models/data/draw_shards.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

Shard draw_classified(const SyntheticClasses& options, const OwnerClasses& owner, std::size_t records,
                      sim::Stream stream) {
  const auto n = static_cast<Index>(records), d = static_cast<Index>(options.features);
  Eigen::VectorXd deviation(d);
  for (Index j = 0; j < d; ++j) deviation[j] = std::pow(static_cast<double>(j + 1), -0.6);
  Shard shard{Records(n, d + 1), Eigen::VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    auto x = shard.features.row(k);
    for (Index j = 0; j < d; ++j) x[j] = sim::normal(stream, owner.mean[j], deviation[j]);
    x[d] = 1;
    const Eigen::VectorXd scores = owner.weights * x.head(d).transpose() + owner.offsets;
    Index largest = 0;
    scores.maxCoeff(&largest);
    shard.target[k] = static_cast<double>(largest);
  }
  return shard;
}

}  // namespace

void SyntheticClasses::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8});
  records.describe_for(
      owners, v,
      "Number of training records of each owner: a number, a distribution drawn once per owner, or a list.");
  v(alpha,
    {.name = "alpha",
     .help =
         "Standard deviation of the mean u_i of an owner's weights. It changes the weights, but neither the "
         "targets nor any loss.",
     .source = "Li et al. (2020), section 5.1",
     .min = 0,
     .max = 1e6});
  v(beta, {.name = "beta",
           .help = "Standard deviation of the mean B_i of an owner's features.",
           .source = "Li et al. (2020), section 5.1",
           .min = 0,
           .max = 1e6});
  v(iid, {.name = "iid",
          .help = "Give all owners the same model and distribution; alpha and beta have no effect."});
  v(features,
    {.name = "features", .help = "Number of features, excluding the constant one.", .min = 1, .max = 1e5});
  v(classes, {.name = "classes", .help = "Number of classes.", .min = 2, .max = 1e5});
  v(test_records,
    {.name = "test_records", .help = "Number of test records of each owner, in addition to `records`."});
  v(draw, kAboutDraw);
}

OwnerClasses draw_owner_classes(const SyntheticClasses& options, std::size_t owner,
                                const sim::Streams& streams) {
  const auto d = static_cast<Index>(options.features), classes = static_cast<Index>(options.classes);
  OwnerClasses c{Records(classes, d), Eigen::VectorXd(classes), Eigen::VectorXd::Zero(d)};
  auto stream = data_stream(streams, options.iid ? kWholeStudy : owner, DataDraw::kParameters);
  const double u = options.iid ? 0 : sim::normal(stream, 0, options.alpha);
  for (double& w : numbers_of(c.weights)) w = sim::normal(stream, u);
  for (double& b : c.offsets) b = sim::normal(stream, u);
  if (options.iid) return c;
  const double about = sim::normal(stream, 0, options.beta);
  for (double& v : c.mean) v = sim::normal(stream, about);
  return c;
}

DataSet make_data(const SyntheticClasses& options, const sim::Streams& streams) {
  DataSet out{.owner_names = numbered("owner ", options.owners),
              .feature_names = numbered("x", options.features),
              .bias = true};
  out.feature_names.emplace_back("1");
  for (std::size_t k = 0; k < options.classes; ++k) out.classes.push_back(std::to_string(k));
  draw_shards(out, options, streams, false, [&](std::size_t i, Shard& train, Shard& test) {
    const OwnerClasses owner = draw_owner_classes(options, i, streams);
    train = draw_classified(options, owner, options.records.size(i, streams),
                            data_stream(streams, i, DataDraw::kFeatures));
    test = draw_classified(options, owner, options.test_records,
                           data_stream(streams, i, DataDraw::kTestFeatures));
  });
  return out;
}

}  // namespace hearsay::models
