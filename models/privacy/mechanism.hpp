#pragma once
// Mechanisms: noise, and nothing else. They know nothing of composition or budgets.
//
//   none      x
//   laplace   x + w,  w_j independent with density exp(-|w|/b)/(2b);  b = sensitivity_1/epsilon makes one
//   release
//             epsilon-differentially private (Dwork, McSherry, Nissim, Smith 2006), sensitivity_1 = sup
//             norm_1(x - x')
#include <span>
#include <variant>

#include "sim/describe.hpp"
#include "sim/stream.hpp"

namespace hearsay::models {

struct NoNoise {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "No noise and no privacy.";
  static constexpr bool kPrivate = false;
  void describe(sim::Visitor&) {}
};

struct Laplace {
  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kHelp =
      "Independent Laplace noise on every coordinate, of scale L1 sensitivity / epsilon.";
  static constexpr bool kPrivate = true;
  void describe(sim::Visitor&) {}
};

/// Which noise. There is no default: to run without privacy, a scenario says "none".
using Mechanism = std::variant<NoNoise, Laplace>;

/// x += w with independent Laplace(0, scale) coordinates. One word of `s` gives the signs of 64 coordinates,
/// the rest the exponential magnitudes. scale >= 0. No allocation.
void add_laplace(std::span<double> x, double scale, sim::Stream& s);

inline bool is_private(const Mechanism& m) {
  return std::visit([](const auto& kind) { return kind.kPrivate; }, m);
}

}  // namespace hearsay::models
