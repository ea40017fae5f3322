#include "scenarios/language/bind_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/units.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios::detail {

namespace {

// Reads the only text of a column.
class NameOf final : public Walk {
 public:
  std::string name;

 private:
  void text(std::string& value, const sim::About&) override { name = value; }
};

// Fills the only list of per-agent values.
class Fill final : public Walk {
 public:
  explicit Fill(const std::vector<double>& values) : values_(values) {}

 private:
  void list(const sim::About&, std::size_t, const std::function<void(std::size_t)>& resize,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override {
    resize(values_.size());
    for (at_ = 0; at_ < values_.size(); ++at_) element(*this, at_);
  }
  void number(double& value, const sim::About&) override { value = values_[at_]; }

  const std::vector<double>& values_;
  std::size_t at_ = 0;
};

// Finds per-agent values that name a column.
class Bind final : public Walk {
 public:
  explicit Bind(const ColumnValues& columns) : columns_(columns) {}

  void alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                    const std::function<void(std::size_t)>& select, const sim::Describe& current) override {
    // A column can also identify the owners of a table: only options that could be "values" take values from it.
    const auto of_values =
        std::find_if(all.begin(), all.end(), [](const sim::Alternative& a) { return a.name == "values"; });
    if (all[index].name != "column" || of_values == all.end()) return object(about, current);
    NameOf column;
    current(column);
    try {
      const std::vector<double>& values = columns_(column.name);
      check_range(about, column.name, values);
      select(static_cast<std::size_t>(of_values - all.begin()));
      Fill fill(values);
      current(fill);
    } catch (const sim::InvariantError&) {
      throw;
    } catch (const std::exception& error) {
      throw sim::OptionError(pointer_ + "/" + std::string(about.name), error.what());
    }
  }

 private:
  void object(const sim::About& about, const sim::Describe& members) override {
    const std::string outer = pointer_;
    pointer_ += "/" + std::string(about.name);
    members(*this);
    pointer_ = outer;
  }

  static void check_range(const sim::About& about, const std::string& column,
                          const std::vector<double>& values) {
    const auto bad =
        std::find_if(values.begin(), values.end(), [&](double x) { return !in_range(x, about); });
    if (bad == values.end()) return;
    throw std::invalid_argument(fmt::format("column '{}': expected {}, found {} for owner {}", column,
                                            expected_value(about), *bad, bad - values.begin()));
  }

  const ColumnValues& columns_;
  std::string pointer_;
};

}  // namespace

void bind_columns(const sim::Describe& options, const ColumnValues& columns) {
  Bind bind(columns);
  options(bind);
}

}  // namespace hearsay::scenarios::detail
