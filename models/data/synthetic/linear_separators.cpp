#include "models/data/synthetic/linear_separators.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "models/data/csv/selection.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

// Two coordinates carry the target; the others are noise to the learner.
using Separator = Eigen::Vector2d;

class SeparatorDraws {
 public:
  SeparatorDraws(const LinearSeparators& options, const sim::Streams& streams)
      : options_(options), streams_(streams) {}

  Separator separator(std::size_t owner) const {
    auto stream = of(owner, DataDraw::kParameters);
    Separator theta;
    for (double& t : theta) t = sim::normal(stream, 0, std::numbers::sqrt2 / 2);
    return theta;
  }
  std::size_t records(std::size_t owner) const {
    return options_.records.size(owner, streams_, options_.instances);
  }
  Records features(std::size_t owner, std::size_t records, DataDraw what) const {
    Records x(static_cast<Index>(records), static_cast<Index>(options_.features));
    auto stream = of(owner, what);
    const double s = options_.feature_scale, deviation = s * std::numbers::sqrt2 / 2;
    for (double* v = x.data(); v != x.data() + x.size(); ++v) {
      *v = options_.feature_law == PointLaw::kUniform ? sim::uniform(stream, -s, s)
                                                      : sim::normal(stream, 0, deviation);
    }
    return x;
  }
  void flip(std::size_t owner, Eigen::VectorXd& labels, DataDraw what) const {
    auto stream = of(owner, what);
    const auto m = static_cast<std::size_t>(labels.size());
    if (options_.flip == Flip::kBernoulli) {
      for (double& y : labels) {
        if (sim::bernoulli(stream, options_.flip_probability)) y = -y;
      }
      return;
    }
    // A product like 0.05 * 40 that should be whole may fall short of it by rounding.
    const double share = options_.flip_probability * static_cast<double>(m);
    const auto count = static_cast<std::size_t>(std::floor(share * (1 + 1e-12)));
    const auto flipped = choose(m, std::min(count, m), stream);
    for (std::size_t k = 0; k < m; ++k) {
      if (flipped[k]) labels[static_cast<Index>(k)] *= -1;
    }
  }

 private:
  sim::Stream of(std::size_t owner, DataDraw what) const {
    return streams_(sim::Purpose::kData, static_cast<std::uint32_t>(owner), 0,
                    draw_index(what, options_.instances));
  }

  const LinearSeparators& options_;
  const sim::Streams& streams_;
};

Eigen::VectorXd labels(const Records& x, const Separator& theta) {
  const Eigen::VectorXd score = x.leftCols<2>() * theta;
  return score.unaryExpr([](double s) { return s < 0 ? -1.0 : 1.0; });
}

sim::WeightedEdges angle_graph(const LinearSeparators& options, const std::vector<Separator>& separators) {
  std::vector<Separator> direction;
  for (const Separator& theta : separators) direction.emplace_back(theta.normalized());
  return weighted_graph(direction.size(), options.weight_threshold, [&](std::size_t i, Eigen::VectorXd& to) {
    for (std::size_t j = 0; j < direction.size(); ++j) {
      const double cosine = std::min(1.0, direction[i].dot(direction[j]));
      to[static_cast<Index>(j)] = std::exp((cosine - 1) / options.gamma);
    }
  });
}

}  // namespace

void LinearSeparators::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of owners n.", .min = 1, .max = 1e8});
  v(records, {.name = "records",
              .help = "Number of training records m_i of each owner: a number, a distribution drawn once per "
                      "owner, or a list."});
  v(features, {.name = "features", .help = "Number of features p.", .min = 2, .max = 1e5});
  v(feature_law, {.name = "feature_law", .help = "Distribution of each feature."});
  v(feature_scale, {.name = "feature_scale", .help = "Scale s of the features.", .min = 0, .open_min = true});
  v(flip_probability, {.name = "flip_probability",
                       .help = "Fraction of flipped labels, exact or expected (see `flip`).",
                       .min = 0,
                       .max = 1});
  v(flip, {.name = "flip", .help = "Selection of the labels to flip."});
  v(test_records,
    {.name = "test_records", .help = "Number of test records of each owner, in addition to `records`."});
  v(test_label_noise, {.name = "test_label_noise", .help = "Flip labels of test records too."});
  v(similarity, {.name = "similarity", .help = "Source of the similarity graph."});
  v(gamma, {.name = "gamma",
            .help = "Scale gamma of the weights exp((cos(angle) - 1)/gamma).",
            .source = "Vanhaesebrouck, Bellet, Tommasi (2017), section 5.1",
            .min = 0,
            .open_min = true});
  v(weight_threshold, {.name = "weight_threshold", .help = "Weight below which an edge is dropped."});
  v(instances, {.name = "instances", .help = "Instances of the task: for results, or for choosing options."});
  v(draw, kAboutDraw);
  v.check(!records.list() || records.list()->values.size() == owners, "records",
          fmt::format("expected {} values, one an owner, found {}", owners,
                      records.list() ? records.list()->values.size() : 0));
}

DataSet make_data(const LinearSeparators& options, const sim::Streams& streams) {
  const SeparatorDraws draws(options, streams);
  DataSet out;
  std::vector<Separator> separators;
  for (std::size_t i = 0; i < options.owners; ++i) {
    const Separator& theta = separators.emplace_back(draws.separator(i));
    Records x = draws.features(i, draws.records(i), DataDraw::kFeatures);
    Eigen::VectorXd y = labels(x, theta);
    draws.flip(i, y, DataDraw::kTargetNoise);
    Records x_test = draws.features(i, options.test_records, DataDraw::kTestFeatures);
    Eigen::VectorXd y_test = labels(x_test, theta);
    if (options.test_label_noise) draws.flip(i, y_test, DataDraw::kTestNoise);
    out.train.push_back({std::move(x), std::move(y)});
    out.test.push_back({std::move(x_test), std::move(y_test)});
    out.owner_names.push_back(fmt::format("owner {}", i + 1));
  }
  for (std::size_t j = 0; j < options.features; ++j) out.feature_names.push_back(fmt::format("x{}", j + 1));

  out.bounds = DeclaredBounds{.target = 1};
  if (options.feature_law == PointLaw::kUniform) {
    const auto p = static_cast<double>(options.features);
    out.bounds->features_l1 = options.feature_scale * p;
    out.bounds->features_l2 = options.feature_scale * std::sqrt(p);
  }
  if (options.similarity == SeparatorGraph::kAngle) {
    out.similarity = angle_graph(options, separators);
    out.fitted_on_private_data.emplace_back(
        "similarity graph (angles of the true separators, which no owner knows)");
  }
  return out;
}

}  // namespace hearsay::models
