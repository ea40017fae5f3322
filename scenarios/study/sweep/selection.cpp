#include "scenarios/study/sweep/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "analysis/metrics/metric.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/labels.hpp"

namespace hearsay::scenarios {
enum class SelectOn { kValidation, kTest };
constexpr auto choices_of(SelectOn) {
  return std::to_array<sim::Choice>({{"validation"}, {"test"}});
}

}  // namespace hearsay::scenarios

namespace hearsay::scenarios {

namespace {

constexpr const char* kSelectPointer = "/sweep/select";

struct SelectOptions {
  std::string over;
  std::optional<MetricChoice> minimise, maximise;
  SelectOn on = SelectOn::kValidation;
  void describe(sim::Visitor& v) {
    v(over, {.name = "over", .required = true});
    v(minimise, {.name = "minimise"});
    v(maximise, {.name = "maximise"});
    v(on, {.name = "on"});
  }
};

}  // namespace

std::string Selection::instances() const {
  return on_test ? "the test data (optimistically biased)" : "validation instances";
}

std::optional<std::string> Selection::exact_read() const {
  if (!analysis::find_metric(metric)->exact) return std::nullopt;
  return fmt::format("sweep.select: {} is chosen by {} without noise, on {}", over, metric,
                     on_test ? "the test data" : "validation instances");
}

std::vector<std::string> Selection::group_of(const std::vector<std::string>& labels) const {
  std::vector<std::string> others;
  for (std::size_t a = 0; a < labels.size(); ++a) {
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) others.push_back(labels[a]);
  }
  return others;
}

Selection read_selection(const Document& document, const Node& written,
                         const std::vector<std::vector<std::string>>& groups) {
  SelectOptions options;
  read(document, written, options, {}, kSelectPointer);
  const bool minimise = options.minimise.has_value();
  if (minimise == options.maximise.has_value())
    document.fail(written.at, kSelectPointer, "give exactly one of minimise and maximise");
  const Node* metric = written.find(minimise ? "minimise" : "maximise");
  Selection selection{.over = options.over,
                      .metric = metric->text,
                      .minimise = minimise,
                      .on_test = options.on == SelectOn::kTest,
                      .at = written.at,
                      .metric_at = metric->at};
  Names all;
  for (const auto& group : groups) {
    const bool mine = std::find(group.begin(), group.end(), options.over) != group.end();
    for (const std::string& axis : group) {
      if (mine) selection.axes.push_back(all.size());
      all.push_back(axis);
    }
  }
  if (selection.axes.empty()) {
    document.fail(written.find("over")->at, std::string(kSelectPointer) + "/over",
                  fmt::format("expected an axis of this sweep ({}), found \"{}\"{}", fmt::join(all, ", "),
                              printable(options.over), did_you_mean(options.over, all)));
  }
  return selection;
}

std::vector<Choice> choose(const Selection& selection, analysis::StoredStudy& study) {
  const std::optional<std::size_t> m = study.head().metric(selection.metric);
  if (!m) throw std::invalid_argument("the metric to select by is not recorded");

  struct Candidate {
    std::vector<std::string> labels, group;
    double sum = 0;
    std::size_t runs = 0;
  };
  std::vector<Candidate> candidates;
  const auto begin_point = [&](const analysis::PointResult& point) {
    Candidate& c = candidates.emplace_back();
    c.labels = point.labels;
    c.group = selection.group_of(point.labels);
  };
  study.each_run(begin_point, [&](const analysis::PointResult& point, const analysis::RunResult& run) {
    Candidate& c = candidates.back();
    ++c.runs;
    const bool done = run.status == analysis::Status::kDone;
    const std::vector<double> values = final_values(study.head(), point, run);
    c.sum += done && !values.empty() ? values[*m] : std::numeric_limits<double>::quiet_NaN();
  });

  std::vector<Choice> choices;
  std::map<std::vector<std::string>, std::size_t> numbers;  // in `choices`, by group
  for (const Candidate& c : candidates) {
    const double mean = c.sum / static_cast<double>(c.runs);
    const double value = std::isfinite(mean) ? mean : std::numeric_limits<double>::quiet_NaN();
    const auto [number, is_first] = numbers.try_emplace(c.group, choices.size());
    if (is_first) choices.push_back({c.labels, value, 0});
    Choice& best = choices[number->second];
    ++best.candidates;
    const bool better = selection.minimise ? value < best.value : value > best.value;
    if (better || (std::isnan(best.value) && !std::isnan(value))) best = {c.labels, value, best.candidates};
  }
  const Names& axes = study.head().axes;
  const auto over = static_cast<std::size_t>(std::ranges::find(axes, selection.over) - axes.begin());
  for (const auto& [group, number] : numbers) {
    std::set<double> tried;
    bool all_numbers = true;
    for (const Candidate& c : candidates) {
      if (c.group != group) continue;
      const std::optional<double> x = label_number(c.labels.at(over));
      all_numbers = all_numbers && x;
      if (x) tried.insert(*x);
    }
    Choice& best = choices[number];
    if (!all_numbers || tried.size() < 3 || std::isnan(best.value)) continue;
    const double x = *label_number(best.labels.at(over));
    if ((x == *tried.begin() && x != 0) || x == *tried.rbegin()) best.at_edge = best.labels[over];
  }
  return choices;
}

std::vector<std::string> warnings_of(const Selection& selection, const std::vector<Choice>& choices) {
  std::vector<std::string> all;
  if (selection.on_test)
    all.push_back(
        fmt::format("warning: sweep.select: {} is chosen on the test data, so that results on them are "
                    "optimistically biased",
                    selection.over));
  Names edges;
  std::size_t count = 0;
  for (const Choice& c : choices) {
    if (c.at_edge.empty()) continue;
    ++count;
    if (std::ranges::find(edges, c.at_edge) == edges.end()) edges.push_back(c.at_edge);
  }
  if (count > 0)
    all.push_back(
        fmt::format("warning: sweep.select: the selected {} is the smallest or largest of its values ({}) at "
                    "{} of {} points: the best may lie beyond them; extend the sweep",
                    selection.over, fmt::join(edges, ", "), count, choices.size()));
  return all;
}

std::string selection_json(const Selection& selection, const std::vector<Choice>& choices,
                           const std::vector<std::string>& axes) {
  nlohmann::ordered_json json;
  json["over"] = selection.over;
  json[selection.minimise ? "minimise" : "maximise"] = selection.metric;
  json["on"] = selection.instances();
  auto& list = json["chosen"] = nlohmann::ordered_json::array();
  for (const Choice& c : choices) {
    nlohmann::ordered_json one;
    for (std::size_t a = 0; a < axes.size(); ++a) one[axes[a]] = c.labels[a];
    one["mean"] = c.value;
    one["candidates"] = c.candidates;
    list.push_back(std::move(one));
  }
  return json.dump();
}

}  // namespace hearsay::scenarios
