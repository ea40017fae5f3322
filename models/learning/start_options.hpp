#pragma once
// The "start" of a scenario's model: where learning starts.
//
//   zero      theta = 0
//   uniform   theta_j uniform on [-b, b), independent; b = `bound`, else 1/sqrt(m) where theta_j belongs to a layer with
//             m inputs, projected onto the box
//
// All agents of a run start at the same point, and every repetition draws another.
#include <optional>
#include <string_view>
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

struct ZeroStart {
  static constexpr std::string_view kName = "zero";
  static constexpr std::string_view kHelp = "All parameters are 0.";
  void describe(sim::Visitor&) {}
};

struct UniformStart {
  static constexpr std::string_view kName = "uniform";
  static constexpr std::string_view kHelp =
      "Every parameter is uniform on [-bound, bound): one draw for all agents of a run.";
  std::optional<double> bound;
  void describe(sim::Visitor& v) {
    v(bound, {.name = "bound",
              .help = "Half-width of the interval; by default 1/sqrt(m) in a layer with m inputs, the data's "
                      "constant feature included.",
              .min = 0,
              .open_min = true});
  }
};

using StartOptions = std::variant<ZeroStart, UniformStart>;

}  // namespace hearsay::models
