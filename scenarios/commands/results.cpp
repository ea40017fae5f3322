// Commands on the results of a study: export, verify.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/results/export.hpp"
#include "analysis/results/output_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/run_name.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/keys.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

int export_command(const Arguments& arguments) {
  constexpr std::string_view kUsage = "export DIR [-o DIR] [--format csv]";
  po::options_description own("Export");
  own.add_options()                                                                                    //
      ("output,o", po::value<std::string>()->value_name("DIR"), "where the tables go (default: DIR)")  //
      ("format", po::value<std::string>()->value_name("FORMAT")->default_value("csv"), "csv");
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one folder is needed; usage: hearsay {}", kUsage));
  if (values["format"].as<std::string>() != "csv")
    throw UsageError(
        fmt::format("--format must be csv, got '{}'", printable(values["format"].as<std::string>())));
  const std::filesystem::path folder =
      values.count("output") != 0 ? values["output"].as<std::string>() : input.files.front();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  analysis::StoredStudy study(input.files.front());
  const analysis::Exported exported = analysis::export_tables(study, folder);
  fmt::print("{} points, {} runs: {}/ (series.csv, scalars.csv, runs.csv)\n", exported.totals.points,
             exported.totals.runs, folder.string());
  return kExitDone;
}

int verify_command(const Arguments& arguments) {
  constexpr std::string_view kUsage = "verify DIR [--sample N]";
  po::options_description own("Verify");
  own.add_options()("sample", po::value<std::size_t>()->value_name("N"),
                    "make only N runs again, spread evenly over the study");
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one folder is needed; usage: hearsay {}", kUsage));

  analysis::StoredStudy study(input.files.front());
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
      values.count("sample") != 0 ? std::min(all, values["sample"].as<std::size_t>()) : all;
  Replay replay(plan);
  for (std::size_t k = 0; k < wanted; ++k) {
    const Made& one = made[k * all / wanted];
    const analysis::RunResult again = replay.run(one.point, one.repetition);
    if (again.fingerprint == one.fingerprint) continue;
    throw sim::InvariantError(fmt::format("{} (run key {}) has fingerprint {:016x}, it had {:016x}",
                                          run_name(study.head(), study.point(one.point), one.repetition),
                                          run_key(plan.points[one.point].key, one.repetition),
                                          again.fingerprint, one.fingerprint));
  }
  fmt::print("{} of {} runs made again: all have the fingerprints they had, no ledger over its budget\n",
             wanted, all);
  return kExitDone;
}

}  // namespace hearsay::scenarios
