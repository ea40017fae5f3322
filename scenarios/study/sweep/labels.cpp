#include "scenarios/study/sweep/labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;  // path of a member, its text

// The members of a value and of the objects in it. The path of a type is that of its object.
void take_parts(const Node& value, const std::string& path, Parts& parts) {
  const auto items = value.items();
  const bool lists_objects =
      value.is(Node::Kind::kList) && std::any_of(items.begin(), items.end(), [](const Node::Member& item) {
        return item.value.is(Node::Kind::kObject);
      });
  if ((!value.is(Node::Kind::kObject) && !lists_objects) || (path.empty() && items.empty()))
    return static_cast<void>(parts.emplace_back(path, label_of(value)));
  if (const Node* type = value.find("type")) parts.emplace_back(path, label_of(*type));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string key = lists_objects ? fmt::format("{}", i) : items[i].key;
    if (key != "type" || lists_objects)
      take_parts(items[i].value, path.empty() ? key : path + "." + key, parts);
  }
}

std::string parts_text(const Parts& parts, const std::set<std::string>& omitted) {
  std::vector<std::string> texts;
  for (const auto& [path, text] : parts) {
    if (!omitted.contains(path)) texts.push_back(path.empty() ? text : path + "=" + text);
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace

std::string label_of(const Node& value) {
  switch (value.kind) {
    case Node::Kind::kNull:
      return "default";
    case Node::Kind::kBoolean:
      return value.boolean ? "true" : "false";
    case Node::Kind::kNumber:
    case Node::Kind::kText:
      return value.text;
    case Node::Kind::kList:
    case Node::Kind::kObject: {
      if (value.is(Node::Kind::kObject) && value.items().empty()) return "{}";
      std::string text;
      for (const auto& item : value.items()) {
        const bool named = !item.key.empty() && item.key != "type";
        text += (text.empty() ? "" : " ") + (named ? item.key + "=" : "") + label_of(item.value);
      }
      return text;
    }
  }
  return "";
}

std::vector<std::string> short_labels(const std::vector<Node>& values) {
  std::vector<Parts> parts(values.size());
  std::map<std::string, std::pair<std::set<std::string>, std::size_t>> members;  // texts, number of values
  std::set<std::string> different;
  for (std::size_t v = 0; v < values.size(); ++v) {
    take_parts(values[v], "", parts[v]);
    for (const auto& [path, text] : parts[v]) {
      members[path].first.insert(text);
      ++members[path].second;
    }
    different.insert(canonical(values[v]));
  }
  // Members that are the same wherever they occur; if that leaves equal labels, those that are the same everywhere.
  for (const bool everywhere : {false, true}) {
    std::set<std::string> omitted;
    for (const auto& [path, seen] : members) {
      if (seen.first.size() == 1 && (!everywhere || seen.second == values.size())) omitted.insert(path);
    }
    std::vector<std::string> labels;
    labels.reserve(parts.size());
    for (const Parts& one : parts) labels.push_back(parts_text(one, omitted));
    const bool empty = std::find(labels.begin(), labels.end(), "") != labels.end();
    if (!empty && std::set(labels.begin(), labels.end()).size() == different.size()) return labels;
  }
  std::vector<std::string> labels;
  labels.reserve(values.size());
  for (const Node& value : values) labels.push_back(label_of(value));
  return labels;
}

std::string canonical(const Node& value) {
  if (const auto number = si_number(value)) return fmt::format("{}", *number + 0.0);
  std::vector<std::string> parts;
  switch (value.kind) {
    case Node::Kind::kNull:
    case Node::Kind::kBoolean:
    case Node::Kind::kNumber:
      return label_of(value);
    case Node::Kind::kText:
      return nlohmann::json(value.text).dump();
    case Node::Kind::kList:
      for (const auto& item : value.items()) parts.push_back(canonical(item.value));
      return fmt::format("[{}]", fmt::join(parts, ","));
    case Node::Kind::kObject:
      if (value.items().size() == 1 && value.find("type") != nullptr) return canonical(*value.find("type"));
      for (const auto& item : value.items())
        parts.push_back(nlohmann::json(item.key).dump() + ":" + canonical(item.value));
      std::sort(parts.begin(), parts.end());
      return fmt::format("{{{}}}", fmt::join(parts, ","));
  }
  return "";
}

std::optional<double> si_number(const Node& value) {
  if (value.is(Node::Kind::kNumber)) return value.number;
  if (!value.is(Node::Kind::kText)) return std::nullopt;
  // Units of different dimensions have different names.
  for (const std::string_view unit : kUnits) {
    if (const auto number = parse_quantity(value.text, unit)) return number;
  }
  return std::nullopt;
}

std::optional<double> label_number(const std::string& label) {
  Node node;
  node.kind = Node::Kind::kText;
  node.text = label;
  if (const auto number = si_number(node)) return number;
  double number = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (error != std::errc{} || end != label.data() + label.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool same_number(double a, double b) {
  constexpr double kRounding = 1e-13;  // 2.1 ms and 2100 us differ in the last bit
  return a == b || std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

bool is_value(const std::string& label, const std::string& value) {
  if (label == value) return true;
  const auto a = label_number(label), b = label_number(value);
  return a && b && same_number(*a, *b);
}

std::vector<std::string> comparable_labels(std::vector<std::string> labels) {
  for (std::string& label : labels)
    if (const auto number = label_number(label)) label = fmt::format("{:.14g}", *number + 0.0);
  return labels;
}

}  // namespace hearsay::scenarios
