#include "sim/clocks/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/check.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {
constexpr About kMissed{.name = "missed", .help = "Handling of ticks of an agent that is down or computing."};
}

void Poisson::describe(Visitor& v) {
  v(rate,
    positive("rate", "Mean number of ticks per second of an agent; a distribution is drawn once per agent.",
             "1/s"));
  v(missed, kMissed);
}

void Periodic::describe(Visitor& v) {
  v(period, positive("period", "Time between ticks; a distribution is drawn once per agent.", "s"));
  v(phase, non_negative("phase", "Time of the first tick; a distribution is drawn once per agent.", "s"));
  v(jitter, non_negative("jitter", "Delay of a tick, drawn for each tick; at most one period.", "s"));
  v(missed, kMissed);
}

void ClockTrace::describe(Visitor& v) {
  v(times, non_negative("times", "Times of the ticks, in non-decreasing order.", "s"));
  v(agents, {.name = "agents", .help = "Agent that ticks at each of the times.", .noun = kAgentNumber});
  v(path, {.name = "path",
           .help = "Table with the columns time (in s) and agent, instead of `times` and `agents`."});
  v(missed, kMissed);
  v.check(path.has_value() != (!times.empty() || !agents.empty()), "",
          "give either times and agents, or path");
  v.check(times.size() == agents.size(), "agents", "expected one agent for each of the {} times, found {}",
          times.size(), agents.size());
  v.check(std::is_sorted(times.begin(), times.end()), "times", "expected times in non-decreasing order");
}

std::shared_ptr<const TickList> TickList::read(const InputFile& file, const Names& names) {
  const CsvTable table(file);
  const std::size_t time = table.column("time"), agent = table.column("agent");
  auto list = std::make_shared<TickList>();
  list->name = file.path;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Time at = table.number(row, time);
    if (at < 0) throw FileError("{}expected a time of at least 0, found {:g} s", table.at(row), at);
    if (!list->times.empty() && at < list->times.back())
      throw FileError("{}expected non-decreasing times, found {:g} s after {:g} s", table.at(row), at,
                      list->times.back());
    list->times.push_back(at);
    list->agents.push_back(table.agent(row, agent, names));
  }
  return list;
}

Clocks::Clocks(const ClockOptions& options, AgentId agents, const Streams& streams, AgentId first,
               const std::shared_ptr<const TickList>& ticks)
    : first_(first), key_(streams.key(Purpose::kClock)) {
  missed_ = std::visit([](const auto& clock) { return clock.missed; }, options);
  if (const auto* trace = std::get_if<ClockTrace>(&options)) {
    check(!trace->path || ticks != nullptr, "a clock trace was not read");
    const auto take = [&](const std::vector<Time>& times, const std::vector<AgentId>& who) {
      for (std::size_t k = 0; k < times.size(); ++k) {
        if (who[k] < first || who[k] >= agents)
          throw std::invalid_argument(fmt::format("the clock trace: expected agents {} to {}, found agent {}",
                                                  first, agents - 1, who[k]));
        ticks_[who[k]].push_back(times[k] + 0.0);  // events order by bits, where -0 comes last
      }
    };
    kind_ = Kind::kTrace;
    rate_ = 0;
    ticks_.resize(agents);
    trace->path ? take(ticks->times, ticks->agents) : take(trace->times, trace->agents);
    return;
  }
  const auto values = [&](std::string_view key, const PerAgent& law, std::uint32_t option) {
    return law.values_of(key, first, agents - first, option, streams);
  };
  if (const auto* poisson = std::get_if<Poisson>(&options)) {
    rate_ = poisson->rate.mean();
    if (!poisson->rate.constant()) rates_ = values("rate", poisson->rate, kRateOption);
    require_finite_total(agents);
    return;
  }
  const auto& periodic = std::get<Periodic>(options);
  kind_ = Kind::kPeriodic;
  periods_ = values("period", periodic.period, kPeriodOption);
  phases_ = values("phase", periodic.phase, kPhaseOption);
  jitter_ = periodic.jitter;
  for (const Time period : periods_) {
    if (jitter_.upper() > period)
      throw std::invalid_argument(fmt::format(
          "expected a jitter of at most the period ({:g} s), found up to {:g} s", period, jitter_.upper()));
    rates_.push_back(1 / period);
  }
  require_finite_total(agents);
}

// The ticks of all agents together have a mean gap.
void Clocks::require_finite_total(AgentId agents) const {
  if (std::isfinite(total_rate(agents))) return;
  throw std::invalid_argument(fmt::format(
      "expected rates (of periodic clocks: 1/period) that add up to at most {:g} ticks per second, "
      "found more for {} agents",
      std::numeric_limits<double>::max(), agents - first_));
}

Time Clocks::tick(AgentId i, std::uint32_t n, Time previous) const {
  if (kind_ == Kind::kTrace) return n < ticks_[i].size() ? ticks_[i][n] : kNever;
  Stream s(key_, i, 0, n);
  if (kind_ == Kind::kPeriodic) {
    // A tick delayed by a whole period is not rounded to after the next one.
    const Time phase = phases_[i - first_], period = periods_[i - first_];
    return std::min(phase + n * period + jitter_.sample(s), phase + (n + 1.0) * period);
  }
  return previous + exponential(s, 1 / rate(i));
}

void Clocks::advance(std::span<Tick> ticks) const {
  for (Tick& t : ticks) t.n = next_number(t.n, "ticks of an agent");
  if (kind_ != Kind::kPoisson) {
    for (Tick& t : ticks) {
      const Time next = tick(t.agent, t.n, t.time);
      check(next >= t.time, "a clock runs backwards");
      t.time = next;
    }
    return;
  }
  constexpr std::size_t kBatch = 64;
  Stream::Block blocks[kBatch];
  for (; !ticks.empty(); ticks = ticks.subspan(std::min(kBatch, ticks.size()))) {
    const std::size_t count = std::min(kBatch, ticks.size());
    for (std::size_t k = 0; k < count; ++k) blocks[k] = Stream::counter(ticks[k].agent, 0, ticks[k].n);
    philox4x32(std::span(blocks, count), key_);
    for (std::size_t k = 0; k < count; ++k) {
      Tick& t = ticks[k];
      Stream s(Stream(key_, t.agent, 0, t.n), blocks[k]);
      t.time += exponential(s, 1 / rate(t.agent));
    }
  }
}

double Clocks::total_rate(AgentId end) const {
  if (kind_ == Kind::kTrace) {
    std::size_t count = 0;
    Time last = 0;
    for (const auto& times : ticks_) {
      count += times.size();
      if (!times.empty()) last = std::max(last, times.back());
    }
    return last > 0 ? static_cast<double>(count) / last : 0;
  }
  double total = 0;
  for (AgentId i = first_; i < end; ++i) total += rate(i);
  return total;
}

bool Clocks::never_tick() const {
  return kind_ == Kind::kTrace &&
         std::all_of(ticks_.begin() + first_, ticks_.end(), [](const auto& t) { return t.empty(); });
}

}  // namespace hearsay::sim
