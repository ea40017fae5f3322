#pragma once
// Options of "splitting".
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/study/metric_choice.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// Towards which values of its level function a rare event lies.
enum class Towards { kAbove, kBelow };
constexpr auto choices_of(Towards) {
  return std::to_array<sim::Choice>({{"above", "a level is reached by values of at least it"},
                                     {"below", "a level is reached by values of at most it"}});
}

struct GivenLevels {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp =
      "Levels in the order in which they are reached. Short form: the list.";
  static constexpr std::string_view kExample = "[0.8, 0.6, 0.5]";
  static constexpr sim::Shorthand kShorthand{"values", sim::Shorthand::kList};
  std::vector<double> values;
  void describe(sim::Visitor& v);
};
struct AutoLevels {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "Levels that about a share of runs reach from the one before, by trial runs, which cost up to twice as much as the estimate.";
  static constexpr std::string_view kExample = R"({"type": "auto", "last": 0.5})";
  static constexpr sim::Shorthand kShorthand{"last", sim::Shorthand::kNone};
  double last = 0, share = 0.2;
  void describe(sim::Visitor& v);
};

/// The probability that a metric reaches a level before the end of a run (analysis/conclusions/splitting.hpp).
struct SplittingOptions {
  MetricChoice level{"fraction_up"};
  Towards towards = Towards::kAbove;
  std::variant<GivenLevels, AutoLevels> levels;
  std::uint32_t effort = 1000;
  std::optional<std::uint64_t> check_every;
  void describe(sim::Visitor& v);
};

}  // namespace hearsay::scenarios
