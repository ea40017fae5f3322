#pragma once
// Vega-Lite templates (templates/NAME.json) and the JSON text that fills them.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay::analysis {

/// Members of a JSON object: names, and values as JSON text.
using Members = std::vector<std::pair<std::string, std::string>>;

/// The template of that name with "$key" replaced by the value of that key, as JSON text. A member or element
/// "$key" without a value is removed, and so is an object whose "$when" names a key without a value.
std::string fill(std::string_view name, const Members& values);

/// A JSON string; bytes that are not UTF-8 are replaced.
std::string json_text(std::string_view text);
/// A number with seven digits, which are more than can be seen; null if it is not finite.
std::string json_number(double x);
std::string json_object(const Members& members);
/// A list of values that are JSON text, and one of strings.
std::string json_list(const std::vector<std::string>& values);
std::string json_texts(const std::vector<std::string>& texts);
/// A list of numbers with all their digits.
std::string json_numbers(const std::vector<double>& numbers);

}  // namespace hearsay::analysis
