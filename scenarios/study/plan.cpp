#include "scenarios/study/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>
#include <type_traits>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store.hpp"
#include "analysis/store/store_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/merge.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/reference/outline.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/branches.hpp"
#include "scenarios/study/conclusion_input.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/fit_network.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/node_names.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/repeat.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/fix_axes.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/study/sweep/sweep.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

// Keys of a scenario that its Scenario does not have.
const Names kStudyKeys{"sweep", "tune", "branches", "extends"};

// The absolute folders in which files of a scenario were searched, one per line, in order: its own, then --data-dir and
// --allow-path.
std::string folders_of(const Document& document, const Folders& folders) {
  std::vector<std::string> all;
  std::error_code error;
  const auto add = [&](const std::filesystem::path& folder) {
    const auto real = std::filesystem::canonical(folder.empty() ? "." : folder, error);
    if (!error && std::find(all.begin(), all.end(), real.string()) == all.end()) all.push_back(real.string());
  };
  for (std::uint32_t s = 0; s < document.sources(); ++s) add(document.source({s, 0, 0}).folder);
  for (const auto& folder : folders) add(folder);
  return fmt::format("{}", fmt::join(all, "\n"));
}

// Calls visit(text, JSON pointer) for all texts in a value.
template <class Visit>
void each_text(Node& node, const std::string& pointer, const Visit& visit) {
  if (node.is(Node::Kind::kText)) visit(node, pointer);
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    const std::string step = node.is(Node::Kind::kList) ? std::to_string(i) : node.items()[i].key;
    each_text(node.changeable_items()[i].value, pointer + pointer_step(step), visit);
  }
}

// Files of a scenario that a search in its own folder, and then in the others, need not find: an extended scenario may
// name a file that has a namesake there. By JSON pointer of the text, the line of its folder in `lines`, folders_of().
std::map<std::string, std::size_t> homes_of(const Document& document, const Folders& folders,
                                            const std::string& lines) {
  std::map<std::string, std::size_t> homes;
  if (lines.find('\n') == lines.npos) return homes;
  std::map<std::string, std::size_t> numbers;
  std::stringstream text(lines);
  for (std::string line; std::getline(text, line);) numbers.emplace(line, numbers.size());
  std::error_code error;
  Node root = document.root;
  each_text(root, "", [&](const Node& node, const std::string& pointer) {
    const Source& source = document.source(node.at);
    Folders places{(source.kind == Source::Kind::kFile ? source : document.source({})).folder};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const auto& place : places) {
      if (!std::filesystem::is_regular_file(place / node.text, error)) continue;
      const auto number =
          numbers.find(std::filesystem::canonical(place.empty() ? "." : place, error).string());
      if (number != numbers.end() && number->second > 0) homes.emplace(pointer, number->second);
      return;
    }
  });
  return homes;
}

// Checks that the metric of the selection is recorded, and its candidates are compared on the same data.
void require_comparable(const Plan& plan, const Sweep& sweep) {
  if (!plan.selection) return;
  if (sweep.independent())
    plan.document.fail(
        plan.selection->at, "/sweep/random_numbers",
        "expected common, as tune and select compare values on the same data and test on others");
  Names names;
  for (const MetricChoice& m : plan.points.front().scenario->record.metrics) names.emplace_back((*m).name);
  if (std::find(names.begin(), names.end(), plan.selection->metric) != names.end()) return;
  plan.document.fail(plan.selection->metric_at, plan.selection->pointer(),
                     fmt::format("expected one of record.metrics ({}), found {}", fmt::join(names, ", "),
                                 plan.selection->metric));
}

// "privacy.epsilon=1, ...". `labels`: by axis and tuned option.
std::string values_text(const Plan& plan, const std::vector<std::string>& labels) {
  std::vector<std::string> values;
  for (std::size_t a = 0; a < labels.size(); ++a) {
    if (labels[a].empty()) continue;  // a tuned option that the point does not have
    const auto shown = plan.shown[a].find(labels[a]);
    const bool axis = a < plan.axes.size();
    values.push_back(fmt::format("{}={}", axis ? plan.axes[a] : plan.tuned[a - plan.axes.size()],
                                 printable(shown == plan.shown[a].end() ? labels[a] : shown->second)));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

// "point 3: privacy.epsilon=1, ..."; empty if nothing is swept.
std::string point_name(const Plan& plan, std::size_t number, const std::vector<std::string>& labels) {
  const std::string values = values_text(plan, labels);
  return values.empty() ? "" : fmt::format("point {}: {}", number, values);
}

// Refuses a selection on validation instances of data that have none.
void require_instances(const Plan& plan, const Document& at) {
  const Node* const written = at.root.find("data");
  models::DataOptions data;
  if (written != nullptr) Reader(at, *written, {}, "/data")(data, {});
  if (data.validates()) return;
  plan.document.fail(
      plan.selection->at, plan.selection->pointer() + "/on",
      fmt::format(R"({} data have no validation records; set data.validation_fraction, or on to )"
                  R"("test", which is optimistically biased)",
                  std::visit([](const auto& kind) { return kind.kName; }, data.kind())));
}

// The scenario of a point, on validation instances if these are to be planned.
Document document_at(const Plan& plan, const SweepPoint& point, const PlanOptions& options) {
  Document at = at_point(plan.document, point);
  if (plan.branch_sets.is(Node::Kind::kList)) {
    at.root.erase(kBranchAxis);
    at.root.erase(kContinuationAxis);
  }
  // Candidates of `tune` are compared with each other only, and are not the runs that conclusions and a trace are of.
  if (options.validation && plan.selection->optional()) {
    for (const char* key : {"baselines", "analysis", "splitting"}) at.root.erase(key);
    if (at.root.find_path("record.trace") != nullptr) at.set("record.trace", Node{});
  }
  if (!options.validation || !plan.selection->validates()) return at;
  require_instances(plan, at);
  at.set("data.instances", Node::string("validation", plan.selection->at));
  return at;
}

// Whether there is an option at a dotted path of a scenario.
bool has_option(const Outline& root, const Node& written, const std::string& path) {
  const Outline* place = &root;
  const Node* node = &written;
  for (const std::string_view step : split_path(path)) {
    if (place->kind == Outline::Kind::kList || place->kind == Outline::Kind::kByAgent) return true;
    if (place->kind == Outline::Kind::kVariant && alternative_of(*place, node).open) return true;
    place = member_of(*place, node, step);
    if (place == nullptr) return false;
    if (node != nullptr) node = node->is(Node::Kind::kObject) ? node->find(step) : nullptr;
  }
  return true;
}

// The points of a sweep, without values of tuned options that they do not have.
std::vector<SweepPoint> points_of(const Sweep& sweep, const Plan& plan, const PlanOptions& options) {
  if (!plan.selection || !plan.selection->optional())
    return sweep.points(options.points, options.max_points());
  const Outline& outline = scenario_outline();
  const std::vector<std::size_t>& tuned = plan.selection->axes;
  std::vector<bool> used(tuned.size());
  auto points = sweep.points(options.points, options.max_points(), [&](const SweepPoint& untuned) {
    const Document at = at_point(plan.document, untuned);
    const Node* mechanism = at.root.find_path("privacy.mechanism");
    if (mechanism != nullptr && mechanism->is(Node::Kind::kObject)) mechanism = mechanism->find("type");
    const bool no_privacy = mechanism != nullptr && mechanism->text == "none";
    std::vector<bool> absent;
    for (const std::size_t a : tuned) {
      const bool without_effect = no_privacy && plan.axes[a].starts_with("privacy.");
      absent.push_back(without_effect || !has_option(outline, at.root, plan.axes[a]));
      if (!absent.back()) used[absent.size() - 1] = true;
    }
    return absent;
  });
  for (std::size_t t = 0; t < tuned.size(); ++t) {
    if (used[t]) continue;
    plan.document.fail(plan.axes_at[tuned[t]], "/tune/paths" + pointer_step(plan.axes[tuned[t]]),
                       "no point of the study has this option (see hearsay explain)");
  }
  return points;
}

// Makes the axes that a selection tunes options whose values the points state.
void leave_out_tuned(Plan& plan) {
  // What a list by axis contains of the tuned ones, removed from it.
  const auto take = [&](auto& by_axis) {
    std::remove_cvref_t<decltype(by_axis)> taken;
    for (const std::size_t axis : plan.selection->axes) taken.push_back(by_axis[axis]);
    for (auto axis = plan.selection->axes.rbegin(); axis != plan.selection->axes.rend(); ++axis)
      by_axis.erase(by_axis.begin() + static_cast<std::ptrdiff_t>(*axis));
    return taken;
  };
  plan.tuned = take(plan.axes);
  take(plan.groups), take(plan.numeric), take(plan.units), take(plan.axes_at);
  for (auto& texts : take(plan.shown)) plan.shown.push_back(std::move(texts));
  for (PlannedPoint& point : plan.points) {
    point.tuned = take(point.labels);
    take(point.numbers);
  }
}

std::vector<PointLabels> labels_of(const Plan& plan) {
  std::vector<PointLabels> all;
  for (const PlannedPoint& p : plan.points) all.push_back(p.labels);
  return all;
}

// Refuses a choice whose candidates are not those of all its points: the best one could be of only some of them.
void require_same_candidates(const Plan& plan, const std::vector<Candidate>& group) {
  std::map<PointLabels, std::vector<std::size_t>>
      points;  // by values of the other axes: one of each candidate
  for (const Candidate& c : group)
    for (const std::size_t p : c.points) points[plan.selection->group_of(plan.points[p].labels)].push_back(p);
  const auto fewest =
      std::ranges::min_element(points, {}, [](const auto& of_values) { return of_values.second.size(); });
  if (fewest->second.size() == group.size()) return;
  PointLabels labels = plan.points[fewest->second.front()].labels;
  for (const std::size_t a : plan.selection->axes) labels[a].clear();
  plan.document.fail(
      plan.selection->at, plan.selection->pointer() + "/per",
      fmt::format("{} has other values to choose from at {} than at other points of the choice: add "
                  "the axes by which these differ",
                  plan.selection->over, values_text(plan, labels)));
}

// Draws the trials of a choice. Each has random numbers of its own, also where two are of one candidate.
void plan_trials(Plan& plan, const std::vector<Candidate>& group) {
  const sim::Streams streams(plan.points[group.front().points.front()].scenario->seed, 0);
  sim::Stream number = streams(sim::Purpose::kTuning, 0), candidate = streams(sim::Purpose::kTuning, 1);
  const std::uint64_t count = plan.selection->trials->quantile(sim::uniform(number));
  if (static_cast<double>(count) > PlanOptions::kMaxRuns)
    throw RefusedError(fmt::format("tune.trials: {} trials were drawn; change seed or mean", count));
  for (std::uint64_t t = 0; t < count; ++t)
    ++plan.points[group[sim::uniform_index(candidate, group.size())].points.front()].repeat;
  std::uint32_t before = 0;
  for (const Candidate& c : group) {
    PlannedPoint& point = plan.points[c.points.front()];
    const Scenario& s = *point.scenario;
    const auto refuse = [&](const char* why) { throw InputError(plan.locate("/tune/trials", why)); };
    if (!models::is_private(s.privacy.mechanism)) refuse("requires a private mechanism at every point");
    if (s.draws_anew()) refuse("trials are of the same data and network: remove draw repetition");
    if (models::needs_ticks(s.privacy.schedule)) refuse("requires a schedule that does not depend on ticks");
    const std::string after =
        write_changes(s).value(nlohmann::ordered_json::json_pointer("/protocol/after_budget"), std::string());
    if (after == "local") refuse("protocol.after_budget local: scores are of models that are not released");
    const analysis::Metric& metric = analysis::find_metric(plan.selection->metric)->measured();
    if (metric.exact && (!metric.needs_test || metric.needs_optimum))
      refuse("choose by a metric of test records: others read training records without noise");
    auto trial = std::make_shared<Scenario>(s);
    trial->renyi = true;
    trial->first_repetition += before;
    point.key += fmt::format(" trials from {}", before);
    point.scenario = std::move(trial);
    before += point.repeat;
  }
}

// Keeps the candidates of each choice that its budget has, with the repetitions of the first look.
void plan_candidates(Plan& plan) {
  std::vector<bool> drawn(plan.points.size(), true);
  for (auto& [per, group] : plan.selection->candidates_of(labels_of(plan))) {
    require_same_candidates(plan, group);
    const std::uint64_t seed = plan.points[group.front().points.front()].scenario->seed;
    std::vector<std::pair<std::string, const Candidate*>> order;
    for (const Candidate& c : group)
      order.emplace_back(
          sha256(fmt::format("{} {}", seed, nlohmann::json(comparable_labels(c.values)).dump())), &c);
    std::ranges::sort(order);
    for (std::size_t k = plan.selection->drawn.value_or(order.size()); k < order.size(); ++k)
      for (const std::size_t p : order[k].second->points) drawn[p] = false;
    for (const Candidate& c : group)
      for (const std::size_t p : c.points)
        plan.points[p].repeat = plan.selection->looks(group.size()).front();
    if (plan.selection->trials) plan_trials(plan, group);
  }
  std::size_t number = 0;
  std::erase_if(plan.points, [&](const PlannedPoint&) { return !drawn[number++]; });
}

// Notes latencies of a second or more that are written without a unit: milliseconds may be meant.
void note_latencies(const std::vector<Reader::PlainNumber>& numbers, Plan& plan) {
  for (const auto& [pointer, value, unit] : numbers) {
    if (!pointer.starts_with("/network/latency") || unit != "s" || value < 1) continue;
    plan.notes.emplace(
        pointer, fmt::format(R"(warning: {}: {:g} without a unit means {:g} s; write "{:g} s" or "{:g} ms")",
                             pointer, value, value, value, value));
  }
}

// Warns of bounds of another algorithm, and of those that depend on more of the data than is equal in all repetitions.
void note_bounds(Plan& plan) {
  const auto& bounds = plan.points.front().scenario->analysis.bounds;
  for (std::size_t b = 0; b < bounds.size(); ++b) {
    const analysis::Bound& bound = *bounds[b].type;
    if (bound.rule == analysis::CentralRule::kAny ||
        std::ranges::any_of(plan.points, [&](const PlannedPoint& p) {
          return bound.applies_to(central_rule(p.scenario->protocol));
        }))
      continue;
    plan.notes.emplace(
        fmt::format("/analysis/bounds/{}/type", b),
        fmt::format("warning: analysis.bounds: {} is of {}: it has no value in this study", bound.name,
                    bound.rule == analysis::CentralRule::kAsynchronous
                        ? "central_async"
                        : "central_sync with algorithm strongly_convex"));
  }
  const auto known = [](const analysis::BoundOptions& bound) { return bound.type->constants == 0; };
  for (const PlannedPoint& p : plan.points) {
    if (!p.scenario->draws_data() || std::ranges::none_of(p.scenario->analysis.bounds, known)) continue;
    plan.notes.emplace(
        "/analysis/bounds",
        "warning: analysis.bounds: bounds without free constants are of one data set: as each "
        "repetition draws its data (data.draw), those that depend on f* or its Hessian have no "
        "value");
  }
}

// Every error at the points from number `first`, the first that has one. An error that not all points have names the
// first point with it.
[[noreturn]] void refuse_points(const Plan& plan, const std::vector<SweepPoint>& points, std::size_t first,
                                const PlanOptions& options, const Folders& folders,
                                const NamesInScenario& names) {
  constexpr std::size_t kMaxPoints = 1000;  // to look at
  struct Seen {
    std::string line;
    std::size_t first, points = 0;
  };
  std::vector<Seen> seen;
  const std::size_t end = std::min(points.size(), first + kMaxPoints);
  for (std::size_t k = first; k < end && seen.size() < kMaxPoints; ++k) {
    try {
      const Document at = document_at(plan, points[k], options);
      Scenario scenario;
      read(at, at.root, scenario, folders, {}, {}, kStudyKeys, names);
    } catch (const InputError& error) {
      for (const std::string& line : error.lines()) {
        auto known = std::find_if(seen.begin(), seen.end(), [&](const Seen& s) { return s.line == line; });
        if (known == seen.end()) known = seen.insert(seen.end(), {line, k});
        ++known->points;
      }
    }
  }
  if (seen.empty()) throw;  // code that does not fail again
  std::vector<std::string> lines;
  for (const Seen& s : seen) {
    const std::string where = point_name(plan, s.first, points[s.first].labels);
    lines.push_back(s.points == points.size() || where.empty() ? s.line
                                                               : fmt::format("{} ({})", s.line, where));
  }
  throw InputError(std::move(lines));
}

// Checks that the run to trace is one of the study.
void require_traced_run(const Plan& plan, const std::set<std::vector<std::string>>& selected) {
  const PlannedPoint& first = plan.points.front();
  if (!first.scenario->record.trace) return;
  const analysis::TraceOptions& trace = *first.scenario->record.trace;
  const std::size_t points = selected.empty() ? plan.points.size() : selected.size();
  const auto check = [&](const char* option, std::uint64_t found, std::uint64_t count, const char* what) {
    if (found < count) return;
    throw InputError(
        plan.locate(fmt::format("/record/trace/{}", option),
                    fmt::format("expected a {} of the study, 0 to {}, found {}", what, count - 1, found)));
  };
  check("point", trace.point, points, "point");
  check("repetition", trace.repetition, std::max(first.repeat, 1u), "repetition");
}

// The points that repeat.until compares each point with.
void find_references(Plan& plan) {
  const UntilPrecise* const rule = plan.until();
  if (rule == nullptr) return;
  std::map<std::vector<std::string>, std::uint32_t> numbers;
  for (std::uint32_t p = 0; p < plan.points.size(); ++p) numbers.emplace(plan.points[p].labels, p);
  for (std::size_t c = 0; c < rule->until.size(); ++c) {
    std::map<std::size_t, std::string> values;  // by axis
    for (std::size_t k = 0; k < rule->until[c].against.size(); ++k) {
      const std::string& text = rule->until[c].against[k];
      const auto refuse = [&](const std::string& expected, const std::string& found, const Names& names) {
        throw InputError(
            plan.locate(fmt::format("/repeat/until/{}/against/{}", c, k),
                        fmt::format("expected {} ({}), found '{}'{}", expected, fmt::join(names, ", "),
                                    printable(found), did_you_mean(found, names))));
      };
      const auto equals = std::min(text.find('='), text.size());
      const auto axis = std::ranges::find(plan.axes, text.substr(0, equals));
      if (axis == plan.axes.end() || equals == text.size())
        refuse("PATH=VALUE of an axis of this sweep", text.substr(0, equals), plan.axes);
      const auto a = static_cast<std::size_t>(axis - plan.axes.begin());
      const std::string value = text.substr(equals + 1);
      Names all;
      for (const PlannedPoint& p : plan.points) {
        const std::string& label = p.labels[a];
        const auto shown = plan.shown[a].find(label);
        const std::string& name = shown == plan.shown[a].end() ? label : shown->second;
        if (label == value || name == value || (!values.contains(a) && is_value(label, value)))
          values[a] = label;
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
      }
      if (!values.contains(a)) refuse(fmt::format("a value of {}", *axis), value, all);
    }
    auto& of_points = plan.references.emplace_back();
    for (std::uint32_t p = 0; p < plan.points.size(); ++p) {
      std::vector<std::string> labels = plan.points[p].labels;
      for (const auto& [a, value] : values) labels[a] = value;
      const auto found = numbers.find(labels);
      if (found == numbers.end())
        throw InputError(
            plan.locate(fmt::format("/repeat/until/{}/against", c),
                        fmt::format("the study has no point to compare this one with: {}", plan.name_of(p))));
      of_points.push_back(found->second);
    }
  }
}

Plan plan_document(Document document, const std::string& file, std::span<const std::string> sets,
                   const Folders& folders, const PlanOptions& options) {
  Plan plan;
  plan.file = printable(file, 4096);
  plan.document = std::move(document);
  plan.document.outline = &scenario_outline();
  plan.written = plan.document.root;
  plan.origin["folders"] = folders_of(plan.document, folders);
  plan.origin["homes"] = nlohmann::json(homes_of(plan.document, folders, plan.origin["folders"])).dump();
  plan.origin["condition"] = options.points;
  plan.origin["instances"] = options.validation ? "validation" : "";
  plan.origin["chosen"] = nlohmann::json(options.chosen).dump();
  // With the text of each number, which labels have and other options may name.
  plan.origin["scenario"] = json_as_written(plan.document.root, {});
  std::string sweep_text;
  for (const char* key : {"sweep", "tune", "branches"}) {
    if (const Node* const part = plan.written.find(key))
      sweep_text += fmt::format(",\n  \"{}\": {}", key, json_as_written(*part, 2));
  }
  const Sweep sweep(plan.document, sets);
  static_cast<SweptAxes&>(plan) = sweep.swept();
  plan.selection = sweep.selection();
  plan.branch_sets = sweep.branch_sets();
  Keys keys(std::ranges::any_of(
      plan.axes, [](const auto& axis) { return axis == "metrics" || lies_below(axis, "metrics"); }));
  std::optional<std::uint64_t> seed;  // of the first point, as it is written
  PointFit fit;
  NodeNames names;
  std::set<std::vector<std::string>> groups;  // combinations of the other axes than the selection's
  const std::vector<SweepPoint> points = points_of(sweep, plan, options);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const SweepPoint& swept = points[k];
    const auto& chosen = options.chosen;
    if (!chosen.empty() && !chosen.contains(swept.labels)) continue;
    if (plan.selection && !options.validation) groups.insert(plan.selection->group_of(swept.labels));
    const Document at = document_at(plan, swept, options);
    auto scenario = std::make_shared<Scenario>();
    Reader reader(at, at.root, folders, {}, kStudyKeys, std::ref(names));
    try {
      reader(*scenario, {});
      reader.finish();
    } catch (const InputError&) {
      refuse_points(plan, points, k, options, folders, std::ref(names));
    }
    if (options.validation) scenario->repeat.set_antithetic(false);  // a tuned value is not chosen by pairs
    if (!seed) seed = scenario->seed;
    if (sweep.independent()) scenario->seed = keys.independent_seed(*scenario);
    PointKey key = keys.point(*scenario);
    // A choice is made on other runs than those that are reported; but where each repetition draws its data, on validation
    // records of the same repetitions, lest these be test records of another.
    if (plan.selection && plan.selection->optional() && options.validation &&
        (!scenario->draws_data() || !plan.selection->validates())) {
      scenario->first_repetition = 1'000'000'000;  // beyond the repetitions of a study
      key.point += " tuned";
    }
    std::shared_ptr<const Scenario> past;
    std::string past_key;
    if (sweep.branches()) {
      past = std::exchange(scenario, branched(*scenario, at, sweep, swept, folders, std::ref(names)));
      past_key = std::exchange(key.point, branch_key(key.point, keys, *scenario, *sweep.branches()));
    }
    std::uint32_t repeat = scenario->repeat.first();
    if (plan.selection && options.validation) {
      if (plan.selection->trials) repeat = 0;  // until they are drawn
      plan.selection->most = repeat = plan.selection->repetitions.value_or(repeat);
    }
    plan.points.push_back({.scenario = scenario,
                           .repeat = repeat,
                           .past = past,
                           .past_key = std::move(past_key),
                           .parting = sweep.branches() ? sweep.branches()->parting() : Parting(),
                           .branch = sweep.branches() ? branch_number(sweep, swept) : 0,
                           .labels = swept.labels,
                           .numbers = swept.numbers,
                           .key = std::move(key.point),
                           .problem_key = std::move(key.problem)});
    note_latencies(reader.plain_numbers(), plan);
    try {
      if (past) require_branches(*past, plan, *sweep.branches());
      if (past) fit.require(*past, plan.points.size() - 1, true);
      fit.require(*scenario, plan.points.size() - 1);
    } catch (const InputError&) {
      throw;
    } catch (sim::Error& error) {
      error.point = plan.points.size() - 1;
      throw plan.located(error);
    }
  }
  if (plan.points.empty())
    throw InputError(fmt::format("{}: the values that were chosen are of no point of the sweep", plan.file));
  plan.candidates = options.validation;
  if (plan.selection && !options.validation) {
    const bool drawn =
        std::ranges::any_of(plan.points, [](const auto& p) { return p.scenario->draws_data(); });
    if (std::string note = plan.selection->note(drawn); !note.empty())
      plan.notes.emplace(plan.selection->pointer(), std::move(note));
  }
  note_bounds(plan);
  if (plan.selection && options.validation) plan_candidates(plan);
  if (plan.selection && !options.validation) leave_out_tuned(plan);
  for (std::size_t p = 0; p < std::min(options.repetitions.size(), plan.points.size()); ++p)
    plan.points[p].repeat = options.repetitions[p];
  find_references(plan);
  require_conclusions(plan);
  require_comparable(plan, sweep);
  require_traced_run(plan, groups);
  // A run that draws its data or network has the scalars of these, which the key of such a point has.
  const PlannedPoint& first = plan.points.front();
  const auto drawn =
      std::ranges::find_if(plan.points, [](const auto& p) { return p.scenario->draws_anew(); });
  plan.record_key = record_key(*(drawn == plan.points.end() ? first : *drawn).scenario);
  // The scenario itself may be incomplete: the sweep may give a required option.
  Scenario shown = first.past ? *first.past : *first.scenario;
  if (sweep.independent()) shown.seed = *seed;
  plan.resolved = write_all(shown, Numbers::kQuantities, sweep.axes()).dump(2);
  if (!sweep_text.empty()) {
    plan.resolved.erase(plan.resolved.size() - 2);  // the closing brace
    plan.resolved += sweep_text + "\n}";
  }
  if (static_cast<double>(plan.most_runs()) > options.max_runs) {
    throw RefusedError(fmt::format(
        "{} points with their repetitions are {}{} runs, more than {:.6g}; raise --max-runs to allow them",
        plan.points.size(), plan.most_runs() > plan.runs() ? "up to " : "", plan.most_runs(),
        options.max_runs));
  }
  return plan;
}

// Where the input files of a stored study are looked for.
struct StoredFolders {
  Folders folders{};  // in order: the store's that may be read, then those that are given
  Names refused{};    // the store's that may not
  Folders lines{};    // the store's, empty where they may not
};

StoredFolders stored_folders(analysis::StoredStudy& study, const Folders& given) {
  StoredFolders all;
  Folders roots = given;
  roots.emplace_back(".");
  roots = real_folders(roots);
  std::error_code error;
  std::stringstream lines(study.info("folders"));
  for (std::string line; std::getline(lines, line);) {
    if (const auto folder = std::filesystem::weakly_canonical(line, error); lies_under(folder, roots)) {
      all.folders.push_back(folder);
      all.lines.push_back(folder);
    } else {
      all.refused.push_back(line);
      all.lines.emplace_back();
    }
  }
  all.folders.insert(all.folders.end(), given.begin(), given.end());
  return all;
}

}  // namespace

Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const Folders& folders,
               const PlanOptions& options) {
  try {
    return plan_document(load(file, sets, folders, {}, &scenario_outline()), file, sets, folders, options);
  } catch (const RefusedError& error) {
    throw RefusedError(fmt::format("{}: {}", file, error.what()));
  } catch (const std::bad_alloc&) {
    throw RefusedError(
        fmt::format("{}: out of memory while its points were read: reduce the number of points", file));
  }
}

const Outline& scenario_outline() {
  static const Outline kAll = outline<Scenario>();
  return kAll;
}

Plan make_plan_of_text(const std::string& text, const std::string& name) {
  return plan_document(parse(text, name), name, {}, {}, {});
}

UnreadFolders::UnreadFolders(const std::string& reason, const Names& refused)
    : InputError(fmt::format("{}; files that the study has read in {} are not read without --data-dir",
                             reason, printable(fmt::format("{}", fmt::join(refused, " and ")), 4096))),
      folders(refused) {}

Plan make_plan_again(analysis::StoredStudy& study, const Folders& given) {
  const std::string file = analysis::store_file(study.folder()).string();
  const std::string text = study.info("scenario");
  if (text.empty()) throw analysis::OutputError(file + ": contains no scenario; run the study again");
  const StoredFolders stored = stored_folders(study, given);
  PlanOptions options{.points = study.info("condition"), .validation = !study.info("instances").empty()};
  if (const std::string chosen = study.info("chosen"); !chosen.empty())
    options.chosen = nlohmann::json::parse(chosen).get<std::set<std::vector<std::string>>>();
  for (const analysis::StudyPoint& p : study.plan().points) options.repetitions.push_back(p.repetitions);
  // Not the folder of results: it has tables whose names an input file may have too, such as owners.csv.
  const std::filesystem::path home = !stored.folders.empty()  ? stored.folders.front()
                                     : stored.refused.empty() ? study.folder()
                                                              : std::filesystem::path(".");
  std::map<std::string, std::size_t> homes;
  if (const std::string of_files = study.info("homes"); !of_files.empty())
    homes = nlohmann::json::parse(of_files).get<std::map<std::string, std::size_t>>();
  Plan plan = [&] {
    try {
      Document document = parse(text, file, home);
      each_text(document.root, "", [&](Node& node, const std::string& pointer) {
        const auto found = homes.find(pointer);
        if (found == homes.end() || found->second >= stored.lines.size()) return;
        if (const auto& folder = stored.lines[found->second]; !folder.empty())
          node.at.source = document.add_source({Source::Kind::kFile, file, folder});
      });
      return plan_document(std::move(document), file, {}, stored.folders, options);
    } catch (const InputError& error) {
      if (stored.refused.empty()) throw;
      throw UnreadFolders(error.what(), stored.refused);
    }
  }();
  bool same = plan.points.size() == study.points();
  for (std::size_t p = 0; same && p < plan.points.size(); ++p) same = plan.points[p].key == study.key(p);
  if (!same) {
    const std::string changed = file +
                                ": the scenario has other points than when it was run: an input file or "
                                "hearsay has changed";
    if (!stored.refused.empty()) throw UnreadFolders(changed, stored.refused);
    throw analysis::OutputError(changed);
  }
  return plan;
}

const Scenario* Plan::private_point() const {
  const auto found = std::ranges::find_if(
      points, [](const PlannedPoint& p) { return models::is_private(p.scenario->privacy.mechanism); });
  return found == points.end() ? nullptr : &*found->scenario;
}

std::uint64_t Plan::runs() const {
  return std::accumulate(points.begin(), points.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PlannedPoint& p) { return sum + p.repeat; });
}

std::uint64_t Plan::most_runs() const {
  if (candidates) return std::max(runs(), selection->runs(labels_of(*this)));
  if (until() == nullptr) return runs();
  return points.size() * std::uint64_t{points.front().scenario->repeat.most()};
}

const UntilPrecise* Plan::until() const {
  return candidates ? nullptr : points.front().scenario->repeat.until();
}

analysis::StudyPlan Plan::study() const {
  const RecordOptions& record = points.front().scenario->record;
  analysis::StudyPlan study;
  study.head.axes = axes;
  study.head.tuned = tuned;
  study.head.groups = groups;
  study.head.shown = shown;
  for (const MetricChoice& m : record.metrics) study.head.metrics.push_back((*m).info());
  study.head.aggregate = record.keep == Keep::kAggregate;
  study.head.models = record.models == KeptModels::kFinal;
  study.head.by_time = record.every.time.has_value();
  study.head.antithetic = points.front().scenario->repeat.antithetic();
  study.head.every = record.every.time ? 1 : record.every.vectors ? 2 : record.every.bytes ? 3 : 0;
  study.record_key = record_key;
  study.info = origin;
  study.info["file"] = file;
  if (const auto& trace = record.trace; trace && trace->point < points.size())
    study.info["trace"] = sha256(fmt::format("{}\n{}", run_key(points[trace->point].key, trace->repetition),
                                             canonical(write_changes(*trace))));
  study.info["build"] = version_line();
  if (candidates) study.info["most_runs"] = fmt::format("{}", most_runs());
  std::set<std::string> events;
  for (const PlannedPoint& p : points)
    events.insert(p.past ? events_json(*p.past, p.parting) : events_json(*p.scenario));
  study.info["events"] = events.size() == 1 ? *events.begin() : "";
  for (const PlannedPoint& p : points) {
    study.points.push_back({p.key, p.labels, p.repeat, description_key(*p.scenario), p.tuned});
  }
  return study;
}

std::string Plan::locate(const std::string& pointer, const std::string& message) const {
  const Node* node = nullptr;
  std::string dotted = pointer.substr(pointer.empty() ? 0 : 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  while (!dotted.empty() && (node = written.find_path(dotted)) == nullptr) {
    const auto dot = dotted.rfind('.');
    dotted.resize(dot == std::string::npos ? 0 : dot);
  }
  return scenarios::located(document.where((node != nullptr ? *node : written).at), pointer, message);
}

sim::Error Plan::located(const sim::Error& error) const {
  if (error.where.empty() && !error.point) return error;
  std::string message = error.what();
  if (error.point && axes.size() + tuned.size() > 0) message += " (" + name_of(*error.point) + ")";
  std::string dotted = error.where.substr(error.where.empty() ? 0 : 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  if (const auto place =
          error.point ? place_in_branch(*this, points[*error.point], error.where) : std::nullopt)
    return {error.kind, {}, scenarios::located(document.where(place->at), place->pointer, message)};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (dotted == axes[a] || lies_below(dotted, axes[a]))
      return {error.kind, {}, scenarios::located(document.where(axes_at[a]), error.where, message)};
  }
  return {error.kind, {}, locate(error.where, message)};
}

std::string Plan::name_of(std::size_t point) const {
  std::vector<std::string> labels = points[point].labels;
  labels.insert(labels.end(), points[point].tuned.begin(), points[point].tuned.end());
  return point_name(*this, point, labels);
}

}  // namespace hearsay::scenarios
