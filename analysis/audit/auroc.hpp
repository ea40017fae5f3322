#pragma once
#include <span>

namespace hearsay::analysis {

/// Area under the receiver operating characteristic: the probability that a score of `in` is above one of `out`, where a
/// tie counts 1/2 (Mann and Whitney 1947). NaN if one of them is empty. O(n log n).
double auroc(std::span<const double> in, std::span<const double> out);

}  // namespace hearsay::analysis
