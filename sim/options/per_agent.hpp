#pragma once
// A number for each agent: one for all, a law drawn once per agent, or a list.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/random/distribution.hpp"

namespace hearsay::sim {

struct ValueList {
  static constexpr std::string_view kName = "values";
  static constexpr std::string_view kHelp = "One number per agent. Short form: the list.";
  static constexpr Shorthand kShorthand{"values", Shorthand::kList};
  std::vector<double> values;
  void describe(Visitor& v);
};

/// Values in a column of the data, which replace the name of the column before a run.
struct OfColumn {
  static constexpr std::string_view kName = "column";
  static constexpr std::string_view kHelp =
      "Column of the data whose value is the same in all records of an owner.";
  static constexpr Shorthand kShorthand{"column", Shorthand::kNone};
  std::string column;
  void describe(Visitor& v);
};

/// Index in (kPerAgent, agent) of a value drawn once per agent. A number is never reused; 1 is an owner's epsilon, 13
/// its number of releases.
enum PerAgentOption : std::uint32_t {
  kRateOption = 0,
  kLatencyOption = 2,
  kComputeOption = 3,
  kUplinkOption = 4,
  kDownlinkOption = 5,
  kPeriodOption = 6,
  kPhaseOption = 7,
  kCutOffOption = 8,
  kJoinOption = 9,
  kLeaveOption = 10,
  kDayPhaseOption = 11,
  kNodeOption = 12
};

class PerAgent {
 public:
  using Law =
      std::variant<Constant, Uniform, Exponential, Lognormal, Gamma, Pareto, Mixture, ValueList, OfColumn>;

  PerAgent(double value = 0) : law_(Constant{value}) {}  // NOLINT(google-explicit-constructor): it is for all
  template <std::convertible_to<Law> L>
  PerAgent(const L& law) : law_(law) {}  // NOLINT(google-explicit-constructor)

  /// The values of agents first .. first + count - 1; a law draws from (kPerAgent, agent, b), index `option`, where `b`
  /// distinguishes several laws of the same option. Throws std::invalid_argument for a list whose length is not count.
  std::vector<double> values(AgentId first, AgentId count, std::uint32_t option, const Streams& streams,
                             std::uint32_t b = 0) const;
  /// Whether it names a column of the data, not read yet.
  bool unbound() const { return std::holds_alternative<OfColumn>(law_); }
  /// Whether all have the same value.
  bool constant() const { return std::holds_alternative<Constant>(law_); }
  /// Whether it is a list of values.
  bool list() const { return std::holds_alternative<ValueList>(law_); }
  /// Mean of the law or list; NaN of a column.
  double mean() const;
  /// Range of its values.
  Support support() const;

  void describe_as(Visitor& v, const About& about);

 private:
  /// Unless the values are a list or a column.
  std::optional<Distribution> distribution() const;

  Law law_;
};

}  // namespace hearsay::sim
