#pragma once
// Which of the agents' models metrics measure: the learner's if there is one, else those of all agents; every owner's
// where each has a model and agent 0, the hub, has none. Of a group of agents: those of them that belong to it.
#include <Eigen/Core>

#include <vector>

#include "analysis/store/study.hpp"
#include "models/run/world.hpp"

namespace hearsay::analysis {

/// As long as the world exists.
class MeasuredModels {
 public:
  explicit MeasuredModels(const models::World& w)
      : models_(w.models),
        hostile_(w.study.hostile),
        first_(w.study.own_models ? w.agent(0) : 0),
        count_(w.study.own_models ? static_cast<Eigen::Index>(w.problem().owners())
               : w.hub            ? 1
                                  : w.models.cols()) {}

  auto columns() const { return models_.middleCols(first_, count_); }
  /// Of hostile or of honest agents: p x their number, which may be 0.
  Eigen::MatrixXd of(bool hostile) const {
    Eigen::MatrixXd some(models_.rows(), count_);
    Eigen::Index n = 0;
    for (Eigen::Index c = first_; c < first_ + count_; ++c)
      if ((hostile_ != nullptr && hostile_->is(static_cast<sim::AgentId>(c))) == hostile)
        some.col(n++) = models_.col(c);
    return some.leftCols(n);
  }
  /// What a run keeps of them.
  std::vector<AgentModel> copy() const {
    std::vector<AgentModel> all;
    for (Eigen::Index c = first_; c < first_ + count_; ++c) {
      const double* const begin = models_.col(c).data();
      all.push_back({static_cast<sim::AgentId>(c), {begin, begin + models_.rows()}});
    }
    return all;
  }

 private:
  const Eigen::MatrixXd& models_;
  const models::HostileAgents* hostile_;
  Eigen::Index first_, count_;
};

}  // namespace hearsay::analysis
