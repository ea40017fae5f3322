#pragma once
// A model with its loss, as a problem sees it where the score is not theta . x.
#include <Eigen/Core>

#include <memory>
#include <span>
#include <vector>

#include "models/algebra/norm.hpp"
#include "models/data/data_set.hpp"
#include "sim/options/code.hpp"

namespace hearsay::models {

class RecordModel {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Out = Eigen::Ref<Eigen::VectorXd>;

  virtual ~RecordModel() = default;

  virtual Eigen::Index p() const = 0;
  virtual Eigen::Index scores() const = 0;
  /// Number of inputs of the layer that theta_j belongs to.
  virtual Eigen::Index inputs(Eigen::Index j) const = 0;

  /// Sum over the records of a shard of their losses, and of their errors.
  virtual double total_loss(const Shard& shard, In theta) const = 0;
  virtual double total_error(const Shard& shard, In theta) const = 0;
  /// out = sum of the records' gradients, each scaled down to `norm` at most `bound`, which may be infinite, or left out
  /// where it is not finite; returns of how many. Of all records of a shard, or `factor` times that of some. `out` must not
  /// overlap theta.
  virtual Eigen::Index sum_gradients(const Shard& shard, In theta, double bound, Norm norm,
                                     Out out) const = 0;
  virtual Eigen::Index sum_gradients(const Shard& shard, std::span<const Eigen::Index> records, In theta,
                                     double factor, double bound, Norm norm, Out out) const = 0;
  /// Largest norm of a record's gradient over a shard.
  virtual double largest_gradient(const Shard& shard, In theta, Norm norm) const = 0;

 protected:
  RecordModel() = default;
  RecordModel(const RecordModel&) = default;
  RecordModel& operator=(const RecordModel&) = default;
};

/// A class of another language that has been loaded as a model.
class ModelCode : public sim::Code {
 public:
  bool has_errors = false;  ///< errors are not the losses, but 0 or 1: a model of classes
  /// For d features. Throws std::invalid_argument for what the class says is wrong.
  virtual std::shared_ptr<const RecordModel> make(const std::vector<sim::CodeValue>& values,
                                                  Eigen::Index features) const = 0;
};

}  // namespace hearsay::models
