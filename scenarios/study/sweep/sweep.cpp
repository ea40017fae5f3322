#include "scenarios/study/sweep/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/study/sweep/condition.hpp"
#include "scenarios/study/sweep/fix_axes.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kMaxCombinations = 1e7;  // to test conditions on

// Refuses a point that is listed twice, and two points of the same label.
void refuse_duplicates(const Document& document, const std::vector<Axis>& group, const std::string& pointer) {
  if (!std::all_of(group.begin(), group.end(), [](const Axis& axis) { return axis.listed(); })) return;
  std::map<std::string, std::size_t> values, labels;
  for (std::size_t i = 0; i < static_cast<std::size_t>(group.front().size()); ++i) {
    std::string value, label;
    std::vector<std::string> shown;
    for (const Axis& axis : group) {
      const AxisValue one = axis.value(i);
      value += canonical(one.node) + "\n";
      label += one.label + "\n";
      shown.push_back(printable(one.label));
    }
    const auto fail = [&](std::string_view what, std::size_t first) {
      document.fail(
          group.front().value(i).node.at, fmt::format("{}/{}", pointer, i),
          fmt::format("{} {} and {} are both '{}'; remove one", what, first, i, fmt::join(shown, ", ")));
    };
    if (const auto [first, is_new] = values.emplace(value, i); !is_new) fail("values", first->second);
    if (const auto [first, is_new] = labels.emplace(label, i); !is_new)
      fail("the labels of values", first->second);
  }
}

// Refuses two axes that give the same option different values.
void refuse_overlap(const Document& document, const Axis& above, const Axis& below) {
  if (!above.listed() || !lies_below(below.path(), above.path())) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(above.size()); ++i) {
    const AxisValue value = above.value(i);
    if (option_at(value.node, below.path().substr(above.path().size() + 1)) == nullptr) continue;
    document.fail(value.node.at, "/sweep" + pointer_step(above.path()),
                  fmt::format("value '{}' sets {}, which another axis sweeps; remove it from one of them",
                              printable(value.label), below.path()));
  }
}

void refuse_path(const Document& document, Position at, const std::string& pointer, std::string_view path) {
  for (const std::string_view kept : {"repeat", "record", "version", "sweep", "branches", "tune", "extends",
                                      "baselines", "analysis", "splitting"}) {
    if (path == kept || path.starts_with(std::string(kept) + ".")) {
      document.fail(at, pointer, fmt::format("cannot be swept: {} is the same for all points", kept));
    }
  }
}

}  // namespace

Sweep::Sweep(Document& document, std::span<const std::string> sets) {
  fix_axes(document, sets);
  const auto take = [&](const char* key) -> std::optional<Node> {
    const Node* const written = document.root.find(key);
    if (written == nullptr) return std::nullopt;
    Node taken = *written;
    document.root.erase(key);
    return taken.is(Node::Kind::kNull) ? std::nullopt : std::optional(std::move(taken));
  };
  if (const auto sweep = take("sweep")) {
    if (!sweep->is(Node::Kind::kObject))
      document.fail(sweep->at, "/sweep", "expected an object of axes, found " + found(*sweep));
    read(document, *sweep);
  }
  if (const auto branches = take("branches")) read_branches(document, *branches);
  if (const auto tune = take("tune")) read_tune(document, *tune);
}

void Sweep::read_branches(const Document& document, const Node& branches) {
  if (!branches.is(Node::Kind::kObject))
    document.fail(branches.at, "/branches", "expected an object, found " + found(branches));
  const Node* const sets = branches.find("set");
  if (sets == nullptr || !sets->is(Node::Kind::kList))
    document.fail(
        (sets != nullptr ? *sets : branches).at, "/branches/set",
        "expected a list of what the branches change, found " + (sets == nullptr ? "nothing" : found(*sets)));
  branch_sets_ = *sets;
  for (const char* axis : {kBranchAxis, kContinuationAxis}) {  // which hold the values of the axes
    if (const Node* const written = document.root.find(axis))
      document.fail(written->key_at, pointer_step(axis), unknown_key(axis, {"branches"}));
  }
  if (selection_) selection_->per.push_back(axes().size());  // chosen for each branch, over its continuations
  add_group(document, {Axis(document, kBranchAxis, *sets, "/branches/set")}, *sets, "/branches/set");
  Node options = branches;
  options.erase("set");
  scenarios::read(document, options, branches_.emplace(), {}, "/branches", {}, {"set"});
  parting_at_ = branches.find("at")->at;
  if (branches_->continuations == 1) return;
  if (branches_->noise == LaterNoise::kCommon)
    document.fail(branches.find("continuations")->at, "/branches/continuations",
                  "continuations with the same random numbers are equal: set noise to fresh");
  Limits limits;
  Node numbers = parse_text(fmt::format(R"({{"from": 1, "to": {}, "step": 1}})", branches_->continuations),
                            document, branches.at.source, limits);
  numbers.relocate(branches.at);
  add_group(document, {Axis(document, kContinuationAxis, numbers, "/branches/continuations")}, branches,
            "/branches/continuations");
}

void Sweep::read_tune(const Document& document, const Node& tune) {
  if (!tune.is(Node::Kind::kObject))
    document.fail(tune.at, "/tune", "expected an object, found " + found(tune));
  if (selection_) document.fail(tune.at, "/tune", "sweep.select tunes one axis: give only one of the two");
  const Node* const paths = tune.find("paths");
  if (paths == nullptr || !paths->is(Node::Kind::kObject) || paths->items().empty()) {
    document.fail((paths != nullptr ? *paths : tune).at, "/tune/paths",
                  "expected an object with the options to tune and their values, found " +
                      (paths == nullptr                 ? "nothing"
                       : paths->is(Node::Kind::kObject) ? "an empty one"
                                                        : found(*paths)));
  }
  for (const auto& item : paths->items()) {
    const std::string pointer = "/tune/paths" + pointer_step(item.key);
    refuse_path(document, item.value.key_at, pointer, item.key);
    add_group(document, {Axis(document, item.key, item.value, pointer)}, item.value, pointer);
  }
  for (const Axis* above : all()) {
    for (const Axis* below : all()) refuse_overlap(document, *above, *below);
  }
  selection_ = scenarios::read_tune(document, tune, axes(), paths->items().size());
}

void Sweep::read(const Document& document, const Node& sweep) {
  for (const auto& item : sweep.items()) {
    const std::string pointer = "/sweep" + pointer_step(item.key);
    const auto fail = [&](const std::string& message) { document.fail(item.value.at, pointer, message); };
    if (item.key == "zip") {
      read_zip(document, item.value);
    } else if (item.key == "where") {
      if (!item.value.is(Node::Kind::kText)) fail("expected a condition as text, found " + found(item.value));
      where_ = item.value.text;
      where_place_ = document.where(item.value.at) + ": " + pointer;
    } else if (item.key == "select") {
      continue;  // once all axes are known
    } else if (item.key == "random_numbers") {
      const bool text = item.value.is(Node::Kind::kText);
      independent_ = text && item.value.text == "independent";
      if (!independent_ && !(text && item.value.text == "common"))
        fail(expected_one_of({"common", "independent"}, item.value));
    } else {
      refuse_path(document, item.value.key_at, pointer, item.key);
      add_group(document, {Axis(document, item.key, item.value, pointer)}, item.value, pointer);
    }
  }
  for (const Axis* above : all()) {
    for (const Axis* below : all()) refuse_overlap(document, *above, *below);
  }
  const Node* select = sweep.find("select");
  if (select == nullptr || select->is(Node::Kind::kNull)) return;
  std::vector<std::vector<std::string>> groups;
  for (const Group& group : groups_) {
    auto& paths = groups.emplace_back();
    for (const Axis& axis : group) paths.push_back(axis.path());
  }
  selection_ = read_selection(document, *select, groups);
}

void Sweep::read_zip(const Document& document, const Node& zip) {
  if (!zip.is(Node::Kind::kList)) {
    document.fail(zip.at, "/sweep/zip",
                  "expected a list of objects, each with axes that vary together, found " + found(zip));
  }
  for (std::size_t i = 0; i < zip.items().size(); ++i) {
    const Node& entry = zip.items()[i].value;
    const std::string pointer = fmt::format("/sweep/zip/{}", i);
    if (!entry.is(Node::Kind::kObject) || entry.items().empty()) {
      document.fail(entry.at, pointer,
                    "expected an object with axes that vary together, found " +
                        (entry.is(Node::Kind::kObject) ? "an empty one" : found(entry)));
    }
    Group group;
    for (const auto& item : entry.items()) {
      const std::string place = pointer + pointer_step(item.key);
      refuse_path(document, item.value.key_at, place, item.key);
      group.emplace_back(document, item.key, item.value, place);
      const Axis& first = group.front();
      const Axis& last = group.back();
      if (first.size() != last.size()) {
        document.fail(item.value.at, place,
                      fmt::format("expected as many values as {} ({}), found {}", first.path(), first.size(),
                                  last.size()));
      }
    }
    add_group(document, std::move(group), entry, pointer);
  }
}

void Sweep::add_group(const Document& document, Group group, const Node& written,
                      const std::string& pointer) {
  const std::vector<std::string> taken = axes();
  for (const Axis& axis : group) {
    if (std::find(taken.begin(), taken.end(), axis.path()) != taken.end())
      document.fail(written.at, pointer,
                    fmt::format("{} is swept twice; remove one of its axes", axis.path()));
  }
  refuse_duplicates(document, group, pointer);
  groups_.push_back(std::move(group));
}

std::vector<const Axis*> Sweep::all() const {
  std::vector<const Axis*> all;
  for (const Group& group : groups_) {
    for (const Axis& axis : group) all.push_back(&axis);
  }
  return all;
}

std::vector<std::string> Sweep::axes() const {
  std::vector<std::string> paths;
  for (const Axis* axis : all()) paths.push_back(axis->path());
  return paths;
}

SweptAxes Sweep::swept() const {
  SweptAxes all{.axes = axes()};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Axis& axis : groups_[g]) {
      bool numbers = true;
      std::string_view unit;
      std::map<std::string, std::string> shown;
      // Ranges are numbers; long lists do not fit a scenario.
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(axis.size(), 1e5)); ++i) {
        const AxisValue value = axis.value(i);
        numbers = numbers && value.number.has_value();
        if (value.shown != value.label) shown[value.label] = value.shown;
        if (unit.empty() && value.node.is(Node::Kind::kText)) unit = unit_of(value.node.text);
      }
      all.units.emplace_back(unit);
      all.groups.push_back(g);
      all.numeric.push_back(numbers);
      all.shown.push_back(std::move(shown));
      all.axes_at.push_back(axis.at());
    }
  }
  return all;
}

double Sweep::combinations() const {
  double all = 1;
  for (const Group& group : groups_) all *= group.front().size();
  return all;
}

std::vector<Condition> Sweep::conditions(const std::string& only) const {
  std::vector<Condition> all;
  const std::pair<std::string, std::string> written[] = {{where_, where_place_},
                                                         {only, only.empty() ? "" : "--points"}};
  for (const auto& [text, place] : written) {
    if (place.empty()) continue;
    try {
      const SweptAxes swept = this->swept();
      all.emplace_back(text, swept.axes, swept.numeric, swept.units);
    } catch (const std::invalid_argument& error) {
      throw InputError(place + ": " + error.what());
    }
  }
  return all;
}

std::vector<SweepPoint> Sweep::points(const std::string& only, double max_points,
                                      const Absent& absent) const {
  std::vector<Condition> conditions = this->conditions(only);
  const double all = combinations();
  const double most = conditions.empty() ? max_points : kMaxCombinations;
  if (all > most && !absent) {
    throw RefusedError(fmt::format("the sweep has {:.6g} {}, more than {:.6g}{}", all,
                                   conditions.empty() ? "points" : "combinations to test the condition on",
                                   most, conditions.empty() ? "; raise --max-runs to allow them" : ""));
  }
  // A combination is one index for each group. Values of long axes are not kept: a condition may exclude most of them.
  constexpr double kShortAxis = 1e4;
  const std::vector<const Axis*> axis = this->all();
  const std::vector<std::size_t> group_of = swept().groups;
  std::vector<std::vector<AxisValue>> values(axis.size());
  std::vector<std::size_t> at(groups_.size());
  for (std::size_t a = 0; a < axis.size(); ++a) {
    for (std::size_t i = 0; axis[a]->size() <= kShortAxis && i < static_cast<std::size_t>(axis[a]->size());
         ++i)
      values[a].push_back(axis[a]->value(i));
  }
  const auto point_of = [&](const auto& value, const std::vector<bool>& without) {
    SweepPoint point;
    for (std::size_t a = 0; a < axis.size(); ++a) {
      const AxisValue& one = value(a);
      point.labels.push_back(without[a] ? "" : one.label);
      point.numbers.push_back(without[a] ? std::numeric_limits<double>::quiet_NaN()
                                         : one.number.value_or(std::numeric_limits<double>::quiet_NaN()));
      if (!without[a]) point.settings.emplace_back(axis[a]->path(), one.node);
    }
    return point;
  };
  std::vector<SweepPoint> points;
  std::vector<double> numbers(axis.size());
  std::vector<bool> without(axis.size());     // by axis: absent for the present values of the swept axes
  std::vector<bool> skipped(groups_.size());  // by group: its values make no difference
  std::set<std::vector<std::size_t>> seen;    // combinations without what is absent
  const auto next = [&] {
    for (std::size_t g = groups_.size(); g-- > 0; at[g] = 0)
      if (!skipped[g] && static_cast<double>(++at[g]) < groups_[g].front().size()) return true;
    return false;
  };
  double tried = 0;
  for (bool more = true; more; more = next()) {
    if (++tried > most) {
      throw RefusedError(fmt::format("the sweep has more than {:.6g} combinations of values{}", most,
                                     conditions.empty() ? "; raise --max-runs to allow them" : ""));
    }
    AxisValue computed;
    const auto value = [&](std::size_t a) -> const AxisValue& {
      const std::size_t i = at[group_of[a]];
      return values[a].empty() ? computed = axis[a]->value(i) : values[a][i];
    };
    const auto is_first = [&](std::size_t a) { return at[group_of[a]] == 0; };
    if (absent && std::ranges::all_of(selection_->axes, is_first)) {
      // The tuned axes are the last, one a group: from here on the others have new values.
      for (const std::size_t a : selection_->axes) without[a] = true;
      const std::vector<bool> missing = absent(point_of(value, without));
      for (std::size_t t = 0; t < missing.size(); ++t) {
        const std::size_t a = selection_->axes[t];
        without[a] = missing[t];
        skipped[group_of[a]] =
            missing[t] && conditions.empty();  // else any of them may satisfy the condition
      }
      seen.clear();
    }
    for (std::size_t a = 0; !conditions.empty() && a < axis.size(); ++a)
      numbers[a] = value(a).number.value_or(0);
    const bool wanted = std::all_of(conditions.begin(), conditions.end(),
                                    [&](Condition& condition) { return condition.holds(numbers); });
    if (!wanted) continue;
    if (absent) {
      std::vector<std::size_t> present = at;
      for (const std::size_t a : selection_->axes) present[group_of[a]] *= without[a] ? 0 : 1;
      if (!seen.insert(std::move(present)).second) continue;
    }
    points.push_back(point_of(value, without));
    if (static_cast<double>(points.size()) > max_points) {
      throw RefusedError(fmt::format(
          "the sweep has more than {:.6g} points that satisfy its condition; raise --max-runs to allow them",
          max_points));
    }
  }
  if (points.empty()) {
    throw InputError(only.empty() ? where_place_ + ": no point satisfies the condition"
                                  : "--points: no point of the sweep satisfies the condition");
  }
  return points;
}

Document at_point(const Document& document, const SweepPoint& point) {
  std::vector<const std::pair<std::string, Node>*> order;
  for (const auto& setting : point.settings) order.push_back(&setting);
  const auto rank = [](const std::string& path) {
    const auto parts = split_path(path);
    return std::pair(parts.size(), parts.back() != "type");
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return rank(a->first) < rank(b->first); });
  Document result = document;
  for (const auto* setting : order) result.set(setting->first, setting->second);
  return result;
}

}  // namespace hearsay::scenarios
