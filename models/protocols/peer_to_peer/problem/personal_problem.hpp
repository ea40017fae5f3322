#pragma once
// Personal models: every agent learns its own, and neighbours' models should be close.
//
// n agents on a connected graph with weights W_ij >= 0; D_ii = sum_j W_ij. Agent i holds m_i points (x, y), x in R^p,
// and learns Theta_i in R^p; Theta is p x n.
//
//   L_i(theta)  = (1/m_i) sum_k loss(theta; x_k, y_k) + lambda_i norm_2(theta)^2    lambda_i = 1/m_i by default
//   Q(Theta)    = 1/2 sum_{i<j} W_ij norm_2(Theta_i - Theta_j)^2 + mu sum_i D_ii c_i L_i(Theta_i)
//   c_i         = m_i/max_j m_j                                                     confidence in agent i's own data
//   Lloc_i        a Lipschitz constant of grad L_i
//   L_i         = D_ii (1 + mu c_i Lloc_i)                                          Lipschitz constant of Q in block i
//   alpha_i     = 1/(1 + mu c_i Lloc_i)                                             step of agent i
//   sigma       = mu min_i D_ii c_i 2 lambda_i                                      strong convexity of Q
//
// An agent without points has mean loss 0, lambda_i = 1, c_i = 1e-3 and Lloc_i = 2.
//
//   lipschitz data     Lloc_i = kappa lambda_max(X_i^T X_i)/m_i + 2 lambda_i
//   lipschitz public   Lloc_i = kappa R^2 + 2 lambda_i,  norm_2(x) <= R declared
//
// kappa bounds the second derivative of the loss in the score: 2 squared, 1/4 logistic, 1/w smoothed hinge, 1/2 softmax. The
// papers use the first; it is computed from the private data and enters every published model, which no proof of
// privacy covers.
//
// softmax: K classes and d features, Theta_i in R^p, p = K d, has the rows of W in R^(K x d) one after another. The
// Hessian of a point's loss is the Kronecker product A (x) x x^T, A = diag(q) - q q^T, q = softmax(W x). For
// norm_2(v) = 1, v . A v is the variance of v under q:
//
//   v . A v <= (max v - min v)^2/4 <= 1/2     by Popoviciu's inequality, and (a - b)^2 <= 2 (a^2 + b^2)
//
// with equality at q = (1/2, 1/2, 0, ...), v = (1, -1, 0, ...)/sqrt(2). So 0 <= A <= I/2, the mean Hessian is at most
// I (x) X^T X/(2 m), and kappa = 1/2 in both lines above. The gradients sum to 0 over the classes.
//
// Two classes are the logistic loss: for W = (-w/2, w/2) the losses of W and w are equal and norm_2(W)^2 = norm_2(w)^2/2.
// So Q of softmax with mu and lambda is half of Q of the logistic loss with 2 mu and lambda/2, the steps alpha_i are the
// same, and so are the runs of a protocol without noise.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, "Personalized and Private Peer-to-Peer Machine Learning",
// Sections 2 and 3; Vanhaesebrouck, Bellet, Tommasi 2017. The bound of A: Boehning 1992, "Multinomial logistic
// regression algorithm".
#include <Eigen/Core>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/run/setting.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::models {

enum class Lipschitz { kData, kPublic };
constexpr auto choices_of(Lipschitz) {
  return std::to_array<sim::Choice>({
      {"data", "From the largest eigenvalue of an agent's own data: not private."},
      {"public", "From a declared bound on norm_2(x)."},
  });
}

/// The options that all protocols on Q share.
struct PersonalOptions {
  double mu = 0.04;
  std::optional<double> lambda = {};  ///< lambda_i of all agents that hold points; none: 1/m_i
  Lipschitz lipschitz = Lipschitz::kData;
  std::optional<double> feature_bound = {};  ///< R; none: what the data declare
  void describe(sim::Visitor& v);
  /// Throws std::invalid_argument for a model that is not linear, a loss without Lipschitz gradient, a box, `public`
  /// without a declared bound, and an agent whose edges weigh nothing.
  void require(const Setting& setting) const;
  /// What else is to be said of the options, a sentence each.
  static std::vector<std::string> notes(const Study& study);
  /// The same of a protocol in which every owner makes one release.
  static std::vector<std::string> notes_of_one_release(const Study& study);
};

/// The minimiser of Q, computed independently of any protocol (minimise() below).
struct PersonalOptimum {
  Eigen::MatrixXd models = {};  ///< p x n
  double value = 0;             ///< Q*
  double residual = 0;          ///< norm_inf(grad Q) relative to that at 0
  int steps = 0;                ///< Newton steps
};

class PersonalProblem {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Out = Eigen::Ref<Eigen::VectorXd>;

  /// Owner i is agent i. What is expensive and does not depend on the graph is computed once per problem.
  /// Throws as PersonalOptions::require.
  /// Problem and topology must outlive it. O(n min(m, p)^3) the first time, then O(n + edges).
  PersonalProblem(const PersonalOptions& options, const Problem& problem, const sim::Topology& topology);

  const PersonalOptions& options() const { return options_; }
  const Problem& problem() const { return problem_; }
  const sim::Topology& topology() const { return topology_; }
  sim::AgentId agents() const { return topology_.agents(); }
  Eigen::Index p() const { return problem_.p(); }

  struct Agent {
    double weight = 0;      ///< D_ii
    double confidence = 0;  ///< c_i
    double lambda = 0;      ///< lambda_i
    double lipschitz = 0;   ///< Lloc_i
    double pull = 0;        ///< mu c_i
    double step = 0;        ///< alpha_i

    /// L_i.
    double block_lipschitz() const { return weight * (1 + pull * lipschitz); }
  };
  const Agent& agent(sim::AgentId i) const { return agents_[i]; }
  double mu() const { return options_.mu; }

  /// sigma, and the smallest and largest L_i.
  double strong_convexity() const { return sigma_; }
  double min_lipschitz() const { return min_lipschitz_; }
  double max_lipschitz() const { return max_lipschitz_; }
  /// C = 1 - sigma/(n L_max): the factor of Q - Q* in an update, in expectation.
  double contraction() const { return 1 - sigma_ / (static_cast<double>(agents()) * max_lipschitz_); }

  /// L_i, and out = grad L_i. O(m_i p). `keep`: see Problem::mean_loss.
  double local_objective(sim::AgentId i, In theta, std::span<double> keep = {}) const;
  void local_gradient(sim::AgentId i, In theta, Out out) const;
  /// Q of models (p x n), recomputed. O(edges p + n m p).
  double objective(const Eigen::MatrixXd& models) const;
  /// out = grad Q (p x n).
  void gradient(const Eigen::MatrixXd& models, Eigen::MatrixXd& out) const;

  /// Each agent's own minimiser of L_i, to norm_inf(grad L_i) <= 1e-10 (p x n). Found once per problem and
  /// lambda. O(n p^3) the first time.
  const Eigen::MatrixXd& local_minimisers() const;
  /// The minimiser of Q. Found once per problem, options and graph.
  const PersonalOptimum& optimum() const;

 private:
  PersonalOptions options_;
  const Problem& problem_;
  const sim::Topology& topology_;
  std::vector<Agent> agents_;
  double sigma_ = 0, min_lipschitz_ = 0, max_lipschitz_ = 0;
  mutable std::shared_ptr<const Eigen::MatrixXd> local_;
  mutable std::shared_ptr<const PersonalOptimum> optimum_;
};

// The minimiser of Q (personal_problem.hpp) by Newton's method on all n p numbers together
// (learning/solvers/projected_newton.hpp), so by another way than coordinate descent or ADMM. The Newton equations
//
//   [ (D - W) x I_p + mu diag_i( D_ii c_i hess L_i ) ] V = -grad Q
//
// are solved by conjugate gradients. Stops at norm_inf(grad Q) <= 1e-10 of that at 0, or where mu is so small that
// rounding does not allow it, at what rounding allows.

/// Throws std::runtime_error if the iteration does not get there. Draws nothing. Newton steps of a few hundred
/// products with the Hessian at most, each O(edges p + n m p).
PersonalOptimum minimise(const PersonalProblem& problem);

}  // namespace hearsay::models
