#include "analysis/tables/baseline_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace hearsay::analysis {

std::string measured_on(const std::vector<std::string>& metrics) {
  std::vector<std::string> all = metrics, parts;
  const auto own = std::stable_partition(all.begin(), all.end(), [](const std::string& name) {
    return !name.starts_with("own_") && !name.ends_with("_by_owner");
  });
  if (own != all.begin())
    parts.push_back(fmt::format("{}: on the data of all owners", fmt::join(all.begin(), own, ", ")));
  if (own != all.end())
    parts.push_back(fmt::format("{}: on the owner's own test records", fmt::join(own, all.end(), ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> baseline_lines(const StudyHead& study, const PointSummary& point) {
  std::vector<std::string> lines;
  for (const auto& [name, medians] : point.baselines) {
    std::vector<std::string> metrics;
    for (std::size_t m = 0; m < medians.size(); ++m) {
      if (!std::isnan(medians[m])) metrics.push_back(study.metrics[m].name);
    }
    lines.push_back(fmt::format("{} without privacy; {}",
                                name == "isolated" ? "isolated: mean over the owners' own models,"
                                                   : "pooled: one model learned from all records,",
                                measured_on(metrics)));
  }
  return lines;
}

}  // namespace hearsay::analysis
