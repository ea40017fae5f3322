#include "models/data/ratings/movielens.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

struct Split {
  Ratings train, test;
};

// Draws a share of each user's ratings for testing, at least one being left.
Split split(const Ratings& all, double share, const sim::Streams& streams, Instances instances) {
  const Ratings none{RatingLists(all.users()), all.items, all.user_names};
  Split out{none, none};
  for (std::size_t i = 0; i < all.users(); ++i) {
    const auto& own = all.of_user[i];
    const auto test = choose_test(own.size(), share, data_stream(streams, i, DataDraw::kSplit, instances));
    for (std::size_t k = 0; k < own.size(); ++k)
      (test[k] ? out.test : out.train).of_user[i].push_back(own[k]);
  }
  return out;
}

void centre(Split& ratings) {
  for (std::size_t i = 0; i < ratings.train.users(); ++i) {
    double mean = 0;
    for (const Rating& r : ratings.train.of_user[i]) mean += r.value;
    mean /= static_cast<double>(ratings.train.of_user[i].size());
    for (Ratings* part : {&ratings.train, &ratings.test}) {
      for (Rating& r : part->of_user[i]) r.value -= mean;
    }
  }
}

Eigen::MatrixXd item_features(const Ratings& train, const MovieLens& options, const sim::Streams& streams) {
  const auto p = static_cast<Index>(options.features);
  Eigen::MatrixXd phi(p, static_cast<Index>(train.items));
  for (std::size_t j = 0; j < train.items; ++j) {
    auto stream = data_stream(streams, kWholeStudy, DataDraw::kFeatures, options.instances, j);
    for (double& v : phi.col(static_cast<Index>(j))) v = sim::normal(stream, 0, 1 / std::sqrt(p));
  }
  alternate_least_squares(train, options.ridge, options.sweeps, phi);
  return phi;
}

Shard shard(const std::vector<Rating>& ratings, const Eigen::MatrixXd& phi) {
  Shard out{Records(static_cast<Index>(ratings.size()), phi.rows()),
            Eigen::VectorXd(static_cast<Index>(ratings.size()))};
  for (std::size_t k = 0; k < ratings.size(); ++k) {
    out.features.row(static_cast<Index>(k)) = phi.col(static_cast<Index>(ratings[k].item)).transpose();
    out.target[static_cast<Index>(k)] = ratings[k].value;
  }
  return out;
}

}  // namespace

Closeness rating_cosine(const Ratings& ratings) {
  Eigen::VectorXd norm(static_cast<Index>(ratings.users()));
  for (std::size_t i = 0; i < ratings.users(); ++i) {
    double squares = 0;
    for (const Rating& r : ratings.of_user[i]) squares += r.value * r.value;
    norm[static_cast<Index>(i)] = std::sqrt(squares);
  }
  return
      [&ratings, norm = std::move(norm), of_item = ratings.of_item()](std::size_t user, Eigen::VectorXd& to) {
        to.setZero(norm.size());
        for (const Rating& own : ratings.of_user[user]) {
          for (const Rating& other : of_item[own.item])
            to[static_cast<Index>(other.item)] += own.value * other.value;
        }
        for (Index j = 0; j < to.size(); ++j) {
          const double scale = norm[static_cast<Index>(user)] * norm[j];
          to[j] = scale > 0 ? to[j] / scale : 0;
        }
      };
}

void MovieLens::describe(sim::Visitor& v) {
  v(path, {.name = "path",
           .help = "Path of a file with one rating per line: user, item, rating and timestamp, separated by "
                   "tabs; by default ratings are generated."});
  v(generated.users,
    {.name = "users", .help = "Number of users; generated ratings only.", .min = 1, .max = 1e7});
  v(generated.items,
    {.name = "items", .help = "Number of items; generated ratings only.", .min = 20, .max = 1e7});
  v(generated.ratings, {.name = "ratings", .help = "Number of generated ratings.", .min = 20, .max = 1e9});
  v(features, {.name = "features", .help = "Number of features p of an item.", .min = 1, .max = 1000});
  v(ridge,
    sim::positive(
        "ridge",
        "Weight of the regulariser of alternating least squares, multiplied by the number of ratings."));
  v(sweeps, {.name = "sweeps", .help = "Number of sweeps of alternating least squares.", .min = 1});
  v(neighbours,
    {.name = "neighbours", .help = "Number of nearest users to which a user is linked.", .min = 1});
  v(test_fraction, {.name = "test_fraction",
                    .help = "Fraction of each user's ratings held out for testing.",
                    .min = 0,
                    .max = 1,
                    .open_max = true});
  v(instances,
    {.name = "instances", .help = "Test records, or validation records split off the training records."});
  v(draw, kAboutDraw);
  const auto& [users, items, ratings] = generated;
  const std::size_t most = std::min(RatingsShape::kMost, items);
  v.check(path || (ratings >= RatingsShape::kLeast * users && ratings <= most * users), "ratings",
          "expected {} to {} for each of the {} users, found {} in all", RatingsShape::kLeast, most, users,
          ratings);
}

DataSet make_data(const MovieLens& options, const sim::Streams& streams) {
  const Ratings all =
      options.path ? read_ratings(*options.path) : generate_ratings(options.generated, streams);
  Split ratings = split(all, options.test_fraction, streams, Instances::kTest);
  if (options.instances == Instances::kValidation)
    ratings = split(ratings.train, options.test_fraction, streams, Instances::kValidation);
  centre(ratings);
  const Eigen::MatrixXd phi = item_features(ratings.train, options, streams);

  DataSet out;
  for (std::size_t i = 0; i < all.users(); ++i) {
    out.train.push_back(shard(ratings.train.of_user[i], phi));
    out.test.push_back(shard(ratings.test.of_user[i], phi));
  }
  out.owner_names = all.user_names;
  out.feature_names = numbered("phi", options.features);
  out.similarity = nearest_neighbours(all.users(), options.neighbours, rating_cosine(ratings.train));
  out.similarity_from = fmt::format("{} nearest by cosine of ratings", options.neighbours);
  out.fitted_on_private_data = {"mean of every user's ratings",
                                "features of the items (alternating least squares)"};
  if (!options.path) {
    out.notes.push_back(
        fmt::format("warning: GENERATED ratings, not MovieLens: {} ratings of {} items by {} users; give "
                    "data.path for real ones",
                    all.count(), all.items, all.users()));
  }
  return out;
}

}  // namespace hearsay::models
