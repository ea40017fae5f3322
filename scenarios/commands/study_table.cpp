#include "scenarios/commands/study_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "analysis/metrics/metric.hpp"
#include "analysis/store/output_file.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

std::size_t axis_named(const char* option, const std::string& name, const analysis::StudyHead& head) {
  if (head.axes.empty()) throw UsageError(fmt::format("--{}: nothing is swept in this study", option));
  return Parsed::index_of(option, name, head.axes);
}

}  // namespace

Names metric_names() {
  return names_of(analysis::metrics());
}

Finals finals_of(analysis::StoredStudy& study, const analysis::PointFilter& wanted) {
  Finals all;
  std::size_t number = 0;
  bool skipped = false;
  study.each_run(
      [&](const analysis::PointResult& point) {
        skipped = wanted && !wanted(study.head().shown_labels(point.labels));
        if (!skipped) {
          all.labels.push_back(point.labels);
          all.values.emplace_back(study.head().metrics.size());
          all.numbers.push_back(number);
          all.outcomes.emplace_back();
        }
        ++number;
      },
      [&](const analysis::PointResult& point, const analysis::RunResult& run) {
        if (skipped) return;
        ++all.outcomes.back().at(static_cast<std::size_t>(run.status));
        if (run.status != analysis::Status::kDone) return;
        const std::vector<double> last = analysis::final_values(study.head(), point, run);
        for (std::size_t m = 0; m < last.size(); ++m) {
          std::vector<double>& mine = all.values.back()[m];
          mine.resize(run.repetition, std::numeric_limits<double>::quiet_NaN());
          mine.push_back(last[m]);
        }
      });
  return all;
}

Option at_option(const char* help) {
  return {"at", "NAME=VALUE", help, nullptr, true};
}

analysis::PointFilter points_at(const Parsed& values, const analysis::StudyHead& head) {
  std::map<std::size_t, std::vector<std::string>> wanted;  // by axis
  for (const std::string& written : values.all("at")) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("--at: expected a swept option and its value, NAME=VALUE, found '{}'",
                                   printable(written)));
    const std::size_t axis = axis_named("at", written.substr(0, equals), head);
    // Also as the CSV files have it.
    wanted[axis].push_back(shown_label(head, axis, written.substr(equals + 1)));
  }
  if (wanted.empty()) return {};
  return [wanted](const std::vector<std::string>& labels) {
    return std::ranges::all_of(wanted, [&](const auto& one) {
      return std::ranges::any_of(
          one.second, [&](const std::string& value) { return is_value(labels[one.first], value); });
    });
  };
}

std::string shown_label(const analysis::StudyHead& head, std::size_t axis, const std::string& label) {
  std::vector<std::string> labels(head.axes.size());
  labels[axis] = label;
  return head.shown_labels(labels)[axis];
}

void throw_no_points() {
  throw UsageError("--at: no point of the study has these values");
}

std::vector<std::size_t> axes_named(const Parsed& values, const char* option,
                                    const analysis::StudyHead& head) {
  std::vector<std::size_t> axes;
  if (!values.has(option)) return axes;
  std::istringstream all(values.text(option));
  for (std::string name; std::getline(all, name, ',');) axes.push_back(axis_named(option, name, head));
  if (axes.empty()) throw UsageError(fmt::format("--{}: expected a swept option, found ''", option));
  return axes;
}

void require_decided(const analysis::PointLabels& labels, const analysis::StudyHead& head,
                     const std::vector<std::size_t>& taken, std::string_view advice) {
  const std::vector<std::size_t> more = analysis::other_axes(labels, head.groups, head.axes.size(), taken);
  if (more.empty()) return;
  const std::string& axis = head.axes[more.front()];
  Names found;
  for (const auto& value : analysis::combinations(labels, {more.front()}).values)
    found.push_back(printable(shown_label(head, more.front(), value.front())));
  constexpr std::size_t kShown = 6;
  const std::string first = found.front(), etc = found.size() > kShown ? ", ..." : "";
  if (found.size() > kShown) found.resize(kShown);
  throw UsageError(fmt::format("{} still varies ({}{}): choose a value with --at '{}={}', or {}", axis,
                               fmt::join(found, ", "), etc, axis, first, advice));
}

void print_csv(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    std::string line = analysis::csv_prefix(row);
    line.back() = '\n';
    print_rows(line);
  }
}

std::string not_shared(std::string_view noun, std::string_view plural, const std::string& a,
                       const Names& of_a, const std::string& b, const Names& of_b) {
  std::string text;
  const auto add = [&](const std::string& study, const Names& mine, const Names& others) {
    Names own = mine;
    std::erase_if(own, [&](const std::string& name) { return std::ranges::count(others, name) > 0; });
    if (!own.empty())
      text += fmt::format("; only {} has the {} {}", study, own.size() == 1 ? noun : plural,
                          fmt::join(own, ", "));
  };
  add(a, of_a, of_b);
  add(b, of_b, of_a);
  return text;
}

std::string name_of(const analysis::StudyHead& head, const std::vector<std::string>& labels) {
  std::string name;
  for (std::size_t a = 0; a < labels.size(); ++a)
    name += fmt::format("{}{}={}", a == 0 ? "" : ", ", head.axes[a], printable(head.shown_labels(labels)[a]));
  return name;
}

std::string run_name(const analysis::StudyHead& head, const analysis::PointResult& point,
                     std::uint32_t repetition) {
  std::string name;
  for (std::size_t a = 0; a < head.axes.size(); ++a)
    name += fmt::format("{}={}, ", head.axes[a], printable(point.labels[a]));
  return name + fmt::format("repetition {}", repetition);
}

}  // namespace hearsay::scenarios
