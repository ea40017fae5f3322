#pragma once
// The release of an owner of central_async, by the call that the protocol makes: one owner's mean of clipped
// gradients with noise, for one of two neighbouring data sets.
#include <boost/math/distributions/beta.hpp>
#include <cstdint>

#include "models/run/context.hpp"
#include "tests/support/study_fixture.hpp"

namespace hearsay::test {

/// Clopper-Pearson bounds of a probability after k successes of n, each wrong with probability alpha.
inline double clopper_pearson_low(std::uint64_t k, std::uint64_t n, double alpha) {
  if (k == 0) return 0;
  const boost::math::beta_distribution<double> law(static_cast<double>(k), static_cast<double>(n - k + 1));
  return quantile(law, alpha);
}
inline double clopper_pearson_high(std::uint64_t k, std::uint64_t n, double alpha) {
  if (k == n) return 1;
  const boost::math::beta_distribution<double> law(static_cast<double>(k + 1), static_cast<double>(n - k));
  return quantile(complement(law, alpha));
}

/// One owner of four records in R^p. The gradient of the first record at 0 is along the first axis, much longer
/// than any clip, in one of two directions: the two data sets are neighbours whose clipped gradients differ as
/// much as possible.
inline models::DataSet neighbour(bool other, Eigen::Index p) {
  models::DataSet data;
  for (Eigen::Index j = 0; j < p; ++j) data.feature_names.push_back("x" + std::to_string(j));
  models::Shard shard{models::Records::Zero(4, p), Eigen::VectorXd::Ones(4)};
  shard.features(0, 0) = 1000;
  shard.target[0] = other ? 1 : -1;
  shard.features.bottomRows(3).setConstant(0.01);
  data.train.push_back(shard);
  data.test.push_back({models::Records(0, p), Eigen::VectorXd(0)});
  data.owner_names.emplace_back("owner");
  return data;
}

class Releasing {
 public:
  Releasing(bool other, Eigen::Index p, const models::PrivacyOptions& privacy, std::uint64_t releases,
            std::uint64_t seed)
      : fixture_(neighbour(other, p), model(), privacy, 1, sim::Star{}, true, seed),
        world_(fixture_.world(fixture_.engine())),
        context_(*world_),
        theta_(Eigen::VectorXd::Zero(p)) {
    context_.open_account(1, releases);
  }

  /// The next release.
  models::Vector operator()() { return *context_.release(1, context_.gradient(1, theta_)); }
  /// The same without noise.
  Eigen::VectorXd exact() { return context_.keep_local(context_.gradient(1, theta_)).inside_owner(); }
  const models::World& world() const { return *world_; }
  double sensitivity() const { return world_->study.privacy.sensitivity(4); }

 private:
  static models::ModelOptions model() {
    models::ModelOptions m;
    m.theta_max = 10;
    return m;
  }

  StudyFixture fixture_;
  std::unique_ptr<models::World> world_;
  models::Context context_;
  Eigen::VectorXd theta_;
};

}  // namespace hearsay::test
