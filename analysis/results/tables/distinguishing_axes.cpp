#include "analysis/results/tables/distinguishing_axes.hpp"

#include <algorithm>
#include <set>

namespace hearsay::analysis {

std::vector<bool> distinguishing_axes(const std::vector<std::vector<std::string>>& labels,
                                      const std::vector<std::size_t>& groups, std::size_t axes,
                                      const std::vector<std::size_t>& taken) {
  std::vector<bool> distinguishing(axes, true);
  const auto is_taken = [&](std::size_t axis) {
    return std::find(taken.begin(), taken.end(), axis) != taken.end();
  };
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end] == groups[begin]) ++end;
    std::vector<std::size_t> order;
    for (std::size_t axis = begin; axis < end; ++axis) order.push_back(axis);
    std::stable_partition(order.begin(), order.end(), is_taken);
    std::vector<std::vector<std::string>> so_far(labels.size());
    std::size_t combinations = 1;  // of the axes before
    for (const std::size_t axis : order) {
      for (std::size_t p = 0; p < labels.size(); ++p) so_far[p].push_back(labels[p][axis]);
      const std::size_t now = std::set(so_far.begin(), so_far.end()).size();
      distinguishing[axis] = axis == order.front() || is_taken(axis) || now > combinations;
      combinations = now;
    }
  }
  return distinguishing;
}

}  // namespace hearsay::analysis
