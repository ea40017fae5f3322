#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The field without `separator`, if it separates groups of three digits: 1,234,567.5. Else empty.
std::string without_thousands(std::string_view field, char separator) {
  std::string rest;
  for (std::size_t k = 0; k < field.size(); ++k) {
    if (field[k] != separator) {
      rest += field[k];
      continue;
    }
    std::size_t digits = 0;
    while (k + 1 + digits < field.size() && is_digit(field[k + 1 + digits])) ++digits;
    if (digits != 3 || k == 0 || !is_digit(field[k - 1])) return {};
  }
  return rest.size() < field.size() ? rest : std::string();
}

}  // namespace

NumberLike number_like(std::string_view field, char decimal) {
  NumberLike like{.other_mark = sim::parse_number(field, decimal == '.' ? ',' : '.').has_value()};
  for (const char separator : {',', '.', ' ', '\''}) {
    const std::string rest = without_thousands(field, separator);
    like.thousands = like.thousands || sim::parse_number(rest, '.') || sim::parse_number(rest, ',');
  }
  return like;
}

}  // namespace hearsay::models
