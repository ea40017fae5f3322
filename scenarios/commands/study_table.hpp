#pragma once
// What commands share that print a table of a stored study.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "analysis/tables/pivot.hpp"
#include "scenarios/commands/arguments.hpp"
#include "scenarios/language/input_error.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

enum class TableFormat { kText, kCsv };
constexpr auto choices_of(TableFormat) {
  return std::to_array<sim::Choice>({{"text"}, {"csv"}});
}

/// The metrics of points at the end of their runs.
struct Finals {
  std::vector<std::vector<std::string>> labels;  ///< by point and axis
  std::vector<std::vector<std::vector<double>>>
      values;                                        ///< by point, metric and repetition; NaN: no such run
  std::vector<std::size_t> numbers;                  ///< of the points in the study
  std::vector<std::array<std::size_t, 4>> outcomes;  ///< by point and analysis::Status: runs
};

/// Of the points that are wanted; without a filter, of all.
Finals finals_of(analysis::StoredStudy& study, const analysis::PointFilter& wanted = {});

/// --at NAME=VALUE: the points at which swept options have these values.
Option at_option(const char* help);
/// Nothing without --at. Throws UsageError.
analysis::PointFilter points_at(const Parsed& values, const analysis::StudyHead& head);
[[noreturn]] void throw_no_points();
/// A label of an axis as tables show it.
std::string shown_label(const analysis::StudyHead& head, std::size_t axis, const std::string& label);
/// The swept options that the value of an option names, separated by commas, by number. Throws UsageError.
std::vector<std::size_t> axes_named(const Parsed& values, const char* option,
                                    const analysis::StudyHead& head);
/// Throws UsageError if points with equal values of the `taken` axes differ in another one. `advice`: what to do with it
/// other than to choose a value, "name it in --rows".
void require_decided(const analysis::PointLabels& labels, const analysis::StudyHead& head,
                     const std::vector<std::size_t>& taken, std::string_view advice);

/// The names of all metrics, as values of an option.
Names metric_names();

/// Prints rows of fields, the first the header, as CSV.
void print_csv(const std::vector<std::vector<std::string>>& rows);

/// What two studies do not share: "; only A has the axis x; only B has the axes y, z"; empty if they share all names.
std::string not_shared(std::string_view noun, std::string_view plural, const std::string& a,
                       const Names& of_a, const std::string& b, const Names& of_b);

/// "privacy.epsilon=1, ..."
std::string name_of(const analysis::StudyHead& head, const std::vector<std::string>& labels);
/// "privacy.epsilon=1, repetition 3"
std::string run_name(const analysis::StudyHead& head, const analysis::PointResult& point,
                     std::uint32_t repetition);

}  // namespace hearsay::scenarios
