// hearsay bench: how fast this machine runs a scenario, every protocol on a small one, or the benchmarks of the program's
// parts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <span>
#include <thread>

#include "analysis/tables/summary.hpp"
#include "models/registry.hpp"
#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

struct Rates {
  std::size_t runs = 0;
  std::uint64_t events = 0, iterations = 0;
  double simulated = 0, wall = 0;  // s
};

// Repeats the first point of a plan on one thread until `seconds` have passed.
Rates measure(const Plan& plan, double seconds) {
  Execution execution(plan);
  execution.repeat(0, 0);  // fills the caches
  Rates rates;
  const auto begin = std::chrono::steady_clock::now();
  do {
    const analysis::RunResult run = execution.repeat(0, static_cast<std::uint32_t>(rates.runs));
    ++rates.runs;
    rates.events += run.events;
    rates.iterations += run.iterations;
    rates.simulated += run.time;
    rates.wall += run.wall;
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds);
  return rates;
}

std::vector<std::string> row(const std::string& name, const std::string& mechanism, const Rates& r) {
  const auto rate = [&](double amount) { return fmt::format("{:.3g}", r.wall > 0 ? amount / r.wall : 0); };
  return {name,
          mechanism,
          fmt::format("{}", r.runs),
          rate(static_cast<double>(r.events)),
          rate(static_cast<double>(r.iterations)),
          rate(r.simulated),
          fmt::format("{:.1f}", static_cast<double>(memory_in_use()) / 1e6)};
}

// Of a protocol that adds noise in a way that its entry tells.
std::string_view small_budget(const models::Entry& entry) {
  if (entry.by_turn) return R"("exponential_norm", "epsilon_1": 1, "epsilon_2": 1, "clip": 1)";
  if (entry.aggregates) {
    return R"("gaussian", "epsilon": 1, "delta": 1e-5, "accountant": "rdp", "adjacency": "add_remove",
  "unit": "owner", "trust": "aggregator", "clip": 1)";
  }
  return R"("laplace", "epsilon": 1, "gradient_bound": 50, "steps": 100)";
}

// 20 owners of 200 records with 10 features each.
std::string small_scenario(const models::Entry& protocol, bool noise) {
  return fmt::format(
      R"({{"data": {{"type": "lending_like", "owners": 20, "records": 200, "features": 10}},
"network": {{"topology": {}, "latency": {{"type": "uniform", "min": "0 ms", "max": "15 ms"}}}},
"protocol": {{"type": "{}"{}{}}},
"privacy": {{"mechanism": {}}},
"record": {{"metrics": ["messages"]}},
"stop": {{"iterations": 2000, "time": "10000 s"}}}})",
      protocol.hub ? R"("star")" : R"({"type": "random_regular", "degree": 4})", protocol.name,
      protocol.example.empty() ? "" : ", ", protocol.example, noise ? small_budget(protocol) : R"("none")");
}

constexpr std::uint64_t kMaxAgents = 100'000'000, kMaxOperations = 1'000'000'000;

// The benchmarks that the operand names; empty if it is a scenario. JSON without an operand is that of all.
std::vector<const Benchmark*> benchmarks_named(const std::vector<std::string>& operands, bool json) {
  std::vector<const Benchmark*> found;
  if (operands.empty() && !json) return found;
  const std::string name = operands.empty() ? "all" : operands.front();
  for (const Benchmark& one : benchmarks()) {
    if (name == "all" || name == one.name) found.push_back(&one);
  }
  return found;
}

// Options of benchmarks and options of scenarios do not mix, and not every benchmark has every option.
void require_options_fit(const Parsed& values, std::span<const Benchmark* const> chosen) {
  const auto refuse = [&](const char* option, const std::string& why) {
    if (values.has(option)) throw UsageError(fmt::format("--{}: {}", option, why));
  };
  if (chosen.empty()) {
    for (const char* option : {"agents", "dim", "law", "rounds", "operations", "jobs", "json"})
      refuse(option, "only the benchmarks hold, mm1, ... have this option; see hearsay bench --help");
    return;
  }
  for (const char* option : {"seconds", "set", "data-dir", "allow-path", "allow-code"})
    refuse(option, "only bench [SCENARIO] has this option, not a benchmark");
  for (const Benchmark* one : chosen) {
    const auto refuse_unless = [&](bool fits, const char* option) {
      if (!fits) refuse(option, fmt::format("the benchmark {} has no such option", one->name));
    };
    refuse_unless(!one->agents.empty(), "agents");
    refuse_unless(one->dimension, "dim");
    refuse_unless(one->law, "law");
    refuse_unless(one->threads || chosen.size() > 1, "jobs");
    if (values.has("agents")) values.whole("agents", one->fewest, kMaxAgents);
  }
}

// A size that this machine cannot hold is refused before it is made.
void require_memory(const Benchmark& one, std::uint64_t size, std::uint64_t p) {
  const double need =
      static_cast<double>(size) * (one.bytes_per_agent + static_cast<double>(p) * one.bytes_per_number);
  const auto there = static_cast<double>(memory_of_machine());
  if (need > there) {
    throw RefusedError(fmt::format(
        "bench {}: expected a size that needs at most {} of memory, found {}, which needs about {}", one.name,
        byte_text(there), size, byte_text(need)));
  }
}

int run_benchmarks(const Parsed& values, std::span<const Benchmark* const> chosen) {
  BenchmarkSettings settings;
  if (values.has("agents")) settings.agents = {values.whole("agents", 1, kMaxAgents)};
  if (values.has("dim")) settings.dimension = values.whole("dim", 2, 100'000);
  if (values.has("operations")) settings.operations = values.whole("operations", 2, kMaxOperations);
  if (values.has("rounds")) settings.rounds = static_cast<unsigned>(values.whole("rounds", 1, 1000));
  settings.law = values.choice("law", settings.law);
  settings.threads = std::max(1u, std::thread::hardware_concurrency());
  if (values.has("jobs")) settings.threads = static_cast<unsigned>(values.whole("jobs", 1, 1024));
  const bool json = values.has("json");
  if (!json) print_out("{}\n{}, {}\n", version_line(), processor_name(), host());
  std::vector<std::vector<BenchmarkRow>> rows;
  for (const Benchmark* one : chosen) {
    std::vector<std::uint64_t> sizes = settings.agents.empty() ? one->agents : settings.agents;
    if (sizes.empty()) sizes = {0};  // it has none
    std::vector<BenchmarkRow>& all = rows.emplace_back();
    for (const std::uint64_t size : sizes) {
      require_memory(*one, size, settings.dimension.value_or(kVectorLength));
      std::ranges::move(one->run(settings, size), std::back_inserter(all));
    }
    if (json) continue;
    print_out("\n{}: {}\nyardstick: {}\n{}", one->name, one->help, one->yardstick,
              benchmark_table(all, terminal_width()));
    std::fflush(stdout);
  }
  if (json) {
    print_json(benchmark_json(chosen, rows));
  } else {
    print_out(
        "\nMedians of {}, alternately with the yardstick; ratio: yardstick's time by ours.\nPeak memory: {:.1f} "
        "MB.\n",
        counted(settings.rounds, "round"), static_cast<double>(peak_of_benchmarks()) / 1e6);
  }
  return kExitDone;
}

std::string bench_usage() {
  std::string names;
  for (const Benchmark& one : benchmarks()) names += fmt::format("{}|", one.name);
  return fmt::format(
      "bench [SCENARIO|{}all] [--seconds S] [--set PATH=VALUE]... [--data-dir DIR] [--agents N] [--dim P] "
      "[--law LAW] [--operations K] [--rounds R] [-j N] [--json]",
      names);
}

}  // namespace

int bench_command(const Arguments& arguments) {
  const std::string usage = bench_usage();
  const auto values = parse_arguments(
      arguments,
      {usage,
       with_input_options(
           {{"seconds", "S", "of a scenario: wall-clock time per row, at least one run (default: 1)"},
            {"agents", "N", "of a benchmark: its size, instead of several"},
            {"dim", "P", "of gossip, central, p2p, messages, mtl: numbers in a vector, or features"},
            {"law", "LAW", "of hold: increments exponential, uniform, constant, bimodal, pareto or bursts",
             nullptr, false, choice_names<IncrementLaw>},
            {"operations", "K",
             "of a benchmark: holds, events, ticks, iterations, updates or runs in a round (default: a tenth "
             "of a second or more)"},
            {"rounds", "R", "of a benchmark: rounds, each the yardstick and then hearsay (default: 5)"},
            {"jobs,j", "N", "of study, gossip, p2p, messages: most threads (default: all processors)"},
            {"json", nullptr,
             "of a benchmark, or without a name of all: print machine, program and all rounds as JSON"}}),
       "at most one scenario or benchmark", 0, 1});
  if (!values) return kExitDone;
  const std::vector<const Benchmark*> chosen = benchmarks_named(values->operands, values->has("json"));
  require_options_fit(*values, chosen);
  if (!chosen.empty()) return run_benchmarks(*values, chosen);
  const InputArguments input = input_arguments(*values);
  const double seconds = values->has("seconds") ? values->number("seconds", 0, 3600) : 1;

  std::vector<std::vector<std::string>> rows{
      {"protocol", "mechanism", "runs", "events/s", "iterations/s", "simulated s/s", "memory in use (MB)"}};
  std::vector<std::string> refused;
  const auto add = [&](const Plan& plan) {
    const Scenario& s = *plan.points.front().scenario;
    const std::string name(s.protocol->entry().name), mechanism(models::name_of(s.privacy.mechanism));
    rows.push_back(row(name, mechanism, measure(plan, seconds)));
  };
  if (!input.files.empty()) {
    const Plan plan = make_plan(input.files.front(), input.sets, input.folders);
    try {
      add(plan);
    } catch (const sim::Error& e) {
      throw plan.located(e);
    }
  } else {
    for (const models::ProtocolRow& protocol : models::protocols()) {
      if (protocol.entry.open) continue;  // is nothing without its code
      for (const bool noise : {false, true}) {
        try {
          add(make_plan_of_text(small_scenario(protocol.entry, noise), std::string(protocol.entry.name)));
        } catch (const sim::InvariantError&) {
          throw;
        } catch (const std::exception& e) {
          refused.push_back(fmt::format("{} {} noise could not be measured: {}", protocol.entry.name,
                                        noise ? "with" : "without", e.what()));
        }
      }
    }
  }
  print_out("{}\n{}\n\n{}", version_line(), host(), analysis::align(rows, terminal_width(), 2));
  for (const std::string& line : refused) print_out("{}\n", line);
  print_out(
      "\n{}, on one thread; rates exclude reading data and computing optima.\nPeak memory: "
      "{:.1f} MB.\n",
      input.files.empty() ? "20 owners of 200 records with 10 features, 2000 iterations, latency U(0, 15 ms)"
                          : "The first point of " + input.files.front(),
      static_cast<double>(peak_memory()) / 1e6);
  return kExitDone;
}

}  // namespace hearsay::scenarios
