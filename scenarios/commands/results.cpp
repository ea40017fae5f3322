// Commands on the results of a study: export, verify.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "analysis/results/tables/export.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/run_name.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/keys.hpp"
#include "scenarios/runner/plan.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

int export_command(const Arguments& arguments) {
  const auto values = parse_arguments(arguments, {"export DIR [-o DIR] [--format csv]",
                                                  {{"output,o", "DIR", "folder of the tables (default: DIR)"},
                                                   {"format", "FORMAT", "csv", "csv"}},
                                                  "one folder",
                                                  1,
                                                  1});
  if (!values) return kExitDone;
  if (const std::string format = values->text("format"); format != "csv")
    throw UsageError(fmt::format("--format: expected csv, found '{}'", printable(format)));
  const std::filesystem::path folder =
      values->has("output") ? values->text("output") : values->operands.front();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  analysis::StoredStudy study(values->operands.front());
  const analysis::Exported exported = analysis::export_tables(study, folder);
  fmt::print("{} points, {} runs: {}/ ({}.csv, scalars.csv, runs.csv)\n", exported.totals.points,
             exported.totals.runs, folder.string(), study.head().aggregate ? "quantiles" : "series");
  return kExitDone;
}

int verify_command(const Arguments& arguments) {
  const auto values =
      parse_arguments(arguments, {"verify DIR [--sample N]",
                                  {{"sample", "N", "repeat only N runs, spread evenly over the study"}},
                                  "one folder",
                                  1,
                                  1});
  if (!values) return kExitDone;

  analysis::StoredStudy study(values->operands.front());
  const Plan plan = make_plan_again(study);
  struct Made {
    std::size_t point;
    std::uint32_t repetition;
    std::uint64_t fingerprint;
  };
  std::vector<Made> made;
  study.each_run([](const auto&) {},
                 [&](const analysis::PointResult&, const analysis::RunResult& run) {
                   using analysis::Status;
                   const bool ended = run.status == Status::kDone || run.status == Status::kDiverged;
                   if (ended && run.end != analysis::RunEnd::kWall)
                     made.push_back({run.point, run.repetition, run.fingerprint});
                 });
  const std::size_t all = made.size();
  const std::size_t wanted =
      values->has("sample") ? std::min<std::size_t>(all, values->whole("sample", 0, SIZE_MAX)) : all;
  Replay replay(plan);
  for (std::size_t k = 0; k < wanted; ++k) {
    const Made& one = made[k * all / wanted];
    const analysis::RunResult again = replay.run(one.point, one.repetition);
    if (again.fingerprint == one.fingerprint) continue;
    throw sim::InvariantError(fmt::format("{} (run key {}) has fingerprint {:016x}, expected {:016x}",
                                          run_name(study.head(), study.point(one.point), one.repetition),
                                          run_key(plan.points[one.point].key, one.repetition),
                                          again.fingerprint, one.fingerprint));
  }
  fmt::print("{} of {} runs repeated: all fingerprints are equal, no budget is exceeded\n", wanted, all);
  return kExitDone;
}

}  // namespace hearsay::scenarios
