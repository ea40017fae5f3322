#include "scenarios/runner/sweep/condition.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

struct Condition::Parser {
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

}  // namespace

Condition::Condition(const std::string& expression, const std::vector<std::string>& names,
                     const std::vector<bool>& numeric)
    : parser_(std::make_unique<Parser>()) {
  if (assigns(expression)) throw std::invalid_argument("a condition must not assign; write == for equality");
  mu::Parser& parser = parser_->expression;
  parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  parser_->values.resize(names.size());
  try {
    parser.SetExpr(expression);
    for (const auto& [name, ignored] : parser.GetUsedVar()) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        throw std::invalid_argument(
            fmt::format("expected swept options, found '{}'{}", printable(name), did_you_mean(name, names)));
      }
      if (!numeric[static_cast<std::size_t>(found - names.begin())])
        throw std::invalid_argument(
            fmt::format("a condition needs numbers; the values of {} are not numbers", name));
    }
    for (std::size_t i = 0; i < names.size(); ++i) parser.DefineVar(names[i], &parser_->values[i]);
    parser.Eval();
    if (parser.GetNumResults() != 1)
      throw std::invalid_argument("expected one condition; join several with &&");
  } catch (const mu::ParserError& error) {
    std::string message = error.GetMsg();
    message.erase(std::remove(message.begin(), message.end(), '\n'), message.end());
    throw std::invalid_argument(
        fmt::format("expected a condition such as a * b >= 1e4: {}", printable(message, 200)));
  }
}

Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;
Condition::~Condition() = default;

bool Condition::holds(std::span<const double> values) {
  std::copy(values.begin(), values.end(), parser_->values.begin());
  const double result = parser_->expression.Eval();
  return !std::isnan(result) && result != 0;
}

}  // namespace hearsay::scenarios
