#include "scenarios/study/sweep/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <variant>

#include "analysis/metrics/metric.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/tables/axis_columns.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/study/branches.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

enum class SelectOn { kValidation, kTest };
constexpr auto choices_of(SelectOn) {
  return std::to_array<sim::Choice>({{"validation"}, {"test"}});
}

namespace {

// Of the points of a choice, at the largest divergences.
std::vector<std::pair<const char*, double>> privacy_of(
    const models::TrialCount& trials, const std::vector<std::map<std::string, double>>& points) {
  std::vector<double> run(models::renyi_orders().size() + 1), both;
  double delta = 0;
  for (const auto& scalars : points) {
    for (std::size_t k = 0; k < run.size(); ++k) {
      const auto found = scalars.find(renyi_name(k));
      run[k] =
          std::max(run[k], found == scalars.end() ? std::numeric_limits<double>::infinity() : found->second);
    }
    delta = std::max(delta, scalars.at("privacy.delta"));
  }
  const std::vector<double> best = models::best_of_trials(run, trials);
  std::ranges::transform(run, best, std::back_inserter(both), std::plus());
  return {{"epsilon_of_run", models::renyi_epsilon(run, delta)},
          {"epsilon_of_best", models::renyi_epsilon(best, delta)},
          {"epsilon_of_both", models::renyi_epsilon(both, delta)},
          {"delta", delta}};
}

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

struct NegativeBinomial {
  static constexpr std::string_view kName = "negative_binomial";
  double eta = 1, mean = 10;
  void describe(sim::Visitor& v) {
    v(eta, {.name = "eta", .min = -0.9, .max = 100});
    v(mean, {.name = "mean", .min = 1, .max = 1e6, .open_min = true});
  }
};

struct TuneOptions {
  std::optional<MetricChoice> minimise, maximise;
  SelectOn on = SelectOn::kValidation;
  std::optional<std::vector<std::string>> per;
  std::optional<std::uint32_t> repetitions;
  std::optional<std::variant<NegativeBinomial>> trials;
  void describe(sim::Visitor& v) {
    v(minimise, {.name = "minimise"});
    v(maximise, {.name = "maximise"});
    v(on, {.name = "on"});
    v(per, {.name = "per"});
    v(repetitions, {.name = "repetitions", .min = 1});
    v(trials, {.name = "trials"});
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

PointLabels labels_at(const PointLabels& labels, const std::vector<std::size_t>& axes) {
  PointLabels some;
  for (const std::size_t a : axes) some.push_back(labels[a]);
  return some;
}

}  // namespace

bool Selection::validates() const {
  const analysis::Metric* const by = analysis::find_metric(metric);
  return !on_test && (by == nullptr || by->needs_test);
}

std::string Selection::instances() const {
  if (on_test) return "the test data (optimistically biased)";
  if (validates()) return "validation records";
  return optional() ? "the training records, with other random numbers"
                    : "the runs that are reported (optimistically biased)";
}

std::string Selection::note(bool draws_data) const {
  if (on_test)
    return fmt::format(
        "warning: {}: {} is chosen on the test data, so that results on them are "
        "optimistically biased",
        place, over);
  if (!optional() && !validates())
    return fmt::format(
        "warning: {}: {} is chosen on the runs that are reported, by {}, which reads no test "
        "records, so that results of it are optimistically biased; tune chooses on other runs",
        place, over, metric);
  if (!optional() || !validates() || !draws_data) return "";
  return fmt::format(
      "{}: each repetition draws its data, so that candidates have the random numbers of the "
      "runs that are reported: results on test records are of the chosen models, not of fresh runs",
      place);
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
  const Names elsewhere{"paths", "budget"};
  for (const std::string& key : elsewhere) others.erase(key);
  read(document, others, options, {}, "/tune", {}, elsewhere);
  const Names tuned(axes.end() - static_cast<std::ptrdiff_t>(paths), axes.end());
  const Names swept(axes.begin(), axes.end() - static_cast<std::ptrdiff_t>(paths));
  Selection selection{.place = "tune", .over = fmt::format("{}", fmt::join(tuned, ", "))};
  take_metric(document, written, "/tune", options, selection);
  selection.repetitions = options.repetitions;
  if (options.trials) {
    const NegativeBinomial& law = std::get<NegativeBinomial>(*options.trials);
    selection.trials = models::TrialCount::of_mean(law.eta, law.mean);
    for (const char* other : {"repetitions", "budget", "per"})
      if (written.find(other) != nullptr)
        document.fail(written.find("trials")->at, "/tune/trials",
                      fmt::format("replaces {}: remove one", other));
  }
  if (const Node* const budget = written.find("budget")) {
    const bool count = budget->is(Node::Kind::kNumber) && budget->integer && budget->number >= 1;
    selection.halving = budget->is(Node::Kind::kText) && budget->text == "successive_halving";
    if (count) selection.drawn = static_cast<std::uint32_t>(std::min(budget->number, 1e9));
    if (!count && !selection.halving && !(budget->is(Node::Kind::kText) && budget->text == "all"))
      document.fail(
          budget->at, "/tune/budget",
          "expected all, successive_halving or a whole number of candidates, found " + found(*budget));
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (a >= swept.size()) selection.axes.push_back(a);
    if (a < swept.size() && !options.per && axes[a] != kContinuationAxis) selection.per.push_back(a);
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

std::string renyi_name(std::size_t k) {
  const std::vector<double>& orders = models::renyi_orders();
  return k < orders.size() ? fmt::format("privacy.renyi.{}", orders[k]) : "privacy.renyi.infinity";
}

std::map<PointLabels, std::vector<Candidate>> Selection::candidates_of(
    std::span<const PointLabels> points) const {
  std::map<PointLabels, std::vector<Candidate>> groups;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::vector<Candidate>& group = groups[labels_at(points[p], per)];
    const PointLabels values = labels_at(points[p], this->axes);
    const auto found = std::ranges::find(group, values, &Candidate::values);
    (found == group.end() ? group.emplace_back(Candidate{values}) : *found).points.push_back(p);
  }
  return groups;
}

std::vector<std::uint32_t> Selection::looks(std::size_t candidates) const {
  if (!halving) return {most};
  std::vector<std::uint32_t> all(std::max<std::size_t>(1, std::bit_width(candidates - 1)));
  for (std::size_t s = 0; s < all.size(); ++s) all[s] = std::max(1u, most >> (all.size() - 1 - s));
  return all;
}

std::uint64_t Selection::runs(std::span<const PointLabels> points) const {
  std::uint64_t sum = 0;
  for (const auto& [values, group] : candidates_of(points)) {
    std::vector<std::size_t> sizes;
    for (const Candidate& c : group) sizes.push_back(c.points.size());
    std::ranges::sort(sizes, std::greater());
    std::uint32_t before = 0;
    std::size_t left = sizes.size();
    for (const std::uint32_t r : looks(group.size())) {
      for (std::size_t k = 0; k < left; ++k) sum += std::uint64_t{r - before} * sizes[k];
      before = r;
      left = Selection::left(left, false);
    }
  }
  return sum;
}

Decided decide(const Selection& selection, analysis::StoredStudy& study) {
  const std::optional<std::size_t> m = study.head().metric(selection.metric);
  if (!m) throw std::invalid_argument("the metric to select by is not recorded");
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<PointLabels> points;
  std::vector<std::map<std::string, double>> scalars;  // by point
  std::vector<std::vector<double>> ends;               // by point and repetition
  study.each_run(
      [&](const analysis::PointResult& point) {
        points.push_back(point.labels);
        for (auto& mine = scalars.emplace_back(); const auto& scalar : point.scalars)
          mine[scalar.name] = scalar.value;
        ends.emplace_back();
      },
      [&](const analysis::PointResult& point, const analysis::RunResult& run) {
        const std::vector<double> values = final_values(study.head(), point, run);
        // Divergence is judged by private records, too: a trial counts by its score.
        const bool diverged = run.status == analysis::Status::kDiverged && selection.trials;
        const bool done = (run.status == analysis::Status::kDone || diverged) && !values.empty();
        ends.back().resize(run.repetition, kNone);
        ends.back().push_back(done ? values[*m] : kNone);
      });
  const auto mean = [&](const Candidate& c, std::uint32_t r) {
    double sum = 0;
    for (const std::size_t p : c.points)
      for (std::uint32_t k = 0; k < r; ++k) sum += k < ends[p].size() ? ends[p][k] : kNone;
    const double of_all = sum / (static_cast<double>(r) * static_cast<double>(c.points.size()));
    return std::isfinite(of_all) ? of_all : kNone;
  };
  const auto better = [&](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    return selection.minimise ? a < b : a > b;
  };
  const auto best_trial = [&](const Candidate& c) {
    double best = kNone;
    for (const double x : ends[c.points.front()])
      if (std::isfinite(x) && better(x, best)) best = x;
    return best;
  };

  Decided decided;
  for (const analysis::StudyPoint& p : study.plan().points) decided.repetitions.push_back(p.repetitions);
  bool open = false;
  std::map<PointLabels, Choice> best;  // of each group, with the values of the tuned axes as labels
  for (const auto& [per, group] : selection.candidates_of(points)) {
    const std::vector<std::uint32_t> looks = selection.looks(group.size());
    std::vector<std::size_t> left(group.size());
    std::iota(left.begin(), left.end(), 0);
    std::vector<double> means(group.size());
    bool waits = false;
    for (std::size_t s = 0; s < looks.size() && !waits; ++s) {
      for (const std::size_t c : left) {
        means[c] = selection.trials ? best_trial(group[c]) : mean(group[c], looks[s]);
        for (const std::size_t p : group[c].points) {
          waits = waits || decided.repetitions[p] < looks[s];
          decided.repetitions[p] = std::max(decided.repetitions[p], looks[s]);
        }
      }
      if (waits) break;
      std::ranges::stable_sort(left,
                               [&](std::size_t a, std::size_t b) { return better(means[a], means[b]); });
      left.resize(Selection::left(left.size(), s + 1 == looks.size()));
      std::ranges::sort(left);  // the first among equals
    }
    open = open || waits;
    const Candidate& chosen = group[left.front()];
    Choice choice{chosen.values, means[left.front()], group.size(), looks.back()};
    std::vector<std::map<std::string, double>> all;
    for (const Candidate& c : group) {
      for (const std::size_t p : c.points) {
        choice.runs += decided.repetitions[p];
        all.push_back(scalars[p]);
      }
    }
    if (selection.trials) {
      choice.repetitions = decided.repetitions[chosen.points.front()];
      choice.privacy = privacy_of(*selection.trials, all);
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
  if (open) return decided;
  const std::set<PointLabels> planned(points.begin(), points.end());
  std::set<PointLabels> seen;  // combinations of the other axes
  for (const PointLabels& labels : points) {
    if (!seen.insert(selection.group_of(labels)).second) continue;
    Choice choice = best.at(labels_at(labels, selection.per));
    PointLabels whole = labels;
    for (std::size_t k = 0; k < selection.axes.size(); ++k) whole[selection.axes[k]] = choice.labels[k];
    sim::check(planned.contains(whole), "values are chosen for a point that was not tried with them");
    choice.labels = std::move(whole);
    decided.choices.push_back(std::move(choice));
  }
  return decided;
}

std::vector<std::string> warnings_of(const Selection& selection, const std::vector<Choice>& choices) {
  std::vector<std::string> all;
  Names edges;
  std::size_t count = 0;
  for (const Choice& c : choices) {
    count += c.at_edge.empty() ? 0 : 1;
    for (const std::string& edge : c.at_edge)
      if (std::ranges::find(edges, edge) == edges.end()) edges.push_back(edge);
  }
  if (count > 0)
    all.push_back(
        fmt::format("warning: {}: the chosen value is the smallest or largest that was tried ({}) at "
                    "{} of {} points: the best may lie beyond it; try more values",
                    selection.place, fmt::join(edges, ", "), count, choices.size()));
  return all;
}

void write_choices(const Selection& selection, const std::vector<Choice>& choices,
                   const std::vector<std::string>& axes, const std::filesystem::path& folder) {
  std::vector<std::vector<std::string>> labels;
  for (const Choice& c : choices) labels.push_back(c.labels);
  const analysis::AxisColumns columns(axes, labels, label_number);
  analysis::OutputFile file(folder / "tuning.csv");
  file.print("{}metric,mean,candidates,repetitions,runs", columns.header());
  for (const auto& [name, value] : choices.front().privacy) file.print(",{}", name);
  for (const Choice& c : choices) {
    file.print("\n{}{},{},{},{},{}", columns.fields(c.labels), analysis::csv_field(selection.metric), c.value,
               c.candidates, c.repetitions, c.runs);
    for (const auto& [name, value] : c.privacy) file.print(",{}", value);
  }
  file.write("\n");
  file.commit();
}

std::string selection_json(const Selection& selection, const std::vector<Choice>& choices,
                           const std::vector<std::string>& axes) {
  nlohmann::ordered_json json;
  json["over"] = selection.over;
  json[selection.minimise ? "minimise" : "maximise"] = selection.metric;
  json["on"] = selection.instances();
  json["budget"] = selection.halving  ? "successive_halving"
                   : selection.trials ? "trials"
                   : selection.drawn  ? fmt::format("{} at random", *selection.drawn)
                                      : "all";
  auto& list = json["chosen"] = nlohmann::ordered_json::array();
  for (const Choice& c : choices) {
    nlohmann::ordered_json one;
    for (std::size_t a = 0; a < axes.size(); ++a) one[axes[a]] = c.labels[a];
    one["mean"] = c.value;
    one["candidates"] = c.candidates;
    one["repetitions"] = c.repetitions;
    one["runs"] = c.runs;
    for (const auto& [name, value] : c.privacy) one[name] = value;
    if (!c.privacy.empty()) one["assumes"] = kTrialsAssume;
    list.push_back(std::move(one));
  }
  return json.dump();
}

}  // namespace hearsay::scenarios
