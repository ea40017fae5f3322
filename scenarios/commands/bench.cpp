// hearsay bench: how fast this machine runs a scenario, or every protocol on a small one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "analysis/results/tables/summary.hpp"
#include "models/core/registry.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/runner/errors.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/machine.hpp"
#include "scenarios/runner/manifest.hpp"
#include "scenarios/runner/memory.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/scenario.hpp"
#include "scenarios/runner/terminal.hpp"
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

// Options of the protocols that cannot be measured with their defaults: their members, mechanism (empty if they
// have no private variant) and its options.
struct Case {
  std::string_view protocol, members = "", mechanism = "laplace",
                             privacy = R"("epsilon": 1, "gradient_bound": 50)";
};
constexpr std::string_view kByTurn = R"("epsilon_1": 1, "epsilon_2": 1, "clip": 1)";
constexpr Case kCases[] = {
    {"central_async", R"(, "rho": 1)"},
    {"central_sync", R"(, "c1": 1)"},
    {"p2p_coordinate_descent", "", "laplace", R"("epsilon": 1, "gradient_bound": 50, "steps": 100)"},
    {"model_propagation", "", ""},
    {"p2p_admm", "", ""},
    {"pooled", "", ""},
    {"async_mtl", R"(, "alpha_1": 0.01)", "exponential_norm", kByTurn},
    {"sync_mtl", R"(, "alpha_1": 0.01)", "exponential_norm", kByTurn},
    {"amtl", R"(, "alpha": 0.01)", ""},
};

Case case_of(std::string_view protocol) {
  for (const Case& one : kCases) {
    if (one.protocol == protocol) return one;
  }
  return {protocol};
}

// 20 owners of 200 records with 10 features each; without privacy, or with the mechanism of the case.
std::string small_scenario(const models::ProtocolRow& protocol, bool noise) {
  const Case one = case_of(protocol.entry.name);
  const std::string privacy = noise ? fmt::format(R"("{}", {})", one.mechanism, one.privacy) : R"("none")";
  return fmt::format(
      R"({{"data": {{"type": "lending_like", "owners": 20, "records": 200, "features": 10}},
"network": {{"topology": {}, "latency": {{"type": "uniform", "min": "0 ms", "max": "15 ms"}}}},
"protocol": {{"type": "{}"{}}},
"privacy": {{"mechanism": {}}},
"record": {{"metrics": ["messages"]}},
"stop": {{"iterations": 2000, "time": "10000 s"}}}})",
      protocol.entry.hub ? R"("star")" : R"({"type": "random_regular", "degree": 4})", protocol.entry.name,
      one.members, privacy);
}

}  // namespace

int bench_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"bench [SCENARIO] [--seconds S] [--set PATH=VALUE]... [--data-dir DIR]",
                  with_input_options({{"seconds", "S", "wall-clock time per row, at least one run", "1"}}),
                  "at most one scenario", 0, 1});
  if (!values) return kExitDone;
  const InputArguments input = input_arguments(*values);
  const double seconds = values->number("seconds", 0, 3600);

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
    } catch (const AssemblyError& e) {
      throw InputError(plan.locate(e));
    }
  } else {
    for (const models::ProtocolRow& protocol : models::protocols()) {
      for (const bool noise : {false, true}) {
        if (noise && case_of(protocol.entry.name).mechanism.empty()) continue;
        try {
          add(make_plan_of_text(small_scenario(protocol, noise), std::string(protocol.entry.name)));
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
