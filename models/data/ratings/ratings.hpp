#pragma once
// Ratings that users give to items.
#include <Eigen/Core>

#include "models/data/draw.hpp"

namespace hearsay::models {

struct Rating {
  std::size_t item;
  double value;
};

using RatingLists = std::vector<std::vector<Rating>>;

/// One list per user, by ascending item, no item twice.
struct Ratings {
  RatingLists of_user;
  std::size_t items = 0;
  std::vector<std::string> user_names = {};

  std::size_t users() const { return of_user.size(); }
  std::size_t count() const;
  /// One list per item; Rating::item is then the user.
  RatingLists of_item() const;
};

/// Reads lines `user item rating timestamp`, separated by tabs, without a header (the u.data of
/// MovieLens-100K); the timestamp may be missing. Users and items are whole numbers, in ascending order in the
/// result. Throws DataError, which names the file and line.
Ratings read_ratings(const sim::InputFile& file);

/// Sizes of generated ratings.
struct RatingsShape {
  static constexpr std::size_t kLeast = 20, kMost = 737;  ///< ratings of a user, as in MovieLens-100K
  std::size_t users = 943, items = 1682, ratings = 100'000;
};

/// Ratings 1, ..., 5 of the shape and about the moments of MovieLens-100K, from a model of rank 5:
///   counts   of a user in [kLeast, min(kMost, items)], lognormal in between, in total exactly shape.ratings
///   items    of a user without replacement, item j with weight exp(1.5 N(0, 1))
///   rating   round(m_i + b_j + 0.2 a_i . v_j + 0.75 N(0, 1)), clamped to 1, ..., 5, where
///            m_i ~ N(3.53, 0.45^2), b_j ~ N(0, 0.5^2), a_i, v_j ~ N(0, I_5)
/// Item j's draws are from (kData, kWholeStudy, j, kParameters), user i's from (kData, i, ...).
Ratings generate_ratings(const RatingsShape& shape, const sim::Streams& streams);

/// Minimises
///   sum over ratings (r_ij - u_i . v_j)^2 + ridge (sum_i n_i norm_2(u_i)^2 + sum_j m_j norm_2(v_j)^2)
/// with n_i, m_j the numbers of ratings of user i and item j. A sweep sets every
///   u_i = (sum_j v_j v_j^T + ridge n_i I)^-1 sum_j r_ij v_j,  then every v_j likewise from the u_i.
/// `items`: p x items, the v_j as columns, start and result; that of an item without ratings becomes 0.
/// Zhou, Wilkinson, Schreiber, Pan, "Large-scale parallel collaborative filtering for the Netflix prize"
/// (2008), section 3. ridge > 0. O(sweeps p^2 (ratings + p (users + items))).
void alternate_least_squares(const Ratings& ratings, double ridge, std::size_t sweeps,
                             Eigen::MatrixXd& items);

}  // namespace hearsay::models
