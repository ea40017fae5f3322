// The parts of docs/example-parts as kinds of their options, and the sources that visit all kinds.
#include "models/data/data_options.hpp"
#include "models/learning/problem.cpp"
#include "models/learning/solvers/record_objective.cpp"
#include "sim/network/latency.cpp"

using namespace hearsay;

double use_parts() {
  models::DataOptions data(models::TwoBlobs{.owners = 3});
  models::ModelOptions model;
  model.loss = models::HuberLoss{.width = 0.5};
  const models::Problem problem(models::make_data(data, sim::Streams(1, 0)), model);
  const sim::LatencyOptions latency(sim::Weibull{.shape = 0.7, .average = 0.02});
  return problem.objective(Eigen::VectorXd::Zero(problem.p())) + latency.random_part().mean();
}
