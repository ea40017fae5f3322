#pragma once
// Features of items from ratings, by alternating least squares.
#include <Eigen/Core>

#include "models/data/ratings/ratings.hpp"

namespace hearsay::models {

/// Minimises
///   sum over ratings (r_ij - u_i . v_j)^2 + ridge (sum_i n_i norm_2(u_i)^2 + sum_j m_j norm_2(v_j)^2)
/// with n_i, m_j the numbers of ratings of user i and item j, in turns: a sweep sets every
///   u_i = (sum_j v_j v_j^T + ridge n_i I)^-1 sum_j r_ij v_j,  then every v_j likewise from the u_i.
/// `items`: p x items, the v_j as columns, start and result; that of an item without ratings becomes 0.
/// Zhou, Wilkinson, Schreiber, Pan, "Large-scale parallel collaborative filtering for the Netflix prize"
/// (2008), section 3. ridge > 0. O(sweeps p^2 (ratings + p (users + items))).
void alternate_least_squares(const Ratings& ratings, double ridge, std::size_t sweeps,
                             Eigen::MatrixXd& items);

}  // namespace hearsay::models
