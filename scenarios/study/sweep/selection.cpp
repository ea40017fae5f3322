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
#include "analysis/store/output_file.hpp"
#include "analysis/tables/axis_columns.hpp"
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

struct TuneOptions {
  std::optional<MetricChoice> minimise, maximise;
  SelectOn on = SelectOn::kValidation;
  std::optional<std::vector<std::string>> per;
  std::optional<std::uint32_t> repetitions;
  void describe(sim::Visitor& v) {
    v(minimise, {.name = "minimise"});
    v(maximise, {.name = "maximise"});
    v(on, {.name = "on"});
    v(per, {.name = "per"});
    v(repetitions, {.name = "repetitions", .min = 1});
  }
};

template <class Options>
void take_metric(const Document& document, const Node& written, const char* pointer, const Options& options,
                 Selection& selection) {
  selection.minimise = options.minimise.has_value();
  if (selection.minimise == options.maximise.has_value())
    document.fail(written.at, pointer, "give exactly one of minimise and maximise");
  const Node* metric = written.find(selection.minimise ? "minimise" : "maximise");
  selection.metric = metric->text;
  selection.on_test = options.on == SelectOn::kTest;
  selection.at = written.at;
  selection.metric_at = metric->at;
}

}  // namespace

bool Selection::validates() const {
  const analysis::Metric* const by = analysis::find_metric(metric);
  return !on_test && (place != "tune" || by == nullptr || by->needs_test);
}

std::string Selection::instances() const {
  if (on_test) return "the test data (optimistically biased)";
  return validates() ? "validation records" : "the training records, in other repetitions";
}

std::optional<std::string> Selection::exact_read() const {
  const analysis::Metric* const by = analysis::find_metric(metric);
  if (by != nullptr && !by->exact) return std::nullopt;
  return fmt::format("{}: {} is chosen by {} without noise, on {}", place, over, metric,
                     on_test       ? "the test data"
                     : validates() ? "validation records"
                                   : "the training records");
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
  Selection selection{.place = "sweep.select", .over = options.over};
  take_metric(document, written, kSelectPointer, options, selection);
  Names all;
  for (const auto& group : groups) {
    const bool mine = std::find(group.begin(), group.end(), options.over) != group.end();
    for (const std::string& axis : group) {
      (mine ? selection.axes : selection.per).push_back(all.size());
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

Selection read_tune(const Document& document, const Node& written, const std::vector<std::string>& axes,
                    std::size_t paths) {
  TuneOptions options;
  Node others = written;
  others.erase("paths");
  read(document, others, options, {}, "/tune");
  const Names tuned(axes.end() - static_cast<std::ptrdiff_t>(paths), axes.end());
  const Names swept(axes.begin(), axes.end() - static_cast<std::ptrdiff_t>(paths));
  Selection selection{.place = "tune", .over = fmt::format("{}", fmt::join(tuned, ", "))};
  take_metric(document, written, "/tune", options, selection);
  selection.repetitions = options.repetitions;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (a >= swept.size()) selection.axes.push_back(a);
    if (a < swept.size() && !options.per) selection.per.push_back(a);
  }
  for (std::size_t k = 0; options.per && k < options.per->size(); ++k) {
    const std::string& name = (*options.per)[k];
    const auto found = std::ranges::find(swept, name);
    if (found == swept.end()) {
      document.fail(written.find("per")->at, fmt::format("/tune/per/{}", k),
                    fmt::format("expected an axis of the sweep ({}), found \"{}\"{}", fmt::join(swept, ", "),
                                printable(name), did_you_mean(name, swept)));
    }
    selection.per.push_back(static_cast<std::size_t>(found - swept.begin()));
  }
  return selection;
}

std::vector<Choice> choose(const Selection& selection, analysis::StoredStudy& study) {
  const std::optional<std::size_t> m = study.head().metric(selection.metric);
  if (!m) throw std::invalid_argument("the metric to select by is not recorded");
  using Labels = std::vector<std::string>;
  const auto at = [](const Labels& labels, const std::vector<std::size_t>& axes) {
    Labels some;
    for (const std::size_t a : axes) some.push_back(labels[a]);
    return some;
  };
  struct Candidate {
    Labels values;  // of the tuned axes
    double sum = 0;
    std::size_t runs = 0;
    double mean() const {
      const double mean = sum / static_cast<double>(runs);
      return std::isfinite(mean) ? mean : std::numeric_limits<double>::quiet_NaN();
    }
  };
  std::map<Labels, std::vector<Candidate>> groups;  // by values of `per`, in the order of the points
  std::vector<Labels> points;
  Candidate* current = nullptr;
  const auto begin_point = [&](const analysis::PointResult& point) {
    points.push_back(point.labels);
    auto& group = groups[at(point.labels, selection.per)];
    const Labels values = at(point.labels, selection.axes);
    const auto found = std::ranges::find(group, values, &Candidate::values);
    current = found == group.end() ? &group.emplace_back(Candidate{values}) : &*found;
  };
  study.each_run(begin_point, [&](const analysis::PointResult& point, const analysis::RunResult& run) {
    ++current->runs;
    const bool done = run.status == analysis::Status::kDone;
    const std::vector<double> values = final_values(study.head(), point, run);
    current->sum += done && !values.empty() ? values[*m] : std::numeric_limits<double>::quiet_NaN();
  });

  std::map<Labels, Choice> best;  // of each group, with the values of the tuned axes as labels
  for (const auto& [per, group] : groups) {
    Choice choice{group.front().values, group.front().mean(), group.size()};
    for (const Candidate& c : group) {
      const double value = c.mean();
      const bool better = selection.minimise ? value < choice.value : value > choice.value;
      if (better || (std::isnan(choice.value) && !std::isnan(value))) {
        choice.labels = c.values;
        choice.value = value;
      }
    }
    for (std::size_t k = 0; k < selection.axes.size(); ++k) {
      std::set<double> tried;
      bool all_numbers = true;
      for (const Candidate& c : group) {
        const std::optional<double> x = label_number(c.values[k]);
        all_numbers = all_numbers && x;
        if (x) tried.insert(*x);
      }
      if (!all_numbers || tried.size() < 3 || std::isnan(choice.value)) continue;
      const double x = *label_number(choice.labels[k]);
      if ((x == *tried.begin() && x != 0) || x == *tried.rbegin())
        choice.at_edge.push_back(study.head().axes[selection.axes[k]] + " " + choice.labels[k]);
    }
    best.emplace(per, std::move(choice));
  }
  std::vector<Choice> choices;
  std::set<Labels> seen;  // combinations of the other axes
  for (const Labels& labels : points) {
    if (!seen.insert(selection.group_of(labels)).second) continue;
    Choice choice = best.at(at(labels, selection.per));
    Labels whole = labels;
    for (std::size_t k = 0; k < selection.axes.size(); ++k) whole[selection.axes[k]] = choice.labels[k];
    choice.labels = std::move(whole);
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::vector<std::string> warnings_of(const Selection& selection, const std::vector<Choice>& choices) {
  std::vector<std::string> all;
  if (selection.on_test)
    all.push_back(
        fmt::format("warning: {}: {} is chosen on the test data, so that results on them are "
                    "optimistically biased",
                    selection.place, selection.over));
  Names edges;
  std::size_t count = 0;
  for (const Choice& c : choices) {
    count += c.at_edge.empty() ? 0 : 1;
    for (const std::string& edge : c.at_edge)
      if (std::ranges::find(edges, edge) == edges.end()) edges.push_back(edge);
  }
  if (count > 0)
    all.push_back(
        fmt::format("warning: {}: the chosen value is the smallest or largest of its axis ({}) at "
                    "{} of {} points: the best may lie beyond it; give more values",
                    selection.place, fmt::join(edges, ", "), count, choices.size()));
  return all;
}

void write_choices(const Selection& selection, const std::vector<Choice>& choices,
                   const std::vector<std::string>& axes, const std::filesystem::path& folder) {
  std::vector<std::vector<std::string>> labels;
  for (const Choice& c : choices) labels.push_back(c.labels);
  const analysis::AxisColumns columns(axes, labels, label_number);
  analysis::OutputFile file(folder / "tuning.csv");
  file.print("{}metric,mean,candidates\n", columns.header());
  for (const Choice& c : choices)
    file.print("{}{},{},{}\n", columns.fields(c.labels), analysis::csv_field(selection.metric), c.value,
               c.candidates);
  file.commit();
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
