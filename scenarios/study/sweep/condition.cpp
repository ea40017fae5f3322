#include "scenarios/study/sweep/condition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

struct Expression::Parser {
  mu::Parser expression;
  std::vector<double> values;
};

namespace {

// Whether "=" occurs outside of ==, <=, >=, !=.
bool assigns(const std::string& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const char before = i > 0 ? text[i - 1] : ' ';
    if (std::string("<>!").find(before) != std::string::npos) continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    return true;
  }
  return false;
}

// Whether two comparisons are joined without && or ||: to muParser "0.5 < a < 1" is (0.5 < a) < 1.
bool chains(std::string_view text) {
  constexpr std::string_view kTwo[] = {"&&", "||", "==", "!=", "<=", ">="};
  std::vector<int> comparisons{0};  // since the last &&, by open parenthesis
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    const bool two = std::ranges::find(kTwo, text.substr(i, 2)) != std::end(kTwo);
    if (c == '(') comparisons.push_back(0);
    if (c == ')' && comparisons.size() > 1) comparisons.pop_back();
    if (c == '&' || c == '|' || c == ',' || c == '?' || c == ':') comparisons.back() = 0;
    if ((c == '<' || c == '>' || (two && (c == '=' || c == '!'))) && ++comparisons.back() > 1) return true;
    if (two) ++i;
  }
  return false;
}

// The quantities of the expression that is being read: muParser calls plain functions.
thread_local std::set<std::string> quantities_read;

// Reads a quantity, "25 ms" with or without quotes, for muParser. Where s is a name, 1/s without quotes is a division.
template <bool kSlashDivides>
int read_quantity(const char* text, int* position, double* value) {
  const int quotes = *text == '"' ? 1 : 0;
  const std::string_view rest(text + quotes);
  if (rest.empty() || (!std::isdigit(static_cast<unsigned char>(rest[0])) && rest[0] != '.')) return 0;
  const auto quantity = leading_quantity(rest);
  if (!quantity) return 0;
  const auto [number, length] = *quantity;
  if (quotes == 1 && !rest.substr(length).starts_with('"')) return 0;
  const std::size_t slash = rest.substr(0, length).find('/');
  const bool rate = slash != rest.npos && !std::isalpha(static_cast<unsigned char>(rest[slash - 1]));
  if (kSlashDivides && quotes == 0 && rate) return 0;
  *value = number;
  quantities_read.emplace(rest.substr(0, length));
  *position += static_cast<int>(length) + 2 * quotes;
  return 1;
}

// "; known names: a, b": those that an expression can use.
std::string known_names(const std::vector<std::string>& names, const std::vector<bool>& numeric) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (numeric[i]) known.push_back(names[i]);
  }
  return known.empty() ? "" : fmt::format("; known names: {}", fmt::join(known, ", "));
}

}  // namespace

Expression::Expression(const std::string& expression, const std::vector<std::string>& names,
                       const std::vector<bool>& numeric, const Words& words,
                       const std::vector<std::string>& units)
    : parser_(std::make_unique<Parser>()) {
  if (assigns(expression))
    throw std::invalid_argument(fmt::format("a {} must not assign; write == for equality", words.what));
  if (chains(expression))
    throw std::invalid_argument(
        fmt::format("a {} must not chain comparisons; write a < b && b < c for a < b < c", words.what));
  mu::Parser& parser = parser_->expression;
  parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  parser_->values.resize(names.size());
  std::vector<std::size_t> used;
  try {
    const bool ambiguous = std::ranges::any_of(unit_names("1/s"), [&](const UnitName& unit) {
      return std::ranges::find(names, unit.name.substr(unit.name.find('/') + 1)) != names.end();
    });
    parser.AddValIdent(ambiguous ? read_quantity<true> : read_quantity<false>);
    parser.SetExpr(expression);
    quantities_read.clear();
    std::set<std::string_view> dimensions;  // of the names that are used; "": one has no unit
    for (const auto& [name, ignored] : parser.GetUsedVar()) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        const std::string advice = did_you_mean(name, names);
        throw std::invalid_argument(fmt::format("expected {}, found '{}'{}", words.names, printable(name),
                                                advice.empty() ? known_names(names, numeric) : advice));
      }
      if (!numeric[static_cast<std::size_t>(found - names.begin())])
        throw std::invalid_argument(
            fmt::format("a {} needs numbers; the values of {} are not numbers", words.what, name));
      const auto i = static_cast<std::size_t>(found - names.begin());
      dimensions.insert(units.empty() ? "" : std::string_view(units[i]));
      used.push_back(i);
    }
    const bool products =
        expression.find_first_of("*/^") != std::string::npos;  // have units of their factors
    for (const std::string& quantity : quantities_read) {
      if (!products && !used.empty() && !dimensions.contains("") && !dimensions.contains(unit_of(quantity)))
        throw std::invalid_argument(
            fmt::format("units of different kinds: the swept values are in {}, found {}",
                        fmt::join(dimensions, " and "), printable(quantity)));
    }
    // Others may have keys of an object in them, which are no names of muParser.
    for (const std::size_t i : used) parser.DefineVar(names[i], &parser_->values[i]);
    parser.Eval();
    if (parser.GetNumResults() != 1)
      throw std::invalid_argument(
          fmt::format("expected one {}; join several with {}", words.what, words.join));
  } catch (const mu::ParserError& error) {
    std::string message = error.GetMsg();
    message.erase(std::remove(message.begin(), message.end(), '\n'), message.end());
    throw std::invalid_argument(
        fmt::format("expected a {} such as {}: {}", words.what, words.example, printable(message, 200)));
  }
}

Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

double Expression::value(std::span<const double> values) {
  std::copy(values.begin(), values.end(), parser_->values.begin());
  return parser_->expression.Eval();
}

bool Condition::holds(std::span<const double> values) {
  const double result = value(values);
  return !std::isnan(result) && result != 0;
}

}  // namespace hearsay::scenarios
