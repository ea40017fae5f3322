#include "models/data/synthetic/linear_separators.hpp"

#include <cmath>
#include <numbers>

#include "models/data/data_facts.hpp"
#include "models/data/draw_shards.hpp"
#include "sim/random/random.hpp"
#include "sim/topology/generators/generators.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

using Separator = Eigen::Vector2d;  // in the two coordinates that determine the target

Records draw_points(const LinearSeparators& options, std::size_t records, sim::Stream stream) {
  Records x(static_cast<Index>(records), static_cast<Index>(options.features));
  const double s = options.feature_scale, deviation = s * std::numbers::sqrt2 / 2;
  for (double& v : numbers_of(x)) {
    v = options.feature_law == PointLaw::kUniform ? sim::uniform(stream, -s, s)
                                                  : sim::normal(stream, 0, deviation);
  }
  return x;
}

Eigen::VectorXd labels(const Records& x, const Separator& theta) {
  const Eigen::VectorXd score = x.leftCols<2>() * theta;
  return score.unaryExpr([](double s) { return s < 0 ? -1.0 : 1.0; });
}

void flip_labels(const LinearSeparators& options, Eigen::VectorXd& labels, sim::Stream stream) {
  if (options.flip == Flip::kBernoulli) {
    for (double& y : labels) {
      if (sim::bernoulli(stream, options.flip_probability)) y = -y;
    }
    return;
  }
  const auto m = static_cast<std::size_t>(labels.size());
  // Rounding may put a product such as 0.05 * 40, which is whole, slightly below it.
  const double share = options.flip_probability * static_cast<double>(m);
  const auto count = static_cast<std::size_t>(std::floor(share * (1 + 1e-12)));
  const auto flipped = choose(m, std::min(count, m), stream);
  for (std::size_t k = 0; k < m; ++k) {
    if (flipped[k]) labels[static_cast<Index>(k)] *= -1;
  }
}

std::vector<Separator> separators_by_position(const LinearSeparators& options, double length,
                                              const sim::Streams& streams) {
  constexpr int kWaves = 256;
  auto stream = data_stream(streams, kWholeStudy, DataDraw::kParameters, options.instances);
  const auto pair = [&] {
    const double first = sim::normal(stream);
    return Eigen::Vector2d(first, sim::normal(stream));
  };
  std::vector<Separator> separators(options.owners, Separator::Zero());
  std::vector<Eigen::Vector2d> places;
  for (std::size_t i = 0; i < options.owners; ++i) {
    const sim::Place place = sim::place_of_node(static_cast<sim::AgentId>(i), 1, streams);
    places.emplace_back(place.x, place.y);
  }
  for (int k = 0; k < kWaves; ++k) {
    const Eigen::Vector2d wave = pair() / length, a = pair(), b = pair();
    for (std::size_t i = 0; i < options.owners; ++i) {
      const double phase = wave.dot(places[i]);
      separators[i] += (a * std::cos(phase) + b * std::sin(phase)) / std::sqrt(2.0 * kWaves);
    }
  }
  return separators;
}

sim::WeightedEdges angle_graph(const LinearSeparators& options, const std::vector<Separator>& separators) {
  std::vector<Separator> direction;
  direction.reserve(separators.size());
  for (const Separator& theta : separators) direction.emplace_back(theta.normalized());
  return weighted_graph(direction.size(), options.weight_threshold, [&](std::size_t i, Eigen::VectorXd& to) {
    for (std::size_t j = 0; j < direction.size(); ++j) {
      const double cosine = std::min(1.0, direction[i].dot(direction[j]));
      to[static_cast<Index>(j)] = std::exp((cosine - 1) / options.gamma);
    }
  });
}

}  // namespace

void SeparatorsByPosition::describe(sim::Visitor& v) {
  v(length, sim::positive(
                "length",
                "Distance l over which separators change, in sides of the square: owners at distance d have "
                "correlation exp(-d^2/(2 l^2))."));
}

void LinearSeparators::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of owners n.", .min = 1, .max = 1e8});
  records.describe_for(
      owners, v,
      "Number of training records m_i of each owner: a number, a distribution drawn once per "
      "owner, or a list.");
  v(features, {.name = "features", .help = "Number of features p.", .min = 2, .max = 1e5});
  v(separators, {.name = "separators", .help = "How the owners' separators are drawn."});
  v(feature_law, {.name = "feature_law", .help = "Distribution of each feature."});
  v(feature_scale, sim::positive("feature_scale", "Scale s of the features."));
  v(flip_probability,
    sim::unit_interval("flip_probability", "Fraction of flipped labels, exact or expected (see `flip`)."));
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
  v.check(similarity == SeparatorGraph::kNone || std::holds_alternative<MinWeight>(weight_threshold) ||
              owners <= ConnectedWeights::kMaxOwners,
          "weight_threshold",
          "connected is for at most {} owners, found {}: set a number, or similarity to none",
          ConnectedWeights::kMaxOwners, owners);
}

std::vector<Separator> draw_separators(const LinearSeparators& options, const sim::Streams& streams) {
  if (const auto* by_position = std::get_if<SeparatorsByPosition>(&options.separators))
    return separators_by_position(options, by_position->length, streams);
  std::vector<Separator> separators;
  for (std::size_t i = 0; i < options.owners; ++i) {
    auto stream = data_stream(streams, i, DataDraw::kParameters, options.instances);
    for (double& t : separators.emplace_back()) t = sim::normal(stream, 0, std::numbers::sqrt2 / 2);
  }
  return separators;
}

DataSet make_data(const LinearSeparators& options, const sim::Streams& streams) {
  DataSet out{.owner_names = numbered("owner ", options.owners),
              .feature_names = numbered("x", options.features)};
  const std::vector<Separator> separators = draw_separators(options, streams);
  draw_shards(out, options, streams, false, [&](std::size_t i, Shard& train, Shard& test) {
    const auto of = [&](DataDraw what) { return data_stream(streams, i, what, options.instances); };
    const auto shard = [&](std::size_t records, DataDraw points, DataDraw noise, bool flip) {
      Records x = draw_points(options, records, of(points));
      Eigen::VectorXd y = labels(x, separators[i]);
      if (flip) flip_labels(options, y, of(noise));
      return Shard{std::move(x), std::move(y)};
    };
    train = shard(options.records.size(i, streams, options.instances), DataDraw::kFeatures,
                  DataDraw::kTargetNoise, true);
    test =
        shard(options.test_records, DataDraw::kTestFeatures, DataDraw::kTestNoise, options.test_label_noise);
  });

  out.bounds = bounds_of(options);
  if (options.similarity == SeparatorGraph::kAngle) {
    out.similarity = angle_graph(options, separators);
    out.similarity_from = "angles of the true separators, which are hidden from the owners";
  }
  return out;
}

}  // namespace hearsay::models
