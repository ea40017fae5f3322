#pragma once
// Multi-task protocols run without a scenario, and a plain solver of their problem to compare them with.
#include <Eigen/SVD>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "models/data/synthetic/low_rank_tasks.hpp"
#include "models/protocols/multitask/async_mtl.hpp"
#include "models/protocols/multitask/sync_mtl.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

namespace hearsay::test {

/// Low-rank tasks of so many records each, 30 % of them for training.
inline models::DataSet low_rank_tasks(std::size_t count, std::size_t records, models::TaskTarget target,
                                      std::size_t features = 4) {
  models::LowRankTasks data;
  data.tasks = count;
  data.records = records;
  data.features = features;
  data.target = target;
  return make_data(data, sim::Streams(5, 0));
}

inline models::ModelOptions squared() {
  return {};
}
inline models::ModelOptions logistic() {
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  return model;
}

inline models::PrivacyOptions by_turn(double epsilon_1, double epsilon_2) {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::ExponentialNorm{};
  privacy.epsilon_1 = epsilon_1;
  privacy.epsilon_2 = epsilon_2;
  return privacy;
}

inline models::AsyncMtl::Params by_hand() {
  models::AsyncMtl::Params params;
  params.alpha_1 = 0.25;
  params.tau = 0.5;
  params.alpha_2 = 0.5;
  params.threshold = 0.125;
  params.start = models::TaskStart::kZero;
  return params;
}

/// The same with alpha_2 = 1/4, no threshold, block: of one record, p + q comes near 1 step by step.
inline models::AsyncMtl::Params quarter_steps() {
  auto params = by_hand();
  params.alpha_2 = 0.25;
  params.threshold = 0;
  params.column_update = models::ColumnUpdate::kBlock;
  return params;
}

/// The same for rounds.
inline models::SyncMtl::Params synchronous(const models::AsyncMtl::Params& same) {
  models::SyncMtl::Params params;
  static_cast<models::MultitaskOptions&>(params) = same;
  return params;
}

inline sim::NetworkOptions to_hub(double seconds) {
  sim::NetworkOptions network = latency(seconds);
  network.links.delayed_direction = sim::DelayedDirection::kToHub;
  return network;
}

template <class P>
class MultitaskRun {
 public:
  /// `look` is called at the start and after every iteration.
  MultitaskRun(const StudyFixture& fixture, const typename P::Params& params,
               const sim::NetworkOptions& network, const std::vector<Eigen::VectorXd>* noise = nullptr,
               const sim::ClockOptions& clocks = {}, const std::function<void(const P&)>& look = {},
               std::uint32_t repetition = 0,
               const std::function<bool(const models::World&, const P&)>& enough = {})
      : world(fixture.world(fixture.engine(network, clocks), repetition)), protocol(params, fixture.study()) {
    world->prescribed_noise = noise;
    Look watch(protocol, look, enough);
    end = models::Driver<P>(protocol, *world, watch).run();
  }

  std::vector<double> metric(std::string_view name) const {
    for (std::size_t k = 0; k < P::kMetrics.size(); ++k) {
      if (P::kMetrics[k].name != name) continue;
      std::vector<double> out(P::kMetrics[k].per_agent ? world->problem().owners() : 1);
      protocol.measure(k, *world, out);
      return out;
    }
    return {};
  }

  std::unique_ptr<models::World> world;
  P protocol;
  sim::End end;

 private:
  class Look final : public models::Observer {
   public:
    Look(const P& protocol, const std::function<void(const P&)>& look,
         const std::function<bool(const models::World&, const P&)>& enough)
        : protocol_(protocol), look_(look), enough_(enough) {
      every_iterations = look || enough ? 1 : 0;
    }
    void observe(const models::World&) override {
      if (look_) look_(protocol_);
    }
    bool reached(const models::World& w) override { return enough_ && enough_(w, protocol_); }

   private:
    const P& protocol_;
    std::function<void(const P&)> look_;
    std::function<bool(const models::World&, const P&)> enough_;
  };
};

inline double nuclear_norm(const Eigen::MatrixXd& m) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues().sum();
}

inline double joint_objective(const models::Problem& problem, const Eigen::MatrixXd& p,
                              const Eigen::MatrixXd& q, double lambda, double tau) {
  double sum = lambda * nuclear_norm(p) + tau / 2 * q.squaredNorm();
  for (std::size_t t = 0; t < problem.owners(); ++t)
    sum += problem.mean_loss(t, p.col(static_cast<Eigen::Index>(t)) + q.col(static_cast<Eigen::Index>(t)));
  return sum;
}

/// The minimiser over (P, Q) jointly by plain proximal gradient steps on both at a time, with one-sided Jacobi
/// rotations for the proximal operator. Squared loss, norm_2(x) <= 1.
inline std::pair<Eigen::MatrixXd, Eigen::MatrixXd> minimise_jointly(const models::Problem& problem,
                                                                    double lambda, double tau,
                                                                    int steps = 20000) {
  const auto tasks = static_cast<Eigen::Index>(problem.owners());
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(problem.p(), tasks), q = p, g = p;
  const double step = 0.2;
  for (int k = 0; k < steps; ++k) {
    for (Eigen::Index t = 0; t < tasks; ++t) {
      const models::Shard& shard = problem.data().train[static_cast<std::size_t>(t)];
      g.col(t) = 2 * shard.features.transpose() * (shard.features * (p.col(t) + q.col(t)) - shard.target) /
                 static_cast<double>(shard.target.size());
    }
    q -= step * (g + tau * q);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(p - step * g, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd s = (svd.singularValues().array() - step * lambda).max(0);
    p = svd.matrixU() * s.asDiagonal() * svd.matrixV().transpose();
  }
  return {p, q};
}

}  // namespace hearsay::test
