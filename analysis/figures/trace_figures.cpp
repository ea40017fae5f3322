#include "analysis/figures/trace_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/figures/page_parts.hpp"
#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMaxLanes = 60;
constexpr std::size_t kMaxMessages = 200, kMaxMarks = 400;  // in the window that is shown first
constexpr std::size_t kMaxSteps = 2000;                     // of the fraction that is up
constexpr std::size_t kMaxBins = 30;

// By sim::LossReason: a reason has the same colour in all figures.
constexpr std::array kColours{"#e45756", "#8c2d04", "#f58518", "#9d755d", "#b279a2"};
static_assert(kColours.size() == sim::kLossReasons);

const FigurePoint* traced_point(const FigureInput& input) {
  for (const FigurePoint& point : input.study.points) {
    if (point.number == input.trace->point) return &point;
  }
  return nullptr;
}

// "one run (privacy.epsilon = 1, repetition 0)"
std::string traced_run(const FigureInput& input) {
  const FigurePoint* point = traced_point(input);
  const std::string name = point == nullptr ? "" : name_of(input.study, *point);
  return fmt::format("one run ({}{}repetition {})", name, name.empty() ? "" : ", ", input.trace->repetition);
}

// "one run (repetition 0) from 0 to 20 s"
std::string traced_window(const FigureInput& input) {
  return fmt::format("{} from {:.6g} to {:.6g} s", traced_run(input), input.trace->begin, input.trace->end);
}

std::string window_hint(const TraceData& trace) {
  return trace.whole ? "" : " This is a part of the trace; --from and --to select another.";
}

// Names of agents: of owners, of learners before them, and numbers beyond them.
std::string agent_name(const FigurePoint* point, const std::vector<std::string>& owners, sim::AgentId agent) {
  if (point == nullptr || owners.empty()) return std::to_string(agent);
  if (agent < point->first_owner) return "learner";
  const std::size_t owner = agent - point->first_owner;
  return owner < owners.size() ? owners[owner] : std::to_string(agent);
}

// The agents that have a lane: all if they are few, else those of the first messages and events.
std::map<sim::AgentId, std::size_t> lanes_of(const TraceData& trace) {
  std::map<sim::AgentId, std::size_t> lanes;
  const auto add = [&](sim::AgentId agent) {
    if (lanes.size() < kMaxLanes) lanes[agent] = 0;
  };
  if (trace.agents <= kMaxLanes && trace.only.empty()) {
    for (sim::AgentId agent = 0; agent < trace.agents; ++agent) add(agent);
  } else {
    for (const sim::AgentId agent : trace.only) add(agent);
    std::vector<const TraceData::Message*> order;
    for (const TraceData::Message& m : trace.messages) order.push_back(&m);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->sent < b->sent; });
    for (const TraceData::Message* m : order) add(m->from), add(m->to);
    for (const TraceData::Moment& m : trace.moments) add(m.agent);
    for (const auto* periods : {&trace.down, &trace.computing}) {
      for (const TraceData::Down& p : *periods) add(p.agent);
    }
  }
  std::size_t number = 0;
  for (auto& [agent, lane] : lanes) lane = number++;
  return lanes;
}

// The marks of a timeline.
struct Marks {
  Json rows = Json::array();
  std::vector<double> begins{}, sent{};  // of all marks, of messages
  std::set<std::string> reasons{};       // of losses
  bool down = false, computing = false, arrows = false, event = false;
};

Marks marks_of(const TraceData& trace, const std::map<sim::AgentId, std::size_t>& lanes) {
  Marks all;
  const auto add = [&](const char* what, double from, double to, std::size_t lane,
                       const std::string& event) -> Json& {
    all.begins.push_back(from);
    return all.rows.emplace_back(
        Json{{"w", what}, {"t", seven_digits(from)}, {"u", seven_digits(to)}, {"y", lane}, {"e", event}});
  };
  const auto periods = [&](const char* what, const std::vector<TraceData::Down>& some, bool& any) {
    for (const TraceData::Down& p : some) {
      const auto lane = lanes.find(p.agent);
      if (lane == lanes.end()) continue;
      add(what, p.from, p.to, lane->second, what);
      any = true;
    }
  };
  periods("down", trace.down, all.down);
  periods("computing", trace.computing, all.computing);
  for (const TraceData::Event& e : trace.events) add("event", e.time, e.time, 0, e.text).erase("u");
  all.event = !trace.events.empty();
  for (const TraceData::Message& m : trace.messages) {
    const auto from = lanes.find(m.from), to = lanes.find(m.to);
    if (from == lanes.end() || to == lanes.end()) continue;
    all.sent.push_back(m.sent);
    const bool lost = !m.lost.empty();
    const auto y = static_cast<double>(from->second), z = static_cast<double>(to->second);
    Json& row = add(lost ? "lost" : "message", m.sent, m.ended, from->second,
                    fmt::format("{} to {}, {}", m.from, m.to, lost ? "lost: " + m.lost : "delivered"));
    // What is lost before it arrives ends next to its sender.
    const bool arrived =
        !lost || m.lost == name(sim::LossReason::kReceiverDown) || m.lost == name(sim::LossReason::kStale);
    row["z"] = arrived ? z : y + std::copysign(0.4, z - y);
    if (!lost) all.arrows = true;
    if (lost) row["r"] = *all.reasons.insert(m.lost).first;
  }
  for (const TraceData::Moment& m : trace.moments) {
    if (const auto lane = lanes.find(m.agent); lane != lanes.end())
      add("moment", m.time, m.time, lane->second, m.event).erase("u");
  }
  return all;
}

// The end of the window that is shown first: that of the trace if it was chosen, else before the first message or mark
// that is too many.
double window_end(const TraceData& trace, Marks& marks) {
  double end = trace.end;
  const auto at_most = [&](std::vector<double>& times, std::size_t most) {
    if (trace.bounded || times.size() <= most) return;
    std::sort(times.begin(), times.end());
    // All marks of one time are shown, or none.
    auto first = std::lower_bound(times.begin(), times.end(), times[most]);
    if (*first <= trace.begin) first = std::upper_bound(times.begin(), times.end(), trace.begin);
    if (first != times.end()) end = std::min(end, *first);
  };
  at_most(marks.sent, kMaxMessages);
  at_most(marks.begins, kMaxMarks);
  return end > trace.begin ? end : trace.begin + 1;
}

}  // namespace

std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t) {
  if (!input.trace || input.trace->agents == 0) return {};
  const TraceData& trace = *input.trace;
  const std::map<sim::AgentId, std::size_t> lanes = lanes_of(trace);
  Marks marks = marks_of(trace, lanes);
  const double end = window_end(trace, marks);
  const FigurePoint* point = traced_point(input);
  const std::vector<std::string> owners =
      point == nullptr ? std::vector<std::string>() : different_names(*point);
  Json names = Json::array(), rows = Json::array(), numbers = Json::array();
  for (const auto& [agent, lane] : lanes) {
    names.push_back(agent_name(point, owners, agent));
    rows.push_back({{"y", lane}});
    numbers.push_back(lane);
  }
  std::string caption = fmt::format("Events of {}.", traced_run(input));
  for (const auto& [any, text] :
       {std::pair{marks.arrows, " Arrow: message, from sender and sending time to receiver and arrival."},
        {!marks.reasons.empty(), " Cross: lost message, beside its sender or where it arrived."},
        {marks.down, " Grey: down."},
        {marks.computing, " Yellow: computing."},
        {marks.event, " Vertical line: event of the scenario."}}) {
    if (any) caption += text;
  }
  if (!trace.only.empty()) {
    std::vector<std::string> those;
    for (const sim::AgentId agent : trace.only) those.push_back(agent_name(point, owners, agent));
    caption += fmt::format(" Shown is only what {} took part in.", fmt::join(those, ", "));
  }
  if (lanes.size() == kMaxLanes && trace.agents > kMaxLanes)
    caption +=
        fmt::format(" Shown are {} of {} agents and the messages between them.", lanes.size(), trace.agents);
  caption += window_hint(trace);

  // Every lane has room for its name.
  const std::size_t height =
      std::max(std::clamp<std::size_t>(40 * lanes.size(), 160, 720), 14 * lanes.size());
  const auto time = [&](const char* field) {
    return Json{{"field", field},
                {"type", "quantitative"},
                {"title", "time (s)"},
                {"scale", {{"domain", {seven_digits(trace.begin), seven_digits(end)}}, {"nice", false}}}};
  };
  const auto lane = [&](const char* field) {
    return Json{
        {"field", field},
        {"type", "quantitative"},
        {"title", "agent"},
        {"axis",
         {{"values", numbers},
          {"tickCount", numbers.size()},  // else Vega leaves some out
          {"labelExpr", json_text(names) + "[datum.value]"},
          {"labelLimit", 160},
          {"labelOverlap", false},
          {"grid", false}}},
        {"scale",
         {{"domain", {-0.6, static_cast<double>(lanes.size()) - 0.4}}, {"reverse", true}, {"nice", false}}}};
  };
  Json values{
      {"rows", marks.rows},
      {"height", height},
      {"lanes", rows},
      {"t", time("t")},
      {"u", time("u")},
      {"y", lane("y")},
      {"z", lane("z")},
      {"thickness", std::min(10.0, 0.6 * static_cast<double>(height) / static_cast<double>(lanes.size()))}};
  if (marks.down) values["down"] = true;
  if (marks.computing) values["computing"] = true;
  for (std::size_t r = 0; r < kColours.size(); ++r) {
    const std::string reason(name(static_cast<sim::LossReason>(r)));
    if (!marks.reasons.contains(reason)) continue;
    values["lost"].push_back(reason);
    values["lost_colours"].push_back(kColours[r]);
  }
  return {{"timeline", "One run, event by event", std::move(caption), fill("timeline", values)}};
}

std::vector<Bin> histogram(const std::vector<double>& numbers, std::size_t most, double min_width) {
  if (numbers.empty()) return {};
  const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
  // Differences of times, such as a constant latency, are equal but for rounding.
  constexpr double kEqual = 1e-6;
  const double size = std::max(std::abs(*min), std::abs(*max));
  const double range = *max - *min > kEqual * size ? *max - *min : std::max(size, 1e-12);
  const double wanted = std::max(range / static_cast<double>(most), min_width);
  double width = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * width < wanted * (1 - 1e-9)) continue;
    width *= factor;
    break;
  }
  // Numbers that are an edge but for rounding belong to the bin above it.
  const auto place = [&](double x) { return std::floor(x / width + 1e-9); };
  const double first = place(*min);
  std::vector<Bin> bins;
  for (double k = first; k <= place(*max); ++k) bins.push_back({k * width, (k + 1) * width, 0});
  for (const double x : numbers) ++bins[static_cast<std::size_t>(place(x) - first)].count;
  return bins;
}

std::vector<Drawing> draw_latency(const FigureInput& input, std::size_t) {
  if (!input.trace) return {};
  std::vector<double> seconds, steps;
  for (const TraceData::Message& m : input.trace->messages) {
    if (!m.lost.empty()) continue;
    seconds.push_back(m.ended - m.sent);
    if (m.steps) steps.push_back(static_cast<double>(*m.steps));
  }
  std::vector<Drawing> all;
  const auto draw = [&](const char* name, const char* title, const char* unit, const char* x,
                        const std::vector<double>& numbers, double min_width) {
    Json rows = Json::array();
    for (const Bin& bin : histogram(numbers, kMaxBins, min_width))
      rows.push_back({{"x", seven_digits(bin.from)}, {"u", seven_digits(bin.to)}, {"n", bin.count}});
    if (rows.empty()) return;
    all.push_back({name, title,
                   fmt::format("Delivered messages of {}: {}, median {:.3g}{}.{}", traced_window(input),
                               numbers.size(), quantile(numbers, 0.5), unit, window_hint(*input.trace)),
                   fill("histogram", {{"rows", rows}, {"x_title", x}})});
  };
  draw("latency", "Latency of messages", " s", "latency (s)", seconds, 0);
  draw("staleness", "Staleness of messages", " iterations",
       "iterations completed while the message was in flight", steps, 1);
  return all;
}

std::vector<Drawing> draw_availability(const FigureInput& input, std::size_t) {
  // The trace of one agent does not contain when others are down.
  if (!input.trace || input.trace->down.empty() || !input.trace->only.empty()) return {};
  const TraceData& trace = *input.trace;
  std::map<double, long> changes{{trace.begin, 0}, {trace.end, 0}};
  for (const TraceData::Down& d : trace.down) {
    --changes[d.from];
    if (d.to < trace.end) ++changes[d.to];
  }
  std::size_t agents = trace.agents;
  if (const FigurePoint* point = traced_point(input))
    agents = std::max<std::size_t>(agents, point->first_owner + point->owners);
  std::vector<std::pair<double, long>> steps;
  steps.reserve(changes.size());
  long up = static_cast<long>(agents);
  for (const auto& [time, change] : changes) steps.emplace_back(time, up += change);
  Json rows = Json::array(), events = Json::array();
  for (std::size_t k = 0, next = 0; k < steps.size(); ++k) {
    // Of many steps some, evenly spaced in number; the last always.
    if (steps.size() > kMaxSteps && k + 1 < steps.size() && k * kMaxSteps / steps.size() < next) continue;
    next = k * kMaxSteps / steps.size() + 1;
    rows.push_back({{"t", seven_digits(steps[k].first)},
                    {"s", seven_digits(static_cast<double>(steps[k].second) / static_cast<double>(agents))},
                    {"n", steps[k].second}});
  }
  for (const TraceData::Event& e : trace.events)
    events.push_back({{"t", seven_digits(e.time)}, {"e", e.text}});
  Json values{{"rows", rows}};
  if (!events.empty()) values["events"] = events;
  return {{"availability", "Availability",
           fmt::format("Fraction of the {} agents that are up, in {}.{}{}", agents, traced_window(input),
                       events.empty() ? "" : " Dashed lines: the scenario's events.", window_hint(trace)),
           fill("availability", values)}};
}

}  // namespace hearsay::analysis
