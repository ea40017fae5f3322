// The progress line of a study.
#include "scenarios/execution/progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "scenarios/execution/workers/team.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using scenarios::Progress;
using scenarios::ProgressStyle;

namespace {

// The output for 3 of 6 runs, with 4 others cached, from the first line to the end.
std::string progress_output(bool terminal) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&text, &size);
  {
    // The runs end before the first line, also on a busy machine.
    Progress progress(ProgressStyle::kLine, 6, 10, {file, terminal, std::chrono::milliseconds(300)});
    for (int run = 0; run < 3; ++run) progress.finished({.events = 1'000'000, .time = 5});
    const auto has_printed = [&] { return std::fflush(file) == 0 && size > 0; };
    for (int wait = 0; wait < 2000 && !has_printed(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    progress.stop();
  }
  std::fclose(file);
  const std::string all(text, size);
  std::free(text);
  return all;
}

// One other rank, whose two threads have assembled and run for 10,000 s in all.
struct OneRank final : scenarios::Team {
  int rank() const override { return 0; }
  scenarios::Workers& plan(const scenarios::Plan&, const scenarios::PlanOptions&,
                           const std::atomic<bool>*) override {
    throw std::logic_error("no work");
  }
  std::vector<scenarios::RankRecord> records() const override {
    return {{.rank = 1, .host = "host", .threads = 2, .runs = 80'000, .busy = 10'000}};
  }
  void work(const std::function<Work(const scenarios::PlanOptions&)>&) override {}
};

}  // namespace

TEST_CASE("progress: off a terminal, whole lines with percent, runs, rates, time left and memory") {
  const std::string text = progress_output(false);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.back() == '\n');
  const std::string line = text.substr(0, text.find('\n'));
  CHECK_THAT(line, Contains(" 70 %  7 of 10 runs") && Contains("events/s") && Contains("simulated s/s") &&
                       Contains(" left") && Contains("MB"));
}

TEST_CASE("progress: on a terminal one line is updated in place and complete at the end") {
  const std::string text = progress_output(true);
  CHECK(text.front() == '\r');
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.back() == '\n');
  CHECK_THAT(text.substr(text.rfind('\r')), Contains(" 70 %  7 of 10 runs"));
}

TEST_CASE("progress: a line is shorter than the terminal's") {
  const char* const before = std::getenv("COLUMNS");
  const std::string columns = before != nullptr ? before : "";
  ::setenv("COLUMNS", "20", 1);
  const std::string text = progress_output(true);
  before != nullptr ? ::setenv("COLUMNS", columns.c_str(), 1) : ::unsetenv("COLUMNS");
  CHECK(text.substr(text.rfind('\r')) == "\r 70 %  7 of 10 runs\n");  // 19 characters
}

TEST_CASE("progress: the time of ranks counts from when they had the plan") {
  const OneRank team;
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&text, &size);
  const auto handed = std::chrono::steady_clock::now() - std::chrono::seconds(10'000);
  Progress progress(ProgressStyle::kJson, 6, 10, {file, false, std::chrono::milliseconds(5)}, &team, handed);
  progress.stop();
  std::fclose(file);
  const std::string all(text, size);
  std::free(text);
  const auto rank = nlohmann::json::parse(all.substr(0, all.find('\n'))).at("ranks").at(0);
  // 80,000 runs in 10,000 s; the threads were busy for half of 2 x 10,000 s.
  CHECK(rank.at("runs_per_s") == Approx(8).epsilon(1e-3));
  CHECK(rank.at("elapsed_s") == Approx(10'000).epsilon(1e-3));
  std::istringstream table(progress.ranks());
  std::string line;
  std::getline(table, line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(table), {}};
  CHECK(words == std::vector<std::string>{"1", "host", "2", "80000", "8", "50.0", "%"});
}

TEST_CASE("progress: a line that cannot be written is left out") {
  std::FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  {
    Progress progress(ProgressStyle::kLine, 6, 10, {full, true, std::chrono::milliseconds(1)});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(std::ferror(full) != 0);
  std::fclose(full);
}

TEST_CASE("progress: a study on a terminal shows it, and --no-progress does not") {
  const test::StudyFolder dir(R"("repeat": 2)");
  const auto on_terminal = [&](const std::string& options) {
    const auto outcome = shell(dir, "script -qec \"$program run s.json -o out" + options + "\" /dev/null");
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  CHECK_THAT(on_terminal("1"), Contains("100 %  2 of 2 runs"));
  CHECK_THAT(on_terminal("2 --no-progress"), !Contains("100 %"));
}
