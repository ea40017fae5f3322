#include "sim/network/availability_options.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace hearsay::sim {

namespace {

constexpr About kHub{
    .name = "hub",
    .help = "Whether the model also applies to the hub of a star; by default only to the other agents."};

constexpr About kDown =
    positive("down", "Duration of a down time; a distribution is drawn for each down time.", "s");
constexpr About kDownOrNever = non_negative(
    "down", "Duration of a down time; a distribution is drawn for each down time; 0: agents are never down.",
    "s");

template <class Law>
void describe_periods(Visitor& v, Law& law, const About& down) {
  v(law.up, positive("up", "Duration of an up time; a distribution is drawn for each up time.", "s"));
  v(law.down, down);
  v(law.start, {.name = "start", .help = "State at time 0."});
  v.check(law.start == Start::kUp || (std::isfinite(law.up.mean()) && std::isfinite(law.down.mean())),
          "start", "a stationary start needs up and down times of finite mean");
}

}  // namespace

void OnOff::describe(Visitor& v) {
  describe_periods(v, *this, kDownOrNever);
  v(hub, kHub);
}

void Crash::describe(Visitor& v) {
  describe_periods(v, *this, kDown);
  v(state_on_return, {.name = "state_on_return", .help = "State of an agent that returns from a crash."});
  v(hub, kHub);
}

void GroupFailures::Group::describe(Visitor& v) {
  v(name, {.name = "name", .help = "Name of the group, used in error messages."});
  v(agents, {.name = "agents",
             .help = "Agents of the group; the hub of a star is agent 0.",
             .required = true,
             .noun = kAgentNumber});
}

void GroupFailures::describe(Visitor& v) {
  v(groups,
    {.name = "groups", .help = "Groups of agents; an agent belongs to at most one.", .required = true});
  std::map<AgentId, const Group*> group;
  for (const Group& g : groups) {
    for (const AgentId i : g.agents) {
      const Group* const other = group.emplace(i, &g).first->second;
      v.check(other == &g, "groups", "agent {} is in two groups, {} and {}", i, other->name, g.name);
    }
  }
  describe_periods(v, *this, kDownOrNever);
}

void Coin::describe(Visitor& v) {
  v(probability,
    {.name = "probability", .help = "Probability of being up.", .min = 0, .max = 1, .open_min = true});
  v(hub, kHub);
}

void Diurnal::describe(Visitor& v) {
  v(mean, unit_interval("mean", "Mean probability of being up."));
  v(amplitude,
    {.name = "amplitude", .help = "Amplitude of the probability of being up.", .min = 0, .max = 0.5});
  v(period, positive("period", "Length of a cycle.", "s"));
  v(phase,
    unit_interval("phase",
                  "Phase of an agent, as a fraction of the period; a distribution is drawn once per agent."));
  v(memory, positive("memory", "Correlation time of an agent's state.", "s"));
  v(hub, kHub);
  const double swing = amplitude * std::hypot(1, 2 * std::numbers::pi * memory / period);
  v.check(swing <= std::min(mean, 1 - mean), "amplitude",
          "expected amplitude sqrt(1 + (2 pi memory/period)^2) of at most {:g}, the lesser of mean and 1 "
          "- mean, found {:.4g}: no such chain exists",
          std::min(mean, 1 - mean), swing);
}

double Diurnal::probability(Time at, double phase_of_agent) const {
  return mean + amplitude * std::sin(2 * std::numbers::pi * (at / period + phase_of_agent));
}

void AvailabilityTrace::describe(Visitor& v) {
  v(path, {.name = "path",
           .help = "Table with the columns agent, time, state or agent, start, end.",
           .required = true});
  v(unit, positive("unit", "Duration represented by the number 1 in the file.", "s"));
  v(from, non_negative("from", "Time of the trace at which a run starts.", "s"));
  v(repeat, positive("repeat",
                     "Time of the trace at which it starts again; by default it does not repeat and agents "
                     "keep their last state.",
                     "s"));
  v(absent, {.name = "absent", .help = "State of agents that are not in the trace."});
}

void JoinLeave::describe(Visitor& v) {
  v(join, non_negative("join", "Time at which an agent joins; a distribution is drawn once per agent.", "s"));
  v(leave,
    non_negative(
        "leave",
        "Time at which an agent leaves for good; by default never. A distribution is drawn once per agent.",
        "s"));
  v(hub, kHub);
}

void Outages::Outage::describe(Visitor& v) {
  v(agents, {.name = "agents",
             .help = "Agents that are down, the hub too if named.",
             .required = true,
             .noun = kAgentNumber});
  v(from, {.name = "from", .help = "Start of the outage.", .unit = "s", .min = 0, .required = true});
  v(to, non_negative("to", "End of the outage; by default it does not end.", "s"));
  v.check(!agents.empty(), "agents", "expected at least one agent, found an empty list");
  v.check(!to || *to > from, "to", "expected a time after from ({:g} s), found {:g} s", from, to.value_or(0));
}

void Outages::describe(Visitor& v) {
  v(outages, {.name = "outages", .help = "Outages, in any order.", .required = true});
  v(state_on_return, {.name = "state_on_return", .help = "State of an agent that returns from an outage."});
}

void AllOf::describe(Visitor& v) {
  v(of, {.name = "of",
         .help = "Availability models to combine; an agent is up when it is up under all of them.",
         .required = true});
  v.check(of.size() <= 16, "of", "expected at most 16 laws, found {}", of.size());
}

}  // namespace hearsay::sim
