// hearsay compare: each point of a study with a reference point, or the points of two studies with equal axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/tables/summary.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/study_difference.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

using Table = std::vector<std::vector<std::string>>;

// The names of the metrics to compare: those given, or all.
std::vector<std::size_t> wanted_metrics(const Parsed& values, const analysis::StudyHead& head) {
  const Names names = names_of(head.metrics);
  std::vector<std::size_t> wanted;
  for (const std::string& name : values.all("metric"))
    wanted.push_back(Parsed::index_of("metric", name, names));
  for (std::size_t m = 0; m < names.size() && !values.has("metric"); ++m) wanted.push_back(m);
  return wanted;
}

// Compares points of two studies, or of one.
class Comparison {
 public:
  Comparison(const analysis::StudyHead& head, const Parsed& values)
      : antithetic(head.antithetic),
        head_(head),
        csv_(values.choice("format", TableFormat::kText) == TableFormat::kCsv),
        confidence_(values.number("confidence", 1e-9, 1 - 1e-9)),
        metrics_(wanted_metrics(values, head)),
        rows_{head.axes} {
    const std::vector<std::string> titles =
        csv_ ? std::vector<std::string>{"metric",   "pairs", "mean_difference",
                                        "low",      "high",  "variance_reduction",
                                        "reference"}
             : std::vector<std::string>{"metric", "pairs", "mean difference", "interval",
                                        "variance reduction"};
    rows_[0].insert(rows_[0].end(), titles.begin(), titles.end());
  }

  using Values = std::vector<std::vector<double>>;  // by metric and repetition
  // The differences of `to` at a point from `from`, of the point or study `reference`.
  void add(const std::vector<std::string>& labels, const std::string& reference, const Values& from,
           const Values& to) {
    for (const std::size_t m : metrics_) {
      const analysis::Difference d = analysis::paired_difference(from[m], to[m], confidence_, antithetic);
      auto& row = rows_.emplace_back(csv_ ? labels : head_.shown_labels(labels));
      row.insert(row.end(), {head_.metrics[m].name, std::to_string(d.pairs)});
      if (csv_) {
        for (const double x : {d.mean, d.low, d.high, d.reduction})
          row.push_back(std::isnan(x) ? "nan" : fmt::format("{}", x));  // not "-nan"
        row.push_back(reference);
      } else {
        row.insert(row.end(), {analysis::rounded(d.mean), analysis::interval_text(d.low, d.high),
                               analysis::rounded(d.reduction)});
      }
    }
  }
  // Points without a counterpart.
  void leave_out(const std::string& folder, const std::vector<std::string>& labels) {
    print_error("not compared: only {} has the point {}\n", folder, name_of(head_, labels));
  }
  void print(const std::string& title) const {
    if (csv_) return print_csv(rows_);
    print_out(
        "{}, metrics at the end of runs, paired by {};\nStudent's t intervals of {:g} % confidence. "
        "Variance reduction: variance for independent runs over that for pairs.\n\n{}",
        title, antithetic ? "antithetic pair of repetitions" : "repetition", 100 * confidence_,
        analysis::align(rows_, terminal_width(), head_.axes.size() + 1));
  }

  bool antithetic = false;  ///< the unit is the mean of an antithetic pair

 private:
  const analysis::StudyHead& head_;
  bool csv_;
  double confidence_;
  std::vector<std::size_t> metrics_;
  Table rows_;
};

// --over: at equal values of the other axes, the points with a value of one from that with its baseline.
void compare_over(analysis::StoredStudy& study, const Parsed& values, Comparison& comparison) {
  const analysis::StudyHead& head = study.head();
  const std::vector<std::size_t> over = axes_named(values, "over", head);
  if (over.size() != 1) throw UsageError("--over: expected one swept option");
  const Finals finals = finals_of(study, points_at(values, head));
  if (finals.labels.empty()) throw_no_points();
  const auto named = analysis::combinations(finals.labels, over).values;
  Names texts;
  for (const auto& value : named) texts.push_back(shown_label(head, over[0], value[0]));
  if (named.size() < 2)
    throw UsageError(fmt::format("--over: {} has one value, {}", head.axes[over[0]], printable(texts[0])));
  std::size_t baseline = 0;
  if (values.has("baseline")) {
    const std::string wanted = shown_label(head, over[0], values.text("baseline"));
    const auto found = std::ranges::find_if(texts, [&](auto& text) { return is_value(text, wanted); });
    baseline = found == texts.end() ? Parsed::index_of("baseline", wanted, texts)
                                    : static_cast<std::size_t>(found - texts.begin());
  }
  const auto places = analysis::combinations(
      finals.labels, analysis::other_axes(finals.labels, head.groups, head.axes.size(), over));
  std::vector<std::optional<std::size_t>> from(places.values.size());  // by place
  const auto is_baseline = [&](std::size_t p) { return finals.labels[p][over[0]] == named[baseline][0]; };
  for (std::size_t p = 0; p < finals.labels.size(); ++p) {
    if (is_baseline(p)) from[places.of_point[p]] = p;
  }
  for (std::size_t p = 0; p < finals.labels.size(); ++p) {
    const auto reference = from[places.of_point[p]];
    if (is_baseline(p)) continue;
    if (reference)
      comparison.add(finals.labels[p], name_of(head, finals.labels[*reference]), finals.values[*reference],
                     finals.values[p]);
    else
      print_error("not compared: at {}, {}={} is missing\n", name_of(head, finals.labels[p]),
                  head.axes[over[0]], printable(texts[baseline]));
  }
  comparison.print(fmt::format("differences from {}={} at equal values of the other axes", head.axes[over[0]],
                               printable(texts[baseline])));
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"compare DIR [DIR] [--reference N | --over NAME] [--metric NAME]... [--confidence C] [--format "
       "text|csv]",
       {{"reference", "N",
         "number of the point that the others are compared with (see show --runs; default: 0)"},
        {"over", "NAME",
         "compare the values of this swept option with each other, at equal values of all others"},
        {"baseline", "VALUE",
         "with --over: the value that the others are compared with (default: the first)"},
        at_option("with --over: only points at which this swept option has this value (repeatable)"),
        {"metric", "NAME", "compare only this metric (repeatable)", nullptr, true, metric_names},
        {"confidence", "C", "confidence level of the intervals", "0.95"},
        {"format", "FORMAT", "text, or csv: one row per point and metric", "text", false,
         choice_names<TableFormat>}},
       "one or two folders",
       1,
       2});
  if (!values) return kExitDone;
  const std::vector<std::string>& folders = values->operands;

  for (const std::string& folder : folders) require_results(folder);
  analysis::StoredStudy study = open_results(folders.front());
  const analysis::StudyHead& head = study.head();
  Comparison comparison(head, *values);
  if (values->has("over")) {
    if (folders.size() > 1) throw UsageError("--over: compares points of one study; name one folder");
    if (values->has("reference")) throw UsageError("--reference: --over compares with --baseline");
    compare_over(study, *values, comparison);
    return without_missing(study, kExitDone);
  }
  for (const char* option : {"baseline", "at"}) {
    if (values->has(option)) throw UsageError(fmt::format("--{}: needs --over NAME", option));
  }
  const Finals first = finals_of(study);
  if (folders.size() == 1) {
    const std::size_t reference =
        values->has("reference") ? values->whole("reference", 0, first.labels.size() - 1) : 0;
    if (first.labels.size() == 1)
      throw UsageError(fmt::format(
          "{} has one point; name a second study to compare it with, or sweep an option", folders.front()));
    const std::string name = name_of(head, first.labels[reference]);
    for (std::size_t p = 0; p < first.labels.size(); ++p) {
      if (p != reference) comparison.add(first.labels[p], name, first.values[reference], first.values[p]);
    }
    comparison.print(fmt::format("differences from point {} ({})", reference, name));
    return without_missing(study, kExitDone);
  }
  if (values->has("reference"))
    throw UsageError("--reference: two studies are compared point by point; name one folder");
  analysis::StoredStudy second = open_results(folders[1]);
  comparison.antithetic = head.antithetic || second.head().antithetic;
  // With --metric, only these need be in both.
  const std::vector<std::size_t> wanted = wanted_metrics(*values, head);
  const auto& others = second.head().metrics;
  std::vector<analysis::MetricInfo> asked;
  for (const std::size_t m : wanted) asked.push_back(head.metrics[m]);
  std::vector<analysis::MetricInfo> found = others;
  const auto is_in = [](const auto& all) {
    return [&](const analysis::MetricInfo& m) { return std::ranges::find(all, m) != all.end(); };
  };
  if (values->has("metric")) std::erase_if(found, std::not_fn(is_in(asked)));
  if (second.head().axes != head.axes || !std::ranges::all_of(asked, is_in(found)) ||
      !std::ranges::all_of(found, is_in(asked)))
    throw UsageError(fmt::format(
        "the two studies have different axes or metrics{}{}; compare studies of the same sweep",
        not_shared("axis", "axes", folders[0], head.axes, folders[1], second.head().axes),
        not_shared("metric", "metrics", folders[0], names_of(asked), folders[1], names_of(found))));
  Finals other = finals_of(second);
  // In the places of the first study's metrics.
  for (auto& of_point : other.values) {
    std::vector<std::vector<double>> ordered(head.metrics.size());
    for (const std::size_t m : wanted)
      ordered[m] =
          of_point[static_cast<std::size_t>(std::ranges::find(others, head.metrics[m]) - others.begin())];
    of_point = std::move(ordered);
  }
  std::vector<bool> matched(other.labels.size());
  std::map<std::vector<std::string>, std::size_t>
      numbers;  // of points with the same values, written otherwise
  for (std::size_t q = 0; q < matched.size(); ++q) numbers.emplace(comparable_labels(other.labels[q]), q);
  for (std::size_t p = 0; p < first.labels.size(); ++p) {
    const auto same = std::find(other.labels.begin(), other.labels.end(), first.labels[p]);
    const auto equal = numbers.find(comparable_labels(first.labels[p]));
    if (same == other.labels.end() && equal == numbers.end()) {
      comparison.leave_out(folders[0], first.labels[p]);
      continue;
    }
    const auto q =
        same != other.labels.end() ? static_cast<std::size_t>(same - other.labels.begin()) : equal->second;
    matched[q] = true;
    comparison.add(first.labels[p], folders[0], first.values[p], other.values[q]);
  }
  for (std::size_t q = 0; q < matched.size(); ++q) {
    if (!matched[q]) comparison.leave_out(folders[1], other.labels[q]);
  }
  if (std::ranges::count(matched, true) == 0)
    throw UsageError(fmt::format("{} and {} have no point in common", folders[0], folders[1]));
  comparison.print(fmt::format("{} minus {}, point by point", folders[1], folders[0]));
  print_error("{}", differing_options(study.plan(), second.plan(), "in " + folders[0], "in " + folders[1]));
  return without_missing(second, without_missing(study, kExitDone));
}

}  // namespace hearsay::scenarios
