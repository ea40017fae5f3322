#pragma once
// Canaries of an audit: records that are in the data, or not, and that an adversary looks for. One replaces a record of
// its owner, so that numbers of records, noise and schedules stay as they are.
//
// Scores theta . x, a bound b of a record's gradient and a direction v, norm_2(v) = 1. In: target y; out: target -y, or with
// add_remove x = 0, which has no gradient. The divisor of a mean is public, and the same.
//
//   clipped, squared loss        x = v, y = 1000 max(1, b): the gradient, cut to b, is b v wherever models go
//   clipped, other losses        x = v 2 b/|slope(0, 1)|, y = 1: it is b v while the slope keeps half of its start
//   bounds declared or derived   x as long as they allow, y at its bound, and 2 norm(x) |y| <= b
//   bound given alone            norm(x) = b/(largest slope), y = 1; squared loss: b/2, y = 1, so that a changed label changes
//                                the gradient by 2 b, wherever models go
//
// norm: that of the bound, norm_1 with Laplace noise.
//
// Other models, and a record of the data: in: as it is; out: features 0, or where gradients are clipped and a record can be
// replaced, another target: of another class, or the negative one.
#include <Eigen/Core>

#include <cstddef>
#include <optional>

#include "models/run/privacy.hpp"

namespace hearsay::models {

struct Canary {
  std::size_t owner = 0;
  Eigen::Index record = 0;  ///< of the owner; with PrivacyUnit::kOwner all its records are canaries
  std::optional<Eigen::VectorXd> direction{};  ///< of the features; nothing: the record of the data
};

/// Whether records are planted in directions: the score is theta . x, and the budget states a bound.
bool plants_directions(const ModelOptions& model, const Budget& budget);
/// Throws std::invalid_argument where neighbouring data sets cannot be made by overwriting records.
void require_plantable(const ModelOptions& model, const Budget& budget, bool directions);
/// Puts a canary into the data, or what is there without it.
void plant(DataSet& data, const ModelOptions& model, const Budget& budget, const Canary& canary, bool in);

/// Loss of one record.
double loss_of(const Problem& problem, std::size_t owner, Eigen::Index record,
               const Eigen::Ref<const Eigen::VectorXd>& theta);

}  // namespace hearsay::models
