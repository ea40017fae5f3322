#pragma once
// Vectors computed from private data. Neither type converts to what Context::send and Context::publish take.
#include <Eigen/Core>

#include <utility>

namespace hearsay::models {

class Context;
class World;

/// Can not be read. It becomes a plain vector through Context::release, which adds noise and charges the owner's
/// account, or a LocalVector through Context::keep_local.
class Sensitive {
 public:
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;
  Sensitive(Sensitive&&) = default;
  Sensitive& operator=(Sensitive&&) = default;
  ~Sensitive() = default;

 private:
  friend class Context;
  friend class World;
  Sensitive(Eigen::VectorXd value, double sensitivity)
      : value_(std::move(value)), sensitivity_(sensitivity) {}

  Eigen::VectorXd value_;
  double sensitivity_;  // largest difference between neighbouring data sets, in the mechanism's norm
};

/// Without noise, for use inside its owner. What is computed from it must be released before it leaves
/// (Context::sensitive, then Context::release).
class LocalVector {
 public:
  LocalVector() = default;
  /// The numbers, for the owner's own computation.
  const Eigen::VectorXd& inside_owner() const { return value_; }

 private:
  friend class Context;
  explicit LocalVector(Eigen::VectorXd value) : value_(std::move(value)) {}

  Eigen::VectorXd value_;
};

}  // namespace hearsay::models
