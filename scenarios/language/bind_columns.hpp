#pragma once
// Per-agent values that are a column of the data: {"column": "epsilon"}.
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// The value of each owner in a column of the data. Throws std::exception where there is no such column.
using ColumnValues = std::function<const std::vector<double>&(const std::string& column)>;

/// A column that can not be used; `pointer` is where the scenario names it.
struct ColumnError : std::runtime_error {
  ColumnError(std::string p, const std::string& message)
      : std::runtime_error(message), pointer(std::move(p)) {}
  std::string pointer;
};

namespace detail {
void bind_columns(const sim::Describe& options, const ColumnValues& columns);
}

/// Puts the values of columns in place of their names, wherever in the options there are any; what ranges the
/// places have holds for the values too. Throws ColumnError.
template <sim::Described T>
void bind_columns(T& options, const ColumnValues& columns) {
  detail::bind_columns([&](sim::Visitor& v) { options.describe(v); }, columns);
}

}  // namespace hearsay::scenarios
