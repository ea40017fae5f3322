#pragma once
// A vector computed from private data. It can not be read, sent or published: it becomes a plain vector only
// through Context::release, which adds noise and charges the owner's budget, or Context::keep_local, for use
// inside its owner.
#include <Eigen/Core>

#include <utility>

namespace hearsay::models {

class Context;
class World;

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

}  // namespace hearsay::models
