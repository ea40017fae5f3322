#include "models/data/synthetic/fraud_like.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/data/data_facts.hpp"
#include "models/data/draw_shards.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

Shard draw_shard(const FraudLike& options, const Eigen::VectorXd& shift, std::size_t records,
                 const sim::Stream& features, sim::Stream offset) {
  const auto n = static_cast<Index>(records), p = static_cast<Index>(options.features) + 1;
  Shard shard{Records(n, p), Eigen::VectorXd(n)};
  const double u = sim::uniform(offset);
  draw_records(records, options.features, features,
               [&](std::size_t begin, std::size_t end, sim::Stream& draws) {
                 for (auto k = static_cast<Index>(begin); k < static_cast<Index>(end); ++k) {
                   const double at = static_cast<double>(k) * options.positives + u;
                   const bool positive = std::floor(at + options.positives) > std::floor(at);
                   for (Index j = 0; j + 1 < p; ++j)
                     shard.features(k, j) = sim::uniform(draws, -kRoot3, kRoot3) + (positive ? shift[j] : 0);
                   shard.features(k, p - 1) = 1;
                   shard.target[k] = positive ? 1 : -1;
                 }
               });
  return shard;
}

}  // namespace

void FraudLike::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8});
  records.describe_for(
      owners, v,
      "Number of records of each owner: a number, a distribution drawn once per owner, or a list.");
  v(features,
    {.name = "features", .help = "Number of features, excluding the constant one.", .min = 1, .max = 1e5});
  v(positives, {.name = "positives",
                .help = "Fraction of positives among each owner's records.",
                .min = 0,
                .max = 1,
                .open_min = true,
                .open_max = true});
  v(separation, sim::non_negative("separation", "Distance between the class means, in standard deviations."));
  v(test_records,
    {.name = "test_records", .help = "Number of test records of each owner, in addition to `records`."});
  v(draw, kAboutDraw);
}

DataSet make_data(const FraudLike& options, const sim::Streams& streams) {
  const auto features = static_cast<double>(options.features);
  auto signs = data_stream(streams, kWholeStudy, DataDraw::kParameters);
  Eigen::VectorXd shift(static_cast<Index>(options.features));  // of the means of the positives
  const double step = options.separation / std::sqrt(features);
  for (double& s : shift) s = sim::bernoulli(signs, 0.5) ? step : -step;

  DataSet out{.owner_names = numbered("owner ", options.owners),
              .feature_names = numbered("x", options.features),
              .bounds = bounds_of(options),
              .bias = true};
  out.feature_names.emplace_back("1");
  draw_shards(out, options, streams, true, [&](std::size_t i, Shard& train, Shard& test) {
    const auto of = [&](DataDraw what) { return data_stream(streams, i, what); };
    train = draw_shard(options, shift, options.records.size(i, streams), of(DataDraw::kFeatures),
                       of(DataDraw::kTargetNoise));
    test = draw_shard(options, shift, options.test_records, of(DataDraw::kTestFeatures),
                      of(DataDraw::kTestNoise));
  });
  return out;
}

}  // namespace hearsay::models
