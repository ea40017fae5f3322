#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// What of the gradient at `models` may be rounding: sums of D_ii (Theta_i - neighbours') that nearly cancel.
double rounding(const PersonalProblem& problem, const VectorXd& models) {
  return 16 * std::numeric_limits<double>::epsilon() * problem.max_lipschitz() *
         models.lpNorm<Eigen::Infinity>();
}

// The Hessian of Q (personal_problem.hpp) on vectors of n p numbers, agent by agent:
//   (H v)_i = D_ii v_i - sum_j W_ij v_j + mu D_ii c_i ( hess(losses of i) v_i/m_i + 2 lambda_i v_i )
Curvature stacked(const PersonalProblem& problem, const VectorXd& models) {
  const Index p = problem.p();
  const auto share = [&problem](sim::AgentId i) {  // mu D_ii c_i/m_i
    const PersonalProblem::Agent& a = problem.agent(i);
    return a.weight * a.pull / std::max(1.0, static_cast<double>(problem.problem().n(i)));
  };
  Curvature c{.diagonal = VectorXd(models.size())};
  std::vector<RecordCurvature> losses;
  VectorXd own(models.size());  // D_ii (1 + mu c_i 2 lambda_i)
  for (sim::AgentId i = 0; i < problem.agents(); ++i) {
    const PersonalProblem::Agent& a = problem.agent(i);
    own.segment(i * p, p).setConstant(a.weight * (1 + a.pull * 2 * a.lambda));
    c.diagonal.segment(i * p, p) = own.segment(i * p, p);
    losses.emplace_back(problem.problem(), i, problem.problem().loss(), models.segment(i * p, p))
        .add_diagonal(share(i), c.diagonal.segment(i * p, p));
  }
  c.product = [=, &problem, losses = std::move(losses), own = std::move(own)](const VectorXd& v,
                                                                              VectorXd& out) {
    const sim::Topology& graph = problem.topology();
    out = own.cwiseProduct(v);
    for (sim::AgentId i = 0; i < problem.agents(); ++i) {
      const auto neighbours = graph.neighbours(i);
      for (std::uint32_t k = 0; k < neighbours.size(); ++k)
        out.segment(i * p, p) -= graph.weight(graph.first_edge(i) + k) * v.segment(neighbours[k] * p, p);
      losses[i].add_product(v.segment(i * p, p), share(i), out.segment(i * p, p));
    }
  };
  return c;
}

}  // namespace

PersonalOptimum minimise(const PersonalProblem& problem) {
  constexpr double kTolerance = 1e-10;
  const auto n = Index{problem.agents()};
  const auto as_models = [&](const VectorXd& stack) {
    return Map<const MatrixXd>(stack.data(), problem.p(), n);
  };
  MatrixXd gradient;
  const SmoothFunction q{.value = [&](const VectorXd& stack) { return problem.objective(as_models(stack)); },
                         .gradient =
                             [&](const VectorXd& stack, VectorXd& out) {
                               problem.gradient(as_models(stack), gradient);
                               out = gradient.reshaped();
                             },
                         .curvature = [&](const VectorXd& stack) { return stacked(problem, stack); }};
  const NewtonResult r = projected_newton(q, VectorXd::Zero(problem.p() * n),
                                          std::numeric_limits<double>::infinity(), kTolerance);
  if (!(r.residual <= kTolerance || r.residual * r.scale <= rounding(problem, r.theta)))
    throw std::runtime_error(
        fmt::format("no convergence to the minimiser of Q: gradient {:g} of that at 0 after {} Newton steps",
                    r.residual, r.iterations));
  return {
      .models = as_models(r.theta), .value = q.value(r.theta), .residual = r.residual, .steps = r.iterations};
}

}  // namespace hearsay::models
