#pragma once
// The axes of a sweep that distinguish its points. Of axes that vary together (a "zip" of five constants, say) the
// first often identifies the others: a table or figure with all of them repeats the same information.
#include <cstddef>
#include <string>
#include <vector>

namespace hearsay::analysis {

/// By axis: whether it distinguishes points that the axes before it in its group do not; the `taken` axes of the
/// group come first. True for a taken axis, and for the first axis of a group of which none is taken. `labels`: one
/// row per point, one label per axis; `groups`: equal for axes that vary together, which are adjacent; if it is
/// empty each axis is independent. O(points axes log points).
std::vector<bool> distinguishing_axes(const std::vector<std::vector<std::string>>& labels,
                                      const std::vector<std::size_t>& groups, std::size_t axes,
                                      const std::vector<std::size_t>& taken = {});

}  // namespace hearsay::analysis
