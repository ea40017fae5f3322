// The events of one run: time runs to the right, each agent has a line, a message leads from one to another.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t) {
  if (!input.trace || input.trace->agents == 0) return {};
  const TraceData& trace = *input.trace;
  Json rows = Json::array();
  const auto add = [&](const char* what, double from, double to, sim::AgentId agent,
                       const std::string& event) -> Json& {
    return rows.emplace_back(
        Json{{"w", what}, {"t", seven_digits(from)}, {"u", seven_digits(to)}, {"y", agent}, {"e", event}});
  };
  for (const auto& d : trace.down) add("down", d.from, d.to, d.agent, "down");
  for (const auto& m : trace.messages) {
    add(m.fate == "delivered" ? "message" : "lost", m.sent, m.ended, m.from,
        fmt::format("{} to {}, {}", m.from, m.to, m.fate))["z"] = m.to;
  }
  for (const auto& m : trace.moments) add("moment", m.time, m.time, m.agent, m.event).erase("u");

  // The initial window has about as many events as can be distinguished.
  const auto all = static_cast<double>(rows.size());
  const double until = rows.size() <= 150 ? trace.end : trace.end * 150 / all;
  std::string caption =
      "Lines: messages, from sender and sending time to receiver and arrival; dashed, with a cross: lost; "
      "grey: down. "
      "Drag and scroll to move and zoom.";
  if (!trace.whole)
    caption +=
        fmt::format(" The first {:.6g} s of the trace are shown; trace.csv contains all of it.", trace.end);
  return {{"One run, event by event", std::move(caption),
           fill("timeline", {{"rows", rows},
                             {"height", std::clamp<std::size_t>(trace.agents * 40, 160, 720)},
                             {"until", seven_digits(until)},
                             {"agents", trace.agents - 0.4}})}};
}

}  // namespace hearsay::analysis
