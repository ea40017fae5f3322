#pragma once
// Differences between points, paired by repetition. A repetition uses the same random numbers at every point, so
// that common noise cancels in the difference.
#include <string>
#include <vector>

namespace hearsay::analysis {

struct Difference {
  std::size_t pairs = 0;
  double mean = 0;           ///< of the differences
  double low = 0, high = 0;  ///< of its confidence interval; NaN of fewer than two pairs
  double reduction = 1;      ///< variance of the difference of independent runs over that of pairs
};

/// Student's t interval of the mean of `other[r] - reference[r]`, for normal differences or many of them:
/// mean +- t(1 - (1 - confidence)/2, pairs - 1) s/sqrt(pairs). Pairs with a number that is not finite are excluded.
Difference paired_difference(const std::vector<double>& reference, const std::vector<double>& other,
                             double confidence);

}  // namespace hearsay::analysis
