// The progress line of a study.
#include "scenarios/execution/progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

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
    Progress progress(ProgressStyle::kLine, 6, 10, {file, terminal, std::chrono::milliseconds(5)});
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

}  // namespace

TEST_CASE("progress: off a terminal, whole lines with percent, runs, rates, time left and memory") {
  const std::string text = progress_output(false);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.back() == '\n');
  const std::string line = text.substr(0, text.find('\n'));
  CHECK_THAT(line, Contains(" 50 %") && Contains("7 of 10 runs") && Contains("events/s") &&
                       Contains("simulated s/s") && Contains(" left") && Contains("MB"));
}

TEST_CASE("progress: on a terminal one line is updated in place and complete at the end") {
  const std::string text = progress_output(true);
  CHECK(text.front() == '\r');
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.back() == '\n');
  CHECK_THAT(text.substr(text.rfind('\r')), Contains(" 50 %"));
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
