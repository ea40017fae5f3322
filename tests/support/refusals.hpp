#pragma once
// A visitor that collects the rules that options violate.
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::test {

class Refusals final : public sim::Visitor {
 public:
  std::vector<std::string> found;  ///< "KEY: message"

  /// The rules that a value violates as the option `about`.
  template <class T>
  static std::vector<std::string> of(T value, const sim::About& about) {
    Refusals v;
    v(value, about);
    return v.found;
  }
  template <sim::Described T>
  static std::vector<std::string> of(T value) {
    Refusals v;
    value.describe(v);
    return v.found;
  }

  void alternatives(const sim::About&, std::span<const sim::Alternative>, std::size_t,
                    const std::function<void(std::size_t)>&, const sim::Describe& current) override {
    current(*this);
  }

 private:
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
  void list(const sim::About&, std::size_t size, const std::function<void(std::size_t)>&,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override {
    for (std::size_t i = 0; i < size; ++i) element(*this, i);
  }
  void failed(std::string_view key, const std::string& message) override {
    found.push_back(std::string(key) + ": " + message);
  }
};

}  // namespace hearsay::test
