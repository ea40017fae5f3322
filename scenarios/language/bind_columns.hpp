#pragma once
// Per-agent values that are a column of the data: {"column": "epsilon"}.
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// Visits all options, and does nothing unless a derived class overrides how a kind of option is visited.
class Walk : public sim::Visitor {
 public:
  void alternatives(const sim::About& about, std::span<const sim::Alternative>, std::size_t,
                    const std::function<void(std::size_t)>&, const sim::Describe& current) override {
    object(about, current);
  }

 protected:
  void boolean(bool&, const sim::About&) override {}
  void number(double&, const sim::About&) override {}
  void whole(std::int64_t&, const sim::About&) override {}
  void text(std::string&, const sim::About&) override {}
  void file(sim::InputFile&, const sim::About&) override {}
  void choice(std::size_t&, std::span<const sim::Choice>, const sim::About&) override {}
  void object(const sim::About&, const sim::Describe& members) override { members(*this); }
  void optional(const sim::About&, bool present, const std::function<void(bool)>&,
                const sim::Describe& value) override {
    if (present) value(*this);
  }
  void list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>&,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override {
    object(about, [&](sim::Visitor& v) {
      for (std::size_t i = 0; i < size; ++i) element(v, i);
    });
  }
  void failed(std::string_view, const std::string&) override {}
};

/// The value of each owner in a column of the data. Throws std::exception if there is no such column.
using ColumnValues = std::function<const std::vector<double>&(const std::string& column)>;

namespace detail {
void bind_columns(const sim::Describe& options, const ColumnValues& columns);
}

/// Replaces all names of columns in the options by the values of the columns. The values must lie in the range of
/// their option. Throws sim::OptionError for a column that cannot be used, at the option that names it.
template <sim::Described T>
void bind_columns(T& options, const ColumnValues& columns) {
  detail::bind_columns([&](sim::Visitor& v) { options.describe(v); }, columns);
}

}  // namespace hearsay::scenarios
