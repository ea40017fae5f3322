#include "analysis/figures/trace_data.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

#include "sim/files/csv_table.hpp"

namespace hearsay::analysis {

namespace {

// The fields of a row up to its detail. Only that may be quoted; its quotes remain. A payload after it is left out.
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
  return fields;
}

// The number of an agent, 0 for an empty field; nothing for other text.
std::optional<sim::AgentId> agent_of(const std::string& text) {
  if (text.empty()) return 0;
  sim::AgentId agent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), agent);
  if (error != std::errc{} || end != text.data() + text.size() || agent >= sim::kMaxAgents)
    return std::nullopt;
  return agent;
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

}  // namespace

std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most, double from,
                                    double to) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  TraceData data;
  data.begin = data.end = from;
  data.whole = from <= 0;
  std::map<std::string, TraceData::Message> under_way;
  Since down_since, computing_since;
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<std::string> f = fields_of(line);
    if (f.empty() || f[0] == "sequence" || (f[3].empty() && f[2] != "event")) continue;
    const auto at = sim::parse_number(f[1]);
    const auto from_agent = agent_of(f[3]), to_agent = agent_of(f[4]);
    if (!at || !from_agent || !to_agent) continue;
    const double time = *at;
    const sim::AgentId agent = *from_agent, peer = *to_agent;
    const std::string& event = f[2];
    const bool presence = event == "down" || event == "up";
    if (time < from && !presence) continue;
    if (time > to || (time >= from && ++data.read > most)) {
      data.whole = false;
      break;
    }
    data.end = std::max(data.end, time);
    if (event == "event") {
      data.events.push_back({time, unquoted(f[10])});
      continue;
    }
    data.agents = std::max({data.agents, agent + 1, f[4].empty() ? 0 : peer + 1});
    if (event == "send" || event == "publish") {
      under_way[f[5]] = {time, time, agent, peer, ""};
    } else if (event == "deliver" || event == "lose") {
      const auto sent = under_way.find(f[5]);
      if (sent == under_way.end()) continue;
      sent->second.ended = time;
      sent->second.fate = event == "deliver" ? "delivered" : "lost: " + f[10];
      data.messages.push_back(sent->second);
      under_way.erase(sent);
    } else if (event == "down") {
      down_since[agent] = std::max(time, from);
      end_period(computing_since, agent, time, data.computing);
    } else if (event == "up") {
      if (time > from) end_period(down_since, agent, time, data.down);
      down_since.erase(agent);
    } else if (event == "compute") {
      computing_since[agent] = time;
    } else if (event == "computed") {
      end_period(computing_since, agent, time, data.computing);
    } else if (event != "timer" || !f[10].ends_with("(no effect)")) {
      data.moments.push_back({time, agent, event == "timer" && !f[10].empty() ? unquoted(f[10]) : event});
    }
  }
  for (const auto& [agent, since] : down_since) data.down.push_back({since, data.end, agent});
  for (const auto& [agent, since] : computing_since) data.computing.push_back({since, data.end, agent});
  return data;
}

}  // namespace hearsay::analysis
