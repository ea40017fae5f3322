// Who did what when: time runs to the right, each agent has a line, a message leads from one to another.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

using nlohmann::json;

std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t) {
  if (!input.trace || input.trace->agents == 0) return {};
  const TraceData& trace = *input.trace;
  json rows = json::array();
  for (const auto& d : trace.down)
    rows.push_back({{"w", "down"}, {"t", shown(d.from)}, {"u", shown(d.to)}, {"y", d.agent}, {"e", "down"}});
  for (const auto& m : trace.messages) {
    rows.push_back({{"w", m.fate == "delivered" ? "message" : "lost"},
                    {"t", shown(m.sent)},
                    {"u", shown(m.ended)},
                    {"y", m.from},
                    {"z", m.to},
                    {"e", fmt::format("{} to {}, {}", m.from, m.to, m.fate)}});
  }
  for (const auto& m : trace.moments)
    rows.push_back({{"w", "moment"}, {"t", shown(m.time)}, {"y", m.agent}, {"e", m.event}});

  json x = field("t", "quantitative", "time (s)");
  // What is first seen is what can be told apart: some hundred events.
  const std::size_t all = rows.size();
  const double shown_until = all <= 150 ? trace.end : trace.end * 150 / static_cast<double>(all);
  x["scale"] = {{"domain", {0, shown(shown_until)}}, {"nice", false}};
  json y = field("y", "quantitative", "agent");
  y["scale"] = {{"domain", {-0.6, trace.agents - 0.4}}, {"reverse", true}, {"nice", false}};
  y["axis"] = {{"tickMinStep", 1}, {"format", "d"}};
  const json pointed = tooltip({{"e", "event"}, {"t", "from (s)"}, {"u", "to (s)"}});
  const auto only = [](const char* what) {
    return json::array({{{"filter", fmt::format("datum.w === '{}'", what)}}});
  };
  json hue = field("e", "nominal", "event");
  hue["legend"] = {{"orient", "top"}};
  const json across = {{"x", x}, {"x2", {{"field", "u"}}}, {"y", y}, {"tooltip", pointed}};
  json link = across;
  link["y2"] = {{"field", "z"}};
  json lost_end = {{"x", x}, {"y", y}, {"tooltip", pointed}};
  lost_end["x"]["field"] = "u";
  lost_end["y"]["field"] = "z";
  json s = figure_of(std::move(rows), static_cast<int>(std::clamp<std::size_t>(trace.agents * 40, 160, 720)));
  s["layer"] = {
      {{"transform", only("down")},
       {"params",
        {{{"name", "window"}, {"select", {{"type", "interval"}, {"encodings", {"x"}}}}, {"bind", "scales"}}}},
       {"mark", {{"type", "rule"}, {"strokeWidth", 10}, {"color", "#999"}, {"opacity", 0.5}, {"clip", true}}},
       {"encoding", across}},
      {{"transform", only("message")},
       {"mark",
        {{"type", "rule"}, {"strokeWidth", 1}, {"color", "#4c78a8"}, {"opacity", 0.7}, {"clip", true}}},
       {"encoding", link}},
      {{"transform", only("lost")},
       {"mark",
        {{"type", "rule"}, {"strokeWidth", 1}, {"strokeDash", {3, 3}}, {"color", "#e45756"}, {"clip", true}}},
       {"encoding", link}},
      {{"transform", only("lost")},
       {"mark",
        {{"type", "point"},
         {"shape", "cross"},
         {"angle", 45},
         {"filled", true},
         {"size", 60},
         {"color", "#e45756"},
         {"clip", true}}},
       {"encoding", lost_end}},
      {{"transform", only("moment")},
       {"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"opacity", 1}, {"clip", true}}},
       {"encoding", {{"x", x}, {"y", y}, {"color", hue}, {"tooltip", pointed}}}}};
  std::string caption =
      "Lines: messages, from when and by whom they were sent to when and where they arrived; dashed, with a "
      "cross: "
      "lost; grey: down. Drag and scroll to move and zoom.";
  if (!trace.whole)
    caption += fmt::format(" The trace is shown as far as {:.6g} s; trace.csv has all of it.", trace.end);
  return {{"One run, event by event", std::move(caption), std::move(s)}};
}

}  // namespace hearsay::analysis
