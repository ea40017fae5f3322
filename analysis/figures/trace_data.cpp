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

// The times at which agents are down, or compute, in a window that begins at `from`.
class Periods {
 public:
  explicit Periods(double from) : from_(from) {}
  void begin(sim::AgentId agent, double time) {
    known_.insert(agent);
    since_[agent] = std::max(time, from_);
  }
  /// What the first row of an agent ends has lasted since before the trace.
  void end(sim::AgentId agent, double time) {
    if (known_.insert(agent).second) since_[agent] = from_;
    const auto since = since_.find(agent);
    if (since == since_.end()) return;
    if (time > from_) all_.push_back({since->second, time, agent});
    since_.erase(since);
  }
  void forget(sim::AgentId agent) {
    known_.insert(agent);
    since_.erase(agent);
  }
  bool known(sim::AgentId agent) const { return known_.contains(agent); }
  bool open(sim::AgentId agent) const { return since_.contains(agent); }
  /// Those that are open end when the trace does.
  std::vector<TraceData::Down> take(double end) {
    for (const auto& [agent, since] : since_) all_.push_back({since, end, agent, true});
    return std::move(all_);
  }

 private:
  double from_;
  std::set<sim::AgentId> known_;  // agents whose state is known
  std::map<sim::AgentId, double> since_;
  std::vector<TraceData::Down> all_;
};

// Divides rows into events, which have one time and cause. The rows of an event state the iterations before it; those after
// it show in the first row of the next one. Where rows between the two are not in the trace, these may be of others.
class Events {
 public:
  /// Before a row of any kind is looked at: whether it is of another event than the row before.
  bool next(std::uint64_t row, double time, const std::string& cause, std::uint64_t iteration,
            sim::AgentId agent) {
    const bool follows = row == std::exchange(row_, row) + 1;
    const bool known = std::exchange(last_, iteration) == iteration || follows;
    if (time == time_ && cause == cause_) return false;
    done_ = known ? std::optional(iteration) : std::nullopt;
    more_ = {agent_, known ? iteration - std::min(iteration, first_) : 0};
    time_ = time;
    agent_ = agent;
    cause_ = cause;
    first_ = iteration;
    return true;
  }
  /// Of the event before: the iterations after it, if they are known, and its agent with those that it completed.
  std::optional<std::uint64_t> done() const { return done_; }
  std::pair<sim::AgentId, std::uint64_t> more() const { return more_; }

 private:
  std::uint64_t row_ = 0, first_ = 0,
                last_ = 0;  // iterations of the first and the last row of the present event
  double time_ = 0;
  sim::AgentId agent_ = 0;
  std::string cause_;
  std::optional<std::uint64_t> done_;
  std::pair<sim::AgentId, std::uint64_t> more_;
};

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
  /// After an event, with the iterations completed then.
  void complete(std::optional<std::uint64_t> done) {
    for (const std::string& name : fresh_)
      if (const auto found = under_way_.find(name); found != under_way_.end()) found->second.done = done;
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
      if (found->second.done) message.steps = iteration - std::min(iteration, *found->second.done);
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
    std::optional<std::uint64_t> done;  // iterations after the event that sent it
  };
  std::vector<std::string> fresh_;  // what the present event has sent
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
  data.whole = from <= 0 && agents.empty();
  data.bounded = to < sim::kNever;
  data.only = agents;
  Messages messages;
  Ticks ticks;
  Events events;
  Periods down(from), computing(from);
  std::set<sim::AgentId> interrupted;  // those that went down while they computed
  std::size_t completed = 0;           // rows whose event is over
  double time = 0;
  bool after = false;      // the window, where only ends of messages count
  std::size_t beyond = 0;  // events after it
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<std::string> f = fields_of(line);
    if (f.empty() || f[0] == "sequence" || (f[3].empty() && f[2] != "event")) continue;
    const auto at = sim::parse_number(f[1]);
    const auto from_agent = agent_of(f[3]), to_agent = agent_of(f[4]);
    const auto iteration = iteration_of(f[9]), row = iteration_of(f[0]);
    if (!at || !from_agent || !to_agent || !iteration || !row) continue;
    const bool earlier = std::exchange(time, *at) < from;
    const sim::AgentId agent = *from_agent, peer = *to_agent;
    const std::string& event = f[2];
    ticks.next(f[6], *iteration);
    if (events.next(*row, time, f[6], *iteration, agent)) {
      messages.complete(events.done());
      for (; completed < data.rows.size(); ++completed) data.rows[completed].done = events.done();
      if (const auto [who, more] = events.more(); earlier && more > 0) data.before[who].iterations += more;
    }
    const bool is_end = event == "deliver" || event == "lose";
    const bool is_down = event == "skip" && f[10] == "down";
    const bool state = is_down || event == "down" || event == "up" || event == "compute" ||
                       event == "computed" || event == "reset";
    if (event == "hostile") data.attacked.try_emplace(agent, time);
    if (time < from && event == "release") data.before[agent].release = unquoted(f[10]);
    const bool wanted = agents.empty() || event == "event" || agents.contains(agent) ||
                        (!f[4].empty() && agents.contains(peer));
    if ((!wanted || time < from) && !state) continue;
    if (!after && (time > to || (time >= from && data.read == most))) {
      data.whole = false;
      after = true;
    }
    if (after && (messages.none_under_way() || ++beyond > most)) break;
    if (is_end && (!after || messages.under_way(f[5])))
      messages.ended(f[5], time, f[8], *iteration, peer, agent, event == "lose" ? f[10] : "",
                     after ? std::nullopt : std::optional(data.rows.size()));
    if (after) continue;
    if (wanted && time >= from) {
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
      down.begin(agent, time);
      // It goes on when the agent is up, unless it has been reset.
      if (computing.open(agent)) computing.end(agent, time), interrupted.insert(agent);
    } else if (event == "up") {
      down.end(agent, time);
      if (interrupted.erase(agent) > 0) computing.begin(agent, time);
    } else if (is_down && !down.known(agent)) {
      down.begin(agent, from);
    } else if (event == "reset") {
      interrupted.erase(agent);
      computing.forget(agent);
      if (wanted && time >= from) data.moments.push_back({time, agent, event});
    } else if (event == "compute") {
      computing.begin(agent, time);
    } else if (event == "computed") {
      interrupted.erase(agent);  // also while it is down
      computing.end(agent, time);
    } else if (event == "tick") {
      ticks.add({time, agent, event}, f[6], *iteration);
    } else if (!is_end && event != "skip" && (event != "timer" || !f[10].ends_with("(no effect)"))) {
      data.moments.push_back({time, agent, event == "timer" && !f[10].empty() ? unquoted(f[10]) : event});
    }
  }
  // An agent that attacks later is not one that never does.
  while (std::getline(in, line)) {
    if (line.find(",hostile,") == std::string::npos) continue;
    const std::vector<std::string> f = fields_of(line);
    const auto at = f.empty() ? std::nullopt : sim::parse_number(f[1]);
    const auto agent = f.empty() ? std::nullopt : agent_of(f[3]);
    if (at && agent && f[2] == "hostile") data.attacked.try_emplace(*agent, *at);
  }
  data.messages = messages.take();
  data.under_way = messages.take_under_way();
  std::vector<TraceData::Moment> all = ticks.take(data.messages.empty() && data.moments.empty());
  std::ranges::copy(all, std::back_inserter(data.moments));
  std::ranges::stable_sort(data.moments, {}, &TraceData::Moment::time);
  data.down = down.take(data.end);
  data.computing = computing.take(data.end);
  return data;
}

}  // namespace hearsay::analysis
