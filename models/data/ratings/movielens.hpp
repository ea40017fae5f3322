#pragma once
// The recommendation task of Bellet, Guerraoui, Taziki, Tommasi, "Personalized and Private Peer-to-Peer
// Machine Learning" (2018), section 5.2 and appendix D.2: every user is an owner who has rated some items.
//
//   1. of each user's ratings round(test_fraction n) are drawn for testing; for validation instances those are
//      set aside, and the same fraction of the others is drawn for testing instead
//   2. the mean of a user's training ratings is subtracted from all of the user's ratings
//   3. features phi_j in R^p of the items: alternating least squares on the centred training ratings, started
//      from N(0, I/p)
//   4. user i's records are (phi_j, centred rating of j): squared loss learns theta_i . phi_j
//   5. similarity graph: weight 1 between two users if one is among the nearest `neighbours` of the other by the
//      cosine of their centred training ratings, a missing rating counting as 0
// 2, 3 and 5 use private data without accounting, as in the paper; DataSet::fitted_on_private_data says so.
//
// Without a file, ratings are generated with the shape and about the moments of MovieLens-100K (ratings.hpp).
//
// Streams: the split of user i from (kData, i, kSplit), the start of item j from (kData, kWholeStudy, j,
// kFeatures), each of the instances; generated ratings are the same for both.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/ratings/ratings.hpp"
#include "models/data/similarity.hpp"

namespace hearsay::models {

struct MovieLens {
  static constexpr std::string_view kName = "movielens";
  static constexpr std::string_view kHelp =
      "Ratings of items by users, read from a file (u.data of MovieLens-100K) or generated.";

  std::optional<sim::InputFile> path;
  RatingsShape generated;     ///< used without a path
  std::size_t features = 20;  ///< p
  double ridge = 0.1;
  std::size_t sweeps = 10;
  std::size_t neighbours = 10;
  double test_fraction = 0.2;
  Instances instances = Instances::kTest;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Throws DataError. Cost that of alternate_least_squares, and for the graph the sum over items of their
/// squared numbers of ratings.
DataSet make_data(const MovieLens& options, const sim::Streams& streams);

/// Cosine of the ratings of one user and of each user, a missing rating counting as 0; 0 for a user whose
/// ratings are all 0. `ratings` must outlive it.
Closeness rating_cosine(const Ratings& ratings);

}  // namespace hearsay::models
