#pragma once
// Parts that specifications are made of.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/figures/study_data.hpp"

namespace hearsay::analysis {

/// A number for JSON: null where there is none. Seven digits, which are more than can be seen.
nlohmann::json shown(double x);

/// Whether a quantity is best seen on a logarithmic scale: all numbers above 0, and over two decades.
bool spans_decades(const std::vector<double>& numbers);

/// "relative_fitness", with its unit.
std::string title_of(const Metric& metric);

/// {"type": "log"} or a linear scale that need not reach 0.
nlohmann::json scale(bool logarithmic);

/// By axis: whether it tells points apart that the `taken` ones and those before it do not (telling_axes).
std::vector<bool> telling(const StudyData& study, const std::vector<std::size_t>& taken = {});

/// The axes of more than one value, but for the `taken` and those that tell nothing beside them and each
/// other; numbers in StudyData::axes.
std::vector<std::size_t> other_axes(const StudyData& study, const std::vector<std::size_t>& taken);

/// Selectors that hold the `fixed` axes at one value each: a parameter with a drop-down list for each, and
/// the condition under which a row is shown. Rows have the labels as "a0", "a1", ... by number of the axis.
struct Selectors {
  nlohmann::json parameters = nlohmann::json::array();
  std::string condition = "true";
};
Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed);
std::string axis_key(std::size_t axis);
/// Adds the labels of a point to a row, for the axes of more than one value.
void add_labels(nlohmann::json& row, const StudyData& study, const FigurePoint& point);

/// Colour by the values of an axis: in their order, numbers from dark to light.
nlohmann::json colour(const StudyData& study, std::size_t axis);

/// Along the numbers of an axis, which rows have as "n0", "n1", ...; its values are named as they were
/// written.
nlohmann::json along_numbers(const StudyData& study, std::size_t axis);
std::string number_key(std::size_t axis);

/// {"field": ..., "type": ..., "title": ...}
nlohmann::json field(std::string_view name, std::string_view type, std::string_view title);
/// Text that a pointed-at mark shows: of {field, title} pairs.
nlohmann::json tooltip(const std::vector<std::pair<std::string, std::string>>& fields);

/// A specification as wide as its place.
nlohmann::json figure_of(nlohmann::json rows, int height);

}  // namespace hearsay::analysis
