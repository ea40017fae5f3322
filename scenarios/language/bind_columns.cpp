#include "scenarios/language/bind_columns.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/check.hpp"

namespace hearsay::scenarios::detail {

namespace {

// Walks over options; changes nothing by itself.
class Walk : public sim::Visitor {
 public:
  void alternatives(const sim::About& about, std::span<const sim::Alternative>, std::size_t,
                    const std::function<void(std::size_t)>&, const sim::Describe& current) override {
    within(about, current);
  }

 protected:
  void boolean(bool&, const sim::About&) override {}
  void number(double&, const sim::About&) override {}
  void whole(std::int64_t&, const sim::About&) override {}
  void text(std::string&, const sim::About&) override {}
  void file(sim::InputFile&, const sim::About&) override {}
  void choice(std::size_t&, std::span<const sim::Choice>, const sim::About&) override {}
  void object(const sim::About& about, const sim::Describe& members) override { within(about, members); }
  void optional(const sim::About&, bool present, const std::function<void(bool)>&,
                const sim::Describe& value) override {
    if (present) value(*this);
  }
  void list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>&,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override {
    within(about, [&](sim::Visitor& v) {
      for (std::size_t i = 0; i < size; ++i) element(v, i);
    });
  }
  void failed(std::string_view, const std::string&) override {}

  void within(const sim::About& about, const sim::Describe& members) {
    const std::string outer = pointer_;
    pointer_ += "/" + std::string(about.name);
    members(*this);
    pointer_ = outer;
  }
  const std::string& pointer() const { return pointer_; }

 private:
  std::string pointer_;
};

// Reads the text of the one member that a column has.
class NameOf final : public Walk {
 public:
  std::string name;

 private:
  void text(std::string& value, const sim::About&) override { name = value; }
};

// Fills the one list that per-agent values have.
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

// Finds places of per-agent values that hold the name of a column.
class Bind final : public Walk {
 public:
  explicit Bind(const ColumnValues& columns) : columns_(columns) {}

  void alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                    const std::function<void(std::size_t)>& select, const sim::Describe& current) override {
    // A column also identifies the owners of a table: only options that could hold values take them from a column.
    const auto of_values =
        std::find_if(all.begin(), all.end(), [](const sim::Alternative& a) { return a.name == "values"; });
    if (all[index].name != "column" || of_values == all.end())
      return Walk::alternatives(about, all, index, select, current);
    NameOf column;
    current(column);
    within(about, [&](sim::Visitor&) {
      try {
        const std::vector<double>& values = columns_(column.name);
        check_range(about, column.name, values);
        select(static_cast<std::size_t>(of_values - all.begin()));
        Fill fill(values);
        current(fill);
      } catch (const sim::InvariantError&) {
        throw;
      } catch (const std::exception& error) {
        throw ColumnError(pointer(), error.what());
      }
    });
  }

 private:
  static void check_range(const sim::About& about, const std::string& column,
                          const std::vector<double>& values) {
    for (std::size_t owner = 0; owner < values.size(); ++owner) {
      const double x = values[owner];
      const bool low = about.open_min ? x > about.min : x >= about.min;
      const bool high = about.open_max ? x < about.max : x <= about.max;
      if (low && high) continue;
      throw std::invalid_argument(fmt::format(
          "column '{}': expected numbers {} {}, found {} for owner {}", column,
          low ? (about.open_max ? "below" : "of at most") : (about.open_min ? "above" : "of at least"),
          low ? about.max : about.min, x, owner));
    }
  }

  const ColumnValues& columns_;
};

}  // namespace

void bind_columns(const sim::Describe& options, const ColumnValues& columns) {
  Bind bind(columns);
  options(bind);
}

}  // namespace hearsay::scenarios::detail
