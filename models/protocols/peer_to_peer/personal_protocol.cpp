#include "models/protocols/peer_to_peer/personal_protocol.hpp"

#include <algorithm>

namespace hearsay::models {

PersonalProtocol::PersonalProtocol(const PersonalOptions& options, const Study& study,
                                   std::span<const ProtocolMetric> others)
    : personal_(options, study.diagnosed(), study.topology) {
  const auto asked = [&](const ProtocolMetric& m) { return study.asks_for(m.name); };
  wanted_ = std::any_of(kPersonalMetrics.begin(), kPersonalMetrics.end(), asked) ||
            std::any_of(others.begin(), others.end(), asked);
}

void PersonalProtocol::list_steps(const Study& study) const {
  if (personal_.options().lipschitz == Lipschitz::kData)
    study.exact("protocol.lipschitz: step size from private data");
}

void PersonalProtocol::track(const Eigen::MatrixXd& models) {
  if (!wanted_) return;
  tracker_.start(personal_, models);
  start_ = tracker_.value(models);
}

void PersonalProtocol::measure(std::size_t k, const World& world, std::span<double> out) const {
  const double q = tracker_.active() ? tracker_.value(world.models) : personal_.objective(world.models);
  switch (k) {
    case 0:
      out[0] = q;
      return;
    case 1:
      out[0] = q - personal_.optimum().value;
      return;
    default:
      out[0] = relative_excess(q, personal_.optimum().value);
  }
}

}  // namespace hearsay::models
