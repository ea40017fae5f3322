// Pages of a study: report, with its figures, and play, with its traced run.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/figures/page.hpp"
#include "analysis/store/output_file.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/figure_study.hpp"
#include "scenarios/commands/study_results.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

using nlohmann::ordered_json;

namespace {

// A member of an object, as text; empty if it is not there.
std::string text_at(const ordered_json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::vector<std::string> texts_at(const ordered_json& object, const char* name) {
  std::vector<std::string> all;
  if (!object.is_object() || !object.contains(name) || !object[name].is_array()) return all;
  for (const auto& item : object[name])
    all.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return all;
}

// The statement of each kind of points, and what guarantee they have; of several, with the values of a point.
std::vector<std::string> privacy_texts(const ordered_json& manifest) {
  std::vector<ordered_json> kinds{manifest.value("privacy", ordered_json())};
  for (const auto& one : manifest.value("other_privacy", ordered_json::array())) kinds.push_back(one);
  std::vector<std::pair<std::string, std::string>> all;  // texts and values
  for (const ordered_json& kind : kinds) {
    std::string text = text_at(kind, "statement"), at;
    if (text.empty()) continue;
    if (const std::string s = text_at(kind, "guarantee"); !s.empty())
      text += ". Guarantee and sensitivity bound of the noise: " + s;
    // Some differ in what is not stated here, such as delta.
    if (std::ranges::count(all, text, &std::pair<std::string, std::string>::first) > 0) continue;
    const ordered_json place = kind.contains("first_at") ? kind.at("first_at") : ordered_json();
    for (const auto& item : place.items())
      at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", item.key(), text_at(place, item.key().c_str()));
    all.emplace_back(text, at);
  }
  std::vector<std::string> texts;
  for (const auto& [text, at] : all)
    texts.push_back(all.size() == 1 ? text : fmt::format("Points such as {}: {}", at, text));
  return texts;
}

// Of a study without a manifest, from its scenario as it is written.
const char* written_statement(const ordered_json& scenario, const analysis::StudyHead& head) {
  const ordered_json::json_pointer place("/privacy/mechanism");
  const ordered_json mechanism = scenario.contains(place) ? scenario.at(place) : ordered_json();
  const bool none = mechanism == "none" || text_at(mechanism, "type") == "none";
  const bool swept =
      std::ranges::any_of(head.axes, [](const auto& axis) { return axis.starts_with("privacy"); });
  return none && !swept ? kNoGuarantee : kSimulated;
}

// The text of the page, from manifest.json and, where there is none because the study was interrupted, from the
// store alone.
analysis::PageText text_of(analysis::StoredStudy& study, const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json");
  const ordered_json manifest = ordered_json::parse(file, nullptr, false);
  const bool whole = manifest.is_object() && manifest.contains("scenario");
  const ordered_json scenario =
      whole ? manifest["scenario"] : ordered_json::parse(study.info("scenario"), nullptr, false);

  analysis::PageText text;
  text.title = study_title(study);
  text.description = text_at(scenario, "description");
  text.scenario = scenario.is_discarded() ? study.info("scenario") : scenario.dump(2);
  if (whole) text.statements = privacy_texts(manifest);
  if (text.statements.empty()) text.statements.emplace_back(written_statement(scenario, study.head()));
  if (const std::string s = text_at(manifest, "diagnostics"); !s.empty()) text.statements.push_back(s);
  const auto add = [&](const char* what, const std::string& how) {
    if (!how.empty()) text.reproduce.emplace_back(what, how);
  };
  add("command", text_at(manifest, "command"));
  add("scenario", study.info("file"));
  add("seed", text_at(scenario, "seed"));
  add("fingerprint", text_at(manifest, "fingerprint"));
  if (whole && manifest.contains("hearsay")) {
    const ordered_json& h = manifest["hearsay"];
    add("version", fmt::format("hearsay {} (commit {}, {})", text_at(h, "version"), text_at(h, "commit"),
                               text_at(h, "compiler")));
    add("flags", text_at(h, "flags"));
  }
  add("check it", command_text({"verify", folder.string()}));
  text.unaccounted = texts_at(manifest, "fitted_on_private_data_without_accounting");
  text.notes = texts_at(manifest, "notes");
  if (!whole) text.notes.push_back("There is no manifest.json: the study is incomplete.");
  if (const std::string missing = missing_runs(study); !missing.empty()) text.notes.push_back(missing);
  return text;
}

// Where a page goes: a file that the user names, else one of this name in the folder, unless there is another file.
std::filesystem::path place_of(const Parsed& values, const std::filesystem::path& folder, const char* name) {
  const std::filesystem::path place = values.file("output", folder / name);
  if (!values.has("output")) require_own_page(place);
  return place;
}

// Writes a page, of which `what` says what it shows, and returns the exit code.
int write_page(analysis::StoredStudy& study, const Parsed& values, const std::filesystem::path& place,
               const std::string& page, const std::string& what) {
  analysis::OutputFile file(
      place, values.has("output") ? analysis::Existing::kFollowed : analysis::Existing::kReplaced);
  file.write(page);
  file.commit();
  const std::string line =
      fmt::format("{}, {:.1f} MB: {}\n", what, static_cast<double>(page.size()) / 1e6, place.string());
  // Standard output may be where the page is.
  file.direct() ? print_error("{}", line) : print_out("{}", line);
  return without_missing(study, kExitDone);
}

}  // namespace

int report_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"report DIR [-o FILE] [--from T] [--to T] [--agent AGENT]...",
                  with_window_options({{"output,o", "FILE", "file of the page (default: DIR/report.html)"}}),
                  "one folder", 1, 1});
  if (!values) return kExitDone;
  const std::filesystem::path folder = values->operands.front();
  analysis::StoredStudy study = open_results(folder);
  const std::filesystem::path place = place_of(*values, folder, "report.html");
  const FigureStudy read = read_figure_study(study, folder, *values);
  const std::string page = analysis::page(read.data, read.trace, text_of(study, folder));
  return write_page(study, *values, place, page, counted(read.data.points.size(), "point"));
}

int play_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"play DIR [-o FILE] [--from T] [--to T] [--agent AGENT]...",
                  with_window_options({{"output,o", "FILE", "file of the page (default: DIR/player.html)"}}),
                  "one folder", 1, 1});
  if (!values) return kExitDone;
  const std::filesystem::path folder = values->operands.front();
  analysis::StoredStudy study = open_results(folder);
  const std::filesystem::path place = place_of(*values, folder, "player.html");
  FigureStudy read = read_traced_point(study, folder, *values);
  if (!read.trace || read.trace->agents == 0)
    throw UsageError(fmt::format(
        "there is no trace.csv with events in {}: add record.trace to the scenario and run it again",
        printable(folder.string())));
  const std::string page = analysis::player_page(std::move(read.data), *read.trace, study_title(study));
  return write_page(
      study, *values, place, page,
      fmt::format("{}{}", counted(read.trace->read, "event"),
                  read.trace->whole
                      ? ""
                      : " of a part of the run (--from, --to and --agent choose a part of its trace)"));
}

}  // namespace hearsay::scenarios
