#pragma once
// The learning problem that owners share; const once built.
//
//   f(theta) = g(theta) + (1/n) sum_i sum_{k <= n_i} loss(s(theta, x_ik), y_ik),   n = sum_i n_i
//   g(theta) = l2 norm_2(theta)^2, or (l2/2) norm_2(theta)^2 with l2_half
//   theta in R^p, norm_inf(theta) <= theta_max where there is a box
//
// The score s is theta . x, so that p is the number of features; or those of a network (models/learning/networks/network.hpp):
// a score for each of K classes, or a hidden layer.
//
// Over a set S of owners f_S has the same g and the mean over their records alone.
#include <Eigen/Core>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "models/algebra/norm.hpp"
#include "models/data/data_set.hpp"
#include "models/learning/memo.hpp"
#include "models/learning/networks/network.hpp"
#include "models/learning/start_options.hpp"
#include "models/losses/loss.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

/// The "model" of a scenario.
struct ModelOptions {
  Loss loss = {};
  NetworkOptions network = {};
  double l2 = 1e-5;
  bool l2_half = false;
  std::optional<double> theta_max = {};
  std::optional<StartOptions> start = {};
  void describe(sim::Visitor& v);
  /// Whether the score is theta . x.
  bool one_score() const { return loss.scalar() && convex(); }
  /// Whether f is convex.
  bool convex() const { return std::holds_alternative<LinearScores>(network); }
  /// Whether targets are classes; of a model in Python, where it has errors.
  bool classifies() const;
  /// Where learning starts.
  StartOptions begins() const {
    return start.value_or(convex() ? StartOptions(ZeroStart{}) : UniformStart{});
  }
};

/// Whether a problem of two classes must have records of both: those that noise has flipped need not.
enum class Classes { kGiven, kPerturbed };

/// The number of classes 0, ..., K - 1: of the names, or 1 + the largest target, of training records unless the data know more.
Eigen::Index classes_of(const DataSet& data);
/// Names the classes of a loss of several where the data do not. Their number is private then, and listed as fitted.
void name_classes(DataSet& data, const ModelOptions& model);

/// Mean, over records, of squared loss as a quadratic about a reference point r:
///   mean loss(theta) = value + 2 slope . d + d^T a d,  gradient = 2 (a theta - b),   d = theta - r
/// with a = X^T X/n (p x p) and b = X^T y/n. About the least-squares solution the value carries no
/// cancellation, so that differences to the optimum are exact to rounding.
struct Moments {
  Eigen::MatrixXd a = {};
  Eigen::VectorXd b = {}, slope = {};  ///< slope = a r - b, half the gradient at r
  double c = 0;                        ///< y^T y/n
  double value = 0;                    ///< mean loss at r
};

/// What is public of a problem: sizes, loss, regulariser, declared bounds. Records are not reached through it; who needs
/// them for something that is run or released asks Study::exact().
class PublicProblem {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Out = Eigen::Ref<Eigen::VectorXd>;

  /// Numbers of a vector: the parameters, but for a problem of_width().
  Eigen::Index p() const { return width_ > 0 ? width_ : parameters(); }
  Eigen::Index parameters() const { return network_ ? network_->p() : features(); }
  Eigen::Index features() const { return data_->p(); }
  std::size_t owners() const { return data_->owners(); }
  Eigen::Index n() const { return n_; }
  Eigen::Index n(std::size_t owner) const { return data_->train[owner].target.size(); }
  /// For measures that average over owners: throws DataError if one has no training record.
  void require_records_of_all() const;
  /// Declared bounds of every training record.
  const std::optional<DeclaredBounds>& bounds() const { return data_->bounds; }
  const ModelOptions& model() const { return model_; }
  const Loss& loss() const { return model_.loss; }
  /// Whether f is a quadratic function, known by its moments.
  bool quadratic() const { return loss().quadratic() && !network_; }
  /// What computes scores other than theta . x; null for those.
  const RecordModel* network() const { return network_.get(); }
  /// Where learning starts, p numbers from (kStart), in the order of theta: as model().start says, by default at 0, and
  /// uniform with a hidden layer; 0 of a problem of_width().
  Eigen::VectorXd start(const sim::Streams& streams) const;

  /// Strong convexity of g: 2 l2, or l2 with l2_half. g = (sigma/2) norm_2^2 either way.
  double sigma() const { return model_.l2_half ? model_.l2 : 2 * model_.l2; }
  double regulariser(In theta) const { return sigma() / 2 * theta.squaredNorm(); }
  /// out = grad g = sigma theta.
  void regulariser_gradient(In theta, Out out) const;
  /// Clamps to the box; returns how many coordinates it moved.
  Eigen::Index project(Out theta) const;
  /// Bound of norm_1 of any record's gradient anywhere in the box, from the declared bounds; nothing where
  /// the data declare none, the loss needs a box and there is none, or there is a hidden layer.
  std::optional<double> derived_gradient_bound() const;

 protected:
  // Study::exact() returns the Problem that each of these is.
  PublicProblem(DataSet data, ModelOptions model)
      : data_(std::make_shared<const DataSet>(std::move(data))), model_(std::move(model)) {}
  PublicProblem(const PublicProblem&) = default;
  PublicProblem(PublicProblem&&) = default;
  ~PublicProblem() = default;

  std::shared_ptr<const DataSet> data_;
  ModelOptions model_;
  std::shared_ptr<const RecordModel> network_ = {};
  Eigen::Index n_ = 0;
  Eigen::Index width_ = 0;  // of vectors; 0: as many as parameters
};

class Problem : public PublicProblem {
 public:
  /// Throws DataError when there is no training record, a classifier's targets are not -1 and +1 or all of one
  /// class, or a number is not finite. An owner may have no training record: its mean loss and gradient are
  /// then 0. Cost O(n p^2) for squared loss, else O(n p).
  Problem(DataSet data, ModelOptions model, Classes of = Classes::kGiven);
  Problem(Problem&&) = default;

  /// The same problem for runs whose vectors are not parameters but `width` numbers each (run/stand_in.hpp): sizes,
  /// bounds and what follows from the data alone are the same, and losses and gradients cannot be asked for.
  Problem of_width(Eigen::Index width) const {
    Problem other(*this);
    other.width_ = width;
    return other;
  }

  const DataSet& data() const { return *data_; }

  /// f, and f_S of some owners. O(p^2) an owner for squared loss, else O(n p).
  double objective(In theta) const;
  double objective(In theta, std::span<const std::size_t> owners) const;
  /// Whether the loss is computed from a score theta . x of each record.
  bool has_scores() const { return !quadratic() && !network_; }
  /// Mean loss over the records of one owner, without g. `keep`: empty, or where has_scores() n_i numbers, the owner's
  /// scores afterwards.
  double mean_loss(std::size_t owner, In theta, std::span<double> keep = {}) const;

  /// out = gradient of the mean loss over the owner's training records, without g; p numbers. Allocates
  /// nothing; O(p^2) for a quadratic f, else O(n_i p). `out` must not overlap theta. `known`: the scores that
  /// mean_loss has kept at the same theta, which are not computed again; or empty.
  void mean_gradient(std::size_t owner, In theta, Out out, std::span<const double> known = {}) const;
  /// The same with every record's gradient scaled down to norm at most `bound`, or left out where it is not finite;
  /// returns the share of such records. O(n_i p).
  double mean_gradient_clipped(std::size_t owner, In theta, double bound, Norm norm, Out out,
                               std::span<const double> known = {}) const;
  /// out = (1/divisor) sum over some of the owner's records of their loss gradients, each scaled down to `norm`
  /// at most `bound` where that is finite; returns how many it scaled. O(p) a record.
  Eigen::Index gradient_of_records(std::size_t owner, std::span<const Eigen::Index> records, In theta,
                                   double divisor, double bound, Norm norm, Out out) const;
  /// Largest norm of a record's gradient at theta, over all training records. O(n p).
  double largest_record_gradient(In theta, Norm norm) const;

  /// Mean test error (squared error or share misclassified): over all test records, or one owner's; NaN
  /// without any.
  double test_error(In theta) const;
  double test_error(std::size_t owner, In theta) const;
  /// Mean loss over all test records; NaN without any.
  double test_loss(In theta) const;
  /// About what they take one thread over all test records, and objective() over all owners, ns.
  double time_of_test() const { return static_cast<double>(test_records_ * p()); }
  double time_of_objective() const { return static_cast<double>((quadratic() ? p() : n()) * p()); }

  /// Smallest and largest eigenvalue of the Hessian of the pooled mean loss, without g: squared loss only
  /// (else throws std::logic_error). O(p^3).
  std::pair<double, double> hessian_extremes() const;
  /// The larger of them, kept in the memo; nothing for other losses, and where it would take more than some seconds.
  std::optional<double> largest_curvature() const;

  /// Squared loss only: the moments of an owner, and of a set of owners.
  const Moments& moments(std::size_t owner) const { return (*moments_)[owner]; }
  Moments pooled_moments(std::span<const std::size_t> owners) const;
  /// The point that the moments are about.
  const Eigen::VectorXd& reference() const { return reference_; }
  /// 0, 1, ..., owners() - 1.
  std::span<const std::size_t> everyone() const { return everyone_; }

  /// What has been worked out from this problem, for all runs that share it.
  const Memo& memo() const { return *memo_; }

 private:
  Problem(const Problem&) = default;  // shares all that is large

  // Norms of all records, worked out when first asked for: only clipping needs them.
  struct RecordNorms {
    std::once_flag once;
    std::vector<Eigen::VectorXd> by_owner;
  };
  struct NormCache {
    RecordNorms l1, l2;
  };

  const Eigen::VectorXd& record_norms(std::size_t owner, Norm norm) const;
  void check_targets(Classes of) const;
  void check_classes() const;
  Eigen::Index classes() const;
  void gather_moments();
  double mean_loss(const Moments& m, In theta) const;

  std::vector<std::size_t> everyone_, tested_;  ///< all owners, those that have test records
  Eigen::Index test_records_ = 0;
  std::shared_ptr<std::vector<Moments>> moments_;  ///< squared loss: one an owner
  Moments pooled_;
  Eigen::VectorXd reference_;
  std::shared_ptr<NormCache> norms_ = std::make_shared<NormCache>();
  std::shared_ptr<Memo> memo_ = std::make_shared<Memo>();
};

/// Bound of norm_1 of any record's gradient anywhere in the box, from the declared bounds; nothing where the data declare
/// none, the loss needs a box and there is none, or there is a hidden layer.
std::optional<double> derived_gradient_bound(const ModelOptions& model,
                                             const std::optional<DeclaredBounds>& declared);

}  // namespace hearsay::models
