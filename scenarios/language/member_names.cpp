#include "scenarios/language/member_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hearsay::scenarios {

namespace {

class Collector final : public sim::Visitor {
 public:
  std::vector<std::string> names;

 protected:
  void boolean(bool&, const sim::About& about) override { add(about); }
  void number(double&, const sim::About& about) override { add(about); }
  void whole(std::int64_t&, const sim::About& about) override { add(about); }
  void text(std::string&, const sim::About& about) override { add(about); }
  void file(sim::InputFile&, const sim::About& about) override { add(about); }
  void choice(std::size_t&, std::span<const sim::Choice>, const sim::About& about) override { add(about); }
  void object(const sim::About& about, const sim::Describe&) override { add(about); }
  void optional(const sim::About& about, bool, const std::function<void(bool)>&,
                const sim::Describe&) override {
    add(about);
  }
  void list(const sim::About& about, std::size_t, const std::function<void(std::size_t)>&,
            const std::function<void(sim::Visitor&, std::size_t)>&) override {
    add(about);
  }
  void alternatives(const sim::About& about, std::span<const sim::Alternative>, std::size_t,
                    const std::function<void(std::size_t)>&, const sim::Describe&) override {
    add(about);
  }
  void failed(std::string_view, const std::string&) override {}

 private:
  void add(const sim::About& about) { names.emplace_back(about.name); }
};

template <class Named>
std::vector<std::string> collect(std::span<const Named> all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.emplace_back(one.name);
  return names;
}

}  // namespace

std::vector<std::string> member_names(const sim::Describe& members) {
  Collector collector;
  members(collector);
  return std::move(collector.names);
}

std::string comma_separated(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> names_of(std::span<const sim::Choice> choices) {
  return collect(choices);
}
std::vector<std::string> names_of(std::span<const sim::Alternative> alternatives) {
  return collect(alternatives);
}

}  // namespace hearsay::scenarios
