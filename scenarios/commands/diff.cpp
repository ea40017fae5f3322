// hearsay diff: the first run, number and event in which two studies differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/results/output_file.hpp"
#include "analysis/results/stored_study.hpp"
#include "analysis/trace/trace_difference.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/run_name.hpp"
#include "scenarios/runner/execute.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

// Equal bits, or both no number.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

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

// Makes one run of a study again, as often as it is asked to.
class Again {
 public:
  Again(analysis::StoredStudy& study, std::size_t point, std::uint32_t repetition)
      : plan_(make_plan_again(study)), replay_(plan_), point_(point), repetition_(repetition) {}
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;

  analysis::MakeRun make() {
    return [this](sim::TraceSink& sink, const std::atomic<bool>& enough) {
      try {
        replay_.run(point_, repetition_, &sink, &enough);
      } catch (const AssemblyError&) {
        throw;
      } catch (const sim::InvariantError&) {
        throw;
      } catch (const std::exception&) {
        // A run that fails ends where it fails.
      }
    };
  }

 private:
  Plan plan_;
  Replay replay_;
  std::size_t point_;
  std::uint32_t repetition_;
};

std::string first_event(analysis::StoredStudy& a, analysis::StoredStudy& b, std::size_t point,
                        std::uint32_t repetition) {
  std::optional<analysis::EventDifference> parting;
  try {
    Again first(a, point, repetition), second(b, point, repetition);
    parting = analysis::first_difference(first.make(), second.make());
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const std::exception& e) {
    return fmt::format("  events: not compared, for the runs can not be made again: {}\n", e.what());
  }
  if (!parting) return "  events: all the same, with both runs made again\n";
  const auto line = [](analysis::StoredStudy& study, const std::optional<analysis::TracedEvent>& event) {
    return fmt::format("    {}: {}\n", study.folder().string(),
                       event ? analysis::told(*event) : "has ended before");
  };
  return fmt::format("  first event that differs: number {}, counted from 0\n{}{}", parting->number,
                     line(a, parting->first), line(b, parting->second));
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
  struct Parted {
    std::size_t point;
    std::uint32_t repetition;
    bool fingerprints;
  };
  std::string found;
  std::optional<Parted> parted;
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
                 parted = Parted{run.point, run.repetition, run.fingerprint != other->fingerprint};
               }
               ++compared;
             });
  if (found.empty()) {
    fmt::print("{} runs, all the same\n", compared);
    return kExitDone;
  }
  fmt::print("{}", found);
  if (parted && !parted->fingerprints) {
    fmt::print("  events: the same, by their fingerprints\n");
  } else if (parted) {
    fmt::print("{}", first_event(a, b, parted->point, parted->repetition));
  }
  return kExitDiffers;
}

}  // namespace hearsay::scenarios
