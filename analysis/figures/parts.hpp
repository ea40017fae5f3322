#pragma once
// Parts of specifications, as JSON text.
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/template.hpp"

namespace hearsay::analysis {

/// Whether numbers need a logarithmic scale: all above 0, and over two decades.
bool spans_decades(const std::vector<double>& numbers);

/// "relative_fitness", with its unit.
std::string title_of(const MetricInfo& metric);

/// {"type": "log"}, or a linear scale that need not include 0.
std::string scale(bool logarithmic);

/// By axis: whether it distinguishes points (distinguishing_axes).
std::vector<bool> distinguishing(const StudyData& study, const std::vector<std::size_t>& taken = {});

/// The axes of more than one value, except the `taken` and those that distinguish nothing besides them and each
/// other; numbers in StudyData::axes.
std::vector<std::size_t> other_axes(const StudyData& study, const std::vector<std::size_t>& taken);

/// Selectors that fix axes at one value each: a parameter with a drop-down list for each axis, and the condition
/// under which a row is shown. Rows have the labels as "a0", "a1", ... by number of the axis.
struct Selectors {
  std::vector<std::string> parameters;
  std::string condition = "true";
};
Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed);
/// {"name": ..., "value": ..., "bind": a drop-down list}; values as JSON text.
std::string selector(std::string_view name, const std::vector<std::string>& options, std::string_view title,
                     const std::vector<std::string>& labels = {});
std::string axis_key(std::size_t axis);
/// The labels of a point, for the axes of more than one value.
Members labels_of(const StudyData& study, const FigurePoint& point);

/// Colour by the values of an axis: in their order, numbers from dark to light.
std::string colour(const StudyData& study, std::size_t axis);

/// The values of an axis from left to right: its numbers, which rows have as "n0", "n1", ..., with its labels, or
/// its labels in order.
std::string along(const StudyData& study, std::size_t axis);
std::string number_key(std::size_t axis);

/// [{"field": ..., "title": ...}, ...]
std::string tooltip(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace hearsay::analysis
