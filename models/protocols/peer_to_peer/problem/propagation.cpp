#include "models/protocols/peer_to_peer/problem/propagation.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <stdexcept>
#include <vector>

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr sim::AgentId kDirect = 2000;

Sparse system_of(const PersonalProblem& problem) {
  const sim::Topology& graph = problem.topology();
  const auto n = Index{problem.agents()};
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(problem.agents() + 2 * graph.edges());
  for (sim::AgentId i = 0; i < problem.agents(); ++i) {
    const PersonalProblem::Agent& a = problem.agent(i);
    const auto row = static_cast<int>(i);
    entries.emplace_back(row, row, a.weight * (1 + a.pull));
    const auto neighbours = graph.neighbours(i);
    for (std::uint32_t k = 0; k < neighbours.size(); ++k)
      entries.emplace_back(row, static_cast<int>(neighbours[k]), -graph.weight(graph.first_edge(i) + k));
  }
  Sparse system(n, n);
  system.setFromTriplets(entries.begin(), entries.end());
  return system;
}

template <class Solver>
MatrixXd solve(Solver& solver, const Sparse& system, const MatrixXd& rhs) {
  solver.compute(system);
  MatrixXd solution = solver.solve(rhs);
  if (solver.info() != Eigen::Success) throw std::runtime_error("model propagation was not solved");
  return solution;
}

}  // namespace

MatrixXd propagate(const PersonalProblem& problem, const MatrixXd& local) {
  const Sparse system = system_of(problem);
  MatrixXd rhs(local.cols(), local.rows());  // n x p: one system a coordinate
  for (sim::AgentId i = 0; i < problem.agents(); ++i)
    rhs.row(i) = problem.agent(i).weight * problem.agent(i).pull * local.col(i).transpose();
  if (problem.agents() <= kDirect) {
    Eigen::SimplicialLDLT<Sparse> solver;
    return solve(solver, system, rhs).transpose();
  }
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> solver;
  solver.setTolerance(1e-14);
  return solve(solver, system, rhs).transpose();
}

}  // namespace hearsay::models
