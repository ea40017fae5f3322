#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

#include <fmt/format.h>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/learning/solvers/record_objective.hpp"

// The Hessian of Q (personal_problem.hpp) at some models as an operator on vectors of n p numbers, agent by
// agent, for Eigen's iterative solvers:
//   (H v)_i = D_ii v_i - sum_j W_ij v_j + mu D_ii c_i ( X_i^T diag(loss''(s_k)) X_i v_i/m_i + 2 lambda_i v_i )
// With softmax v_i is V in R^(K x d), and record k gives the matrix u x_k^T instead, u = (diag(q_k) - q_k q_k^T) V x_k.
namespace hearsay::models {
class StackedHessian;
}

// What Eigen asks of an operator that is no matrix ("Matrix-free solvers" in its manual).
template <>
struct Eigen::internal::traits<hearsay::models::StackedHessian>
    : Eigen::internal::traits<Eigen::SparseMatrix<double>> {};

namespace hearsay::models {

class StackedHessian : public Eigen::EigenBase<StackedHessian> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };

  /// At `models` (p x n). The problem must outlive it.
  StackedHessian(const PersonalProblem& problem, const Eigen::MatrixXd& models);

  Eigen::Index rows() const { return diagonal_.size(); }
  Eigen::Index cols() const { return diagonal_.size(); }
  template <class Rhs>
  Eigen::Product<StackedHessian, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& v) const {
    return {*this, v.derived()};
  }
  /// out += factor H v.
  void add_product(const Eigen::VectorXd& v, double factor, Eigen::VectorXd& out) const;
  const Eigen::VectorXd& diagonal() const { return diagonal_; }

 private:
  const PersonalProblem& problem_;
  // mu D_ii c_i/m_i.
  double share(sim::AgentId i) const {
    const PersonalProblem::Agent& a = problem_.agent(i);
    return a.weight * a.pull / std::max(1.0, static_cast<double>(problem_.problem().n(i)));
  }

  std::vector<Eigen::VectorXd> curvatures_;  // share loss'' of each record, by agent
  std::vector<Eigen::MatrixXd> classes_;     // softmax in their place: q of each record, m_i x K, by agent
  Eigen::VectorXd diagonal_;
};

/// Division by the operator's diagonal.
class StackedJacobi {
 public:
  StackedJacobi() = default;
  explicit StackedJacobi(const StackedHessian& h) { compute(h); }
  StackedJacobi& analyzePattern(const StackedHessian&) { return *this; }
  StackedJacobi& factorize(const StackedHessian& h) { return compute(h); }
  StackedJacobi& compute(const StackedHessian& h) {
    inverse_ = h.diagonal().cwiseInverse();
    return *this;
  }
  template <class Rhs>
  Eigen::VectorXd solve(const Rhs& b) const {
    return inverse_.cwiseProduct(b);
  }
  Eigen::ComputationInfo info() const { return Eigen::Success; }

 private:
  Eigen::VectorXd inverse_;
};

}  // namespace hearsay::models

template <class Rhs>
struct Eigen::internal::generic_product_impl<hearsay::models::StackedHessian, Rhs, Eigen::SparseShape,
                                             Eigen::DenseShape, Eigen::GemvProduct>
    : generic_product_impl_base<hearsay::models::StackedHessian, Rhs,
                                generic_product_impl<hearsay::models::StackedHessian, Rhs>> {
  using Scalar = double;
  template <class Dest>
  static void scaleAndAddTo(Dest& out, const hearsay::models::StackedHessian& h, const Rhs& v,
                            const double& factor) {
    Eigen::VectorXd sum = out;
    h.add_product(v, factor, sum);
    out = sum;
  }
};

namespace hearsay::models {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;

StackedHessian::StackedHessian(const PersonalProblem& problem, const MatrixXd& models)
    : problem_(problem), diagonal_(models.size()) {
  const Loss& loss = problem.problem().loss();
  for (sim::AgentId i = 0; i < problem.agents(); ++i) {
    const Shard& shard = problem.problem().data().train[i];
    const PersonalProblem::Agent& a = problem.agent(i);
    auto diagonal = diagonal_.segment(i * problem.p(), problem.p());
    diagonal.setConstant(a.weight * (1 + a.pull * 2 * a.lambda));
    if (!loss.scalar()) {
      const Index classes = problem.problem().network()->scores();
      const MatrixXd& q = classes_.emplace_back(class_probabilities(shard.features, models.col(i), classes));
      Map<Records>(diagonal.data(), classes, shard.features.cols()) +=
          share(i) * (q.array() * (1 - q.array())).matrix().transpose() * shard.features.cwiseAbs2();
      continue;
    }
    VectorXd& curvature = curvatures_.emplace_back(shard.features * models.col(i));
    for (Index k = 0; k < curvature.size(); ++k)
      curvature[k] = share(i) * loss.curvature(curvature[k], shard.target[k]);
    diagonal += shard.features.cwiseAbs2().transpose() * curvature;
  }
}

void StackedHessian::add_product(const VectorXd& v, double factor, VectorXd& out) const {
  const sim::Topology& graph = problem_.topology();
  const Index p = problem_.p();
  VectorXd scores;
  for (sim::AgentId i = 0; i < problem_.agents(); ++i) {
    const PersonalProblem::Agent& a = problem_.agent(i);
    const auto own = v.segment(i * p, p);
    auto sum = out.segment(i * p, p);
    sum += factor * a.weight * (1 + a.pull * 2 * a.lambda) * own;
    const auto neighbours = graph.neighbours(i);
    for (std::uint32_t k = 0; k < neighbours.size(); ++k)
      sum -= factor * graph.weight(graph.first_edge(i) + k) * v.segment(neighbours[k] * p, p);
    const Records& x = problem_.problem().data().train[i].features;
    if (!classes_.empty()) {
      const MatrixXd& q = classes_[i];
      MatrixXd s = x * Map<const Records>(own.data(), q.cols(), x.cols()).transpose();  // m_i x K
      s.array() *= q.array();
      const VectorXd mean = s.rowwise().sum();
      s -= mean.asDiagonal() * q;
      Map<Records>(sum.data(), q.cols(), x.cols()).noalias() += factor * share(i) * s.transpose() * x;
      continue;
    }
    scores.noalias() = x * own;
    scores.array() *= factor * curvatures_[i].array();
    sum.noalias() += x.transpose() * scores;
  }
}

namespace {

// What of the gradient at `models` may be rounding: sums of D_ii (Theta_i - neighbours') that nearly cancel.
double rounding(const PersonalProblem& problem, const MatrixXd& models) {
  return 16 * std::numeric_limits<double>::epsilon() * problem.max_lipschitz() *
         models.lpNorm<Eigen::Infinity>();
}

}  // namespace

PersonalOptimum minimise(const PersonalProblem& problem) {
  constexpr double kTolerance = 1e-10, kSufficient = 1e-4;
  constexpr int kSteps = 200, kHalvings = 60;
  const auto n = Index{problem.agents()};
  PersonalOptimum r{.models = MatrixXd::Zero(problem.p(), n)};
  MatrixXd gradient, next, trial;
  problem.gradient(r.models, gradient);
  const double at_zero = gradient.lpNorm<Eigen::Infinity>();
  const double scale = at_zero > 0 ? at_zero : 1;
  r.value = problem.objective(r.models);
  r.residual = at_zero / scale;
  for (; r.residual > kTolerance; ++r.steps) {
    const auto fail = [&](const char* why) {
      return std::runtime_error(
          fmt::format("no convergence to the minimiser of Q: {} after {} steps, gradient {:g} of that at 0",
                      why, r.steps, r.residual));
    };
    if (r.steps == kSteps) throw fail("too many steps");
    const StackedHessian hessian(problem, r.models);
    Eigen::ConjugateGradient<StackedHessian, Eigen::Lower | Eigen::Upper, StackedJacobi> solver;
    solver.setTolerance(std::clamp(r.residual, 1e-8, 1e-2));
    solver.setMaxIterations(20 * (hessian.rows() + 100));
    solver.compute(hessian);
    const VectorXd step = solver.solve(VectorXd(-gradient.reshaped()));
    const MatrixXd direction = step.reshaped(problem.p(), n);

    // What differences of values, sums of many terms, can not resolve is judged by the gradient.
    const double noise = 1e-12 * std::abs(r.value);
    const double predicted = -(gradient.array() * direction.array()).sum();
    double length = 1;
    for (int halving = 0;; ++halving, length /= 2) {
      if (halving == kHalvings) {
        if (r.residual * scale <= rounding(problem, r.models)) return r;
        throw fail("no shorter step makes progress");
      }
      trial = r.models + length * direction;
      const double value = problem.objective(trial);
      if (!std::isfinite(value)) continue;
      if (length * predicted > noise && value > r.value - kSufficient * length * predicted) continue;
      problem.gradient(trial, next);
      const double residual = next.lpNorm<Eigen::Infinity>() / scale;
      if (length * predicted <= noise && !(residual < r.residual)) continue;
      r.models.swap(trial);
      gradient.swap(next);
      r.value = value;
      r.residual = residual;
      break;
    }
  }
  return r;
}

}  // namespace hearsay::models
