#pragma once
// How much less an update counts that has been computed from an old model. s = 0, 1, ...: the updates that the server
// has made since it sent that model.
//
//   constant     1
//   hinge        1 for s <= b, else 1/(a (s - b) + 1)
//   polynomial   (1 + s)^-a
//
// Source: Xie, Koyejo, Gupta 2019, section 5.2; polynomial with a = 1/2: Nguyen et al. 2022, section 3.2.
#include <cmath>
#include <string_view>
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

struct ConstantStaleness {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "Weight 1, however old the model.";
  void describe(sim::Visitor&) {}
  double weight(double) const { return 1; }
};

struct HingeStaleness {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kHelp = "Weight 1 up to staleness b, then 1/(a (s - b) + 1).";
  double a = 10, b = 4;
  void describe(sim::Visitor& v) {
    v(a, sim::positive("a", "Decrease of the inverse weight per update."));
    v(b, sim::non_negative("b", "Largest staleness with weight 1."));
  }
  double weight(double s) const { return s <= b ? 1 : 1 / (a * (s - b) + 1); }
};

struct PolynomialStaleness {
  static constexpr std::string_view kName = "polynomial";
  static constexpr std::string_view kHelp = "Weight (1 + s)^-a.";
  double a = 0.5;
  void describe(sim::Visitor& v) { v(a, sim::non_negative("a", "Exponent.")); }
  double weight(double s) const { return std::pow(1 + s, -a); }
};

using Staleness = std::variant<PolynomialStaleness, HingeStaleness, ConstantStaleness>;

inline double weight_of(const Staleness& staleness, double s) {
  return std::visit([s](const auto& kind) { return kind.weight(s); }, staleness);
}

}  // namespace hearsay::models
