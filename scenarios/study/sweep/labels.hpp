#pragma once
// Texts for the values of an axis, and their identity.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/json/node.hpp"

namespace hearsay::scenarios {

/// The whole value as text: "on_off up=exponential mean=60 s". It identifies the value in files.
std::string label_of(const Node& value);

/// Labels for tables and figures, by value: of objects only the members that differ, nested ones by their path:
/// "up.mean=60 s". A member is left out if all values that have it agree in it and the labels still distinguish the
/// values. O(members log members).
std::vector<std::string> short_labels(const std::vector<Node>& values);

/// Equal texts for equal values: quantities in SI, members in any order, "always" like {"type": "always"}.
std::string canonical(const Node& value);

/// The value in SI of a number or a quantity of any dimension; nothing for other values.
std::optional<double> si_number(const Node& value);

/// The number in SI that such a label represents.
std::optional<double> label_number(const std::string& label);

/// Whether two numbers are the same but for the rounding of their units.
bool same_number(double a, double b);

/// Whether a label represents a value as a user writes it: the same text, or the same number.
bool is_value(const std::string& label, const std::string& value);

/// Equal texts for labels of equal numbers; other labels as they are.
std::vector<std::string> comparable_labels(std::vector<std::string> labels);

}  // namespace hearsay::scenarios
