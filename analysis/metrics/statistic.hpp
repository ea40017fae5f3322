#pragma once
// Statistics over owners of a metric with one value for each owner. Owners without a value (NaN: those without test
// records) are left out.
#include <array>
#include <span>
#include <vector>

#include "models/learning/problem.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::analysis {

enum class Statistic {
  kMean,
  kMedian,
  kMin,
  kMax,
  kLowerQuartile,
  kUpperQuartile,
  kWorstDecile,
  kQ1,
  kQ2,
  kQ3,
  kQ4,
  kHonest,
  kHostile
};
constexpr auto choices_of(Statistic) {
  return std::to_array<sim::Choice>(
      {{"mean", "mean over owners"},
       {"median", "median over owners"},
       {"min", "minimum over owners"},
       {"max", "maximum over owners"},
       {"lower_quartile", "25 % quantile over owners"},
       {"upper_quartile", "75 % quantile over owners"},
       {"worst_decile", "mean over the tenth of the owners (rounded up) with the worst values"},
       {"q1", "mean over the quarter of owners with the fewest training records"},
       {"q2", "mean over the second quarter of owners by number of training records"},
       {"q3", "mean over the third quarter of owners by number of training records"},
       {"q4", "mean over the quarter of owners with the most training records"},
       {"honest", "mean over the honest agents"},
       {"hostile", "mean over the hostile agents"}});
}
/// Whether it also exists of a metric with one value, which is then that of the group's models.
constexpr bool is_group(Statistic statistic) {
  return statistic == Statistic::kHonest || statistic == Statistic::kHostile;
}

/// The statistic of the owners' values; `higher_is_better` says which are the worst, `hostile` by owner who is (empty: no owner).
/// NaN if no owner has a value.
double statistic_of(Statistic statistic, std::span<const double> values, const models::Problem& problem,
                    bool higher_is_better, const std::vector<bool>& hostile = {});

}  // namespace hearsay::analysis
