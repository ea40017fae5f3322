// Commands that only look: validate, show, explain, list, schema.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/language/reference/explain.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/schema.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/runner/plan.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

// Axes are no options of a run, so nothing describes them.
constexpr std::string_view kSweepHelp =
    R"(sweep
  what      object of axes by the paths of their options; every combination of their values is run
  axis      a list of values, or a range: {"from": a, "to": b, "step": s}, {"from": a, "to": b, "factor": f},
            {"from": a, "to": b, "count": n, "scale": "linear" | "log"}; numbers or quantities ("15 ms")
  zip       list of objects of axes that move together: [{"data.records": [1e4, 1e5], "protocol.rho": [1, 2]}]
  where     condition on the axes that are numbers, in SI: "privacy.epsilon * data.records >= 1e4"
  select    {"over": AXIS, "minimise" | "maximise": METRIC, "on": "validation" | "test"}: of the values of one axis
            only the best is reported, chosen by the mean of a recorded metric on other instances of the data
  random_numbers
            common (default): a repetition has the same random numbers at every point, so that points can be
            compared in pairs; independent: every point has a seed of its own, and with it data of its own
  --set     --set PATH=VALUE leaves the axis PATH with that one value; --set sweep.PATH=[...] sets the axis
)";

}  // namespace

int validate_command(const Arguments& arguments) {
  constexpr std::string_view kUsage = "validate SCENARIO... [--set PATH=VALUE]... [--data-dir DIR]";
  po::variables_map values;
  po::options_description own = sweep_options();
  own.add(input_options());
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.empty()) throw UsageError(fmt::format("a scenario is needed; usage: hearsay {}", kUsage));
  int code = kExitDone;
  for (const std::string& file : input.files) {
    try {
      PlanOptions options = sweep_arguments(values);
      const Plan plan = make_plan(file, input.sets, input.read, options);
      options.validation = true;
      if (plan.selection) make_plan(file, input.sets, input.read, options);
      fmt::print("{}: ok, {} points, {} runs\n", file, plan.points.size(), plan.runs());
    } catch (const InputError& e) {
      // Every fault that was found, not only the first: this is what the command is for.
      for (const std::string& line : e.lines()) fmt::print(stderr, "{}\n", line);
      code = kExitInvalidInput;
    }
  }
  return code;
}

int show_command(const Arguments& arguments) {
  constexpr std::string_view kUsage =
      "show SCENARIO [--runs] [--points 'EXPR'] [--set PATH=VALUE]... [--data-dir DIR]";
  po::options_description own("Show");
  own.add_options()("runs", "list the points of the sweep");
  own.add(sweep_options()).add(input_options());
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one scenario is needed; usage: hearsay {}", kUsage));
  const Plan plan = make_plan(input.files.front(), input.sets, input.read, sweep_arguments(values));
  if (values.count("runs") == 0) {
    fmt::print("{}\n", plan.resolved.dump(2));
    return kExitDone;
  }
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    fmt::print("{}", p);
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
      fmt::print("  {}={}", plan.axes[a], plan.points[p].labels[a]);
    fmt::print("  x {}\n", plan.points[p].scenario.repeat);
  }
  return kExitDone;
}

int explain_command(const Arguments& arguments) {
  po::variables_map values;
  constexpr std::string_view kUsage = "explain [PATH] [--all]";
  po::options_description own("Explain");
  own.add_options()("all", "every option, as a page of Markdown: docs/reference.md");
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() > 1) throw UsageError(fmt::format("at most one path; usage: hearsay {}", kUsage));
  const std::string path = input.files.empty() ? "" : input.files.front();
  if (values.count("all") != 0) {
    fmt::print("{}", reference());
  } else if (path == "sweep" || path.starts_with("sweep.")) {
    fmt::print("{}", kSweepHelp);
  } else {
    fmt::print("{}", explain(outline<Scenario>(), path));
  }
  return kExitDone;
}

namespace {

// The alternatives or choices that may stand at a dotted path of plain members.
std::vector<Outline::NamedChoice> names_at(const Outline& root, std::string_view path) {
  const Outline* place = &root;
  for (const std::string_view step : split_path(path)) {
    const auto found = std::find_if(place->members.begin(), place->members.end(),
                                    [&](const Outline& m) { return m.name == step; });
    sim::check(found != place->members.end(), "a list of names points at an option that is not there");
    place = &*found;
  }
  std::vector<Outline::NamedChoice> all = place->choices;
  for (const OutlineAlternative& a : place->alternatives) all.push_back({a.name, a.help});
  return all;
}

}  // namespace

int list_command(const Arguments& arguments) {
  constexpr std::string_view kUsage =
      "list [protocols|topologies|clocks|data|losses|mechanisms|accountants|availability|metrics]";
  struct Table {
    std::string_view name, path;
  };
  constexpr Table kTables[] = {{"protocols", "protocol"},
                               {"topologies", "network.topology"},
                               {"clocks", "clocks"},
                               {"data", "data"},
                               {"losses", "model.loss"},
                               {"mechanisms", "privacy.mechanism"},
                               {"accountants", "privacy.accountant"},
                               {"availability", "network.availability"}};
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, po::options_description(), values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  std::vector<std::string> names;
  for (const Table& table : kTables) names.emplace_back(table.name);
  names.emplace_back("metrics");
  if (input.files.empty()) {
    for (const std::string& name : names) fmt::print("{}\n", name);
    return kExitDone;
  }
  const std::string& wanted = input.files.front();
  if (wanted == "metrics") {
    for (const analysis::Metric& m : analysis::metrics()) fmt::print("{:24} {}\n", m.name, m.help);
    return kExitDone;
  }
  for (const Table& table : kTables) {
    if (table.name != wanted) continue;
    for (const auto& [name, help] : names_at(outline<Scenario>(), table.path))
      fmt::print("{:24} {}\n", name, help);
    return kExitDone;
  }
  throw UsageError(fmt::format("there is no list of {}, only of {}{}", printable(wanted),
                               fmt::join(names, ", "), did_you_mean(wanted, names)));
}

std::string reference() {
  return fmt::format(
      "# Reference\n\nEvery option of a scenario, as this program knows it. Made by "
      "`script/generate`.\n\n{}\n## `sweep`\n\n```\n{}```\n",
      reference_page(outline<Scenario>()), kSweepHelp);
}

int schema_command(const Arguments& arguments) {
  po::variables_map values;
  if (!parse_arguments(arguments, "schema", po::options_description(), values)) return kExitDone;
  fmt::print("{}\n", json_schema(outline<Scenario>()).dump(2));
  return kExitDone;
}

}  // namespace hearsay::scenarios
