#pragma once
// What commands share that print a table of a stored study.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "scenarios/language/input_error.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

enum class TableFormat { kText, kCsv };
constexpr auto choices_of(TableFormat) {
  return std::to_array<sim::Choice>({{"text"}, {"csv"}});
}

/// The metrics of every point at the end of its runs.
struct Finals {
  std::vector<std::vector<std::string>> labels;  ///< by point and axis
  std::vector<std::vector<std::vector<double>>>
      values;  ///< by point, metric and repetition; NaN: no such run
};

Finals finals_of(analysis::StoredStudy& study);

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
