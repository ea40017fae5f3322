// hearsay status: how far studies are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/store/store_file.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/execution/study_state.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

using Json = nlohmann::ordered_json;

// The counts of several folders, and the parts that none of them holds.
struct Total {
  StudyState sum{};
  bool parts = false;     // of one study, each in one folder
  bool distinct = false;  // no run is in two folders
  std::vector<Shard> absent{};
  std::uint64_t study_runs = 0, absent_runs = 0;
};

Total total_of(std::vector<StudyState> all) {
  std::erase_if(all, [](const StudyState& s) { return !s.begun; });
  Total total;
  if (all.empty()) return total;
  std::set<std::pair<std::uint32_t, std::uint32_t>> shards;
  bool live = true;
  double longest = 0;
  for (const StudyState& s : all) {
    for (auto count : {&StudyState::runs, &StudyState::done, &StudyState::diverged, &StudyState::failed,
                       &StudyState::interrupted, &StudyState::damaged, &StudyState::undecided})
      total.sum.*count += s.*count;
    if (s.shard) shards.emplace(s.shard->count, s.shard->number);
    if (s.left() == 0) continue;
    live = live && s.seconds_left().has_value();
    longest = std::max(longest, s.seconds_left().value_or(0));
  }
  // Processes write at the same time: the last to end counts.
  if (live && longest > 0) total.sum.rate = static_cast<double>(total.sum.left()) / longest;
  total.parts = shards.size() == all.size() && shards.begin()->first == shards.rbegin()->first &&
                std::ranges::all_of(all, [&](const StudyState& s) { return s.scenario == all[0].scenario; });
  std::set<std::string_view> studies;
  for (const StudyState& s : all) studies.insert(s.scenario);
  total.distinct = total.parts || studies.size() == all.size();
  if (!total.parts) return total;
  const std::uint32_t count = shards.begin()->first;
  for (std::uint32_t number = 1; number <= count; ++number)
    if (!shards.contains({count, number})) total.absent.push_back({number, count});
  std::uint64_t here = 0;
  for (const StudyState& s : all) here += s.runs;
  total.study_runs = all[0].study_runs;
  total.absent_runs = total.study_runs - std::min(here, total.study_runs);
  return total;
}

// "65 runs: 40 done, 1 diverged, 0 failed; 24 left (2 interrupted, 1 damaged)"
std::string counts_text(const StudyState& s) {
  std::string text = fmt::format("{}: {} done, {} diverged, {} failed; {} left", counted(s.runs, "run"),
                                 s.done, s.diverged, s.failed, s.left());
  std::vector<std::string> of_these;
  if (s.interrupted > 0) of_these.push_back(fmt::format("{} interrupted", s.interrupted));
  if (s.damaged > 0) of_these.push_back(fmt::format("{} damaged", s.damaged));
  if (!of_these.empty()) text += fmt::format(" ({})", fmt::join(of_these, ", "));
  if (s.undecided > 0) text += fmt::format("; tune.budget may add {}", s.undecided);
  return text;
}

std::string process_text(const StudyState& s) {
  if (s.writing == false) return s.left() > 0 ? "; no process is writing" : "";
  if (!s.writing && s.left() == 0) return "";
  // Without locks nothing tells whether the process that has written still runs.
  std::string text = s.writing
                         ? "; a process is writing"
                         : fmt::format("; last written {} ago", duration_text(s.written_ago.value_or(0)));
  if (s.left() > 0 && s.seconds_left())
    text += fmt::format(": {:.3g} runs/s, about {} left", *s.rate, duration_text(*s.seconds_left()));
  return text;
}

std::string line_of(const StudyState& s) {
  const std::string part = s.shard ? fmt::format("part {}: ", s.shard->text()) : "";
  return fmt::format("{}: {}{}{}", s.folder.string(), part, s.begun ? counts_text(s) : "no study yet",
                     process_text(s));
}

Json json_of(const StudyState& s) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"runs", s.runs},
          {"done", s.done},
          {"diverged", s.diverged},
          {"failed", s.failed},
          {"left", s.left()},
          {"interrupted", s.interrupted},
          {"damaged", s.damaged},
          {"undecided", s.undecided},
          {"runs_per_s", or_null(s.rate)},
          {"seconds_left", or_null(s.seconds_left())}};
}

Json folder_json(const StudyState& s) {
  Json json{{"folder", printable(s.folder.string(), 4096)},
            {"part", s.shard ? Json(s.shard->text()) : Json()},
            {"writing", s.writing ? Json(*s.writing) : Json()},
            {"written_s_ago", s.written_ago ? Json(*s.written_ago) : Json()},
            {"begun", s.begun}};
  json.update(json_of(s));
  return json;
}

void print_total(const std::vector<StudyState>& all) {
  const Total total = total_of(all);
  if (!total.distinct) return;  // runs would count twice
  const auto left = total.sum.seconds_left();
  print_out("total: {}{}\n", counts_text(total.sum),
            left ? fmt::format("; about {} left", duration_text(*left)) : "");
  if (total.absent.empty()) return;
  constexpr std::size_t kMaxShown = 10;
  std::vector<std::string> shown;
  for (const Shard& s : total.absent)
    if (shown.size() < kMaxShown) shown.push_back(s.text());
  const std::size_t more = total.absent.size() - shown.size();
  print_out("not in these folders: {} {}{} ({} of {})\n", total.absent.size() == 1 ? "part" : "parts",
            fmt::join(shown, ", "), more > 0 ? fmt::format(" and {} more", more) : "", total.absent_runs,
            counted(total.study_runs, "run"));
}

// Whether the study of a folder was begun after its selection and is no choice from it: it selects nothing.
bool left_behind(const std::filesystem::path& selection, const std::filesystem::path& folder) {
  if (!analysis::has_study(selection) || !analysis::has_study(folder)) return false;
  analysis::StoredStudy before(selection), now(folder);
  return now.info("chosen") == "[]" && before.info("begun") <= now.info("begun");  // s since 1970: as long
}

// The folder, and the study that a scenario with "select" selects on.
std::vector<std::filesystem::path> studies_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> all;
  std::error_code error;
  const std::filesystem::path selection = folder / "selection";
  if (std::filesystem::exists(analysis::store_file(selection), error) && !left_behind(selection, folder))
    all.push_back(selection);
  if (all.empty() || std::filesystem::exists(analysis::store_file(folder), error)) all.push_back(folder);
  return all;
}

}  // namespace

int status_command(const Arguments& arguments) {
  const auto values = parse_arguments(arguments, {"status DIR... [--json] [--data-dir DIR]",
                                                  with_folder_options({{"json", nullptr, "print JSON"}}),
                                                  "folders of results", 1, 1'000'000});
  if (!values) return kExitDone;
  std::vector<std::filesystem::path> folders;
  for (const std::string& operand : values->operands) {
    for (const std::filesystem::path& folder : studies_in(operand)) {
      require_results(folder);
      folders.push_back(folder);
    }
  }
  const bool json = values->has("json");
  std::vector<StudyState> all;
  int code = kExitDone;
  for (const std::filesystem::path& folder : folders) {
    std::optional<analysis::StoredStudy> study;
    all.push_back(state_of(folder, folder_arguments(*values), study));
    if (!json) print_out("{}\n", line_of(all.back()));
    if (study) code = without_damaged(*study, code);
  }
  if (!json) {
    if (all.size() > 1) print_total(all);
    return code;
  }
  Json text{{"folders", Json::array()}, {"total", nullptr}, {"absent_parts", Json::array()}};
  for (const StudyState& s : all) text["folders"].push_back(folder_json(s));
  const Total total = total_of(all);
  if (total.distinct) text["total"] = json_of(total.sum);
  for (const Shard& s : total.absent) text["absent_parts"].push_back(s.text());
  text["absent_runs"] = total.absent_runs;
  print_json(text.dump(2) + "\n");
  return code;
}

}  // namespace hearsay::scenarios
