// Commands on the results of a study: export, verify, diff.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "analysis/export.hpp"
#include "analysis/output_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/command_line.hpp"
#include "scenarios/runner/commands/command.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/keys.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

// "privacy.epsilon=0.1 repetition 3"
std::string run_name(const analysis::StudyHead& head, const analysis::PointResult& point,
                     std::uint32_t repetition) {
  std::string name;
  for (std::size_t a = 0; a < head.axes.size(); ++a)
    name += fmt::format("{}={}, ", head.axes[a], point.labels[a]);
  return name + fmt::format("repetition {}", repetition);
}

// Equal bits, or both no number.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

}  // namespace

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

namespace {

// How two runs of one name differ, or nothing.
std::string difference(const analysis::StudyHead& head, const analysis::PointResult& point,
                       const analysis::RunResult& a, const analysis::RunResult& b) {
  std::string text;
  if (a.status != b.status) text += fmt::format("  status: {} and {}\n", name(a.status), name(b.status));
  if (a.fingerprint != b.fingerprint)
    text += fmt::format("  fingerprint: {:016x} and {:016x}\n", a.fingerprint, b.fingerprint);
  if (a.events != b.events) text += fmt::format("  events: {} and {}\n", a.events, b.events);
  const std::size_t marks = std::min(a.series.marks.size(), b.series.marks.size());
  const std::size_t width = a.series.marks.empty() ? 0 : a.series.values.size() / a.series.marks.size();
  for (std::size_t k = 0; k < marks; ++k) {
    const auto& [ka, ta, va, ba] = a.series.marks[k];
    const auto& [kb, tb, vb, bb] = b.series.marks[k];
    if (ka != kb || !same(ta, tb) || va != vb || ba != bb) {
      return text +
             fmt::format("  record {}: iteration {} at {} s and iteration {} at {} s\n", k, ka, ta, kb, tb);
    }
    std::size_t c = 0;
    for (const analysis::Metric* m : head.metrics) {
      for (std::size_t owner = 0; owner < m->size(point.owners); ++owner, ++c) {
        const double x = a.series.values[k * width + c], y = b.series.values[k * width + c];
        if (same(x, y)) continue;
        const std::string agent = m->per_agent ? fmt::format(" of agent {}", point.first_owner + owner) : "";
        return text + fmt::format("  {}{} at iteration {}: {} and {}\n", m->name, agent, ka, x, y);
      }
    }
  }
  if (a.series.marks.size() != b.series.marks.size())
    text += fmt::format("  records: {} and {}\n", a.series.marks.size(), b.series.marks.size());
  return text;
}

}  // namespace

int diff_command(const Arguments& arguments) {
  constexpr std::string_view kUsage = "diff DIR1 DIR2";
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, po::options_description(), values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 2)
    throw UsageError(fmt::format("two folders are needed; usage: hearsay {}", kUsage));
  analysis::StoredStudy a(input.files[0]), b(input.files[1]);
  if (a.head().axes != b.head().axes || a.head().metrics != b.head().metrics || a.points() != b.points()) {
    fmt::print("the studies differ in their axes, metrics or number of points\n");
    return kExitDiffers;
  }
  std::string found;
  std::size_t compared = 0;
  a.each_run([](const auto&) {},
             [&](const analysis::PointResult& point, const analysis::RunResult& run) {
               if (!found.empty()) return;
               const std::string who = run_name(a.head(), point, run.repetition);
               const analysis::PointResult other_point = b.point(run.point);
               const auto other = b.run(run.point, run.repetition);
               if (other_point.labels != point.labels || other_point.owners != point.owners) {
                 found = who + ": the points differ\n";
               } else if (!other) {
                 found = who + fmt::format(": is not in {}\n", input.files[1]);
               } else if (const std::string how = difference(a.head(), point, run, *other); !how.empty()) {
                 found = who + ":\n" + how;
               }
               ++compared;
             });
  if (found.empty()) {
    fmt::print("{} runs, all the same\n", compared);
    return kExitDone;
  }
  fmt::print("{}", found);
  return kExitDiffers;
}

}  // namespace hearsay::scenarios
