#pragma once
// A data source: two classes with normal features.
//
//   y = -1 or +1, each with probability 1/2
//   x = y (separation/2) u + N(0, I) in R^p,   u = (1, ..., 1)/sqrt(p)
//
// The best classifier is sign(u . x); its error is Phi(-separation/2). Features are unbounded: no bound is declared.
//
// Streams: owner i's size, features and classes from (kData, i, ...). An owner's records depend on its number only;
// adding records keeps the first ones.
#include <cmath>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

struct TwoBlobs {
  static constexpr std::string_view kName = "two_blobs";
  static constexpr std::string_view kHelp = "Synthetic classification: two normal classes.";

  std::size_t owners = 10;
  OwnerSizes records = 100;
  std::size_t features = 2;
  double separation = 2;           ///< of the class means, in standard deviations
  std::size_t test_records = 100;  ///< of each owner
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v) {
    v(owners, {.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8});
    records.describe_for(owners, v, "Number of training records of each owner.");
    v(features, {.name = "features", .help = "Number of features p.", .min = 1, .max = 1e5});
    v(separation,
      sim::non_negative("separation", "Distance between the class means, in standard deviations."));
    v(test_records, {.name = "test_records", .help = "Number of test records of each owner."});
    v(draw, kAboutDraw);
  }
};

/// Cost O(n p).
inline DataSet make_data(const TwoBlobs& options, const sim::Streams& streams) {
  DataSet out{.owner_names = numbered("owner ", options.owners),
              .feature_names = numbered("x", options.features)};
  const double shift = options.separation / 2 / std::sqrt(static_cast<double>(options.features));
  const auto shard = [&](std::size_t records, sim::Stream features, sim::Stream classes) {
    const auto n = static_cast<Eigen::Index>(records);
    Shard s{Records(n, out.p()), Eigen::VectorXd(n)};
    for (Eigen::Index k = 0; k < n; ++k) {
      s.target[k] = sim::bernoulli(classes, 0.5) ? 1 : -1;
      for (double& x : s.features.row(k)) x = sim::normal(features, s.target[k] * shift);
    }
    return s;
  };
  for (std::size_t i = 0; i < options.owners; ++i) {
    const auto of = [&](DataDraw what) { return data_stream(streams, i, what); };
    out.train.push_back(
        shard(options.records.size(i, streams), of(DataDraw::kFeatures), of(DataDraw::kTargetNoise)));
    out.test.push_back(shard(options.test_records, of(DataDraw::kTestFeatures), of(DataDraw::kTestNoise)));
  }
  return out;
}

}  // namespace hearsay::models
