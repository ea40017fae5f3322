#include "models/protocols/peer_to_peer/personal_metrics.hpp"

#include <algorithm>

namespace hearsay::models {

PersonalProbe::PersonalProbe(const PersonalProblem& problem, const Study& study,
                             std::span<const ProtocolMetric> others)
    : problem_(problem) {
  const auto asked = [&](const ProtocolMetric& m) { return study.asks_for(m.name); };
  wanted_ = std::any_of(kPersonalMetrics.begin(), kPersonalMetrics.end(), asked) ||
            std::any_of(others.begin(), others.end(), asked);
}

void PersonalProbe::start(const Eigen::MatrixXd& models) {
  if (!wanted_) return;
  tracker_.start(problem_, models);
  start_ = tracker_.value(models);
}

double PersonalProbe::objective(const World& world) const {
  return tracker_.active() ? tracker_.value(world.models) : problem_.objective(world.models);
}

double PersonalProbe::measure(std::size_t k, const World& world) const {
  const double q = objective(world);
  switch (k) {
    case 0:
      return q;
    case 1:
      return q - problem_.optimum().value;
    default:
      return q / problem_.optimum().value - 1;
  }
}

}  // namespace hearsay::models
