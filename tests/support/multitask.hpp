#pragma once
// Multi-task protocols run without a scenario.
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

/// Low-rank tasks with `records` records each, 30 % of them for training.
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

}  // namespace hearsay::test
