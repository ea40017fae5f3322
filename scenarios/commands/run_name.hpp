#pragma once
#include <fmt/format.h>

#include <string>

#include "analysis/results/study.hpp"

namespace hearsay::scenarios {

/// "privacy.epsilon=0.1, repetition 3"
inline std::string run_name(const analysis::StudyHead& head, const analysis::PointResult& point,
                            std::uint32_t repetition) {
  std::string name;
  for (std::size_t a = 0; a < head.axes.size(); ++a)
    name += fmt::format("{}={}, ", head.axes[a], point.labels[a]);
  return name + fmt::format("repetition {}", repetition);
}

}  // namespace hearsay::scenarios
