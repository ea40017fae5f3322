#pragma once
// Which agents are hostile or faulty, when, and how they behave: "adversaries". Constant during a run; no protocol knows it.
#include <Eigen/Core>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/hostile/behaviours.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::models {

enum class ChosenBy { kRandom, kDegree, kBetweenness };
constexpr auto choices_of(ChosenBy) {
  return std::to_array<sim::Choice>(
      {{"random", "drawn once: the same agents in all runs of a study, and the first of a larger share"},
       {"degree", "those with the most neighbours, equal ones by number"},
       {"betweenness",
        "those on the largest share of shortest paths between two others, equal ones by number"}});
}

struct HostileGroup {
  static constexpr std::string_view kName = "group";
  static constexpr std::string_view kHelp = "Agents that behave in one way.";
  static constexpr std::string_view kExample = R"({"share": 0.2, "behaviour": {"type": "a_little"}})";
  static constexpr sim::Shorthand kShorthand{"behaviour", sim::Shorthand::kNone};
  std::optional<std::vector<sim::AgentId>> agents = {};
  std::optional<double> share = {};
  ChosenBy by = ChosenBy::kRandom;
  Behaviour behaviour = {};
  bool omniscient = false;
  sim::Time from = 0;                ///< s
  std::optional<sim::Time> to = {};  ///< s
  void describe(sim::Visitor& v);
  bool acts(sim::Time now) const { return now >= from && (!to || now < *to); }
  /// Whether what is sent depends on what others have sent, or on models.
  bool reads_others() const;
  bool reads_models() const;
  /// Whether its agents know more than what they have received.
  bool knows_all() const { return omniscient || reads_models(); }
  /// Whether what they send is made of that. Then it is settled when it arrives.
  bool decides_late() const { return knows_all() && reads_others(); }
  /// Whether they send what they have made before.
  bool repeats() const;
};

struct NoHostileAgents {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "All agents do what their protocol says.";
  void describe(sim::Visitor&) {}
};

struct HostileGroups {
  static constexpr std::string_view kName = "groups";
  static constexpr std::string_view kHelp =
      "Several groups; an agent of more than one behaves as the first one that is active.";
  static constexpr sim::Shorthand kShorthand{"of", sim::Shorthand::kList};
  std::vector<HostileGroup> of;
  void describe(sim::Visitor& v) { v(of, {.name = "of", .help = "The groups."}); }
};

using HostileOptions = std::variant<NoHostileAgents, HostileGroup, HostileGroups>;
inline bool is_none(const HostileOptions& options) {
  return std::holds_alternative<NoHostileAgents>(options);
}
std::vector<HostileGroup> groups_of(const HostileOptions& options);
/// The path of a group in these options, before a member: "", or "2/".
std::string place_of(const HostileOptions& options, std::size_t group);

/// Throws sim::OptionError where a behaviour needs classes and the data have none.
void require_targets(const HostileOptions& options, bool classes);

class HostileAgents {
 public:
  /// Agents from `first` on hold data and can be hostile, but for `learner`. `classes`: whether the data have any. Draws from
  /// (kHostile, 0). Throws sim::OptionError, whose place begins with the number of the group.
  HostileAgents(const HostileOptions& options, const sim::Topology& topology, sim::AgentId first,
                bool classes, const sim::Streams& streams, std::optional<sim::AgentId> learner = {});

  /// Whether an agent belongs to a group, whenever that is active.
  bool is(sim::AgentId i) const { return !groups_of_[i].empty(); }
  sim::AgentId count() const { return count_; }
  /// The group that an agent follows at a time; null: none.
  const HostileGroup* acting(sim::AgentId i, sim::Time now) const {
    for (const std::uint32_t g : groups_of_[i])
      if (groups_[g].acts(now)) return &groups_[g];
    return nullptr;
  }
  /// Whether an agent knows more than what it has received, at some time.
  bool knows_all(sim::AgentId i) const { return any_group(i, &HostileGroup::knows_all); }
  /// Whether it sends what it has made before, at some time.
  bool repeats(sim::AgentId i) const { return any_group(i, &HostileGroup::repeats); }
  bool flips_labels(sim::AgentId i, sim::Time now) const {
    const HostileGroup* const group = acting(i, now);
    return group != nullptr && std::holds_alternative<LabelFlip>(group->behaviour);
  }
  /// Whether some do at some time.
  bool any_flips_labels() const;
  const std::vector<HostileGroup>& groups() const { return groups_; }
  const sim::Topology& topology() const { return topology_; }
  /// e of `spectral`, by agent; 0 of hostile ones. Empty where no group needs it.
  const Eigen::VectorXd& slowest() const { return slowest_; }
  /// The default factor of `a_little`.
  double hiding_quantile() const { return hiding_quantile_; }

 private:
  bool any_group(sim::AgentId i, bool (HostileGroup::*holds)() const) const {
    return std::ranges::any_of(groups_of_[i], [&](std::uint32_t g) { return (groups_[g].*holds)(); });
  }

  std::vector<HostileGroup> groups_;
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by agent
  sim::AgentId count_ = 0;
  const sim::Topology& topology_;
  Eigen::VectorXd slowest_;
  double hiding_quantile_ = 0;
};

}  // namespace hearsay::models
