#include "scenarios/runner/sweep.hpp"

#include <fmt/format.h>

#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

namespace {

std::string label_of(const Node& value) {
  switch (value.kind) {
    case Node::Kind::kNull:
      return "default";
    case Node::Kind::kBoolean:
      return value.boolean ? "true" : "false";
    case Node::Kind::kNumber:
    case Node::Kind::kText:
      return value.text;
    case Node::Kind::kList: {
      std::string text;
      for (const auto& item : value.items()) text += (text.empty() ? "" : " ") + label_of(item.value);
      return text;
    }
    case Node::Kind::kObject: {
      std::string text;
      for (const auto& item : value.items()) {
        text += (text.empty() ? "" : " ") + (item.key == "type" ? "" : item.key + "=") + label_of(item.value);
      }
      return text;
    }
  }
  return "";
}

}  // namespace

Sweep take_sweep(Document& document) {
  Sweep sweep;
  sweep.points.emplace_back();
  const Node* found_sweep = document.root.find("sweep");
  if (found_sweep == nullptr) return sweep;
  const Node axes = *found_sweep;
  document.root.erase("sweep");
  if (!axes.is(Node::Kind::kObject)) {
    throw InputError(
        located(document.where(axes.at), "/sweep", "expected an object of axes, got " + found(axes)));
  }
  for (const auto& axis : axes.items()) {
    const std::string pointer = "/sweep" + pointer_step(axis.key);
    if (!axis.value.is(Node::Kind::kList) || axis.value.items().empty()) {
      throw InputError(located(document.where(axis.value.at), pointer,
                               "expected a list of at least one value, got " + found(axis.value)));
    }
    std::vector<SweepPoint> product;
    for (const SweepPoint& point : sweep.points) {
      for (const auto& value : axis.value.items()) {
        product.push_back(point);
        product.back().labels.push_back(label_of(value.value));
        product.back().settings.emplace_back(axis.key, value.value);
      }
    }
    sweep.axes.push_back(axis.key);
    sweep.points = std::move(product);
  }
  return sweep;
}

Document at_point(const Document& document, const SweepPoint& point, std::uint32_t) {
  Document result = document;
  for (const auto& [path, value] : point.settings) result.set(path, value);
  return result;
}

}  // namespace hearsay::scenarios
