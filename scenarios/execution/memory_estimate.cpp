#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "analysis/store/results_memory.hpp"
#include "models/run/extent.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/engine/engine_memory.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/topology/topology_memory.hpp"

namespace hearsay::scenarios {

namespace {

constexpr const char* kInFlight = "messages in flight";
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The parts of a point, in the order in which they are made.
enum Stage : std::size_t {
  kData,
  kModel,
  kNetwork,
  kFiles,
  kAgents,
  kProtocol,
  kSchedules,
  kFlight,
  kRecords,
  kStages
};
constexpr std::array<const char*, kStages> kStageNames{
    "data",     "model",             "network", "network files", "agents and links",
    "protocol", "release schedules", kInFlight, "records"};
constexpr std::size_t kAssembled = kAgents;  // stages before it are made once, the others for every run

using Stages = std::array<sim::Memory, kStages>;

// Bytes of the stages first .. last - 1 beside what they hold, and the stage in which that is.
struct Extra {
  double bytes = 0;
  std::size_t stage = 0;
};
Extra extra_of(const Stages& all, std::size_t first, std::size_t last) {
  double before = 0, held = 0;
  for (std::size_t k = first; k < last; ++k) held += all[k].held;
  Extra most{.stage = first};
  for (std::size_t k = first; k < last; ++k) {
    const double beside = before + all[k].peak() - held;
    if (beside > most.bytes) most = {beside, k};
    before += all[k].held;
  }
  return most;
}

double limit_of(const std::optional<std::uint64_t>& limit) {
  return limit ? static_cast<double>(*limit) : kUnlimited;
}

// Ticks per second of an agent, for a clock whose ticks are drawn.
double tick_rate(const sim::ClockOptions& clocks) {
  if (const auto* poisson = std::get_if<sim::Poisson>(&clocks)) return poisson->rate.mean();
  if (const auto* periodic = std::get_if<sim::Periodic>(&clocks)) return 1 / periodic->period.mean();
  return kUnlimited;
}

// Iterations of a run, at most; a protocol that is driven by its clocks makes one a tick.
double most_iterations(const Scenario& s, double agents) {
  return std::min({limit_of(s.stop.iterations), limit_of(s.stop.events), limit_of(s.stop.vectors),
                   s.stop.time ? *s.stop.time * agents * tick_rate(s.clocks) : kUnlimited});
}

double samples_of(const Scenario& s, const models::Extent& e) {
  constexpr double kEnds = 2;  // the first and the last
  const EveryOptions& every = s.record.every;
  const double vectors =
      s.protocol->entry().broadcasts ? 2 * e.links / std::max(1.0, e.agents) : 2;  // of an iteration
  const double bytes = vectors * (static_cast<double>(s.network.links.header) +
                                  static_cast<double>(s.network.links.bytes_per_number) * e.p());
  double between = 0;
  if (every.iterations) between = e.iterations / static_cast<double>(*every.iterations);
  if (every.time)
    between = (s.stop.time ? *s.stop.time : e.iterations / (e.agents * tick_rate(s.clocks))) / *every.time;
  if (every.vectors)
    between =
        std::min(limit_of(s.stop.vectors), e.iterations * vectors) / static_cast<double>(*every.vectors);
  if (every.bytes)
    between = std::min(limit_of(s.stop.bytes), e.iterations * bytes) / static_cast<double>(*every.bytes);
  return kEnds + (std::isfinite(between) ? between : 0);
}

// Messages and publications under way, with the events of their arrivals.
double memory_in_flight(const Scenario& s, const models::Extent& e) {
  constexpr double kMostLazy = 4;  // of an agent, without events
  const double count = s.protocol->in_flight(e);
  if (!s.protocol->entry().broadcasts) return count * e.message;
  if (sim::publications_are_lazy(s.network) && count <= kMostLazy * e.agents) return 0;
  return count * (e.message + 2 * e.links / std::max(1.0, e.agents) * sizeof(sim::Event));
}

struct PointNeed {
  Stages stages{};
  double samples = 0, width = 0;  // of a run's series
  double models = 0;              // bytes of those that a run keeps
  double description = 0;         // while points are assembled
};

PointNeed need_of_point(const Scenario& s, const models::DataNeed& data) {
  const models::Entry& entry = s.protocol->entry();
  models::Extent e{.data = data,
                   .parameters = models::parameters_of(s.model, data),
                   .agents = data.owners + (entry.hub ? 1 : 0)};
  const sim::TopologyNeed network = sim::need_of(s.network.topology, e.agents, data.similar);
  e.links = network.links;
  e.iterations = most_iterations(s, e.agents);
  e.message = sim::memory_of_message(e.p() * entry.vectors);
  const double rate = tick_rate(s.clocks);
  if (std::isfinite(rate))
    e.in_flight = sim::messages_in_flight(s.network.links.latency, rate * data.owners,
                                          s.stop.time.value_or(sim::kNever));
  for (const MetricChoice& m : s.record.metrics) e.metrics.push_back((*m).measured().name);
  if (s.stop.target) e.metrics.push_back((*s.stop.target->metric).measured().name);

  PointNeed need{.samples = samples_of(s, e)};
  for (const MetricChoice& m : s.record.metrics)
    need.width += static_cast<double>((*m).size(static_cast<std::size_t>(data.owners)));
  need.stages[kData] = data.memory;
  need.stages[kModel] = models::memory_of_problem(s.model, data);
  if (needs_optimum(s))
    need.stages[kModel] = sim::in_order({need.stages[kModel], memory_of_optimum(s.model, data)});
  need.stages[kNetwork] = network.memory;
  need.stages[kFiles] = sim::memory_of_files(s.network, s.clocks, e.agents);
  need.stages[kAgents] = {
      memory_of_world(e) + sim::memory_of_engine(s.network, e.agents, e.links, entry.broadcasts), 0};
  if (!std::holds_alternative<models::ZeroStart>(s.model.begins()))
    need.stages[kAgents].held += e.vectors(e.agents);  // the models at the start
  need.stages[kProtocol] = s.protocol->memory(e);
  if (entry.schedules) need.stages[kSchedules] = models::memory_of_schedules(s.privacy, data.owners);
  need.stages[kFlight] = {memory_in_flight(s, e), 0};
  need.stages[kRecords] = analysis::memory_of_series(need.samples, need.width);
  if (s.record.models == KeptModels::kFinal) {
    const double learners = entry.own_models ? data.owners : entry.hub ? 1 : e.agents;
    need.models = analysis::memory_of_models(learners, e.p());
    need.stages[kRecords].held += need.models;
  }

  constexpr double kOwner = 200, kLink = 250;  // also as text
  const bool stored = std::max(e.links, e.agents) <= analysis::kMostStoredLinks;
  need.description = data.owners * kOwner + (stored ? e.links * kLink : 0);
  return need;
}

models::DataNeed need_of_data(const Scenario& s) {
  try {
    return need_of(s.data, sim::Streams(s.seed, 0));
  } catch (const models::DataError&) {
  } catch (const sim::FileError&) {
  }
  return {};
}

// The sum over the `most` largest of stages that are kept, each `count` times.
struct Kept {
  Stages stages;
  double held = 0;
  std::uint64_t count = 1;
};
void keep_largest(std::vector<Kept> all, std::uint64_t most, Stages& sum) {
  std::ranges::sort(all, std::ranges::greater(), &Kept::held);
  for (const Kept& one : all) {
    const std::uint64_t count = std::min(one.count, most);
    for (std::size_t k = 0; k < kStages; ++k) sum[k].held += static_cast<double>(count) * one.stages[k].held;
    most -= count;
  }
}

}  // namespace

double MemoryEstimate::total() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  return sum;
}

std::string byte_text(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.3g} GB", bytes / 1e9) : fmt::format("{:.3g} MB", bytes / 1e6);
}

std::string MemoryEstimate::text() const {
  std::vector<std::string> all;
  for (const Part& part : parts) {
    if (part.bytes >= 0.01 * total()) all.push_back(fmt::format("{} {}", part.name, byte_text(part.bytes)));
  }
  return fmt::format("{} ({})", byte_text(total()), fmt::join(all, ", "));
}

std::string MemoryEstimate::exhausted(double in_flight) const {
  MemoryEstimate known = *this;
  if (in_flight > 0) {
    std::erase_if(known.parts, [](const Part& part) { return part.name == kInFlight; });
    known.parts.push_back({kInFlight, in_flight});
    std::ranges::sort(known.parts, std::ranges::greater(), &Part::bytes);
  }
  return fmt::format(
      "out of memory; the study {} about {}, and this process can use {}: reduce its largest part, {}",
      in_flight > 0 ? "has come to need" : "needs", known.text(),
      byte_text(static_cast<double>(memory_of_machine())), known.parts.empty() ? "" : known.parts.front().name);
}

std::size_t points_in_memory(unsigned threads) {
  return std::max<std::size_t>(8, 2 * std::size_t{threads});
}

MemoryEstimate estimate_memory(const Plan& plan, unsigned threads) {
  constexpr double kPoint = 6500;  // options, labels, keys and description of a point
  constexpr double kRun = 100;     // state of a run before it is made
  std::map<std::string, models::DataNeed> data;
  std::map<std::string, Kept> problems;
  std::vector<Kept> networks;
  double descriptions = 0, assembling = 0, running = 0, tables = 0;
  PointNeed largest, widest;
  for (const PlannedPoint& p : plan.points) {
    const Scenario& s = *p.scenario;
    const auto [known, fresh] = data.try_emplace(p.problem_key);
    if (fresh) known->second = need_of_data(s);
    const PointNeed need = need_of_point(s, known->second);
    const Stages& all = need.stages;
    Kept& problem = problems[p.problem_key];
    problem = {
        .stages = {}, .held = all[kData].held + all[kModel].held, .count = s.draws_data() ? p.repeat : 1};
    problem.stages[kData] = all[kData], problem.stages[kModel] = all[kModel];
    Kept& network = networks.emplace_back();
    network = {
        .stages = {}, .held = all[kNetwork].held + all[kFiles].held, .count = s.draws_anew() ? p.repeat : 1};
    network.stages[kNetwork] = all[kNetwork], network.stages[kFiles] = all[kFiles];
    descriptions += need.description;
    // Of the points the one that takes most beside what is kept.
    if (const double extra = extra_of(all, 0, kAssembled).bytes; extra >= assembling)
      assembling = extra, widest = need;
    double run = extra_of(all, kAssembled, kStages).bytes;
    for (std::size_t k = kAssembled; k < kStages; ++k) run += all[k].held;
    if (run >= running) running = run, largest = need;
    tables = std::max(tables, analysis::memory_of_tables(need.samples, need.width, p.repeat,
                                                         s.record.keep == Keep::kAggregate) +
                                  need.models);
  }
  std::vector<Kept> of_problems;
  std::uint64_t instances = 0;
  for (const auto& [key, problem] : problems) {
    of_problems.push_back(problem);
    instances += problem.count;
  }
  Stages kept{};
  keep_largest(std::move(of_problems), points_in_memory(threads), kept);
  const Extra making_of = extra_of(widest.stages, 0, kAssembled);
  // Threads that need the same data wait for one that makes them.
  if (making_of.stage >= kNetwork) instances = networks.size();
  const auto makers = static_cast<double>(std::min<std::uint64_t>(threads, instances));
  keep_largest(std::move(networks), points_in_memory(threads), kept);

  // Points are assembled, then runs made, then tables written: the phase that needs most counts.
  const auto runs = static_cast<double>(plan.runs());
  const double runners = std::min<double>(threads, runs);
  const double storing = analysis::memory_of_storing(largest.samples, largest.width) +
                         analysis::memory_of_waiting(largest.samples, largest.width, runs, threads) +
                         analysis::memory_of_waiting_models(largest.models, runs, threads);
  const double all_kept = [&] {
    double sum = 0;
    for (const sim::Memory& one : kept) sum += one.held;
    return sum;
  }();
  MemoryEstimate estimate;
  const auto add = [&](std::string name, double bytes) {
    if (bytes > 0) estimate.parts.push_back({std::move(name), bytes});
  };
  add("plan", kPoint * static_cast<double>(plan.points.size()) + kRun * runs);
  const double assembly = all_kept + makers * assembling + descriptions;
  const double making = all_kept + runners * running + storing;
  if (tables > std::max(assembly, making)) {
    add("tables", tables);
  } else {
    for (std::size_t k = 0; k < kAssembled; ++k) add(kStageNames[k], kept[k].held);
    if (assembly > making) {
      add(fmt::format("making the {}", kStageNames[making_of.stage]), makers * making_of.bytes);
      add("descriptions", descriptions);
    } else {
      for (std::size_t k = kAssembled; k < kStages; ++k)
        add(kStageNames[k], runners * largest.stages[k].held);
      const Extra extra = extra_of(largest.stages, kAssembled, kStages);
      add(fmt::format("making the {}", kStageNames[extra.stage]), runners * extra.bytes);
      add("storing", storing);
    }
  }
  std::ranges::sort(estimate.parts, std::ranges::greater(), &MemoryEstimate::Part::bytes);
  return estimate;
}

}  // namespace hearsay::scenarios
