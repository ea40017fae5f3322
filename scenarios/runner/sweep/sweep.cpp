#include "scenarios/runner/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/merge.hpp"
#include "scenarios/runner/sweep/condition.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kMaxCombinations = 1e7;  // to test conditions on

Node list_of(const Node& value) {
  Node list;
  list.kind = Node::Kind::kList;
  list.at = list.key_at = value.at;
  list.add("", value);
  return list;
}

// The axis of a path in a sweep as it is written, or null.
Node* axis_of(Node& sweep, std::string_view path) {
  if (const auto own = sweep.position(path)) return &sweep.changeable_items()[*own].value;
  const auto zip = sweep.position("zip");
  if (!zip || !sweep.items()[*zip].value.is(Node::Kind::kList)) return nullptr;
  for (auto& entry : sweep.changeable_items()[*zip].value.changeable_items()) {
    if (entry.value.find(path) != nullptr) return axis_of(entry.value, path);
  }
  return nullptr;
}

// The command line takes precedence: an axis whose option it sets keeps that one value, as an independent axis.
void fix_axes(Document& document, std::span<const std::string> sets) {
  const Node* written = document.root.find("sweep");
  if (written == nullptr || !written->is(Node::Kind::kObject)) return;
  Node& sweep = document.root.changeable_items()[*document.root.position("sweep")].value;
  for (const std::string& set : sets) {
    const std::string_view path = std::string_view(set).substr(0, set.find('='));
    if (path.starts_with(kSweepPrefix) || axis_of(sweep, path) == nullptr) continue;
    const Node* value = document.root.find_path(path);
    const Node one = list_of(value != nullptr ? *value : Node{});
    if (sweep.find(path) != nullptr) {
      *axis_of(sweep, path) = one;
      continue;
    }
    auto& entries = sweep.changeable_items()[*sweep.position("zip")].value.changeable_items();
    for (auto& entry : entries) entry.value.erase(path);
    std::erase_if(entries, [](const auto& entry) {
      return entry.value.is(Node::Kind::kObject) && entry.value.items().empty();
    });
    sweep.add(std::string(path), one);
  }
}

void refuse_path(const Document& document, const Node& written, const std::string& pointer,
                 std::string_view path) {
  for (const std::string_view kept :
       {"repeat", "record", "version", "sweep", "extends", "baselines", "analysis"}) {
    if (path == kept || path.starts_with(std::string(kept) + ".")) {
      document.fail(written.key_at, pointer,
                    fmt::format("cannot be swept: {} is the same for all points", kept));
    }
  }
}

}  // namespace

Sweep::Sweep(Document& document, std::span<const std::string> sets) {
  fix_axes(document, sets);
  const Node* written = document.root.find("sweep");
  if (written == nullptr) return;
  const Node sweep = *written;
  document.root.erase("sweep");
  if (!sweep.is(Node::Kind::kObject))
    document.fail(sweep.at, "/sweep", "expected an object of axes, found " + found(sweep));
  read(document, sweep);
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
      add_group(document, {Axis(document, item.key, item.value, pointer)}, item.value, pointer);
    }
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
    refuse_path(document, written, pointer, axis.path());
    if (std::find(taken.begin(), taken.end(), axis.path()) != taken.end())
      document.fail(written.at, pointer,
                    fmt::format("{} is swept twice; remove one of its axes", axis.path()));
  }
  groups_.push_back(std::move(group));
}

std::vector<std::string> Sweep::axes() const {
  std::vector<std::string> all;
  for (const Group& group : groups_) {
    for (const Axis& axis : group) all.push_back(axis.path());
  }
  return all;
}

std::vector<std::size_t> Sweep::groups() const {
  std::vector<std::size_t> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) all.insert(all.end(), groups_[g].size(), g);
  return all;
}

double Sweep::combinations() const {
  double all = 1;
  for (const Group& group : groups_) all *= group.front().size();
  return all;
}

std::vector<bool> Sweep::numeric() const {
  std::vector<bool> all;
  for (const Group& group : groups_) {
    for (const Axis& axis : group) {
      bool numbers = true;
      // Ranges are numbers; long lists do not fit a scenario.
      for (std::size_t i = 0; numbers && i < static_cast<std::size_t>(std::min(axis.size(), 1e5)); ++i)
        numbers = axis.value(i).number.has_value();
      all.push_back(numbers);
    }
  }
  return all;
}

std::vector<Condition> Sweep::conditions(const std::string& only) const {
  std::vector<Condition> all;
  const std::pair<std::string, std::string> written[] = {{where_, where_place_},
                                                         {only, only.empty() ? "" : "--points"}};
  for (const auto& [text, place] : written) {
    if (place.empty()) continue;
    try {
      all.emplace_back(text, axes(), numeric());
    } catch (const std::invalid_argument& error) {
      throw InputError(place + ": " + error.what());
    }
  }
  return all;
}

std::vector<SweepPoint> Sweep::points(const std::string& only, double max_points) const {
  std::vector<Condition> conditions = this->conditions(only);
  const double all = combinations();
  const double most = conditions.empty() ? max_points : kMaxCombinations;
  if (all > most) {
    throw RefusedError(fmt::format("the sweep has {:.6g} {}, more than {:.6g}{}", all,
                                   conditions.empty() ? "points" : "combinations to test the condition on",
                                   most, conditions.empty() ? "; raise --max-runs to allow them" : ""));
  }
  // The values are computed once; a combination is one index for each group.
  std::vector<std::vector<AxisValue>> values;
  std::vector<std::size_t> group_of, at(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Axis& axis : groups_[g]) {
      group_of.push_back(g);
      std::vector<AxisValue>& mine = values.emplace_back();
      for (std::size_t i = 0; i < static_cast<std::size_t>(axis.size()); ++i) mine.push_back(axis.value(i));
    }
  }
  const std::vector<std::string> paths = axes();
  std::vector<SweepPoint> points;
  std::vector<double> numbers(paths.size());
  const auto count = static_cast<std::size_t>(all);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t g = groups_.size(), rest = k; g-- > 0;) {
      const auto size = static_cast<std::size_t>(groups_[g].front().size());
      at[g] = rest % size;
      rest /= size;
    }
    const auto value = [&](std::size_t a) -> const AxisValue& { return values[a][at[group_of[a]]]; };
    for (std::size_t a = 0; !conditions.empty() && a < paths.size(); ++a)
      numbers[a] = value(a).number.value_or(0);
    const bool wanted = std::all_of(conditions.begin(), conditions.end(),
                                    [&](Condition& condition) { return condition.holds(numbers); });
    if (!wanted) continue;
    SweepPoint& point = points.emplace_back();
    for (std::size_t a = 0; a < paths.size(); ++a) {
      point.labels.push_back(value(a).label);
      point.numbers.push_back(value(a).number.value_or(std::numeric_limits<double>::quiet_NaN()));
      point.settings.emplace_back(paths[a], value(a).node);
    }
    if (static_cast<double>(points.size()) > max_points) {
      throw RefusedError(fmt::format(
          "the sweep has more than {:.6g} points that satisfy its condition; raise --max-runs to allow "
          "them",
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
