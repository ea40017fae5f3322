#pragma once
// The "repeat" of a scenario: how many repetitions every point has, or how precise its results are to be.
//
//   "repeat": { "until": [ { "metric": "accuracy", "half_width": "2 %", "against": ["protocol.type=fedavg"] } ],
//               "min": 10, "max": 1000 }
//
// The number of repetitions r of a point is decided at looks k = 1, 2, ..., at r = min, 1.5 min, 1.5 (1.5 min), ..., each
// rounded down, and at last max. A look is at the results of repetitions 0, ..., r - 1 alone, so that decisions depend
// neither on threads, ranks and interruptions nor on what else is stored. It ends at the first look at which the interval
// of every criterion has at most its half width:
//   mean               Student's t; of the differences of pairs with `against`
//   median, quantile   order statistics: x_(l), x_(u) with P(B < l) and P(B >= u) at most half of the error, B binomial
//                      (r, p). Exact for continuous distributions
// Looking often must not make errors likelier: look k spends the error (1 - confidence) 6/(pi k)^2 of all looks, whose
// sum is 1 - confidence, so that with at least that probability the intervals of all looks hold, and with them the one
// that is reported (Bonferroni).
// A point that others are compared with has at least as many repetitions as each of them.
//
// With "antithetic" repetitions 2k and 2k + 1 are an antithetic pair (sim/random/stream.hpp). They depend on each other:
// intervals are those of the means of pairs. Looks are rounded down to even numbers. Order statistics of runs that
// depend on each other give no interval with a stated confidence.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/study/metric_choice.hpp"

namespace hearsay::scenarios {

enum class Estimated { kMean, kMedian, kQuantile };
constexpr auto choices_of(Estimated) {
  return std::to_array<sim::Choice>(
      {{"mean", "Student's interval: for values that are about normal, or many."},
       {"median", "Interval of order statistics, for any continuous distribution."},
       {"quantile", "Likewise of the quantile `quantile`."}});
}

struct AbsoluteWidth {
  static constexpr std::string_view kName = "absolute";
  static constexpr std::string_view kHelp = "A number, in the unit of the metric.";
  static constexpr sim::Shorthand kShorthand{"width", sim::Shorthand::kNumber};
  double width = 0.01;
  void describe(sim::Visitor& v);
};
struct RelativeWidth {
  static constexpr std::string_view kName = "relative";
  static constexpr std::string_view kHelp =
      "A share of the magnitude of the estimate, with `against` of that of the reference: \"5 %\".";
  static constexpr std::string_view kExample = "\"5 %\"";
  static constexpr sim::Shorthand kShorthand{"share", sim::Shorthand::kText};
  std::string share = "5 %";
  void describe(sim::Visitor& v);
  /// 0.05 of "5 %"; nothing if it is no positive percentage.
  std::optional<double> value() const;
};

/// How precisely a metric at the end of runs is to be known at every point.
struct Criterion {
  MetricChoice metric{"objective"};
  std::variant<AbsoluteWidth, RelativeWidth> half_width = RelativeWidth{};
  Estimated of = Estimated::kMean;
  std::optional<double> quantile;
  double confidence = 0.95;
  std::vector<std::string> against;  ///< PATH=VALUE: the point that differs in these axes
  void describe(sim::Visitor& v);
  /// That of the quantile: by default the median's.
  double level() const { return quantile.value_or(0.5); }
  /// "mean of accuracy, less that of protocol.type=fedavg".
  std::string text() const;
};

struct GivenRepetitions {
  static constexpr std::string_view kName = "count";
  static constexpr std::string_view kHelp = "So many at every point.";
  static constexpr sim::Shorthand kShorthand{"count", sim::Shorthand::kNumber};
  std::uint32_t count = 1;
  bool antithetic = false;
  void describe(sim::Visitor& v);
};
struct UntilPrecise {
  static constexpr std::string_view kName = "precise";
  static constexpr std::string_view kHelp = "As many at each point as its results need to be precise.";
  static constexpr std::string_view kExample = R"({"until": [{"metric": "objective", "half_width": "5 %"}]})";
  static constexpr sim::Shorthand kShorthand{"until", sim::Shorthand::kNone};
  std::vector<Criterion> until;
  std::uint32_t min = 10, max = 1000;
  bool antithetic = false;
  void describe(sim::Visitor& v);
  /// The look after one at r < max repetitions: 1.5 r rounded down, at least r + 1, at most max; with antithetic pairs
  /// rounded down to an even number, at least r + 2.
  std::uint32_t after(std::uint32_t r) const;
};

class Repeat {
 public:
  Repeat(std::uint32_t count = 1) : kind_(GivenRepetitions{count}) {}  // NOLINT(google-explicit-constructor)
  /// The number, or that of the first look.
  std::uint32_t first() const;
  /// The most that a point can come to have.
  std::uint32_t most() const;
  /// Whether repetitions 2k and 2k + 1 are antithetic pairs.
  bool antithetic() const {
    return std::visit([](const auto& kind) { return kind.antithetic; }, kind_);
  }
  void set_antithetic(bool pairs) {
    std::visit([&](auto& kind) { kind.antithetic = pairs; }, kind_);
  }
  /// Null: the number is given.
  const UntilPrecise* until() const { return std::get_if<UntilPrecise>(&kind_); }
  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  std::variant<GivenRepetitions, UntilPrecise> kind_;
};

/// What a criterion shows of a point at a look.
struct Precision {
  enum class State { kMet, kOpen, kNotFinite };
  State state = State::kOpen;
  std::uint32_t look = 0;               ///< k, from 1
  std::uint32_t repetitions = 0;        ///< r
  double estimate = 0, half_width = 0;  ///< infinite where the order statistics give no interval
};
/// Of the values of repetitions 0, ..., r - 1; or of their differences from as many of a reference, if there is one.
/// `antithetic`: of pairs.
Precision precision_at(const Criterion& criterion, std::uint32_t look, std::vector<double> values,
                       std::vector<double> reference = {}, bool antithetic = false);

}  // namespace hearsay::scenarios
