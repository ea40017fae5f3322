#include "scenarios/study/sweep/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/study/sweep/labels.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kSlack = 1e-9;  // of a step, for rounding errors

// Their product may be 0 or infinite.
bool same_sign(double a, double b) {
  return a != 0 && b != 0 && (a > 0) == (b > 0);
}

// A number with its unit as written.
struct Quantity {
  double number = 0;
  std::string unit;
};

std::optional<Quantity> quantity(const Node& node) {
  if (node.is(Node::Kind::kNumber)) return Quantity{node.number, ""};
  if (!node.is(Node::Kind::kText) || !si_number(node)) return std::nullopt;
  Quantity q;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, q.number);
  q.unit.assign(rest, end);
  return q;
}

// The finest unit of quantities of one kind, of which numbers without a unit are in SI; null if they are of several.
const UnitName* finest_unit(const std::vector<Quantity>& all) {
  for (const std::string_view unit : kUnits) {
    const UnitName* finest = nullptr;
    const auto is_of = [&](const Quantity& q) {
      for (const UnitName& name : unit_names(unit)) {
        const bool si = name.times == 1 && name.over == 1;
        if (q.unit.empty() ? !si : q.unit.substr(q.unit.starts_with(' ') ? 1 : 0) != name.name) continue;
        if (finest == nullptr || name.times / name.over < finest->times / finest->over) finest = &name;
        return true;
      }
      return false;
    };
    if (std::ranges::all_of(all, is_of)) return finest;
  }
  return nullptr;
}

}  // namespace

Axis::Axis(const Document& document, std::string path, const Node& written, const std::string& pointer)
    : path_(std::move(path)), written_(written) {
  if (written.is(Node::Kind::kObject)) {
    read_range(document, pointer);
  } else if (!written.is(Node::Kind::kList) || written.items().empty()) {
    document.fail(
        written.at, pointer,
        fmt::format("expected a list of at least one value or a range such as {{\"from\": 0, \"to\": 1, "
                    "\"step\": 0.1}}, found {}",
                    written.is(Node::Kind::kList) ? "an empty list" : found(written)));
  } else {
    read_list(document, pointer);
  }
}

// Takes the labels of the values {"label": ..., "value": ...}.
void Axis::read_list(const Document& document, const std::string& pointer) {
  std::vector<Node> values;
  for (std::size_t i = 0; i < written_.items().size(); ++i) {
    const Node item = written_.items()[i].value;
    const Node* label = item.find("label");
    const std::string place = fmt::format("{}/{}", pointer, i);
    labels_.emplace_back(label == nullptr ? "" : label->text);
    if (label == nullptr) {
      values.push_back(item);
      continue;
    }
    const Names known{"label", "value"};
    for (const auto& member : item.items()) {
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        document.fail(member.value.key_at, place + pointer_step(member.key),
                      unknown_key(member.key, known, " of a labelled value"));
    }
    const Node* value = item.find("value");
    if (value == nullptr)
      document.fail(item.at, place,
                    R"(required key 'value' is missing; expected {"label": ..., "value": ...})");
    if (!label->is(Node::Kind::kText) || label->text.empty())
      document.fail(label->at, place + "/label", "expected text that is not empty, found " + found(*label));
    const auto read = label_number(label->text), number = si_number(*value);
    if (read && number && !same_number(*read, *number))
      document.fail(
          label->at, place + "/label",
          fmt::format("expected a label that is no number, or the number of its value, {}, found {}",
                      found(*value), found(*label)));
    values.push_back(*value);
    Node kept = *value;  // releases `written_` before it changes
    written_.changeable_items()[i].value = std::move(kept);
  }
  const bool short_ones = std::any_of(values.begin(), values.end(), [](const Node& value) {
    return value.is(Node::Kind::kObject) || value.is(Node::Kind::kList);
  });
  if (short_ones) shown_ = short_labels(values);
}

void Axis::read_range(const Document& document, const std::string& pointer) {
  const Names known{"from", "to", "step", "factor", "count", "scale"};
  const auto fail = [&](const Node& at, std::string_view key, const std::string& message) {
    document.fail(at.at, pointer + (key.empty() ? "" : pointer_step(key)), message);
  };
  for (const auto& item : written_.items()) {
    if (std::find(known.begin(), known.end(), item.key) == known.end())
      document.fail(item.value.key_at, pointer + pointer_step(item.key),
                    unknown_key(item.key, known, " of a range"));
  }
  std::erase_if(written_.changeable_items(),
                [](const auto& item) { return item.value.is(Node::Kind::kNull); });
  const auto number = [&](std::string_view key) {
    const Node* node = written_.find(key);
    if (node == nullptr) fail(written_, "", fmt::format("required key '{}' of a range is missing", key));
    const std::optional<Quantity> q = quantity(*node);
    if (!q)
      fail(*node, key,
           fmt::format("expected a number or a quantity such as \"15 ms\", found {}", found(*node)));
    return *q;
  };
  const bool step = written_.find("step"), factor = written_.find("factor"), count = written_.find("count");
  const char* const by_key = step ? "step" : factor ? "factor" : "count";
  if (int{step} + int{factor} + int{count} != 1)
    fail(written_, "", "give exactly one of step, factor and count");

  const Quantity from = number("from"), to = number("to");
  const Quantity by = number(by_key);
  const bool same_unit = from.unit == to.unit && (!step || from.unit == by.unit);
  const UnitName* const common =
      same_unit ? nullptr : finest_unit(step ? std::vector{from, to, by} : std::vector{from, to});
  if (!same_unit && common == nullptr) fail(written_, "", "units of different kinds in one range");
  unit_ = same_unit ? from.unit : fmt::format(" {}", common->name);
  const auto in_unit = [&](std::string_view key, const Quantity& q) {
    if (same_unit) return q.number;
    const double si = *si_number(*written_.find(key));
    return si * common->over / common->times;
  };
  from_ = in_unit("from", from);
  to_ = in_unit("to", to);
  by_ = step ? in_unit("step", by) : by.number;

  const Node* by_node = written_.find(by_key);
  const std::string wrong_way =
      fmt::format("a {} of {} does not lead from 'from' to 'to'", by_key, found(*by_node));
  if (step) {
    kind_ = Kind::kStep;
    if (by_ == 0 || (to_ - from_) / by_ < 0) fail(*by_node, "step", wrong_way);
  } else if (factor) {
    kind_ = Kind::kFactor;
    if (!by.unit.empty() || !(by_ > 0) || by_ == 1)
      fail(*by_node, "factor", "expected a number above 0 other than 1, found " + found(*by_node));
    if (!same_sign(from_, to_))
      fail(written_, "", "a factor requires 'from' and 'to' of the same sign and not 0");
    if (std::log(to_ / from_) / std::log(by_) < 0) fail(*by_node, "factor", wrong_way);
  } else {
    kind_ = Kind::kCount;
    if (!by.unit.empty() || by_ < 2 || by_ != std::floor(by_))
      fail(*by_node, "count", "expected a whole number of at least 2, found " + found(*by_node));
    if (from_ == to_) fail(written_, "", "'from' and 'to' of a count must differ: all values would be equal");
  }
  if (const Node* scale = written_.find("scale")) {
    const bool log = scale->is(Node::Kind::kText) && scale->text == "log";
    if (!log && !(scale->is(Node::Kind::kText) && scale->text == "linear"))
      fail(*scale, "scale", expected_one_of({"linear", "log"}, *scale));
    if (!count) fail(*scale, "scale", "scale requires count");
    if (log && !same_sign(from_, to_))
      fail(*scale, "scale", "a log scale requires 'from' and 'to' of the same sign and not 0");
    if (log) kind_ = Kind::kLogCount;
  }
  // The unit of the last digit, or of its share of a value.
  const bool ratio = kind_ == Kind::kFactor || kind_ == Kind::kLogCount;
  const double whole = ratio ? std::log(to_ / from_) : to_ - from_;
  const double gap = factor ? std::log(by_) : step ? by_ : whole / (by_ - 1);
  const double exponent = ratio ? -1 : std::floor(std::log10(std::max(std::abs(from_), std::abs(to_))));
  constexpr double kMany = 1e7;  // more values than that are refused for their number
  if (size() > 1 && size() <= kMany && std::abs(gap) < std::pow(10, exponent - 14) * (1 - 1e-9))
    fail(written_, "", "values of a range have 15 digits, in which these are equal");
}

double Axis::size() const {
  switch (kind_) {
    case Kind::kList:
      return static_cast<double>(written_.items().size());
    case Kind::kStep:
      return std::floor((to_ - from_) / by_ + kSlack) + 1;
    case Kind::kFactor:
      return std::floor(std::log(to_ / from_) / std::log(by_) + kSlack) + 1;
    case Kind::kCount:
    case Kind::kLogCount:
      return by_;
  }
  return 0;
}

AxisValue Axis::value(std::size_t i) const {
  if (kind_ == Kind::kList) {
    Node node = written_.items()[i].value;
    node.key_at = written_.key_at;
    const std::optional<double> number = si_number(node);
    const std::string label = labels_[i].empty() ? label_of(node) : labels_[i];
    return {std::move(node), label, !labels_[i].empty() || shown_.empty() ? label : shown_[i], number};
  }
  const auto k = static_cast<double>(i);
  double x = from_;
  if (kind_ == Kind::kStep) x = from_ + k * by_;
  if (kind_ == Kind::kFactor) x = from_ * std::pow(by_, k);
  if (kind_ == Kind::kCount) x = from_ + (to_ - from_) * (k / (by_ - 1));
  if (kind_ == Kind::kLogCount) x = from_ * std::pow(to_ / from_, k / (by_ - 1));
  const std::string digits = fmt::format("{:.15g}", x);
  double rounded = x;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);

  Node node;
  node.at = written_.at;
  node.key_at = written_.key_at;
  node.text = fmt::format("{}", rounded) + unit_;
  if (unit_.empty()) {
    node.kind = Node::Kind::kNumber;
    node.number = rounded;
    node.integer = node.text.find_first_of(".e") == std::string::npos;
  } else {
    node.kind = Node::Kind::kText;
  }
  const std::optional<double> number = si_number(node);
  const std::string label = node.text;
  return {std::move(node), label, label, number};
}

}  // namespace hearsay::scenarios
