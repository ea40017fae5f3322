// The events of one run: time runs to the right, each agent has a line, a message leads from one to another.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t) {
  if (!input.trace || input.trace->agents == 0) return {};
  const TraceData& trace = *input.trace;
  std::vector<std::string> rows;
  for (const auto& d : trace.down)
    rows.push_back(fmt::format(R"({{"w":"down","t":{},"u":{},"y":{},"e":"down"}})", json_number(d.from),
                               json_number(d.to), d.agent));
  for (const auto& m : trace.messages) {
    rows.push_back(fmt::format(R"({{"w":"{}","t":{},"u":{},"y":{},"z":{},"e":{}}})",
                               m.fate == "delivered" ? "message" : "lost", json_number(m.sent),
                               json_number(m.ended), m.from, m.to,
                               json_text(fmt::format("{} to {}, {}", m.from, m.to, m.fate))));
  }
  for (const auto& m : trace.moments)
    rows.push_back(fmt::format(R"({{"w":"moment","t":{},"y":{},"e":{}}})", json_number(m.time), m.agent,
                               json_text(m.event)));

  // The initial window has about as many events as can be distinguished.
  const auto all = static_cast<double>(rows.size());
  const double until = rows.size() <= 150 ? trace.end : trace.end * 150 / all;
  std::string caption =
      "Lines: messages, from sender and sending time to receiver and arrival; dashed, with a cross: lost; "
      "grey: "
      "down. Drag and scroll to move and zoom.";
  if (!trace.whole)
    caption +=
        fmt::format(" The first {:.6g} s of the trace are shown; trace.csv contains all of it.", trace.end);
  return {{"One run, event by event", std::move(caption),
           fill("timeline", {{"rows", json_list(rows)},
                             {"height", std::to_string(std::clamp<std::size_t>(trace.agents * 40, 160, 720))},
                             {"until", json_number(until)},
                             {"agents", fmt::format("{}", trace.agents - 0.4)}})}};
}

}  // namespace hearsay::analysis
