#include "analysis/figures/figure_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "analysis/figures/owner_values.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMaxBins = 30;

Json seven_digits(double x) {
  return std::isfinite(x) ? Json(std::stod(fmt::format("{:.7g}", x))) : Json();
}

// f(element) of all elements, as an array.
template <class Range, class F>
Json list_of(const Range& range, F&& f) {
  Json all = Json::array();
  for (const auto& one : range) all.push_back(f(one));
  return all;
}

Json numbers_of(const Statistics& s) {
  return list_of(std::array{s.median, s.low, s.high, s.mean, s.mean_low, s.mean_high}, seven_digits);
}

// Of many owners some, in the order of their values.
Json owner_bars(const std::vector<Statistics>& values, std::size_t most) {
  const bool ranked = values.size() > most;
  const auto known = std::ranges::count_if(values, [](const Statistics& s) { return !std::isnan(s.median); });
  return {{"ranked", ranked},
          {"of", known},
          {"numbers", list_of(ranked ? sample_of(values, most) : values, numbers_of)}};
}

// `nodes`: with the values of all owners, for a network.
Json owner_tables(const OwnerValues& owners, std::size_t most, bool nodes) {
  const Json values = owner_bars(owners.values, most);
  return {{"values", values},
          {"gains", owner_bars(owners.gains, most)},
          {"nodes", !nodes                        ? Json::array()
                    : values.at("ranked") == true ? list_of(owners.values, numbers_of)
                                                  : values.at("numbers")},
          {"baselines", owners.baselines},
          {"baseline_means", owners.baseline_means},
          {"pays", std::isnan(owners.counts.mean) ? Json() : Json(owners.counts.mean > 0)}};
}

Json point_tables(const StudyData& study, const FigurePoint& point) {
  Json ends = Json::array(), owners = Json::array();
  for (std::size_t m = 0; m < study.head.metrics.size(); ++m) {
    ends.push_back(numbers_of(m < point.finals.size() ? point.finals[m] : statistics_of({})));
    owners.push_back(owner_tables(m < point.by_owner.size() ? point.by_owner[m] : OwnerValues(),
                                  study.limits.agents, point.network.has_value()));
  }
  const auto curve = [](const Curve& c) {
    return Json{{"x", list_of(c.x, seven_digits)}, {"y", list_of(c.y, numbers_of)}};
  };
  return {{"number", point.number},
          {"labels", point.labels},
          {"tuned", point.tuned},
          {"runs", point.runs},
          {"ends", ends},
          {"curves", list_of(point.curves, [&](const auto& along) { return list_of(along, curve); })},
          {"baselines", point.baselines},
          {"baseline_means", point.baseline_means},
          {"bounds", list_of(point.bounds,
                             [](const PointBound& b) {
                               return Json{{"name", b.name}, {"metric", b.metric}, {"value", b.value}};
                             })},
          {"fixed_gradients", point.fixed_gradients},
          {"seen", list_of(point.seen,
                           [](const SeenAtDistance& s) {
                             return Json{{"adversary", s.adversary},
                                         {"exact", s.exact},
                                         {"distance", s.distance},
                                         {"epsilon", numbers_of(s.epsilon)},
                                         {"ledger", numbers_of(s.ledger)}};
                           })},
          {"owners", point.owners},
          {"first_owner", point.first_owner},
          {"names", point.names},
          {"hostile", point.hostile},
          {"owners_of", owners},
          {"network", point.network ? Json(*point.network) : Json()}};
}

Json network_tables(const NetworkGraph& network) {
  const std::vector<std::uint32_t> degrees = network.degrees();
  Json nodes = Json::array();
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const NetworkGraph::Node& n = network.nodes[i];
    nodes.push_back(Json{{"name", n.name}, {"x", n.x}, {"y", n.y}, {"degree", degrees[i]}});
  }
  const auto link = [](const NetworkGraph::Link& l) {
    return Json::array({l.source, l.target, l.latency, l.weight});
  };
  return {{"nodes", nodes}, {"links", list_of(network.links, link)}, {"geographic", network.geographic}};
}

Json panel_axes(const std::optional<PanelAxes>& axes) {
  if (!axes) return {};
  Json all{{"x", axes->x}};
  if (axes->facet) all["facet"] = *axes->facet;
  if (axes->series) all["series"] = *axes->series;
  return all;
}

// By those taken, as text: none, each one, and the first two of numbers, on which there is a map.
Json axes_beside(const StudyData& study) {
  Json all = Json::object();
  std::vector<std::size_t> numeric;
  const PointLabels labels = labels_of(study);
  const auto others = [&](const std::vector<std::size_t>& taken) {
    return other_axes(labels, study.head.groups, study.axes.size(), taken);
  };
  for (const std::size_t a : others({})) {
    all[""].push_back(a);
    all[std::to_string(a)] = others({a});
    if (!study.axes[a].numbers.empty()) numeric.push_back(a);
  }
  if (all.empty()) all[""] = Json::array();
  if (numeric.size() >= 2)
    all[fmt::format("{},{}", numeric[0], numeric[1])] = others({numeric[0], numeric[1]});
  return all;
}

// How long delivered messages were in flight, in s and in iterations.
Json flights(const TraceData& trace) {
  std::vector<double> seconds, steps;
  bool known = true;
  for (const TraceData::Message& m : trace.messages) {
    if (!m.lost.empty()) continue;
    seconds.push_back(m.ended - m.sent);
    if (m.steps) steps.push_back(static_cast<double>(*m.steps));
    known = known && (m.steps || !m.sent_row);
  }
  // Those that are known would be the short ones.
  if (!known) steps.clear();
  Json all = Json::array();
  const auto add = [&](const char* name, const char* title, const char* unit, const char* x,
                       const std::vector<double>& numbers, double min_width) {
    if (numbers.empty()) return;
    const auto row = [](const Bin& bin) {
      return Json{{"x", seven_digits(bin.from)}, {"u", seven_digits(bin.to)}, {"n", bin.count}};
    };
    all.push_back(Json{{"name", name},
                       {"title", title},
                       {"unit", unit},
                       {"x_title", x},
                       {"count", numbers.size()},
                       {"median", quantile(numbers, 0.5)},
                       {"rows", list_of(histogram(numbers, kMaxBins, min_width), row)}});
  };
  add("latency", "Latency of messages", " s", "latency (s)", seconds, 0);
  add("staleness", "Staleness of messages", " iterations",
      "iterations completed while the message was in flight", steps, 1);
  return all;
}

// Texts by number, in the order in which they come.
class Texts {
 public:
  /// -1 for an empty one.
  Json number(const std::string& text) {
    if (text.empty()) return -1;
    const auto [found, is_new] = numbers_.try_emplace(text, all_.size());
    if (is_new) all_.push_back(text);
    return found->second;
  }
  Json take() { return std::move(all_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> all_;
};

// The rows of a trace by column. Texts are numbers in `texts`; -1: none.
Json row_tables(const std::vector<TraceData::Row>& rows) {
  Texts texts;
  Json all;
  const auto column = [&](const char* name, auto&& value) { all[name] = list_of(rows, value); };
  const auto text = [&](const char* name, std::string TraceData::Row::*member) {
    column(name, [&, member](const TraceData::Row& r) { return texts.number(r.*member); });
  };
  const auto agent = [&](const char* name, std::optional<sim::AgentId> TraceData::Row::*member) {
    column(name, [member](const TraceData::Row& r) { return r.*member ? Json(*(r.*member)) : Json(-1); });
  };
  column("t", [](const TraceData::Row& r) { return r.time; });
  column("iteration", [](const TraceData::Row& r) { return r.iteration; });
  column("done", [](const TraceData::Row& r) { return r.done ? Json(*r.done) : Json(); });
  agent("agent", &TraceData::Row::agent);
  agent("peer", &TraceData::Row::peer);
  text("event", &TraceData::Row::event);
  text("message", &TraceData::Row::message);
  text("cause", &TraceData::Row::cause);
  text("origin", &TraceData::Row::origin);
  text("detail", &TraceData::Row::detail);
  all["texts"] = texts.take();
  return all;
}

Json sampled(const TraceData::Samples& samples) {
  const auto values = [](const std::vector<double>& of_owners) { return list_of(of_owners, seven_digits); };
  const auto metric = [&](const auto& m) {
    return Json{{"name", m.first}, {"values", list_of(m.second, values)}};
  };
  return {{"times", samples.times}, {"metrics", list_of(samples.metrics, metric)}};
}

Json trace_tables(const TraceData& t) {
  const auto period = [](const TraceData::Down& p) {
    return p.open ? Json::array({p.from, p.to, p.agent, true}) : Json::array({p.from, p.to, p.agent});
  };
  const auto before = [](const auto& b) {
    return Json::array({b.first, b.second.iterations, b.second.release});
  };
  const auto attack = [](const auto& a) { return Json::array({a.first, a.second}); };
  const auto event = [](const TraceData::Event& e) { return Json{{"t", e.time}, {"e", e.text}}; };
  const auto moment = [](const TraceData::Moment& m) { return Json::array({m.time, m.agent, m.event}); };
  const auto row = [](const std::optional<std::size_t>& number) { return number ? Json(*number) : Json(); };
  // What has not ended does so at null.
  const auto message = [&](const TraceData::Message& m) {
    const Json ended = m.ended < sim::kNever ? Json(m.ended) : Json();
    return Json::array({m.sent, ended, m.from, m.to, m.lost, row(m.sent_row), row(m.end_row)});
  };
  return {{"point", t.point},
          {"repetition", t.repetition},
          {"begin", t.begin},
          {"end", t.end},
          {"whole", t.whole},
          {"bounded", t.bounded},
          {"agents", t.agents},
          {"only", t.only},
          {"recorded", t.recorded},
          {"states", t.states},
          {"before", list_of(t.before, before)},
          {"attacked", list_of(t.attacked, attack)},
          {"messages", list_of(t.messages, message)},
          {"under_way", list_of(t.under_way, message)},
          {"rows", row_tables(t.rows)},
          {"samples", sampled(t.samples)},
          {"moments", list_of(t.moments, moment)},
          {"events", list_of(t.events, event)},
          {"down", list_of(t.down, period)},
          {"computing", list_of(t.computing, period)},
          {"flights", flights(t)}};
}

}  // namespace

void require_scripts() {
  if (page_files().at(kVega[0]).empty())
    throw OutputError(
        "hearsay was built without the scripts that draw figures; install npm, run script/bootstrap and "
        "build again");
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

Json figure_data(const StudyData& study, const std::optional<TraceData>& trace, const std::string& prefix,
                 const FigureChoice& choice) {
  const auto metric = [](const MetricInfo& m) {
    return Json{{"name", m.name},
                {"title", title_of(m)},
                {"per_agent", m.per_agent},
                {"higher_is_better", m.better == Better::kHigher}};
  };
  const auto axis = [](const FigureAxis& a) {
    return Json{
        {"name", a.name}, {"labels", a.labels}, {"numbers", a.numbers}, {"logarithmic", a.logarithmic}};
  };
  const auto event = [](const FigureEvent& e) {
    return Json{{"t", seven_digits(e.at)}, {"e", e.text}, {"k", e.along}};
  };
  const auto point = [&](const FigurePoint& p) { return point_tables(study, p); };
  Json templates;
  for (const auto& [name, text] : page_files()) {
    const std::filesystem::path path(name);
    if (path.extension() == ".json") templates[path.stem().string()] = Json::parse(text);
  }
  const Json tables{{"along", kAlongNames},
                    {"every", study.head.every},
                    {"metrics", list_of(study.head.metrics, metric)},
                    {"axes", list_of(study.axes, axis)},
                    {"others", axes_beside(study)},
                    {"tuned", list_of(study.head.tuned, selected_title)},
                    {"events", list_of(study.events, event)},
                    {"points", list_of(study.points, point)},
                    {"networks", list_of(study.networks, network_tables)},
                    {"redrawn", study.redrawn},
                    {"trace", trace ? trace_tables(*trace) : Json()}};
  return {{"study", tables},       {"templates", templates},    {"prefix", prefix},
          {"kinds", choice.kinds}, {"metrics", choice.metrics}, {"panels", panel_axes(choice.panels)}};
}

}  // namespace hearsay::analysis
