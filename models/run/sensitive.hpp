#pragma once
// Vectors computed from private data. Neither type converts to what Context::send and Context::publish take.
#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/privacy/accountants/theorems/tree.hpp"
#include "models/privacy/mechanisms/tree_noise.hpp"

namespace cereal {
class access;
}

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
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value_);
  }

 private:
  friend class Context;
  explicit LocalVector(Eigen::VectorXd value) : value_(std::move(value)) {}

  Eigen::VectorXd value_;
};

/// The sum of the owners' contributions that a hub has collected since its last release, at most one of each owner.
/// Context::collect adds to it, Context::release releases it with noise. With a tree a release is the running sum of
/// all rounds since the last restart, and owners must keep their positions.
class EntrustedSum {
 public:
  EntrustedSum(Eigen::Index p, std::size_t owners) : sum_(Eigen::VectorXd::Zero(p)), last_(owners) {}
  EntrustedSum(Eigen::Index p, std::size_t owners, const Tree& tree, TreeEstimate estimate)
      : EntrustedSum(p, owners) {
    tree_ = tree;
    noise_.emplace(p, estimate);
  }
  /// Contributions since the last release; releases so far.
  std::uint64_t contributions() const { return contributions_; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  friend class Context;
  friend class cereal::access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum_, last_, contributions_, rounds_);
    if (noise_) archive(*noise_);
  }

  Eigen::VectorXd sum_;
  std::vector<std::uint64_t> last_;  // by owner: number of the round that it has contributed to last, from 1
  std::uint64_t contributions_ = 0, rounds_ = 0;
  std::optional<Tree> tree_;
  std::optional<TreeNoise> noise_;
};

}  // namespace hearsay::models
