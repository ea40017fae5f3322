#include "analysis/figures/trace_data.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "sim/files/csv_table.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::analysis {

namespace {

// The fields of a row up to its detail and its origin, empty where the file has none. Only the detail may be quoted; its
// quotes remain. A payload after them is left out.
std::vector<std::string> fields_of(const std::string& line) {
  constexpr std::size_t kFields = 11;
  std::vector<std::string> fields;
  std::size_t from = 0;
  while (fields.size() + 1 < kFields) {
    const std::size_t comma = line.find(',', from);
    if (comma == std::string::npos) return {};
    fields.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  std::size_t end = from;
  for (bool quoted = false; end < line.size() && (quoted || line[end] != ','); ++end)
    quoted = quoted != (line[end] == '"');
  fields.push_back(line.substr(from, end - from));
  from = std::min(end + 1, line.size());
  fields.push_back(line.substr(from, line.find(',', from) - from));
  return fields;
}

// A whole number below `limit`, 0 for an empty field; nothing for other text.
template <class Number>
std::optional<Number> number_below(Number limit, const std::string& text) {
  if (text.empty()) return 0;
  const auto number = sim::whole_number<Number>(text);
  return number && *number < limit ? number : std::nullopt;
}
std::optional<sim::AgentId> agent_of(const std::string& text) {
  return number_below(sim::kMaxAgents, text);
}
std::optional<std::uint64_t> iteration_of(const std::string& text) {
  return number_below(std::numeric_limits<std::uint64_t>::max(), text);
}

// The text of a field that may be quoted.
std::string unquoted(const std::string& field) {
  if (field.size() < 2 || field.front() != '"') return field;
  std::string text;
  for (std::size_t k = 1; k + 1 < field.size(); ++k) {
    text += field[k];
    if (field[k] == '"') ++k;
  }
  return text;
}

using Since = std::map<sim::AgentId, double>;

void end_period(Since& open, sim::AgentId agent, double time, std::vector<TraceData::Down>& periods) {
  const auto since = open.find(agent);
  if (since == open.end()) return;
  periods.push_back({since->second, time, agent});
  open.erase(since);
}

// The ticks of a trace, divided by whether they have an effect: see read_trace().
class Ticks {
 public:
  /// Before a row of any kind is looked at.
  void next(const std::string& cause, std::uint64_t iteration) {
    if (!open_) return;
    const bool effect = cause == name_ || iteration > iteration_;
    (effect ? effective_ : idle_).push_back(std::move(*open_));
    open_.reset();
  }
  void add(TraceData::Moment tick, const std::string& name, std::uint64_t iteration) {
    open_ = std::move(tick);
    name_ = name;
    iteration_ = iteration;
  }
  /// Those with an effect; all if there is nothing else in the trace.
  std::vector<TraceData::Moment> take(bool alone) {
    next("", 0);
    return std::move(alone && effective_.empty() ? idle_ : effective_);
  }

 private:
  std::optional<TraceData::Moment> open_;  // the last row
  std::string name_;
  std::uint64_t iteration_ = 0;
  std::vector<TraceData::Moment> effective_, idle_;
};

// The messages of a trace, put together from the rows of their sending and their end.
class Messages {
 public:
  /// Before a row of any kind is looked at. The rows of an event, which have one time and cause, state the
  /// iterations before it; what it completes shows in the first row of another one. An event completes one at most:
  /// where rows between are not traced, more are of others.
  void next(std::uint64_t row, double time, const std::string& cause, std::uint64_t iteration) {
    const bool follows = row == std::exchange(row_, row) + 1;
    if (time == time_ && cause == cause_) return;
    time_ = time;
    cause_ = cause;
    for (const std::string& name : fresh_) {
      if (const auto found = under_way_.find(name); found != under_way_.end())
        found->second.iteration = follows ? iteration : std::min(iteration, found->second.iteration + 1);
    }
    fresh_.clear();
  }
  void sent(const std::string& name, double time, std::uint64_t iteration, sim::AgentId from, sim::AgentId to,
            std::size_t row) {
    under_way_[name] = {{.sent = time, .ended = time, .from = from, .to = to, .sent_row = row}, iteration};
    fresh_.push_back(name);
  }
  // Where its sending was not read, the row says how long ago it was.
  void ended(const std::string& name, double time, const std::string& staleness, std::uint64_t iteration,
             sim::AgentId from, sim::AgentId to, const std::string& lost, std::optional<std::size_t> row) {
    TraceData::Message message{
        .sent = time, .ended = time, .from = from, .to = to, .lost = lost, .end_row = row};
    if (const auto found = under_way_.find(name); found != under_way_.end()) {
      // The agents of the sending: those of the file's last rows may be others, and beyond the number of agents.
      message.sent = found->second.message.sent;
      message.from = found->second.message.from;
      message.to = found->second.message.to;
      message.sent_row = found->second.message.sent_row;
      message.steps = iteration - std::min(iteration, found->second.iteration);
      under_way_.erase(found);
    } else if (const auto earlier = arrived_.find(name); earlier != arrived_.end()) {
      // It arrived, and the protocol discarded it.
      all_[earlier->second].lost = lost;
      return;
    } else if (const auto age = sim::parse_number(staleness); age && *age >= 0) {
      message.sent = time - *age;
    } else {
      return;
    }
    arrived_[name] = all_.size();
    all_.push_back(std::move(message));
  }
  bool under_way(const std::string& name) const { return under_way_.contains(name); }
  bool none_under_way() const { return under_way_.empty(); }
  std::vector<TraceData::Message> take() { return std::move(all_); }
  std::vector<TraceData::Message> take_under_way() {
    std::vector<TraceData::Message> all;
    for (auto& [name, sent] : under_way_) all.push_back(std::move(sent.message));
    for (TraceData::Message& message : all) message.ended = sim::kNever;
    std::ranges::stable_sort(all, {}, &TraceData::Message::sent);
    return all;
  }

 private:
  struct Sent {
    TraceData::Message message;
    std::uint64_t iteration;  // after the event that sent it
  };
  std::uint64_t row_ = 0;
  double time_ = 0;
  std::string cause_;               // of the present event
  std::vector<std::string> fresh_;  // what it has sent
  std::map<std::string, Sent> under_way_;
  std::map<std::string, std::size_t> arrived_;
  std::vector<TraceData::Message> all_;
};

}  // namespace

std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most, double from,
                                    double to, const std::set<sim::AgentId>& agents) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  TraceData data;
  data.begin = data.end = from;
  data.whole = from <= 0;
  data.bounded = to < sim::kNever;
  data.only = agents;
  Messages messages;
  Ticks ticks;
  Since down_since, computing_since;
  bool after = false;      // the window, where only ends of messages count
  std::size_t beyond = 0;  // events after it
  // Periods before the window are none.
  const auto end = [from](Since& since, sim::AgentId agent, double time, auto& periods) {
    if (time > from) end_period(since, agent, time, periods);
    since.erase(agent);
  };
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<std::string> f = fields_of(line);
    if (f.empty() || f[0] == "sequence" || (f[3].empty() && f[2] != "event")) continue;
    const auto at = sim::parse_number(f[1]);
    const auto from_agent = agent_of(f[3]), to_agent = agent_of(f[4]);
    const auto iteration = iteration_of(f[9]), row = iteration_of(f[0]);
    if (!at || !from_agent || !to_agent || !iteration || !row) continue;
    const double time = *at;
    const sim::AgentId agent = *from_agent, peer = *to_agent;
    const std::string& event = f[2];
    ticks.next(f[6], *iteration);
    messages.next(*row, time, f[6], *iteration);
    if (!agents.empty() && event != "event" && !agents.contains(agent) &&
        (f[4].empty() || !agents.contains(peer)))
      continue;
    const bool is_end = event == "deliver" || event == "lose";
    const bool state = event == "down" || event == "up" || event == "compute" || event == "computed";
    if (time < from && !state) continue;
    if (!after && (time > to || (time >= from && data.read == most))) {
      data.whole = false;
      after = true;
    }
    if (after && (messages.none_under_way() || ++beyond > most)) break;
    if (is_end && (!after || messages.under_way(f[5])))
      messages.ended(f[5], time, f[8], *iteration, peer, agent, event == "lose" ? f[10] : "",
                     after ? std::nullopt : std::optional(data.rows.size()));
    if (after) continue;
    if (time >= from) {
      ++data.read;
      const auto known = [](const std::string& field, sim::AgentId number) {
        return field.empty() ? std::nullopt : std::optional(number);
      };
      data.rows.push_back({time, event, known(f[3], agent), known(f[4], peer), f[5], f[6], f[11], *iteration,
                           unquoted(f[10])});
    }
    data.end = std::max(data.end, time);
    if (event == "event") {
      data.events.push_back({time, unquoted(f[10])});
      continue;
    }
    data.agents = std::max({data.agents, agent + 1, f[4].empty() ? 0 : peer + 1});
    if (event == "send" || event == "publish") {
      messages.sent(f[5], time, *iteration, agent, peer, data.rows.size() - 1);
    } else if (event == "down") {
      down_since[agent] = std::max(time, from);
      end(computing_since, agent, time, data.computing);
    } else if (event == "up") {
      end(down_since, agent, time, data.down);
    } else if (event == "compute") {
      computing_since[agent] = std::max(time, from);
    } else if (event == "computed") {
      end(computing_since, agent, time, data.computing);
    } else if (event == "tick") {
      ticks.add({time, agent, event}, f[6], *iteration);
    } else if (!is_end && event != "skip" && (event != "timer" || !f[10].ends_with("(no effect)"))) {
      data.moments.push_back({time, agent, event == "timer" && !f[10].empty() ? unquoted(f[10]) : event});
    }
  }
  data.messages = messages.take();
  data.under_way = messages.take_under_way();
  std::vector<TraceData::Moment> all = ticks.take(data.messages.empty() && data.moments.empty());
  std::ranges::copy(all, std::back_inserter(data.moments));
  std::ranges::stable_sort(data.moments, {}, &TraceData::Moment::time);
  for (const auto& [agent, since] : down_since) data.down.push_back({since, data.end, agent});
  for (const auto& [agent, since] : computing_since) data.computing.push_back({since, data.end, agent});
  return data;
}

}  // namespace hearsay::analysis
