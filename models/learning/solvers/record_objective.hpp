#pragma once
// The mean loss of some owners' records with a regulariser, and its minimiser over R^p:
//
//   f(theta) = (1/n) sum over the records of loss(x . (offset + theta), y) + (ridge/2) norm_2(theta)^2 + tilt . theta
//
// The one local solver of all protocols: of an owner's model alone, of a local model that is added to a fixed shared one
// (offset), or of a perturbed objective (tilt).
#include <Eigen/Core>

#include <span>

#include "models/learning/problem.hpp"
#include "models/learning/solvers/projected_newton.hpp"

namespace hearsay::models {

using Owners = std::span<const std::size_t>;

/// The Hessian at theta of the sum of an owner's losses as an operator: X^T diag(loss''(s_k)) X, s = X theta. With softmax
/// v is V in R^(K x d), and record k gives the matrix u x_k^T, u = (diag(q_k) - q_k q_k^T) V x_k.
class RecordCurvature {
 public:
  /// `loss` need not be the problem's, but softmax where that is. The problem must outlive it.
  RecordCurvature(const Problem& problem, std::size_t owner, const Loss& loss,
                  const Eigen::Ref<const Eigen::VectorXd>& theta);
  /// out += factor times the diagonal.
  void add_diagonal(double factor, Eigen::Ref<Eigen::VectorXd> out) const;
  /// out += factor H v.
  void add_product(const Eigen::Ref<const Eigen::VectorXd>& v, double factor,
                   Eigen::Ref<Eigen::VectorXd> out) const;

 private:
  const Records& x_;
  Eigen::VectorXd curvature_;  // loss'' of each record
  Eigen::MatrixXd classes_;    // softmax in its place: q of each record, n x K
};

struct Regulariser {
  double ridge = 0;
  Eigen::VectorXd offset = {}, tilt = {};  ///< R^p; empty: 0
};

/// f for a loss, which need not be the problem's. Without records the mean loss is 0. O(n p) a value, gradient or product,
/// O(n p^2) the Hessian. The problem and the owners must outlive it.
SmoothFunction record_objective(const Problem& problem, Owners owners, const Loss& loss,
                                const Regulariser& regulariser);

/// projected_newton() from 0 of an f of the problem's loss; `held`: by a ridge. Where nothing holds theta and a direction
/// separates the classes, or some of their records while the others do not change, f falls for ever: the residual is infinite.
NewtonResult minimise_from_zero(const Problem& problem, Owners owners, const SmoothFunction& f, bool held,
                                double limit);

/// argmin f for the problem's loss by Newton's method, to norm_inf(grad f) <= 1e-10 max(1, norm_inf(grad f(0))). Throws
/// std::invalid_argument for a loss that is not smooth, std::runtime_error where the iteration does not get there:
/// separable classes need ridge > 0, and so does softmax, of a linear model, which takes a ridge alone. O(n p^2 + p^3) an
/// iteration, or some hundred n p (projected_newton.hpp).
Eigen::VectorXd minimise_records(const Problem& problem, Owners owners, const Regulariser& regulariser);
/// The same of one owner.
Eigen::VectorXd minimise_records(const Problem& problem, std::size_t owner, const Regulariser& regulariser);
/// The same with a ridge alone, computed once for a problem, owner and ridge.
const Eigen::VectorXd& minimise_alone(const Problem& problem, std::size_t owner, double ridge);

// The regularised mean softmax loss of a linear model over some owners' records, for Newton's method:
//
//   f(W) = (1/n) sum over the records of [log(sum_k exp(s_k)) - s_y] + (ridge/2) norm_2(W)^2,   s = W x,  W in R^(K x d)
//   block (k, l) of the Hessian, d x d:   (1/n) sum q_k ([k = l] - q_l) x x^T + [k = l] ridge I,   q = softmax(s)

/// softmax(W x) of records x (n x d): n x K. `theta` has the rows of W one after another.
Eigen::MatrixXd class_probabilities(const Records& x, const Eigen::Ref<const Eigen::VectorXd>& theta,
                                    Eigen::Index classes);

/// O(n K d) a value, gradient or product, O(n K^2 d^2) the Hessian. The problem and the owners must outlive it.
SmoothFunction softmax_objective(const Problem& problem, Owners owners, double ridge);

}  // namespace hearsay::models
