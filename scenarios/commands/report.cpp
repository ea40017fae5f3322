// hearsay report: one page of a study, with figures.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/figures/page.hpp"
#include "analysis/results/output_file.hpp"
#include "scenarios/runner/sweep/axis.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;
using nlohmann::ordered_json;

namespace {

// The number in SI that a label of an axis stands for.
std::optional<double> label_number(const std::string& label) {
  Node node;
  node.kind = Node::Kind::kText;
  node.text = label;
  if (const auto number = si_number(node)) return number;
  char* end = nullptr;
  const double number = std::strtod(label.c_str(), &end);
  if (label.empty() || *end != '\0') return std::nullopt;
  return number;
}

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

// What the study says of itself; what a manifest would add is left out where there is none, as in a study
// that has been interrupted.
analysis::PageText text_of(analysis::StoredStudy& study, const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json");
  const ordered_json manifest = ordered_json::parse(file, nullptr, false);
  const bool whole = manifest.is_object() && manifest.contains("scenario");
  const ordered_json scenario =
      whole ? manifest["scenario"] : ordered_json::parse(study.info("scenario"), nullptr, false);

  analysis::PageText text;
  text.title = text_at(scenario, "name");
  if (text.title.empty()) text.title = std::filesystem::path(study.info("file")).stem().string();
  text.description = text_at(scenario, "description");
  text.scenario = scenario.is_discarded() ? study.info("scenario") : scenario.dump(2);
  const ordered_json privacy = whole && manifest.contains("privacy") ? manifest["privacy"] : ordered_json();
  const std::string statement = text_at(privacy, "statement");
  text.statements.push_back(statement.empty() ? "simulated differential privacy: not for release"
                                              : statement);
  if (const std::string s = text_at(privacy, "sensitivity"); !s.empty())
    text.statements.push_back("The bound on which the noise rests: " + s);
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
  add("check it", fmt::format("hearsay verify {}", folder.string()));
  text.unprivate = texts_at(manifest, "fitted_on_private_data_without_accounting");
  text.notes = texts_at(manifest, "notes");
  if (!whole) text.notes.push_back("There is no manifest.json: the study has not come to its end.");
  return text;
}

}  // namespace

int report_command(const Arguments& arguments) {
  constexpr std::string_view kReportUsage = "report DIR [-o FILE]";
  po::options_description own("Report");
  own.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                    "where the page goes (default: DIR/report.html)");
  po::variables_map values;
  if (!parse_arguments(arguments, kReportUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one folder is needed; usage: hearsay {}", kReportUsage));
  const std::filesystem::path folder = input.files.front();
  const std::filesystem::path place = values.count("output") != 0
                                          ? std::filesystem::path(values["output"].as<std::string>())
                                          : folder / "report.html";
  analysis::StoredStudy study(folder);
  const analysis::StudyData data = analysis::gather(study, label_number);
  const std::string page =
      analysis::page(data, analysis::read_trace(folder / "trace.csv"), text_of(study, folder));
  analysis::OutputFile file(place);
  file.write(page);
  file.commit();
  fmt::print("{} points, {:.1f} MB: {}\n", data.points.size(), static_cast<double>(page.size()) / 1e6,
             place.string());
  return kExitDone;
}

}  // namespace hearsay::scenarios
