#pragma once
// What figures show of each owner, from the runs of a point.
#include <array>
#include <vector>

#include "analysis/figures/study_data.hpp"

namespace hearsay::analysis {

/// One run, reduced to what figures need.
struct ReducedRun {
  std::uint32_t repetition = 0;
  std::array<std::vector<double>, kAlongNames.size()> x{};  ///< one per sample
  std::vector<std::vector<double>> metrics{};               ///< by metric; one per sample
  std::vector<std::vector<double>> last{};                  ///< by metric; its last value or values
  std::vector<Scalar> scalars{};
};

/// Values (only if `detailed`), baselines and gains of metric number `m`. An isolated model belongs to the point, or to a run that draws its
/// own data.
OwnerValues owner_values(const StudyHead& head, std::size_t m, const PointResult& point,
                         const std::vector<ReducedRun>& runs, bool detailed = true);

/// Whether some value of epsilon_seen is no guarantee.
bool takes_gradients_as_fixed(const std::vector<ReducedRun>& runs);
/// What adversaries have seen, by distance.
std::vector<SeenAtDistance> seen_at_distances(const std::vector<ReducedRun>& runs, bool antithetic);

/// `most` of `values`, evenly spaced in ascending order of their medians.
std::vector<Statistics> sample_of(std::vector<Statistics> values, std::size_t most);

/// `most` of 0 .. size - 1, evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t size, std::size_t most);

}  // namespace hearsay::analysis
