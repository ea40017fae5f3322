// Commands that run nothing: validate, show, explain, list, schema.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/registry.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/explain.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

// Axes are not options of a run, so their help is written here.
constexpr std::string_view kSweepHelp =
    R"(sweep
  type      object that maps option paths to axes; every combination of their values is run
  axis      a list of values, or a range: {"from": a, "to": b, "step": s}, {"from": a, "to": b, "factor": f},
            {"from": a, "to": b, "count": n, "scale": "linear" | "log"}; numbers or quantities ("15 ms").
            A listed value can have a label for tables and figures: {"label": "20 % down", "value": {...}}
  zip       list of objects whose axes vary together: [{"data.records": [1e4, 1e5], "protocol.rho": [1, 2]}]
  where     condition on the numeric axes, in SI units or with units: "privacy.epsilon * data.records >= 1e4",
            "network.latency.max >= 25 ms"
  select    {"over": AXIS, "minimise" | "maximise": METRIC, "on": "validation" | "test"}: report only the best value
            of one axis, selected by the mean of a recorded metric on validation records, in the same repetitions; by a
            metric that reads no test records, on the runs that are reported (tune: several options, in other runs)
  random_numbers
            common (default): a repetition uses the same random numbers at every point, so that points can be
            compared in pairs; independent: every point has its own seed, and thus its own data
  --set     --set PATH=VALUE replaces the axis PATH by that one value; --set sweep.PATH=[...] sets the axis.
            An option below a swept object cannot be set, because the axis would replace it
)";

constexpr std::string_view kBranchesHelp =
    R"(branches
  type      object: {"at": TIME or {"iterations": N}, "set": [CHANGES, ...]}
  default   none
  meaning   What-if from a common past: each run is made once until `at`, and goes on from the same state with the changes of
            each branch. The branch is an axis of the study, "branch". Draws that mean the same are the same in all
            branches; {} is the undisturbed run
  at        when the branches part: at a time, and what happens then is theirs; or after the event that completes an
            iteration, at a time that differs between repetitions. Events of branches must be later, or a run fails
  set       list of objects, which may have labels as in sweep. Each has any of network.latency, network.loss,
            network.bandwidth, network.compute_time (for what begins from then on), events (in addition to those of the
            scenario), and numbers of the protocol that hearsay explain says a branch may change
  noise     "common" (default); "fresh": the network, mechanisms and the protocol draw other numbers from then on, the same
            in all branches, and the axis "continuation" has as many as `continuations` says: the variance given the past
  example   {"at": "60 s", "set": [{}, {"network.latency": "1 s"}, {"protocol.step": 0.01}]}
)";

constexpr std::string_view kTuneHelp =
    R"(tune
  type      object: {"paths": {PATH: AXIS, ...}, "minimise" | "maximise": METRIC, ...}
  default   none
  meaning   Report only the best values of some options. First every combination of their values is run at every point,
            as a study in DIR/selection/; tuning.csv lists what is chosen. A point without one of the options, because
            its protocol has none, does without.
  paths     object of options and their values, as in sweep
  minimise, maximise
            the recorded metric at the end of runs whose mean decides
  on        "validation" (default): records that are neither for training nor for testing (data.validation_fraction,
            data.instances); "test": the records that results are of, which biases them
  per       list of axes of the sweep for each of whose values others are chosen; default all, and the
            branch, but not its continuations
  repetitions
            of each candidate; default repeat. They have other random numbers than those of the study, except on
            validation records of data that each repetition draws
  budget    "all" (default): every candidate has `repetitions`; "successive_halving": few at first, then twice as many of
            the better half, rounded up, and so on; a whole number N: N candidates, drawn at random from the seed
  trials    {"type": "negative_binomial", "eta": 1, "mean": 10}, in place of repetitions: the best of a random number of
            runs of candidates drawn at random (eta 0: logarithmic, 1: geometric). tuning.csv has its epsilon, selection
            included, if validation records are public and scores are computed from releases alone (docs/privacy.md)
  example   {"paths": {"protocol.step": [0.01, 0.1, 1]}, "maximise": "accuracy", "per": ["protocol"], "repetitions": 5}
)";

constexpr std::string_view kExtendsHelp =
    R"(extends
  type      path of another scenario, relative to the folder of this file
  default   none
  meaning   Scenario to start from, which may extend another one. Objects are merged key by key, except that one of
            another "type" replaces the former; lists and plain values are replaced; null restores the default.
            hearsay show FILE prints the result.
  example   "presets/wan.json"
)";

// The alternatives or choices at a dotted path of members, or of the elements of a list there.
std::vector<Outline::NamedChoice> names_at(const Outline& root, std::string_view path) {
  const Outline* place = &root;
  for (const std::string_view step : split_path(path)) {
    const auto found = std::find_if(place->members.begin(), place->members.end(),
                                    [&](const Outline& m) { return m.name == step; });
    sim::check(found != place->members.end(), "the path of a list of names is not an option");
    place = &*found;
  }
  if (place->kind == Outline::Kind::kList) place = &place->members.at(0);
  std::vector<Outline::NamedChoice> all = place->choices;
  if (!place->unlisted.empty())
    all.push_back(
        {"...", fmt::format("and {} more, such as {}", place->unlisted.size(), place->unlisted.front())});
  for (const OutlineAlternative& a : place->alternatives) all.push_back({a.name, a.help});
  return all;
}

// "[async_mtl, sync_mtl]" after a metric that only these protocols have, "[all protocols]" after the others.
std::string protocols_with(std::string_view metric) {
  std::vector<std::string_view> all;
  for (const models::ProtocolRow& row : models::protocols()) {
    if (std::ranges::count(row.metrics, metric, &models::ProtocolMetric::name) > 0)
      all.push_back(row.entry.name);
  }
  return all.empty() ? " [all protocols]" : fmt::format(" [{}]", fmt::join(all, ", "));
}

std::string reference() {
  return fmt::format(
      "# Reference\n\nEvery option of a scenario. Generated by `script/generate`.\n\n{}\n## "
      "`extends`\n\n```\n{}```\n\n## `sweep`\n\n```\n{}```\n\n## `branches`\n\n```\n{}```\n\n## `tune`\n\n```\n{}```\n",
      reference_page(scenario_outline()), kExtendsHelp, kSweepHelp, kBranchesHelp, kTuneHelp);
}

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
      largest_point(plan);
      for (const auto& [pointer, note] : plan.notes) print_error("{}\n", note);
      print_out("{}: ok, {}, {}\n", file, counted(plan.points.size(), "point"), counted(plan.runs(), "run"));
    } catch (const InputError& e) {
      // All errors, not only the first.
      for (const std::string& line : e.lines()) print_message(line);
      code = kExitInvalidInput;
    } catch (const sim::Error& e) {
      print_message(e.what());
      if (code == kExitDone || exit_code(e.kind) == kExitInvalidInput) code = exit_code(e.kind);
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
    print_json(plan.resolved + "\n");
    return kExitDone;
  }
  const analysis::StudyHead head = plan.study().head;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    print_out("{}", p);
    const std::vector<std::string> labels = head.shown_labels(plan.points[p].labels);
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
      print_out("  {}={}", plan.axes[a], printable(labels[a], 200));
    const std::vector<std::string> tuned = head.shown_tuned(plan.points[p].tuned);
    for (std::size_t t = 0; t < tuned.size(); ++t)
      print_out("  {}={}", plan.tuned[t], printable(tuned[t], 200));
    print_out("  x {}\n", plan.points[p].repeat);
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
    print_out("{}", reference());
  } else if (path == "sweep" || path.starts_with("sweep.")) {
    print_out("{}", kSweepHelp);
  } else if (path == "tune" || path.starts_with("tune.")) {
    print_out("{}", kTuneHelp);
  } else if (path == "branches" || path.starts_with("branches.")) {
    print_out("{}", kBranchesHelp);
  } else if (path == "extends") {
    print_out("{}", kExtendsHelp);
  } else {
    print_out("{}", explain(scenario_outline(), path));
    if (path.empty())
      print_out("    {:11}  {}\n    {:11}  {}\n    {:11}  {}\n    {:11}  {}\n", "extends",
                "Scenario to start from.", "sweep", "Options to vary.", "branches", "What changes at a time.",
                "tune", "Options of which only the best values are reported.");
  }
  return kExitDone;
}

int list_command(const Arguments& arguments) {
  constexpr const char* kUsage =
      "list [protocols|topologies|clocks|data|losses|mechanisms|accountants|availability|metrics]";
  constexpr std::pair<const char*, const char*> kLists[] = {{"protocols", "protocol"},
                                                            {"topologies", "network.topology"},
                                                            {"clocks", "clocks"},
                                                            {"data", "data"},
                                                            {"losses", "model.loss"},
                                                            {"mechanisms", "privacy.mechanism"},
                                                            {"accountants", "privacy.accountant"},
                                                            {"availability", "network.availability"},
                                                            {"metrics", "record.metrics"}};
  const auto values = parse_arguments(arguments, {kUsage, {}, "at most one name", 0, 1});
  if (!values) return kExitDone;
  if (values->operands.empty()) {
    for (const auto& [name, path] : kLists) print_out("{}\n", name);
    return kExitDone;
  }
  const std::string& wanted = values->operands.front();
  Names names;
  for (const auto& [list, path] : kLists) {
    names.emplace_back(list);
    if (list != wanted) continue;
    for (const auto& [name, help] : names_at(scenario_outline(), path))
      print_out("{:24} {}{}\n", name, help, wanted == "metrics" ? protocols_with(name) : "");
    return kExitDone;
  }
  throw UsageError(fmt::format("unknown list '{}'; expected one of {}{}", printable(wanted),
                               fmt::join(names, ", "), did_you_mean(wanted, names)));
}

int schema_command(const Arguments& arguments) {
  if (!parse_arguments(arguments, {"schema"})) return kExitDone;
  print_json(schema_text(scenario_outline()));
  return kExitDone;
}

}  // namespace hearsay::scenarios
