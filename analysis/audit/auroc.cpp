#include "analysis/audit/auroc.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace hearsay::analysis {

double auroc(std::span<const double> in, std::span<const double> out) {
  if (in.empty() || out.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(out.begin(), out.end());
  std::ranges::sort(sorted);
  double above = 0;
  for (const double score : in) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
    above += static_cast<double>(first - sorted.begin()) + static_cast<double>(last - first) / 2;
  }
  return above / (static_cast<double>(in.size()) * static_cast<double>(out.size()));
}

}  // namespace hearsay::analysis
