#pragma once
// Parts of specifications.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/store/json.hpp"

namespace hearsay::analysis {

/// The template of that name with each "$key" replaced by the value of that key. A member or element "$key" without
/// a value is removed, and so is an object whose "$when" names a key without a value.
Json fill(std::string_view name, const Json& values);

/// A number to seven digits, more than can be seen.
double seven_digits(double x);

/// The row of a point: median and quartiles as "m", "l" and "h", mean and its interval as "e", "f" and "g", the labels of the axes of more than one value as "a0", "a1", ...
/// by number of the axis.
Json row_of(const StudyData& study, const FigurePoint& point, const Statistics& statistics);
std::string axis_key(std::size_t axis);
/// Adds the numbers of the axes, as "n0", "n1", ...
void add_numbers(const StudyData& study, const FigurePoint& point, Json& row);
/// {"m": "median", ...} as entries of a tooltip.
inline const std::vector<std::pair<std::string, std::string>> kStatisticNames{
    {"m", "median"}, {"l", "lower quartile"},     {"h", "upper quartile"},
    {"e", "mean"},   {"f", "95 % interval from"}, {"g", "95 % interval to"}};
/// The title of an axis that shows the median of a metric. The page replaces it when it shows means.
std::string median_of(const std::string& metric);
/// [{"field": ..., "title": ...}, ...]
Json tooltip(const std::vector<std::pair<std::string, std::string>>& fields);

/// The baselines of a metric, as rows with name "b" and value "v": one for each point, with its labels, or one for all
/// if they are equal at all points.
struct References {
  Json rows = Json::array();
  bool varying = false;
};
References references(const StudyData& study, std::size_t metric);
/// The bounds on a metric at the points: rows with name "b", value "v", labels and numbers of the axes.
Json bound_rows(const StudyData& study, std::size_t metric);
/// Adds to each row, which has number "n0", "n1", ... of `axis`, the same as "d0", ..., moved aside by its value of the
/// axis `by`, so that points at one place do not hide each other: by less than half of the smallest step.
void dodge(Json& rows, const StudyData& study, std::size_t axis, std::optional<std::size_t> by);
/// The label of every point, of the axes that distinguish it.
std::string name_of(const StudyData& study, const FigurePoint& point);
/// The names of a point's owners, each different: with the agent's number where two are equal, or empty.
std::vector<std::string> different_names(const FigurePoint& point);

/// Whether the quartiles of rows need a logarithmic scale: all above 0, and over two decades.
bool spans_decades(const Json& rows);
/// {"type": "log"}, or a linear scale that need not include 0.
Json scale(bool logarithmic);

/// "10 repetitions", "1 repetition"; "3 to 10 repetitions" if points differ.
std::string repetitions(const StudyData& study);
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

/// The values of an axis from left to right: its numbers, which rows have as "d0", "d1", ..., with its labels, or
/// its labels in order.
Json along(const StudyData& study, std::size_t axis);

}  // namespace hearsay::analysis
