#pragma once
// Parts of specifications.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/results/json.hpp"

namespace hearsay::analysis {

/// The template of that name with each "$key" replaced by the value of that key. A member or element "$key" without
/// a value is removed, and so is an object whose "$when" names a key without a value.
Json fill(std::string_view name, const Json& values);

/// A number to seven digits, more than can be seen.
double seven_digits(double x);

/// The row of a point: quartiles as "m", "l" and "h", the labels of the axes of more than one value as "a0", "a1", ...
/// by number of the axis.
Json row_of(const StudyData& study, const FigurePoint& point, const Quartiles& quartiles);
std::string axis_key(std::size_t axis);
/// {"m": "median", ...} as entries of a tooltip.
inline const std::vector<std::pair<std::string, std::string>> kQuartileNames{
    {"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}};
/// [{"field": ..., "title": ...}, ...]
Json tooltip(const std::vector<std::pair<std::string, std::string>>& fields);

/// Whether the quartiles of rows need a logarithmic scale: all above 0, and over two decades.
bool spans_decades(const Json& rows);
/// {"type": "log"}, or a linear scale that need not include 0.
Json scale(bool logarithmic);

/// "relative_fitness", with its unit.
std::string title_of(const MetricInfo& metric);

/// By axis: whether it distinguishes points (distinguishing_axes).
std::vector<bool> distinguishing(const StudyData& study, const std::vector<std::size_t>& taken = {});
/// The axes of more than one value, except the `taken` and those that distinguish nothing besides them and each
/// other; numbers in StudyData::axes.
std::vector<std::size_t> other_axes(const StudyData& study, const std::vector<std::size_t>& taken = {});

/// Selectors that fix axes at one value each: a parameter with a drop-down list for each axis, and the condition
/// under which a row is shown.
struct Selectors {
  Json parameters = Json::array();
  std::string condition = "true";
};
Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed);
/// One such parameter; `labels` of the options, if they are not their own.
Json selector(const std::string& name, const Json& options, const std::string& title,
              const Json& labels = nullptr);

/// Colour by the values of an axis: in their order, numbers from dark to light.
Json colour(const StudyData& study, std::size_t axis);

/// The values of an axis from left to right: its numbers, which rows have as "n0", "n1", ..., with its labels, or
/// its labels in order.
Json along(const StudyData& study, std::size_t axis);

}  // namespace hearsay::analysis
