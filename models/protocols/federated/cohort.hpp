#pragma once
// How many owners a federated server asks in a round, of the N that it can ask.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

struct WholeCohort {
  static constexpr std::string_view kName = "all";
  static constexpr std::string_view kHelp = "All owners.";
  void describe(sim::Visitor&) {}
  std::size_t of(std::size_t owners) const { return owners; }
};

struct CohortNumber {
  static constexpr std::string_view kName = "number";
  static constexpr std::string_view kHelp = "A given number of owners.";
  static constexpr sim::Shorthand kShorthand{"number", sim::Shorthand::kNumber};
  std::uint32_t number = 10;
  void describe(sim::Visitor& v) {
    v(number, {.name = "number", .help = "Number of owners, at most all.", .min = 1});
  }
  std::size_t of(std::size_t owners) const { return std::min<std::size_t>(number, owners); }
};

struct CohortFraction {
  static constexpr std::string_view kName = "fraction";
  static constexpr std::string_view kHelp = "A fraction C of the N owners: C N, rounded, at least 1.";
  static constexpr sim::Shorthand kShorthand{"fraction"};
  double fraction = 0.1;
  void describe(sim::Visitor& v) {
    v(fraction,
      {.name = "fraction", .help = "Fraction of the owners.", .min = 0, .max = 1, .open_min = true});
  }
  std::size_t of(std::size_t owners) const {
    const auto rounded = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(owners)));
    return std::min(std::max<std::size_t>(rounded, 1), owners);
  }
};

using Cohort = std::variant<WholeCohort, CohortNumber, CohortFraction>;

}  // namespace hearsay::models
