#pragma once
// A number for each agent: one for all, a law drawn once per agent, a list, or other values for some agents.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/laws/distribution.hpp"

namespace hearsay::sim {

struct ValueList {
  static constexpr std::string_view kName = "values";
  static constexpr std::string_view kHelp = "One number per agent. Short form: the list.";
  static constexpr std::string_view kExample = "[1, 2, 3]";
  static constexpr Shorthand kShorthand{"values", Shorthand::kList};
  std::vector<double> values;
  void describe(Visitor& v);
  /// Rejects values outside the range of their place.
  void check_range(Visitor& v, const About& about) const;
};

/// Values in a column of the data, which replace the name of the column before a run.
struct OfColumn {
  static constexpr std::string_view kName = "column";
  static constexpr std::string_view kHelp =
      "Column of the data whose value is the same in all records of an owner.";
  static constexpr std::string_view kExample = R"({"column": "speed"})";
  static constexpr Shorthand kShorthand{"column", Shorthand::kNone};
  std::string column;
  void describe(Visitor& v);
};

/// A value for all agents and other values for some.
struct ByAgent {
  static constexpr std::string_view kName = "by_agent";
  static constexpr std::string_view kHelp =
      "A number or distribution for all agents, and another for each of the given agents, by their number.";
  static constexpr std::string_view kExample = R"({"default": "20 ms", "agents": {"3": "2 s"}})";
  static constexpr Shorthand kShorthand{"agents", Shorthand::kNone};
  static constexpr bool kDrawn = true;
  Distribution otherwise = 0.0;
  std::map<AgentId, Distribution> agents = {};
  void describe(Visitor& v);
  void check_range(Visitor& v, const About& about) const;
  /// Whether some value is random.
  bool random() const;
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
  using Law = DistributionOr<Mixture, ValueList, OfColumn, ByAgent>;

  PerAgent(double value = 0) : law_(Constant{value}) {}  // NOLINT(google-explicit-constructor): it is for all
  template <std::convertible_to<Law> L>
  PerAgent(const L& law) : law_(law) {}  // NOLINT(google-explicit-constructor)

  /// The values of agents first .. first + count - 1; a law draws from (kPerAgent, agent, b), index `option`, where `b`
  /// distinguishes several laws of the same option. Throws std::invalid_argument as laws().
  std::vector<double> values(AgentId first, AgentId count, std::uint32_t option, const Streams& streams,
                             std::uint32_t b = 0) const;
  /// The same of the option `key`, which an error names: throws OptionError.
  std::vector<double> values_of(std::string_view key, AgentId first, AgentId count, std::uint32_t option,
                                const Streams& streams) const;
  /// The law of each of these agents, or the only one if all have the same. Throws std::invalid_argument for a list
  /// whose length is not count, and for another agent than these.
  std::vector<Distribution> laws(AgentId first, AgentId count) const;
  /// Whether it names a column of the data, not read yet.
  bool unbound() const { return std::holds_alternative<OfColumn>(law_); }
  /// Whether all have the same value.
  bool constant() const { return std::holds_alternative<Constant>(law_); }
  /// Whether a value is drawn.
  bool random() const;
  /// Mean of the law, the list or the default of all agents; NaN of a column.
  double mean() const;

  void describe_as(Visitor& v, const About& about);

 private:
  /// Unless the values are a list or a column.
  std::optional<Distribution> distribution() const;

  Law law_;
};

}  // namespace hearsay::sim
