#include "scenarios/study/sweep/condition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
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

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// The expression with its quantities ("25 ms", with or without quotes) in SI.
std::string in_si(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool quoted = text[i] == '"';
    const std::string_view rest = std::string_view(text).substr(i + (quoted ? 1 : 0));
    const bool digit = !rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) || rest[0] == '.');
    const auto quantity = digit ? leading_quantity(rest) : std::nullopt;
    const std::size_t end = quantity ? i + quantity->second + (quoted ? 1 : 0) : i;
    if (quantity && (!quoted || (end < text.size() && text[end] == '"'))) {
      out += fmt::format("({})", quantity->first);
      i = end + (quoted ? 1 : 0);
    } else if (in_name(text[i])) {
      // A name or a number, as a whole: the digits in a name are no number.
      double number = 0;
      const char* begin = text.data() + i;
      const auto [after, error] = std::from_chars(begin, text.data() + text.size(), number);
      std::size_t length = error == std::errc{} ? static_cast<std::size_t>(after - begin) : 0;
      while (length == 0 || (i + length < text.size() && in_name(text[i + length]))) ++length;
      out += text.substr(i, length);
      i += length;
    } else {
      out += text[i++];
    }
  }
  return out;
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
                       const std::vector<bool>& numeric, const Words& words)
    : parser_(std::make_unique<Parser>()) {
  if (assigns(expression))
    throw std::invalid_argument(fmt::format("a {} must not assign; write == for equality", words.what));
  mu::Parser& parser = parser_->expression;
  parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  parser_->values.resize(names.size());
  try {
    parser.SetExpr(in_si(expression));
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
    }
    for (std::size_t i = 0; i < names.size(); ++i) parser.DefineVar(names[i], &parser_->values[i]);
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
