#include "sim/availability/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hearsay::sim {

namespace {

constexpr About kHub{.name = "hub", .help = "Whether it holds for the hub of a star too."};

template <class Law>
void describe_periods(Visitor& v, Law& law) {
  v(law.up, {.name = "up",
             .help = "Length of an up time, drawn anew for every one.",
             .unit = "s",
             .min = 0,
             .open_min = true});
  v(law.down, {.name = "down",
               .help = "Length of a down time, drawn anew for every one.",
               .unit = "s",
               .min = 0,
               .open_min = true});
  v(law.start, {.name = "start", .help = "State at time 0."});
  v.check(law.start == Start::kUp || (std::isfinite(law.up.mean()) && std::isfinite(law.down.mean())),
          "start", "a stationary start needs up and down times of finite mean");
}

}  // namespace

void OnOff::describe(Visitor& v) {
  describe_periods(v, *this);
  v(hub, kHub);
}

void Crash::describe(Visitor& v) {
  describe_periods(v, *this);
  v(state_on_return, {.name = "state_on_return", .help = "What an agent comes back with."});
  v(hub, kHub);
}

void GroupFailures::Group::describe(Visitor& v) {
  v(name, {.name = "name", .help = "For people."});
  v(agents, {.name = "agents", .help = "Who is in it; the hub of a star is 0.", .required = true});
}

void GroupFailures::describe(Visitor& v) {
  v(groups, {.name = "groups", .help = "The groups; nobody is in two of them.", .required = true});
  describe_periods(v, *this);
}

void Coin::describe(Visitor& v) {
  v(probability, {.name = "probability", .help = "Of being up.", .min = 0, .max = 1, .open_min = true});
  v(hub, kHub);
}

void Diurnal::describe(Visitor& v) {
  v(mean, {.name = "mean", .help = "Mean probability of being up.", .min = 0, .max = 1});
  v(amplitude, {.name = "amplitude", .help = "How far it swings from the mean.", .min = 0, .max = 0.5});
  v(period, {.name = "period", .help = "Length of a day.", .unit = "s", .min = 0, .open_min = true});
  v(phase, {.name = "phase",
            .help = "Share of a day by which an agent is ahead; a law is drawn once per agent.",
            .min = 0,
            .max = 1});
  v(memory, {.name = "memory",
             .help = "How long an agent tends to stay as it is.",
             .unit = "s",
             .min = 0,
             .open_min = true});
  v(hub, kHub);
  const double swing = amplitude * std::hypot(1, 2 * std::numbers::pi * memory / period);
  v.check(swing <= std::min(mean, 1 - mean), "amplitude",
          fmt::format(
              "amplitude sqrt(1 + (2 pi memory/period)^2) must be at most {:g}, the lesser of mean and 1 - "
              "mean, got {:.4g}: else no such chain exists",
              std::min(mean, 1 - mean), swing));
}

double Diurnal::probability(Time at, double phase_of_agent) const {
  return mean + amplitude * std::sin(2 * std::numbers::pi * (at / period + phase_of_agent));
}

void AvailabilityTrace::describe(Visitor& v) {
  v(path, {.name = "path",
           .help = "A table with the columns agent, time, state or agent, start, end.",
           .required = true});
  v(unit, {.name = "unit", .help = "What the time 1 in it means.", .unit = "s", .min = 0, .open_min = true});
  v(from, {.name = "from", .help = "Time of the trace at which a run starts.", .unit = "s", .min = 0});
  v(repeat, {.name = "repeat",
             .help = "Time of the trace at which it begins anew; without, all stay as it ends.",
             .unit = "s",
             .min = 0,
             .open_min = true});
  v(absent, {.name = "absent", .help = "What agents are that it does not name."});
}

void JoinLeave::describe(Visitor& v) {
  v(join,
    {.name = "join", .help = "When an agent comes; a law is drawn once per agent.", .unit = "s", .min = 0});
  v(leave, {.name = "leave",
            .help = "When it leaves for good; without, never. A law is drawn once per agent.",
            .unit = "s",
            .min = 0});
  v(hub, kHub);
}

void AllOf::describe(Visitor& v) {
  v(of, {.name = "of", .help = "The laws.", .required = true});
  v.check(of.size() <= 16, "of", fmt::format("must hold at most 16 laws, got {}", of.size()));
}

}  // namespace hearsay::sim
