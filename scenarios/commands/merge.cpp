// hearsay merge: puts the parts of a study together and writes its tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/tables/export.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_results.hpp"
#include "scenarios/execution/merge.hpp"
#include "scenarios/execution/study_state.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/shard.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

void copy_whole(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::ifstream in(from, std::ios::binary);
  analysis::OutputFile out(to);
  std::vector<char> block(1u << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    out.write({block.data(), static_cast<std::size_t>(in.gcount())});
  if (!in.eof()) throw analysis::OutputError(fmt::format("{}: cannot be read", from.string()));
  out.commit();
}

// Copies the trace of the run that the scenario traces from the part that has made it.
void copy_trace(const Plan& plan, const PartsMerge& merge, const std::filesystem::path& output) {
  const auto& trace = plan.points.front().scenario->record.trace;
  if (!trace) return;
  std::error_code error;
  for (const analysis::TraceFormat format : trace->format) {
    const char* const name = format == analysis::TraceFormat::kCsv ? "trace.csv" : "trace.perfetto.json";
    const auto from = std::ranges::find_if(merge.parts(), [&](const std::filesystem::path& part) {
      return std::filesystem::exists(part / name, error) &&
             analysis::StoredStudy(part).run(trace->point, trace->repetition);
    });
    if (from != merge.parts().end()) copy_whole(*from / name, output / name);
  }
}

// ": part 2/3 (23 runs), ..."; empty if the parts are not known or not all of one number.
std::string by_part(const std::optional<Plan>& plan, const std::vector<RunTask>& missing,
                    const std::set<std::uint32_t>& counts) {
  constexpr std::uint32_t kMaxParts = 1000;
  constexpr std::size_t kMaxShown = 10;
  if (!plan || counts.size() != 1 || *counts.begin() > kMaxParts) return "";
  const std::uint32_t count = *counts.begin();
  std::vector<std::string> parts;
  for (const auto& [number, runs] : missing_by_part(*plan, missing, count))
    parts.push_back(fmt::format("part {} ({})", Shard{number, count}.text(), counted(runs, "run")));
  const std::size_t more = parts.size() - std::min(parts.size(), kMaxShown);
  parts.resize(parts.size() - more);
  return fmt::format(": {}{}", fmt::join(parts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

struct Inputs {
  std::vector<std::filesystem::path> folders;  // each once, without the output
  std::filesystem::path output;
  Folders data{};  // of input files
};

std::optional<Inputs> read_inputs(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"merge DIR... -o DIR [--data-dir DIR]",
                  with_folder_options({{"output,o", "DIR",
                                        "folder of the whole study; may contain some of its runs already"}}),
                  "folders of parts", 1, 1'000'000});
  if (!values) return std::nullopt;
  if (!values->has("output"))
    throw UsageError("required option -o is missing: the folder into which the parts are merged");
  Inputs inputs{.folders = {}, .output = values->folder("output", {}), .data = folder_arguments(*values)};
  std::set<std::filesystem::path> seen{std::filesystem::weakly_canonical(inputs.output)};
  for (const std::string& folder : values->operands) {
    require_results(folder);
    if (seen.insert(std::filesystem::weakly_canonical(folder)).second) inputs.folders.emplace_back(folder);
  }
  return inputs;
}

}  // namespace

int merge_command(const Arguments& arguments) {
  const auto inputs = read_inputs(arguments);
  if (!inputs) return kExitDone;
  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path& output = inputs->output;
  PartsMerge merge(output);
  std::set<std::uint32_t> counts;  // of parts
  for (const std::filesystem::path& folder : inputs->folders) {
    if (analysis::locked(folder).value_or(false))
      print_error("{}: another process is writing; merged as it is now\n", folder.string());
    analysis::StoredStudy study(folder);
    require_own_files(output, study.info("scenario"), study.info("folders"));
    merge.add(study);
    without_damaged(study, kExitDone);
    if (const auto shard = shard_of(study)) counts.insert(shard->count);
  }
  print_error("{}: {} to copy; results: {}/\n", counted(merge.all(), "run"), merge.to_add(), output.string());
  merge.write();

  analysis::StoredStudy study(output);
  const std::vector<RunTask> missing = merge.missing();
  std::optional<Plan> plan;
  std::string obstacle;
  try {
    plan = make_plan_again(study, inputs->data);
  } catch (const sim::Error& error) {
    obstacle = error.what();
  }
  analysis::Totals totals;
  if (plan) {
    copy_trace(*plan, merge, output);
    Arguments words = arguments;
    words.insert(words.begin(), "merge");
    totals = write_results({.plan = *plan,
                            .folder = output,
                            .file = study.info("file"),
                            .command = command_text(words),
                            .runs = merge.all(),
                            .fresh = merge.added(),
                            .complete = missing.empty(),
                            .begin = begin});
  } else {
    std::error_code error;
    for (const char* name : {"fits.csv", "bounds.csv", "estimates.csv", "rare_events.csv", "manifest.json"})
      std::filesystem::remove(output / name, error);
    totals = analysis::export_tables(study, output, label_number).totals;
    print_error(
        "{}\n{}: tables are written, but no conclusions, trace and manifest.json: merge again where the "
        "scenario's input files are\n",
        obstacle, output.string());
  }
  if (!missing.empty()) {
    print_error(
        "missing: {} of {}{}\nto make them, run these parts and merge again, or run the scenario with -o "
        "{}\n",
        missing.size(), counted(merge.all(), "run"), by_part(plan, missing, counts), output.string());
  }
  if (!missing.empty() || !plan) return kExitOutput;
  return totals.diverged + totals.failed > 0 ? kExitSomeFailed : kExitDone;
}

}  // namespace hearsay::scenarios
