#pragma once
// Privacy losses on a grid, and the moments from which their composition is planned.
#include <cstdint>
#include <vector>

#include "models/privacy/accountants/pld/hockey_stick.hpp"

namespace hearsay::models {

/// Between them lies what counts of a loss: beyond, the excess of hockey_stick.hpp is at most the cut.
struct LossRange {
  double lowest = 0, highest = 0;  ///< lowest < 0 < highest
};
LossRange loss_range(const HockeyStick& stick, HockeyStick::Direction direction, double cut);

/// P(L = losses[j]) of a discrete loss that dominates the exact one and agrees with its delta(epsilon) at
/// `losses`, which ascend and contain 0. `never` receives the probability of an infinite loss. Masses that
/// are zero in exact arithmetic come out as rounding errors of either sign, of the order of 1e-16/spacing.
std::vector<double> connect_the_dots(const HockeyStick& stick, HockeyStick::Direction direction,
                                     const std::vector<double>& losses, double& never);

/// A discrete loss, and how often it is incurred.
struct DiscreteLoss {
  std::vector<double> losses, masses;
  std::int64_t count = 1;
};

/// The dominating loss on about a thousand points, dense around 0: enough to plan with.
DiscreteLoss coarse_loss(const HockeyStick& stick, HockeyStick::Direction direction, const LossRange& range,
                         std::int64_t count);

/// K(theta) = ln E e^(theta sum L), and its derivatives: mean and variance of the sum under the tilted law.
struct Cumulants {
  double log_moment = 0, mean = 0, variance = 0;
};
Cumulants cumulants(const std::vector<DiscreteLoss>& losses, double theta);

}  // namespace hearsay::models
