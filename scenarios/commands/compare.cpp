// hearsay compare: each point of a study with one of them, or each point of two studies with its like.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "analysis/conclusions/comparison.hpp"
#include "analysis/results/stored_study.hpp"
#include "analysis/conclusions/summary.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kUsage = "compare DIR [DIR] [--reference N] [--confidence C]";

// The metrics at the end of every run, by point, metric and repetition; NaN where a run is missing.
struct Finals {
  std::vector<std::vector<std::string>> labels;
  std::vector<std::vector<std::vector<double>>> values;
};

Finals finals_of(analysis::StoredStudy& study) {
  Finals all;
  study.each_run(
      [&](const analysis::PointResult& point) {
        all.labels.push_back(point.labels);
        all.values.emplace_back(study.head().metrics.size());
      },
      [&](const analysis::PointResult& point, const analysis::RunResult& run) {
        if (run.status != analysis::Status::kDone) return;
        const std::vector<double> last = analysis::final_values(study.head(), point, run);
        for (std::size_t m = 0; m < last.size(); ++m) {
          std::vector<double>& mine = all.values.back()[m];
          mine.resize(run.repetition, std::numeric_limits<double>::quiet_NaN());
          mine.push_back(last[m]);
        }
      });
  return all;
}

std::string rounded(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.4g}", x);
}

std::vector<std::string> row(const std::vector<std::string>& labels, std::string_view metric,
                             const analysis::Difference& d) {
  std::vector<std::string> cells = labels;
  cells.emplace_back(metric);
  const std::string interval =
      std::isnan(d.low) ? "-" : fmt::format("[{}, {}]", rounded(d.low), rounded(d.high));
  for (const std::string& text :
       {fmt::format("{}", d.pairs), rounded(d.mean), interval, rounded(d.reduction)})
    cells.push_back(text);
  return cells;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  po::options_description own("Compare");
  own.add_options()  //
      ("reference", po::value<std::size_t>()->value_name("N")->default_value(0),
       "the point that the others are compared with, as 'show --runs' numbers them")  //
      ("confidence", po::value<double>()->value_name("C")->default_value(0.95, "0.95"), "of the intervals");
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.empty() || input.files.size() > 2)
    throw UsageError(fmt::format("one or two folders are needed; usage: hearsay {}", kUsage));
  const double confidence = values["confidence"].as<double>();
  if (!(confidence > 0 && confidence < 1)) throw UsageError("--confidence needs a number in (0, 1)");
  const std::size_t reference = values["reference"].as<std::size_t>();

  analysis::StoredStudy study(input.files.front());
  const analysis::StudyHead head = study.head();
  const Finals first = finals_of(study);
  std::vector<std::vector<std::string>> rows{head.axes};
  for (const char* title : {"metric", "pairs", "mean difference", "interval", "variance saved"})
    rows[0].emplace_back(title);
  const auto add = [&](const std::vector<std::string>& labels, const auto& from, const auto& to) {
    for (std::size_t m = 0; m < head.metrics.size(); ++m) {
      rows.push_back(
          row(labels, head.metrics[m]->name, analysis::paired_difference(from[m], to[m], confidence)));
    }
  };
  if (input.files.size() == 2) {
    analysis::StoredStudy second(input.files[1]);
    if (second.head().axes != head.axes || second.head().metrics != head.metrics)
      throw UsageError("the two studies have other axes or metrics");
    const Finals other = finals_of(second);
    for (std::size_t p = 0; p < first.labels.size(); ++p) {
      const auto like = std::find(other.labels.begin(), other.labels.end(), first.labels[p]);
      if (like == other.labels.end()) continue;
      add(first.labels[p], first.values[p],
          other.values[static_cast<std::size_t>(like - other.labels.begin())]);
    }
    fmt::print("{} minus {}, point by point", input.files[1], input.files[0]);
  } else {
    if (reference >= first.labels.size())
      throw UsageError(fmt::format("--reference must be below {}, the number of points, got {}",
                                   first.labels.size(), reference));
    for (std::size_t p = 0; p < first.labels.size(); ++p) {
      if (p != reference) add(first.labels[p], first.values[reference], first.values[p]);
    }
    std::string name;
    for (std::size_t a = 0; a < head.axes.size(); ++a)
      name += fmt::format("{}{}={}", a == 0 ? "" : ", ", head.axes[a], first.labels[reference][a]);
    fmt::print("differences from point {} ({})", reference, name);
  }
  fmt::print(
      ", metrics at the end of runs, paired by repetition;\nStudent's t intervals of {:g} % confidence. "
      "Variance "
      "saved: that of independent runs over that of pairs.\n\n{}",
      100 * confidence, analysis::align(rows));
  return kExitDone;
}

}  // namespace hearsay::scenarios
