#include "scenarios/commands/study_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/document.hpp"
#include "scenarios/study/build_info.hpp"
#include "scenarios/study/conclusion_input.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// The files of results that a folder contains.
Names files_in(const std::filesystem::path& folder) {
  Names all;
  std::error_code error;
  for (const char* name :
       {"series.csv", "quantiles.csv", "scalars.csv", "runs.csv", "models.csv", "owners.csv", "nodes.csv",
        "links.csv", "fits.csv", "bounds.csv", "estimates.csv", "rare_events.csv", "precision.csv",
        "tuning.csv", "trace.csv", "trace.perfetto.json", "results.sqlite", "manifest.json"}) {
    if (std::filesystem::exists(folder / name, error)) all.emplace_back(name);
  }
  return all;
}

[[noreturn]] void refuse_replaced(const std::filesystem::path& file, const char* what,
                                  const char* by = "results", const char* other = "folder") {
  throw InputError(fmt::format("{}: {}, which {} would replace; choose another {} with -o",
                               printable(file.string(), 4096), what, by, other));
}

// Whether line number `line` of a file, from 0, contains a text.
bool has_line(const std::filesystem::path& file, int line, const std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string read;
  for (int k = 0; k <= line; ++k) std::getline(in, read);
  return read.find(text) != std::string::npos;
}

void print_results(const analysis::StudyHead& head, const analysis::Exported& exported,
                   const std::optional<analysis::Conclusions>& conclusions, const std::string& rare,
                   const StudyResults& results, double wall) {
  const analysis::Totals& t = exported.totals;
  const std::size_t width = terminal_width();
  print_out("{}\n", analysis::summary_text(head, exported.points, width));
  if (conclusions) print_out("{}\n", conclusions->text(width));
  if (!rare.empty()) print_out("{}\n", rare);
  if (t.diverged + t.failed > 0) {
    print_out("{} diverged, {} failed: see {}; the first: {}\n", counted(t.diverged, "run"), t.failed,
              (results.folder / "runs.csv").string(), t.problem);
  }
  const std::string runs = results.complete
                               ? counted(stored(t), "run")
                               : fmt::format("{} of {}", stored(t), counted(results.runs, "run"));
  print_out("{}, {} ({} new) in {:.1f} s; median [quartiles] over repetitions\nresults: {}/ ({})\n",
            counted(t.points, "point"), runs, results.fresh, wall, results.folder.string(),
            fmt::join(files_in(results.folder), ", "));
}

// Removes tables and traces of an earlier scenario that this one does not write, so that no report mixes both. They are
// derived: the results are in the database.
void remove_stale(const std::filesystem::path& folder, const StudyResults& results, bool aggregate) {
  const Scenario& scenario = *results.plan.points.front().scenario;
  std::vector<const char*> files{"fits.csv", "bounds.csv", "estimates.csv", "rare_events.csv",
                                 aggregate ? "series.csv" : "quantiles.csv"};
  if (results.plan.until() == nullptr || !results.complete) files.push_back("precision.csv");
  if (results.selection.empty()) files.push_back("tuning.csv");
  if (scenario.record.models == KeptModels::kNone) files.push_back("models.csv");
  const auto traced = [&](analysis::TraceFormat format) {
    const auto& trace = scenario.record.trace;
    return trace && std::find(trace->format.begin(), trace->format.end(), format) != trace->format.end();
  };
  if (!traced(analysis::TraceFormat::kCsv)) files.push_back("trace.csv");
  if (!traced(analysis::TraceFormat::kPerfetto)) files.push_back("trace.perfetto.json");
  std::error_code error;
  for (const char* name : files) std::filesystem::remove(folder / name, error);
}

nlohmann::ordered_json privacy_of(const Scenario& scenario) {
  if (!models::is_private(scenario.privacy.mechanism))
    return {{"statement", kNoGuarantee}, {"mechanism", models::NoNoise::kName}};
  const models::Budget budget = settled_budget(scenario);
  return {{"statement", kSimulated},
          {"guarantee", budget.meaning()},
          {"mechanism", models::name_of(budget.mechanism)},
          {"norm", models::name_of(budget.norm())},
          {"accountant", models::name_of(budget.accountant)},
          {"delta", budget.delta},
          {"unit", models::name_of(budget.unit)},
          {"trust", models::name_of(budget.trust)},
          {"adjacency", models::name_of(budget.adjacency)},
          {"schedule", models::name_of(budget.schedule)},
          {"sensitivity", models::describe(budget.source)},
          {"budget", budget.by_turn() ? "epsilon_1 and epsilon_2 of each turn; composed per owner"
                                      : "per owner, over the whole run"}};
}

// What is different of the privacy of points: first that of the first point with a mechanism other than none. Where there
// are several, each has the values of the first point that has it.
std::vector<nlohmann::ordered_json> guarantees(const Plan& plan, const analysis::StudyHead& head) {
  std::vector<nlohmann::ordered_json> all;
  std::set<std::string> found;
  for (const PlannedPoint& point : plan.points) {
    nlohmann::ordered_json one = privacy_of(*point.scenario);
    if (!found.insert(one.dump()).second) continue;
    const std::vector<std::string> labels = head.shown_labels(point.labels);
    one["first_at"] = nlohmann::ordered_json::object();
    for (std::size_t a = 0; a < labels.size(); ++a) one["first_at"][head.axes[a]] = labels[a];
    all.push_back(std::move(one));
  }
  if (all.size() == 1) all.front().erase("first_at");
  const auto noisy = std::ranges::find_if(all, [](const auto& one) { return one.contains("guarantee"); });
  if (noisy != all.end()) std::rotate(all.begin(), noisy, noisy + 1);
  return all;
}

// manifest.json: the study, the program, and the assumptions of its privacy guarantee. `conclusions`: JSON of slopes and
// bounds; empty if there are none.
void write_manifest(const StudyResults& in, const analysis::StudyHead& head, const analysis::Totals& t,
                    const std::string& conclusions, double wall) {
  const Scenario& scenario = *in.plan.points.front().scenario;
  const auto resolved = nlohmann::ordered_json::parse(in.plan.resolved);
  const std::vector<nlohmann::ordered_json> privacy = guarantees(in.plan, head);
  nlohmann::ordered_json m{
      {"hearsay",
       {{"version", build_info::kVersion},
        {"commit", build_info::kCommit},
        {"compiler", build_info::kCompiler},
        {"flags", build_info::kFlags}}},
      {"command", in.command},
      {"scenario_file", in.file},
      {"host", host()},
      {"threads", in.threads},
      {"wall_s", wall},
      {"peak_memory_bytes", peak_memory()},
      {"events", t.events},
      {"events_per_s_and_thread", t.wall > 0 ? static_cast<double>(t.events) / t.wall : 0},
      {"seed", resolved["seed"]},
      {"points", t.points},
      {"runs", t.runs},
      {"done", t.done},
      {"diverged", t.diverged},
      {"failed", t.failed},
      {"interrupted", t.interrupted},
      {"planned_runs", in.runs},
      {"delivery", scenario.protocol->entry().broadcasts
                       ? "publications: computed when read where the network allows it, else events"
                       : "events"},
      {"privacy", privacy.front()},
      {"other_privacy", std::vector(privacy.begin() + 1, privacy.end())},
      {"fitted_on_private_data_without_accounting", t.unaccounted},
      {"notes", t.notes}};
  if (!in.selection.empty()) m["selection"] = nlohmann::ordered_json::parse(in.selection);
  m["diagnostics"] =
      "objective, fitness, distance and errors are exact and without noise: a real network could not publish "
      "them";
  if (!conclusions.empty()) m["analysis"] = nlohmann::ordered_json::parse(conclusions);
  m["fingerprint"] = fmt::format("{:016x}", t.fingerprint);
  m["scenario"] = resolved;
  analysis::OutputFile file(in.folder / "manifest.json");
  file.write(m.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

}  // namespace

void require_own_files(const std::filesystem::path& folder, const std::string& scenario,
                       const std::string& searched) {
  const Names present = files_in(folder);
  if (present.empty()) return;
  std::error_code error;
  // tuning.csv is written before the first run of the study that is reported; export writes tables alone.
  const bool own = std::filesystem::exists(analysis::store_file(folder), error) ||
                   std::filesystem::exists(analysis::store_file(folder / "selection"), error) ||
                   has_line(folder / "manifest.json", 1, "  \"hearsay\": {") ||
                   has_line(folder / "runs.csv", 0, ",fingerprint,message");
  if (!own) refuse_replaced(folder / present.front(), "not a file of hearsay's results");
  require_no_inputs(folder, present, scenario, searched);
}

void require_own_page(const std::filesystem::path& file) {
  constexpr int kHead = 10;  // lines in which a page says what made it
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  for (int line = 0; line < kHead; ++line)
    if (has_line(file, line, R"(name="generator" content="hearsay")")) return;
  refuse_replaced(file, "not a page of hearsay", "the page", "file");
}

void require_no_inputs(const std::filesystem::path& folder, const std::vector<std::string>& files,
                       const std::string& scenario, const std::string& searched) {
  std::error_code error;
  // A store may be from somebody else: flatten() takes stack for each level.
  const auto shallow = [](int depth, auto, auto&) {
    return static_cast<std::size_t>(depth) <= Limits().depth;
  };
  auto options = nlohmann::json::parse(scenario, shallow, false);
  if (!options.is_object()) return;
  options.erase("name");
  const auto flat = options.flatten();
  std::stringstream folders(searched);
  for (std::string one; std::getline(folders, one);) {
    for (const auto& option : flat) {
      if (!option.is_string()) continue;
      const std::filesystem::path input = one / std::filesystem::path(option.get<std::string>());
      if (!std::filesystem::is_regular_file(input, error)) continue;
      for (const std::string& file : files)
        if (std::filesystem::equivalent(input, folder / file, error))
          refuse_replaced(folder / file, "an input file of the scenario");
    }
  }
}

std::uint64_t stored(const analysis::Totals& totals) {
  return totals.runs - totals.interrupted;
}

analysis::Totals write_results(const StudyResults& results) {
  const Plan& plan = results.plan;
  const std::filesystem::path& folder = results.folder;
  analysis::StoredStudy study(folder);
  const Scenario& scenario = *plan.points.front().scenario;
  // First: fits of other tables would be a mixture, too.
  remove_stale(folder, results, study.head().aggregate);
  analysis::Exported exported = analysis::export_tables(study, folder, label_number);
  for (const auto& [pointer, note] : plan.notes) exported.totals.notes.insert(note);
  exported.totals.notes.insert(results.notes.begin(), results.notes.end());
  if (plan.selection && plan.private_point() != nullptr) {
    if (const auto read = plan.selection->exact_read()) {
      exported.totals.unaccounted.insert(*read);
      exported.totals.notes.insert(
          plan.selection->trials
              ? fmt::format("warning: {}: epsilon_of_best in tuning.csv covers the choice if {}", *read,
                            kTrialsAssume)
              : fmt::format("warning: {}: epsilon does not cover the choice", *read));
    }
  }
  std::optional<analysis::Conclusions> conclusions;
  if (scenario.analysis.any()) {
    conclusions = analysis::conclude(study, conclusion_input(plan, study));
    analysis::write_conclusions(*conclusions, folder, label_number);
  }
  if (scenario.analysis.control_variates)
    analysis::write_estimates(study, scenario.analysis.confidence, folder, label_number);
  std::string rare;
  if (scenario.splitting)
    rare = analysis::write_rare_events(study, scenario.analysis.confidence, folder, label_number);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - results.begin).count();
  write_manifest(results, study.head(), exported.totals, conclusions ? conclusions->json() : "", wall);
  if (results.silent) return std::move(exported.totals);
  print_results(study.head(), exported, conclusions, rare, results, wall);
  for (const std::string& note : exported.totals.notes) {
    if (note.starts_with("warning: ")) print_error("{}\n", note);
  }
  return std::move(exported.totals);
}

}  // namespace hearsay::scenarios
