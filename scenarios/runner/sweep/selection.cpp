#include "scenarios/runner/sweep/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/metrics/metric.hpp"
#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::string_view kPointer = "/sweep/select";
constexpr std::array<std::string_view, 4> kMembers{"over", "minimise", "maximise", "on"};

class Reading {
 public:
  Reading(const Document& document, const Node& written) : document_(document), written_(written) {
    if (!written.is(Node::Kind::kObject)) {
      fail(written.at, "",
           R"(expected an object such as {"over": AXIS, "minimise": METRIC, "on": "validation"}, found )" +
               found(written));
    }
    for (const auto& item : written.items()) {
      if (std::find(kMembers.begin(), kMembers.end(), item.key) != kMembers.end()) continue;
      const std::vector<std::string> names(kMembers.begin(), kMembers.end());
      fail(item.value.key_at, pointer_step(item.key),
           fmt::format("unknown key '{}'{}", printable(item.key), did_you_mean(item.key, names)));
    }
  }

  const Node* text(std::string_view name) const {
    const Node* node = written_.find(name);
    if (node != nullptr && !node->is(Node::Kind::kText))
      fail(node->at, pointer_step(name), "expected text, found " + found(*node));
    return node;
  }
  [[noreturn]] void fail(Position at, const std::string& step, const std::string& message) const {
    throw InputError(located(document_.where(at), std::string(kPointer) + step, message));
  }
  [[noreturn]] void fail(const std::string& message) const { fail(written_.at, "", message); }

 private:
  const Document& document_;
  const Node& written_;
};

std::vector<std::string> metric_list() {
  std::vector<std::string> all;
  for (const analysis::Metric& m : analysis::metrics()) all.emplace_back(m.name);
  return all;
}

}  // namespace

std::string Selection::instances() const {
  return on_test ? "the test data (optimistically biased)" : "validation instances";
}

Selection read_selection(const Document& document, const Node& written,
                         const std::vector<std::vector<std::string>>& groups) {
  const Reading reading(document, written);
  Selection selection{.at = written.at};
  const Node* over = reading.text("over");
  if (over == nullptr) reading.fail("required key 'over' is missing: the axis to select over");
  selection.over = over->text;
  std::vector<std::string> all;
  for (const auto& group : groups) {
    const bool mine = std::find(group.begin(), group.end(), over->text) != group.end();
    for (std::size_t a = 0; a < group.size(); ++a) {
      if (mine) selection.axes.push_back(all.size());
      all.push_back(group[a]);
    }
  }
  if (selection.axes.empty()) {
    reading.fail(over->at, "/over",
                 fmt::format("expected an axis of this sweep ({}), found \"{}\"{}", fmt::join(all, ", "),
                             printable(over->text), did_you_mean(over->text, all)));
  }
  const Node* minimise = reading.text("minimise");
  const Node* maximise = reading.text("maximise");
  if ((minimise == nullptr) == (maximise == nullptr))
    reading.fail("give exactly one of minimise and maximise");
  const Node& metric = minimise != nullptr ? *minimise : *maximise;
  selection.minimise = minimise != nullptr;
  selection.metric = metric.text;
  selection.metric_at = metric.at;
  if (analysis::find_metric(metric.text) == nullptr) {
    reading.fail(metric.at, minimise != nullptr ? "/minimise" : "/maximise",
                 fmt::format("expected a metric, found \"{}\"{}", printable(metric.text),
                             did_you_mean(metric.text, metric_list())));
  }
  if (const Node* on = reading.text("on")) {
    selection.on_test = on->text == "test";
    if (!selection.on_test && on->text != "validation")
      reading.fail(on->at, "/on", "expected one of validation, test, found " + found(*on));
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
    for (std::size_t a = 0; a < point.labels.size(); ++a) {
      const auto& mine = selection.axes;
      if (std::find(mine.begin(), mine.end(), a) == mine.end()) c.group.push_back(point.labels[a]);
    }
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
    double value =
        c.runs == 0 ? std::numeric_limits<double>::quiet_NaN() : c.sum / static_cast<double>(c.runs);
    if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
    const auto [same, is_first] = numbers.try_emplace(c.group, choices.size());
    if (is_first) {
      choices.push_back({c.labels, value, 1});
      continue;
    }
    Choice& best = choices[same->second];
    ++best.candidates;
    const bool better = selection.minimise ? value < best.value : value > best.value;
    if (better || (std::isnan(best.value) && !std::isnan(value))) {
      best.labels = c.labels;
      best.value = value;
    }
  }
  return choices;
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
