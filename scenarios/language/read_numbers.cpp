// What Reader does with numbers and quantities.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kMaxWhole = 9007199254740992.0;  // 2^53: above it a double skips integers

// What follows "a number" in a message about a text that begins like a number without a unit: " in [0, 1], without a
// unit" or, if it is a number, " in [0, 1], without quotes". Empty for other texts.
std::string number_without(std::string_view text, const sim::About& about) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || !about.unit.empty() || (!about.noun.empty() && rest != end)) return {};
  const std::string range = about.noun.empty() ? range_text(about) : "";
  const char* const link = range.empty() ? "" : range.starts_with("at ") ? " of " : " ";
  return fmt::format("{}{}, without {}", link, range, rest == end ? "quotes" : "a unit");
}

}  // namespace

std::string Reader::shown(double x, std::string_view unit) const {
  return format_quantity(x, resolved({.name = "", .unit = unit}).unit);
}

std::optional<double> Reader::quantity(const sim::About& about, bool whole) {
  const sim::About here = resolved(about);
  const std::string whole_number =
      "a whole number" + std::string(here.unit.empty() ? "" : " of ") + std::string(here.unit);
  const auto any = [&] {
    if (!here.noun.empty()) return std::string(here.noun);
    return whole && here.unit.empty() ? whole_number : expected_quantity(here.unit);
  };
  const Node* node = given(about, any);
  if (node == nullptr) return std::nullopt;
  std::optional<double> read;
  if (node->is(Node::Kind::kNumber)) {
    read = node->number;
    if (!here.unit.empty()) plain_.push_back({pointer(about.name), *read, here.unit});
  }
  const bool digits = node->text.find_first_not_of("0123456789") == std::string::npos;
  if (node->is(Node::Kind::kText) && here.noun == sim::kAgentNumber && !digits) {
    const auto agent = named(node->text, node->at, pointer(about.name));
    return agent ? std::optional<double>(*agent) : std::nullopt;
  }
  if (node->is(Node::Kind::kText)) read = parse_quantity(node->text, here.unit);
  const bool loses_digits = node->integer && std::abs(node->number) >= kMaxWhole &&
                            fmt::format("{:.0f}", node->number) != node->text;
  if (!read) {
    wrong(*node, about, any() + (node->is(Node::Kind::kText) ? number_without(node->text, here) : ""));
  } else if (whole && (std::abs(*read) > kMaxWhole || loses_digits)) {
    wrong(*node, about, "a whole number of at most 2^53 in magnitude");
  } else if (loses_digits) {
    wrong(*node, about, "an integer that a double can hold");
  } else if (whole && *read != std::floor(*read)) {
    wrong(*node, about, here.noun.empty() ? whole_number : std::string(here.noun));
  } else if (!in_range(*read, here)) {
    wrong(*node, about, here.noun.empty() ? expected_value(here) : std::string(here.noun));
  } else {
    return read;
  }
  return std::nullopt;
}

// The agent of a name. Nothing after an error, which is reported, here or where it is made.
std::optional<sim::AgentId> Reader::named(const std::string& text, Position at, const std::string& pointer) {
  try {
    static const Names kNone;
    return agent_of(text, names_ ? names_(document_, folders_) : kNone);
  } catch (const InputError&) {
    unnamed_ = true;
  } catch (const std::invalid_argument& e) {
    fault(at, pointer, e.what());
  } catch (const sim::Error& e) {
    // Once, and not for every agent.
    std::string dotted = e.where.substr(std::min<std::size_t>(1, e.where.size()));
    std::ranges::replace(dotted, '/', '.');
    const Node* const node = document_.root.find_path(dotted);
    unnamed_ = true;
    if (std::ranges::count(faults_, e.where, &Fault::pointer) == 0)
      fault(node == nullptr ? at : node->at, e.where, e.what());
  }
  return std::nullopt;
}

void Reader::number(double& value, const sim::About& about) {
  value = quantity(about, false).value_or(value);
}

void Reader::whole(std::int64_t& value, const sim::About& about) {
  if (const auto read = quantity(about, true)) value = static_cast<std::int64_t>(*read);
}

}  // namespace hearsay::scenarios
