#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/algebra/dense.hpp"
#include "models/learning/solvers/record_objective.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of an agent that holds no points.
constexpr double kFaintConfidence = 1e-3, kEmptyLambda = 1, kEmptyLipschitz = 2;

double coupling_weight(sim::AgentId i, const sim::Topology& topology) {
  double weight = 0;
  for (std::uint32_t k = 0; k < topology.degree(i); ++k)
    weight += topology.weight(topology.first_edge(i) + k);
  return weight;
}

double declared_bound(const PersonalOptions& options, const std::optional<DeclaredBounds>& bounds) {
  if (options.feature_bound) return *options.feature_bound;
  if (bounds && std::isfinite(bounds->norm_2())) return bounds->norm_2();
  throw std::invalid_argument(
      "protocol.lipschitz public needs a public bound on norm_2 of a record's features: give "
      "protocol.feature_bound, or declare bounds of the data");
}

// lambda_max(X_i^T X_i)/m_i of every owner; 0 without records.
std::vector<double> spectral_norms(const Problem& problem) {
  std::vector<double> norms;
  for (const Shard& shard : problem.data().train) {
    const Index m = shard.features.rows();
    if (m == 0) {
      norms.push_back(0);
      continue;
    }
    MatrixXd gram;
    if (m < shard.features.cols()) {
      gram = shard.features * shard.features.transpose();
    } else {
      gram = shard.features.transpose() * shard.features;
    }
    norms.push_back(std::max(0.0, symmetric_eigenvalues(gram)[gram.rows() - 1]) / static_cast<double>(m));
  }
  return norms;
}

}  // namespace

void PersonalOptions::require(const Setting& setting) const {
  if (setting.model.theta_max)
    throw std::invalid_argument("a personalised protocol does not project: leave out model.theta_max");
  if (!setting.model.convex())
    throw std::invalid_argument("a personalised protocol needs a linear model: set model.network to linear");
  setting.model.loss.require_smooth();
  if (lipschitz == Lipschitz::kPublic) declared_bound(*this, setting.bounds);
  for (sim::AgentId i = 0; setting.topology != nullptr && i < setting.topology->agents(); ++i) {
    if (!(coupling_weight(i, *setting.topology) > 0))
      throw std::invalid_argument(fmt::format("agent {} has no neighbour with a weight above 0", i));
  }
}

std::vector<std::string> PersonalOptions::notes(const Study& study) {
  const double l2 = study.problem.model().l2;
  if (l2 == 0 || l2 == ModelOptions{}.l2) return {};
  return {
      "model.l2 has no effect in a personalised protocol: use protocol.lambda, the weight of "
      "norm_2(theta)^2, by default 1/m_i"};
}

std::vector<std::string> PersonalOptions::notes_of_one_release(const Study& study) {
  std::vector<std::string> all = notes(study);
  if (!study.privacy.steps.empty() && !study.privacy.expected)
    all.emplace_back("privacy.steps has no effect: every owner makes one release, with its whole budget");
  return all;
}

void PersonalOptions::describe(sim::Visitor& v) {
  v(mu, {.name = "mu",
         .help = "Weight of an agent's own loss relative to the coupling with its neighbours.",
         .source = "Bellet, Guerraoui, Taziki, Tommasi, equation (2)",
         .min = 0,
         .open_min = true});
  v(lambda, {.name = "lambda",
             .help = "Weight of the regulariser norm_2(theta)^2 of every agent; by default 1/m_i.",
             .source = "Bellet, Guerraoui, Taziki, Tommasi, equation (1)",
             .min = 0,
             .open_min = true});
  v(lipschitz,
    {.name = "lipschitz", .help = "Source of the Lipschitz constant that determines an agent's step."});
  v(feature_bound,
    sim::positive("feature_bound",
                  "Public bound on norm_2 of a record's features, for lipschitz public; by default "
                  "that declared by the data."));
}

PersonalProblem::PersonalProblem(const PersonalOptions& options, const Problem& problem,
                                 const sim::Topology& topology)
    : options_(options), problem_(problem), topology_(topology), agents_(topology.agents()) {
  if (topology.agents() != problem.owners()) {
    throw std::invalid_argument(
        fmt::format("a personalised protocol needs an agent for each of the {} owners, the network has {}",
                    problem.owners(), topology.agents()));
  }
  const Budget any = {};  // none of this is about privacy
  options.require({problem.model(), any, {}, problem.data().bounds, problem.owners(), &topology});
  const double kappa = problem.loss().max_curvature();
  const bool from_data = options.lipschitz == Lipschitz::kData;
  const double declared = from_data ? 0 : declared_bound(options, problem.data().bounds);
  std::shared_ptr<const std::vector<double>> norms;
  if (from_data) {
    norms = problem.memo().get<std::vector<double>>("personal spectral norms",
                                                    [&] { return spectral_norms(problem); });
  }
  Index most = 0;
  for (std::size_t i = 0; i < problem.owners(); ++i) most = std::max(most, problem.n(i));

  double weakest = std::numeric_limits<double>::infinity();
  min_lipschitz_ = weakest;
  for (sim::AgentId i = 0; i < topology.agents(); ++i) {
    Agent& a = agents_[i];
    a.weight = coupling_weight(i, topology);
    if (const Index m = problem.n(i); m > 0) {
      const auto count = static_cast<double>(m);
      a.confidence = count / static_cast<double>(most);
      a.lambda = options.lambda.value_or(1 / count);
      a.lipschitz = kappa * (from_data ? (*norms)[i] : declared * declared) + 2 * a.lambda;
    } else {
      a.confidence = kFaintConfidence;
      a.lambda = kEmptyLambda;
      a.lipschitz = kEmptyLipschitz;
    }
    a.pull = options.mu * a.confidence;
    a.step = 1 / (1 + a.pull * a.lipschitz);
    weakest = std::min(weakest, a.weight * a.confidence * 2 * a.lambda);
    min_lipschitz_ = std::min(min_lipschitz_, a.block_lipschitz());
    max_lipschitz_ = std::max(max_lipschitz_, a.block_lipschitz());
  }
  sigma_ = options.mu * weakest;
}

double PersonalProblem::local_objective(sim::AgentId i, In theta, std::span<double> keep) const {
  return problem_.mean_loss(i, theta, keep) + agents_[i].lambda * theta.squaredNorm();
}

void PersonalProblem::local_gradient(sim::AgentId i, In theta, Out out) const {
  problem_.mean_gradient(i, theta, out);
  out += 2 * agents_[i].lambda * theta;
}

double PersonalProblem::objective(const MatrixXd& models) const {
  double apart = 0, local = 0;
  for (sim::AgentId i = 0; i < agents(); ++i) {
    const auto neighbours = topology_.neighbours(i);
    for (std::uint32_t k = 0; k < neighbours.size(); ++k) {
      if (neighbours[k] < i) continue;
      apart += topology_.weight(topology_.first_edge(i) + k) *
               (models.col(i) - models.col(neighbours[k])).squaredNorm();
    }
    local += agents_[i].weight * agents_[i].pull * local_objective(i, models.col(i));
  }
  return apart / 2 + local;
}

void PersonalProblem::gradient(const MatrixXd& models, MatrixXd& out) const {
  out.resize(models.rows(), models.cols());
  for (sim::AgentId i = 0; i < agents(); ++i) {
    local_gradient(i, models.col(i), out.col(i));
    out.col(i) *= agents_[i].weight * agents_[i].pull;
    out.col(i) += agents_[i].weight * models.col(i);
    const auto neighbours = topology_.neighbours(i);
    for (std::uint32_t k = 0; k < neighbours.size(); ++k)
      out.col(i) -= topology_.weight(topology_.first_edge(i) + k) * models.col(neighbours[k]);
  }
}

const MatrixXd& PersonalProblem::local_minimisers() const {
  if (!local_) {
    const std::string lambda = options_.lambda ? fmt::format("{:a}", *options_.lambda) : "1/m";
    local_ = problem_.memo().get<MatrixXd>("personal local minimisers, lambda " + lambda, [&] {
      MatrixXd models(p(), agents());
      for (sim::AgentId i = 0; i < agents(); ++i)
        models.col(i) = minimise_records(problem_, i, {.ridge = 2 * agents_[i].lambda});
      return models;
    });
  }
  return *local_;
}

const PersonalOptimum& PersonalProblem::optimum() const {
  if (!optimum_) {
    const std::string lambda = options_.lambda ? fmt::format("{:a}", *options_.lambda) : "1/m";
    optimum_ = problem_.memo().get<PersonalOptimum>(
        fmt::format("personal optimum, mu {:a}, lambda {}, graph {:016x}", options_.mu, lambda,
                    topology_.fingerprint()),
        [&] { return minimise(*this); });
  }
  return *optimum_;
}

}  // namespace hearsay::models
