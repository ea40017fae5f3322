#include "scenarios/execution/study_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "scenarios/execution/run_maker.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::scenarios {

namespace {

struct OwnRuns {
  std::vector<std::vector<bool>> here;  // by point and repetition
  std::uint64_t elsewhere = 0;          // those that an equal point in another part makes
};

// The runs of a part; nothing if its scenario cannot be read again, because input files are elsewhere.
std::optional<OwnRuns> own_runs(analysis::StoredStudy& study, const Shard& shard, const Folders& inputs) {
  const auto read = [&] {
    const Plan plan = make_plan_again(study, inputs);
    const std::vector<RunTask> runs = RunMaker(plan, 1).all_runs();
    const std::vector<bool> own = runs_of(shard, runs.size());
    OwnRuns all;
    std::map<std::string_view, std::size_t> first;  // of equal points the first makes the runs
    for (const PlannedPoint& p : plan.points) {
      first.try_emplace(p.key, all.here.size());
      all.here.emplace_back(p.repeat);
    }
    for (std::size_t k = 0; k < runs.size(); ++k) all.here[runs[k].point][runs[k].repetition] = own[k];
    for (std::size_t p = 0; p < all.here.size(); ++p) {
      const std::vector<bool>& maker = all.here[first.at(plan.points[p].key)];
      for (std::size_t r = 0; r < std::min(maker.size(), all.here[p].size()); ++r) {
        if (!all.here[p][r] || maker[r]) continue;
        all.here[p][r] = false;
        ++all.elsewhere;
      }
    }
    return all;
  };
  try {
    return read();
  } catch (const sim::Error&) {
    return std::nullopt;
  }
}

// Seconds since a store was written last.
double age_of(const std::filesystem::path& folder) {
  using Clock = std::filesystem::file_time_type::clock;
  double age = std::numeric_limits<double>::infinity();
  for (const char* suffix : {"", "-wal", "-journal"}) {
    std::filesystem::path file = analysis::store_file(folder);
    file += suffix;
    std::error_code error;
    const auto written = std::filesystem::last_write_time(file, error);
    if (!error) age = std::min(age, std::chrono::duration<double>(Clock::now() - written).count());
  }
  return std::max(age, 0.0);
}

// 0 for what is no number.
double number_in(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::optional<Shard> shard_of(analysis::StoredStudy& study) {
  const std::string text = study.info("shard");
  if (text.empty()) return std::nullopt;
  try {
    return shard_from(text);
  } catch (const std::invalid_argument& error) {
    throw analysis::OutputError(fmt::format("{}: damaged: {}", analysis::store_file(study.folder()).string(),
                                            printable(error.what())));
  }
}

std::optional<double> runs_per_second(std::vector<analysis::RunState> runs, double elapsed) {
  constexpr std::size_t kLast = 100;
  const auto wall = [](const auto& some) {
    double sum = 0;
    for (const analysis::RunState& run : some) sum += run.wall;
    return sum;
  };
  if (runs.empty() || elapsed <= 0) return std::nullopt;
  const double at_a_time = wall(runs) / elapsed, average = static_cast<double>(runs.size()) / elapsed;
  std::ranges::sort(runs, std::greater(), &analysis::RunState::finished);
  if (runs.size() > kLast) runs.resize(kLast);
  const double last = wall(runs) / static_cast<double>(runs.size());
  return last > 0 ? at_a_time / last : average;
}

std::optional<double> StudyState::seconds_left() const {
  if (!rate || *rate <= 0) return std::nullopt;
  return static_cast<double>(left()) / *rate;
}

StudyState state_of(const std::filesystem::path& folder, const Folders& inputs,
                    std::optional<analysis::StoredStudy>& read) {
  StudyState state{.folder = folder, .writing = analysis::locked(folder)};
  // While a command makes its selection it has locked the folder, too, and does not write there yet.
  if (state.writing == true && analysis::locked(folder / "selection") == true) state.writing = false;
  state.begun = analysis::has_study(folder);
  if (!state.begun) return state;
  analysis::StoredStudy& study = read.emplace(folder);
  study.freeze();
  const analysis::StudyPlan plan = study.plan();
  for (const analysis::StudyPoint& p : plan.points) state.study_runs += p.repetitions;
  state.runs = state.study_runs;
  const auto most = static_cast<std::uint64_t>(number_in(study.info("most_runs")));
  state.undecided = std::max(most, state.runs) - state.runs;
  // Numbers can be spelled differently in parts of one study.
  state.scenario = nlohmann::ordered_json::parse(study.info("scenario"), nullptr, false).dump() + '\n';
  for (const char* name : {"condition", "instances", "chosen"}) state.scenario += study.info(name) + '\n';
  std::optional<OwnRuns> own;
  state.shard = shard_of(study);
  if (state.shard) {
    own = own_runs(study, *state.shard, inputs);
    if (own) state.done = own->elsewhere;
    const std::vector<bool> part = runs_of(*state.shard, state.study_runs);
    state.runs = static_cast<std::uint64_t>(std::ranges::count(part, true));
  }
  const auto before = static_cast<std::int64_t>(number_in(study.info("finished_before")));
  std::vector<analysis::RunState> fresh;  // of the process that wrote last
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    study.point(p);  // throws if it is damaged
    for (const analysis::RunState& run : study.states(p)) {
      using analysis::Status;
      if (run.finished > before && run.status != Status::kInterrupted) fresh.push_back(run);
      if (own && !own->here[p][run.repetition]) continue;
      ++(!run.intact                       ? state.damaged
         : run.status == Status::kDone     ? state.done
         : run.status == Status::kDiverged ? state.diverged
         : run.status == Status::kFailed   ? state.failed
                                           : state.interrupted);
    }
  }
  // Without the plan of a part its folder may have more runs than the part.
  state.runs = std::max(state.runs, state.done + state.diverged + state.failed);
  // Where it is unknown whether a process writes, one that has written in the last minutes counts.
  constexpr double kRecent = 300;  // s
  if (!state.writing) state.written_ago = age_of(folder);
  const double ago = state.written_ago.value_or(0);
  if (!state.writing.value_or(ago < kRecent)) return state;
  const double now = static_cast<double>(std::time(nullptr));
  state.rate = runs_per_second(std::move(fresh), now - ago - number_in(study.info("begun")));
  return state;
}

}  // namespace hearsay::scenarios
