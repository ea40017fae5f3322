#pragma once
// Where collaborating begins to pay on a map over two axes.
#include <cstddef>

#include "analysis/figures/study_data.hpp"
#include "analysis/store/json.hpp"

namespace hearsay::analysis {

/// The cells of a map over axes `x` and `y` at which owners gain by collaborating: the mean over owners of their mean gain
/// (GainCounts) is above 0. And the edges between such cells and others, as the cell to the left or below and the edge
/// "right" or "top". Rows have the labels of the axes as in row_of().
struct BreakEven {
  Json paying = Json::array(), edges = Json::array();
  std::size_t cells = 0;  ///< with a gain, paying or not
};
BreakEven break_even(const StudyData& study, std::size_t metric, std::size_t x, std::size_t y);

}  // namespace hearsay::analysis
