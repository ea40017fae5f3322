#pragma once
// Problems small enough to solve by hand.
#include <vector>

#include "models/data/synthetic/lending_like.hpp"
#include "models/learning/problem.hpp"
#include "models/privacy/budget/privacy_options.hpp"
#include "sim/network/network.hpp"

namespace hearsay::test {

/// Owner i holds sizes[i] records (x = 1, y = targets[i]), so that the gradient of its mean squared loss is
/// 2 (theta - y_i).
inline models::DataSet equal_records(const std::vector<double>& targets,
                                     const std::vector<Eigen::Index>& sizes) {
  models::DataSet data;
  data.feature_names = {"x"};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    data.train.push_back(
        {models::Records::Ones(sizes[i], 1), Eigen::VectorXd::Constant(sizes[i], targets[i])});
    data.test.push_back({models::Records(0, 1), Eigen::VectorXd(0)});
    data.owner_names.push_back("owner");
  }
  return data;
}

/// One such record per owner.
inline models::DataSet one_record_each(const std::vector<double>& targets) {
  return equal_records(targets, std::vector<Eigen::Index>(targets.size(), 1));
}

/// Random features with targets -1 and +1, so that every loss has a meaning; the classes overlap.
inline models::DataSet two_classes(std::size_t owners, std::size_t records, std::size_t p) {
  models::DataSet data =
      make_data(models::LendingLike{.owners = owners, .records = records, .features = p}, sim::Streams(3, 0));
  for (models::Shard& s : data.train) s.target = s.target.array().sign();
  return data;
}

/// Squared loss, g = (sigma/2) theta^2.
inline models::ModelOptions ridge(double sigma, std::optional<double> theta_max = {}) {
  models::ModelOptions model;
  model.l2 = sigma / 2;
  model.theta_max = theta_max;
  return model;
}

inline models::PrivacyOptions laplace(double epsilon, double bound) {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.epsilon = epsilon;
  privacy.gradient_bound = bound;
  return privacy;
}

inline sim::NetworkOptions latency(sim::Distribution law, double loss = 0) {
  sim::NetworkOptions network;
  network.links.latency = std::move(law);
  network.links.loss = sim::BernoulliLoss{loss};
  return network;
}

}  // namespace hearsay::test
