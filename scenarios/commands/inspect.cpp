// Commands that run nothing: validate, show, explain, list, schema.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/commands/command.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/explain.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/scenario.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

// Axes are not options of a run, so their help is written here.
constexpr std::string_view kSweepHelp =
    R"(sweep
  type      object that maps option paths to axes; every combination of their values is run
  axis      a list of values, or a range: {"from": a, "to": b, "step": s}, {"from": a, "to": b, "factor": f},
            {"from": a, "to": b, "count": n, "scale": "linear" | "log"}; numbers or quantities ("15 ms")
  zip       list of objects whose axes vary together: [{"data.records": [1e4, 1e5], "protocol.rho": [1, 2]}]
  where     condition on the numeric axes, in SI units: "privacy.epsilon * data.records >= 1e4"
  select    {"over": AXIS, "minimise" | "maximise": METRIC, "on": "validation" | "test"}: report only the best value
            of one axis, selected by the mean of a recorded metric on validation instances of the data
  random_numbers
            common (default): a repetition uses the same random numbers at every point, so that points can be
            compared in pairs; independent: every point has its own seed, and thus its own data
  --set     --set PATH=VALUE replaces the axis PATH by that one value; --set sweep.PATH=[...] sets the axis
)";

}  // namespace

int validate_command(const Arguments& arguments) {
  const auto values =
      parse_arguments(arguments, {"validate SCENARIO... [--set PATH=VALUE]... [--data-dir DIR]",
                                  with_input_options(with_sweep_options({})), "a scenario", 1, SIZE_MAX});
  if (!values) return kExitDone;
  const InputArguments input = input_arguments(*values);
  int code = kExitDone;
  for (const std::string& file : input.files) {
    try {
      PlanOptions options = sweep_arguments(*values);
      const Plan plan = make_plan(file, input.sets, input.folders, options);
      options.validation = true;
      if (plan.selection) make_plan(file, input.sets, input.folders, options);
      fmt::print("{}: ok, {} points, {} runs\n", file, plan.points.size(), plan.runs());
    } catch (const InputError& e) {
      // All errors, not only the first.
      for (const std::string& line : e.lines()) fmt::print(stderr, "{}\n", line);
      code = kExitInvalidInput;
    }
  }
  return code;
}

int show_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"show SCENARIO [--runs] [--points 'EXPR'] [--set PATH=VALUE]... [--data-dir DIR]",
                  with_input_options(with_sweep_options({{"runs", nullptr, "list the points of the sweep"}})),
                  "one scenario", 1, 1});
  if (!values) return kExitDone;
  const InputArguments input = input_arguments(*values);
  const Plan plan = make_plan(input.files.front(), input.sets, input.folders, sweep_arguments(*values));
  if (!values->has("runs")) {
    fmt::print("{}\n", plan.resolved);
    return kExitDone;
  }
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    fmt::print("{}", p);
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
      fmt::print("  {}={}", plan.axes[a], plan.points[p].labels[a]);
    fmt::print("  x {}\n", plan.points[p].repeat);
  }
  return kExitDone;
}

int explain_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"explain [PATH] [--all]",
                  {{"all", nullptr, "every option, as a page of Markdown: docs/reference.md"}},
                  "at most one path",
                  0,
                  1});
  if (!values) return kExitDone;
  const std::string path = values->operands.empty() ? "" : values->operands.front();
  if (values->has("all")) {
    fmt::print("{}", reference());
  } else if (path == "sweep" || path.starts_with("sweep.")) {
    fmt::print("{}", kSweepHelp);
  } else {
    fmt::print("{}", explain(outline<Scenario>(), path));
  }
  return kExitDone;
}

namespace {

// The alternatives or choices at a dotted path of plain members.
std::vector<Outline::NamedChoice> names_at(const Outline& root, std::string_view path) {
  const Outline* place = &root;
  for (const std::string_view step : split_path(path)) {
    const auto found = std::find_if(place->members.begin(), place->members.end(),
                                    [&](const Outline& m) { return m.name == step; });
    sim::check(found != place->members.end(), "the path of a list of names is not an option");
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
  const auto values = parse_arguments(arguments, {kUsage, {}, "at most one name", 0, 1});
  if (!values) return kExitDone;
  std::vector<std::string> names;
  for (const Table& table : kTables) names.emplace_back(table.name);
  names.emplace_back("metrics");
  if (values->operands.empty()) {
    for (const std::string& name : names) fmt::print("{}\n", name);
    return kExitDone;
  }
  const std::string& wanted = values->operands.front();
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
  throw UsageError(fmt::format("unknown list '{}'; expected one of {}{}", printable(wanted),
                               fmt::join(names, ", "), did_you_mean(wanted, names)));
}

std::string reference() {
  return fmt::format(
      "# Reference\n\nEvery option of a scenario. Generated by `script/generate`.\n\n{}\n## "
      "`sweep`\n\n```\n{}```\n",
      reference_page(outline<Scenario>()), kSweepHelp);
}

int schema_command(const Arguments& arguments) {
  if (!parse_arguments(arguments, {"schema"})) return kExitDone;
  fmt::print("{}\n", json_schema(outline<Scenario>()).dump(2));
  return kExitDone;
}

}  // namespace hearsay::scenarios
