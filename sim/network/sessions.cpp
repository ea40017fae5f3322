#include "sim/network/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/files/csv_table.hpp"

namespace hearsay::sim {

namespace {

bool parse_state(std::string_view text, const std::string& where) {
  if (text == "up" || text == "1") return true;
  if (text == "down" || text == "0") return false;
  throw FileError("{}expected up, down, 1 or 0 as a state, found '{}'", where, text.substr(0, 40));
}

void append(Sessions::Agent& agent, Time at, const std::string& where) {
  if (at < 0) throw FileError("{}expected a time of at least 0, found {:g} s", where, at);
  if (!agent.changes.empty() && at < agent.changes.back())
    throw FileError("{}expected non-decreasing times of an agent, found {:g} s after {:g} s", where, at,
                    agent.changes.back());
  agent.changes.push_back(at + 0.0);  // events order by bits, where -0 comes last
}

}  // namespace

std::shared_ptr<const Sessions> Sessions::read(const AvailabilityTrace& options, AgentId agents,
                                               const Names& names) {
  const CsvTable table(options.path);
  const bool by_state = table.has("time") || table.has("state");
  const std::size_t agent_column = table.column("agent");
  const std::size_t first = table.column(by_state ? "time" : "start");
  const std::size_t second = table.column(by_state ? "state" : "end");

  auto all = std::make_shared<Sessions>();
  all->name_ = options.path.path;
  all->from_ = options.from;
  all->repeat_ = options.repeat;
  all->absent_up_ = options.absent == Absent::kUp;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string where = table.at(row);
    const AgentId i = table.agent(row, agent_column, names);
    // Before anything is sized by it.
    if (i >= agents) throw FileError("{}expected agents 0 to {}, found agent {}", where, agents - 1, i);
    if (all->agents_.size() <= i) all->agents_.resize(i + 1);
    Agent& agent = all->agents_[i];
    const Time at = table.number(row, first) * options.unit;
    if (!agent.named) {
      agent.named = true;
      agent.up_before = by_state && !parse_state(table.field(row, second), where);
    }
    const bool up_now = agent.up_before != (agent.changes.size() % 2 == 1);
    if (by_state) {
      if (parse_state(table.field(row, second), where) == up_now)
        throw FileError("{}expected a change of state, agent {} is already {}", where, i,
                        up_now ? "up" : "down");
      append(agent, at, where);
    } else {
      const Time end = table.number(row, second) * options.unit;
      if (!(end > at))
        throw FileError("{}expected a session that ends after its start, found {:g} s to {:g} s", where, at,
                        end);
      if (!agent.changes.empty() && at < agent.changes.back() &&
          at >= agent.changes[agent.changes.size() - 2]) {
        throw FileError(
            "{}sessions of agent {} overlap: one starts at {:g} s, the one above it ends at {:g} s", where, i,
            at, agent.changes.back());
      }
      append(agent, at, where);
      append(agent, end, where);
    }
    if (options.repeat && agent.changes.back() > *options.repeat)
      throw FileError("{}expected a time of at most repeat ({:g} s), found {:g} s", where, *options.repeat,
                      agent.changes.back());
  }
  if (options.repeat && options.from >= *options.repeat)
    throw FileError("{}expected from before repeat, found from {:g} s and repeat {:g} s", table.at(),
                    options.from, *options.repeat);
  for (Agent& agent : all->agents_) {
    std::vector<Time> changes;
    for (const Time at : std::exchange(agent.changes, {})) {
      if (!changes.empty() && changes.back() == at) {
        changes.pop_back();  // two changes at one time are none: sessions that touch are one
      } else {
        changes.push_back(at);
      }
    }
    // An agent whose last state differs from its first changes state when the trace starts again, and does not if it
    // changes back at once.
    if (options.repeat && changes.size() % 2 == 1) changes.push_back(*options.repeat);
    if (options.repeat && !changes.empty() && changes.front() == 0 && changes.back() == *options.repeat) {
      changes.pop_back();
      changes.erase(changes.begin());
      agent.up_before = !agent.up_before;
    }
    agent.changes = std::move(changes);
  }
  return all;
}

std::shared_ptr<const Sessions> Sessions::between(const Outages& options) {
  std::map<AgentId, std::vector<std::pair<Time, Time>>> down;
  for (const Outages::Outage& outage : options.outages) {
    for (const AgentId i : outage.agents) down[i].emplace_back(outage.from + 0.0, outage.to.value_or(kNever));
  }
  auto all = std::make_shared<Sessions>();
  all->name_ = "outages";
  for (auto& [i, times] : down) {
    std::ranges::sort(times);
    if (all->agents_.size() <= i) all->agents_.resize(i + 1);
    Agent& agent = all->agents_[i];
    agent.named = agent.up_before = true;
    for (const auto& [from, to] : times) {
      if (agent.changes.empty() || from > agent.changes.back()) {
        agent.changes.insert(agent.changes.end(), {from, to});
      } else {
        agent.changes.back() = std::max(agent.changes.back(), to);
      }
    }
    if (agent.changes.back() == kNever) agent.changes.pop_back();
  }
  return all;
}

Sessions::Begin Sessions::begin(AgentId i) const {
  if (!names(i)) return {absent_up_, 0};
  const Agent& agent = agents_[i];
  const auto after = std::upper_bound(agent.changes.begin(), agent.changes.end(), from_);
  const auto before = static_cast<std::uint64_t>(after - agent.changes.begin());
  return {agent.up_before != (before % 2 == 1), before};
}

Time Sessions::change(AgentId i, std::uint64_t number) const {
  if (i >= agents_.size() || agents_[i].changes.empty()) return kNever;
  const std::vector<Time>& changes = agents_[i].changes;
  const std::uint64_t cycle = number / changes.size();
  if (cycle > 0 && !repeat_) return kNever;
  const Time at = changes[number % changes.size()];
  if (!repeat_) return at - from_;
  // A change at the end of a cycle is not rounded to after the begin of the next one.
  const auto cycles = static_cast<double>(cycle);
  return std::min(cycles * *repeat_ + at, (cycles + 1) * *repeat_) - from_;
}

void Sessions::require_agents(AgentId agents) const {
  if (agents_.size() > agents)
    throw std::invalid_argument(
        fmt::format("{}: expected agents 0 to {}, found agent {}", name_, agents - 1, agents_.size() - 1));
}

}  // namespace hearsay::sim
