// hearsay play: a page that plays the traced run of a study.
#include <fmt/format.h>

#include <utility>

#include "analysis/figures/page.hpp"
#include "analysis/store/output_file.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/figure_study.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

int play_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"play DIR [-o FILE] [--from T] [--to T] [--agent AGENT]...",
                  with_window_options({{"output,o", "FILE", "file of the page (default: DIR/player.html)"}}),
                  "one folder", 1, 1});
  if (!values) return kExitDone;
  const std::filesystem::path folder = values->operands.front();
  const std::filesystem::path place = values->file("output", folder / "player.html");
  analysis::StoredStudy study = open_results(folder);
  FigureStudy read = read_figure_study(study, folder, *values);
  if (!read.trace || read.trace->agents == 0)
    throw UsageError(fmt::format(
        "there is no trace.csv with events in {}: add record.trace to the scenario and run it again",
        printable(folder.string())));
  const std::string page = analysis::player_page(std::move(read.data), *read.trace, study_title(study));
  analysis::OutputFile file(
      place, values->has("output") ? analysis::Existing::kFollowed : analysis::Existing::kReplaced);
  file.write(page);
  file.commit();
  const std::string line =
      fmt::format("{}{}, {:.1f} MB: {}\n", counted(read.trace->read, "event"),
                  read.trace->whole ? "" : " of a longer trace (--from and --to choose others)",
                  static_cast<double>(page.size()) / 1e6, place.string());
  // Standard output may be where the page is.
  file.direct() ? print_error("{}", line) : print_out("{}", line);
  return without_missing(study, kExitDone);
}

}  // namespace hearsay::scenarios
