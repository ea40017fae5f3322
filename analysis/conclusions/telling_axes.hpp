#pragma once
// Which axes of a sweep tell its points apart. Axes that move together (a "zip" of five constants, say) are
// told by the first of them: a table or a figure that has all of them says the same thing five times.
#include <cstddef>
#include <string>
#include <vector>

namespace hearsay::analysis {

/// By axis: whether it tells points apart that those before it in its group do not, the `taken` ones of the
/// group coming first. The first axis of a group of which none is taken always does, and so does a taken one.
/// `labels`: a row a point, a label an axis; `groups`: equal for axes that move together, which stand side by
/// side; where it is empty each axis is on its own. O(points axes log points).
std::vector<bool> telling_axes(const std::vector<std::vector<std::string>>& labels,
                               const std::vector<std::size_t>& groups, std::size_t axes,
                               const std::vector<std::size_t>& taken = {});

}  // namespace hearsay::analysis
