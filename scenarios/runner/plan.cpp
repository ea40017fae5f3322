#include "scenarios/runner/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "analysis/results/store/store.hpp"
#include "analysis/results/store/store_file.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/merge.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/runner/assembly.hpp"
#include "scenarios/runner/conclusion_input.hpp"
#include "scenarios/runner/keys.hpp"
#include "scenarios/runner/node_json.hpp"
#include "scenarios/runner/scenario.hpp"
#include "scenarios/runner/sweep/sweep.hpp"

namespace hearsay::scenarios {

namespace {

Scenario read_scenario(const Document& document, const ReadOptions& options) {
  Scenario scenario;
  read(document, document.root, scenario, options);
  return scenario;
}

constexpr char kSeparator = '\n';  // between folders

std::string joined(const std::set<std::string>& folders) {
  return fmt::format("{}", fmt::join(folders, std::string(1, kSeparator)));
}

// The absolute folders that files of a scenario were searched for in: those of the files that it was merged from
// and those of the command line.
std::string folders_of(const Document& document, const ReadOptions& read) {
  std::set<std::string> all;
  std::error_code error;
  const auto add = [&](const std::filesystem::path& folder) {
    const auto real = std::filesystem::canonical(folder.empty() ? "." : folder, error);
    if (!error) all.insert(real.string());
  };
  for (std::uint32_t s = 0; s < document.sources(); ++s) add(document.source({s, 0, 0}).folder);
  for (const auto& folder : read.data_dirs) add(folder);
  for (const auto& folder : read.allow_paths) add(folder);
  return joined(all);
}

void refuse_too_many(const Plan& plan, double most) {
  const auto runs = static_cast<double>(plan.runs());
  if (runs > most) {
    throw RefusedError(
        fmt::format("{}: {} points with their repetitions are {} runs, more than {:.6g}; raise --max-runs to "
                    "allow them",
                    plan.file, plan.points.size(), plan.runs(), most));
  }
}

// The metric to select by must be recorded.
void require_metric(const Plan& plan) {
  if (!plan.selection) return;
  std::vector<std::string_view> names;
  for (const MetricChoice& m : plan.points.front().scenario->record.metrics) names.push_back((*m).name);
  if (std::find(names.begin(), names.end(), plan.selection->metric) != names.end()) return;
  throw InputError(located(plan.document.where(plan.selection->metric_at), "/sweep/select",
                           fmt::format("expected one of record.metrics ({}), found {}",
                                       fmt::join(names, ", "), plan.selection->metric)));
}

Plan plan_document(Document document, const std::string& file, std::span<const std::string> sets,
                   const ReadOptions& read, const PlanOptions& options) {
  Plan plan{.file = file, .document = std::move(document)};
  plan.origin["folders"] = folders_of(plan.document, read);
  plan.origin["condition"] = options.points;
  plan.origin["instances"] = options.validation ? "validation" : "";
  plan.origin["chosen"] = nlohmann::json(options.chosen).dump();
  const nlohmann::ordered_json merged = to_json(plan.document.root);
  const Sweep sweep(plan.document, sets);
  plan.axes = sweep.axes();
  plan.groups = sweep.groups();
  plan.numeric = sweep.numeric();
  plan.selection = sweep.selection();
  Keys keys;
  for (const SweepPoint& swept : sweep.points(options.points, options.max_runs)) {
    const auto& chosen = options.chosen;
    if (!chosen.empty() && !chosen.contains(swept.labels)) continue;
    Document at = at_point(plan.document, swept);
    if (options.validation && !plan.selection->on_test)
      at.set("data.instances", Node::string("validation", plan.selection->at));
    auto scenario = std::make_shared<Scenario>(read_scenario(at, read));
    if (sweep.independent()) scenario->seed = keys.independent_seed(*scenario);
    PointKey key = keys.point(*scenario);
    plan.points.push_back({scenario, scenario->repeat, swept.labels, swept.numbers, std::move(key.point),
                           std::move(key.problem)});
  }
  require_conclusions(plan);
  require_metric(plan);
  plan.record_key = record_key(*plan.points.front().scenario);
  // The scenario itself may be incomplete: the sweep may give a required option.
  nlohmann::ordered_json resolved = write_all(*plan.points.front().scenario);
  if (merged.contains("sweep")) resolved["sweep"] = merged["sweep"];
  plan.resolved = resolved.dump(2);
  plan.origin["scenario"] = merged.dump();
  refuse_too_many(plan, options.max_runs);
  return plan;
}

}  // namespace

Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const ReadOptions& read,
               const PlanOptions& options) {
  try {
    return plan_document(load(file, sets), file, sets, read, options);
  } catch (const RefusedError& error) {
    throw RefusedError(fmt::format("{}: {}", file, error.what()));
  }
}

Plan make_plan_of_text(const std::string& text, const std::string& name) {
  return plan_document(parse(text, name), name, {}, {}, {});
}

Plan make_plan_again(analysis::StoredStudy& study) {
  const std::string file = analysis::store_file(study.folder()).string();
  const std::string text = study.info("scenario");
  if (text.empty()) throw analysis::OutputError(file + ": contains no scenario; run the study again");
  ReadOptions read;
  std::stringstream folders(study.info("folders"));
  for (std::string folder; std::getline(folders, folder, kSeparator);) read.data_dirs.emplace_back(folder);
  PlanOptions options{.points = study.info("condition"), .validation = !study.info("instances").empty()};
  if (const std::string chosen = study.info("chosen"); !chosen.empty())
    options.chosen = nlohmann::json::parse(chosen).get<std::set<std::vector<std::string>>>();
  Plan plan = plan_document(parse(text, file), file, {}, read, options);
  bool same = plan.points.size() == study.points();
  for (std::size_t p = 0; same && p < plan.points.size(); ++p) same = plan.points[p].key == study.key(p);
  if (!same) {
    throw analysis::OutputError(
        fmt::format("{}: the scenario has other points than when it was run: an input file or hearsay has "
                    "changed",
                    file));
  }
  return plan;
}

std::uint64_t Plan::runs() const {
  std::uint64_t all = 0;
  for (const PlannedPoint& p : points) all += p.repeat;
  return all;
}

analysis::StudyPlan Plan::study() const {
  analysis::StudyPlan study;
  study.head.axes = axes;
  study.head.groups = groups;
  for (const MetricChoice& m : points.front().scenario->record.metrics)
    study.head.metrics.push_back((*m).info());
  const RecordOptions& record = points.front().scenario->record;
  study.head.aggregate = record.keep == Keep::kAggregate;
  study.head.by_time = record.every.time.has_value();
  study.record_key = record_key;
  study.info = origin;
  study.info["file"] = file;
  for (const PlannedPoint& p : points) {
    study.points.push_back({p.key, p.labels, p.repeat, description_key(*p.scenario)});
  }
  return study;
}

std::string Plan::locate(const AssemblyError& error) const {
  // The part itself, or else the closest part around it that is written.
  const Node* node = &document.root;
  std::string dotted = error.part.substr(error.part.empty() ? 0 : 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  while (!dotted.empty()) {
    if (const Node* inner = document.root.find_path(dotted)) {
      node = inner;
      break;
    }
    const auto dot = dotted.rfind('.');
    dotted.resize(dot == std::string::npos ? 0 : dot);
  }
  return located(document.where(node->at), error.part, error.what());
}

}  // namespace hearsay::scenarios
