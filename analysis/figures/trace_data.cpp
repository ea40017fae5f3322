#include "analysis/figures/trace_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

namespace hearsay::analysis {

namespace {

// The fields of a row. Only the last may be quoted; its quotes remain.
std::vector<std::string> fields_of(const std::string& line) {
  constexpr std::size_t kFields = 10;
  std::vector<std::string> fields;
  std::size_t from = 0;
  while (fields.size() + 1 < kFields) {
    const std::size_t comma = line.find(',', from);
    if (comma == std::string::npos) return {};
    fields.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  fields.push_back(line.substr(from));
  return fields;
}

sim::AgentId agent_of(const std::string& text) {
  return static_cast<sim::AgentId>(std::strtoul(text.c_str(), nullptr, 10));
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
  std::map<sim::AgentId, double> down_since;
  std::string line;
  std::size_t events = 0;
  while (std::getline(in, line)) {
    const std::vector<std::string> f = fields_of(line);
    if (f.empty() || f[0] == "sequence" || f[3].empty()) continue;
    const double time = std::strtod(f[1].c_str(), nullptr);
    const std::string& event = f[2];
    const bool presence = event == "down" || event == "up";
    if (time < from && !presence) continue;
    if (time > to || (time >= from && ++events > most)) {
      data.whole = false;
      break;
    }
    const sim::AgentId agent = agent_of(f[3]), peer = agent_of(f[4]);
    data.end = std::max(data.end, time);
    data.agents = std::max({data.agents, agent + 1, f[4].empty() ? 0 : peer + 1});
    if (event == "send" || event == "publish") {
      under_way[f[5]] = {time, time, agent, peer, ""};
    } else if (event == "deliver" || event == "lose") {
      const auto sent = under_way.find(f[5]);
      if (sent == under_way.end()) continue;
      sent->second.ended = time;
      sent->second.fate = event == "deliver" ? "delivered" : "lost: " + f[9];
      data.messages.push_back(sent->second);
      under_way.erase(sent);
    } else if (event == "down") {
      down_since[agent] = std::max(time, from);
    } else if (event == "up") {
      if (const auto since = down_since.find(agent); since != down_since.end()) {
        if (time > from) data.down.push_back({since->second, time, agent});
        down_since.erase(since);
      }
    } else {
      data.moments.push_back({time, agent, event});
    }
  }
  for (const auto& [agent, since] : down_since) data.down.push_back({since, data.end, agent});
  return data;
}

}  // namespace hearsay::analysis
