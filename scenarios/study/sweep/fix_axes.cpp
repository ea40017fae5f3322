#include "scenarios/study/sweep/fix_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/merge.hpp"

namespace hearsay::scenarios {

bool lies_below(std::string_view path, std::string_view above) {
  return path.size() > above.size() && path.starts_with(above) && path[above.size()] == '.';
}

const Node* option_at(const Node& root, std::string_view path) {
  const Node* const found = root.find_path(path);
  constexpr std::string_view kType = "type";
  if (found != nullptr || !path.ends_with(kType)) return found;
  path.remove_suffix(kType.size());
  if (!path.empty() && !path.ends_with('.')) return nullptr;
  const Node* const whole = path.empty() ? &root : root.find_path(path.substr(0, path.size() - 1));
  return whole != nullptr && names_type(*whole) ? whole : nullptr;
}

namespace {

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

// The paths of all axes of a sweep as it is written.
std::vector<std::string> swept_paths(const Node& sweep) {
  std::vector<std::string> all;
  for (const auto& item : sweep.items()) {
    if (item.key == "zip") {
      for (const auto& entry : item.value.items()) {
        for (const auto& axis : entry.value.items()) all.push_back(axis.key);
      }
    } else if (item.key != "where" && item.key != "select" && item.key != "random_numbers") {
      all.push_back(item.key);
    }
  }
  return all;
}

// Replaces the axis by one value, as an independent axis.
void fix_axis(Node& sweep, const std::string& path, const Node& value) {
  const Node one = list_of(value);
  if (sweep.find(path) != nullptr) {
    *axis_of(sweep, path) = one;
    return;
  }
  erase_zipped(sweep, path);
  sweep.add(path, one);
}

// Whether "path=value" sets the axis, alone, with all axes of `place`, or with those that are zipped.
bool sets_axis(std::string_view set, std::string_view place, const std::string& axis, bool zipped) {
  const std::string_view path = set.substr(0, set.find('='));
  return path == fmt::format("{}.{}", place, axis) || path == fmt::format("{}{}", kSweepPrefix, axis) ||
         path == place || lies_below(place, path) || (zipped && path == "sweep.zip");
}

// In place of the axes that are set, their values, which the document has. `place`: of the axes.
void fix_axes_in(Node& sweep, const char* place, const Document& document,
                 std::span<const std::string> sets) {
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const std::string path = sets[k].substr(0, sets[k].find('='));
    if (path.starts_with(kSweepPrefix)) continue;
    for (const std::string& axis : swept_paths(sweep)) {
      const bool zipped = sweep.find(axis) == nullptr;
      const bool set_later = std::any_of(sets.begin() + static_cast<std::ptrdiff_t>(k), sets.end(),
                                         [&](const auto& s) { return sets_axis(s, place, axis, zipped); });
      if (set_later) continue;
      const bool type = axis.ends_with(".type");
      const Node* const whole = axis == path + ".type" ? document.root.find_path(path) : nullptr;
      const bool typeless = whole != nullptr && !whole->is(Node::Kind::kObject) && !names_type(*whole);
      if (typeless || lies_below(path, axis) ||
          (type && path != axis && axis_of(sweep, path) == nullptr &&
           lies_below(path, axis.substr(0, axis.size() - 5)))) {
        throw InputError(fmt::format(
            "--set {}: the sweep sets {} at every point; change the values of that axis, or run without the "
            "sweep: --set sweep=null",
            printable(path), printable(axis)));
      }
      const Node* value = option_at(document.root, axis);
      if (path == axis || (lies_below(axis, path) && value != nullptr))
        fix_axis(sweep, axis, value != nullptr ? *value : Node{});
    }
  }
}

}  // namespace

void fix_axes(Document& document, std::span<const std::string> sets) {
  for (const char* place : {"sweep", "tune.paths"}) {
    Node* axes = &document.root;
    for (const std::string_view step : split_path(place)) {
      const auto at = axes == nullptr || !axes->is(Node::Kind::kObject) ? std::nullopt : axes->position(step);
      axes = at ? &axes->changeable_items()[*at].value : nullptr;
    }
    if (axes != nullptr && axes->is(Node::Kind::kObject)) fix_axes_in(*axes, place, document, sets);
  }
}

}  // namespace hearsay::scenarios
