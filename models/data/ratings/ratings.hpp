#pragma once
// Ratings that users give to items.
#include <cstddef>
#include <string>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct Rating {
  std::size_t item;
  double value;
};

/// One list a user, by ascending item, no item twice.
struct Ratings {
  std::vector<std::vector<Rating>> of_user;
  std::size_t items = 0;
  std::vector<std::string> user_names = {};

  std::size_t users() const { return of_user.size(); }
  std::size_t count() const;
};

/// Reads lines `user item rating timestamp`, separated by tabs, without a header (the u.data of
/// MovieLens-100K); the timestamp may be missing. Users and items are whole numbers and come in their order.
/// Throws DataError, which names the file and line.
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

}  // namespace hearsay::models
