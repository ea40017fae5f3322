#pragma once
// Probabilities of rare events by fixed-effort multilevel splitting: trajectories that reach a level are continued, as many
// at every level, and the probability of the last level is the product of the shares that reach the next one. It is
// unbiased for fixed levels, whatever function of the trajectory they are levels of. Source: Garvels, "The splitting method
// in rare event simulation", 2000, section 2.3; Glynn, Asmussen, "Stochastic Simulation", 2007, section VI.9.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "analysis/conclusions/estimate.hpp"

namespace hearsay::analysis {

/// A trajectory until it reached a level, or its end.
struct Trajectory {
  double most = -std::numeric_limits<double>::infinity();  ///< largest value of the level function so far
  std::shared_ptr<const void> state{};                     ///< what others go on from; null: it has ended
};

/// What simulates trajectories, on several threads at a time.
struct Trajectories {
  virtual ~Trajectories() = default;
  /// From the start (`from` null) or the state of `from`, which is not null, until the level function is at least `level`,
  /// or to its end. Equal numbers draw the same, others independently.
  virtual Trajectory simulate(std::uint32_t number, const Trajectory* from, double level) = 0;
};

struct SplittingStage {
  double level = 0;
  std::uint64_t reached = 0;  ///< of the effort
};
struct RareEvent {
  /// Its interval is that of the logarithm, from the variance sum_i (1 - p_i)/(p_i effort) of independent stages: too narrow
  /// where what follows depends on the state at a level. Where nothing reaches a stage, up to the upper bound of Clopper and
  /// Pearson of its share.
  Estimate probability{};
  std::vector<SplittingStage> stages{};
};

/// `levels` increase. `effort` trajectories a stage are numbered from `first` on. `place`: uniform on [0, 1) for a number,
/// by which the states of a stage are dealt to the trajectories of the next one, each to as many, up to one. `confidence`:
/// of the interval, in (0, 1).
RareEvent split(const std::vector<double>& levels, std::uint32_t effort, std::uint32_t first,
                double confidence, const std::function<double(std::uint32_t)>& place,
                Trajectories& trajectories);

/// Levels up to `last` that about a share of trajectories reach from the one before: quantiles of the largest values of
/// `effort` whole trajectories a stage, of numbers from `first` on (adaptive multilevel splitting: Cerou, Guyader, "Adaptive
/// multilevel splitting for rare event analysis", 2007). At most kMostLevels; fewer where nothing gets beyond a level.
inline constexpr std::size_t kMostLevels = 200;
std::vector<double> choose_levels(double last, double share, std::uint32_t effort, std::uint32_t first,
                                  const std::function<double(std::uint32_t)>& place,
                                  Trajectories& trajectories);

}  // namespace hearsay::analysis
