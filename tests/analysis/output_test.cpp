#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "analysis/store/output_file.hpp"
#include "analysis/tables/summary.hpp"
#include "analysis/trace/trace_text.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;

namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("output file: appears complete after commit, without commit nothing is left") {
  const test::Scratch scratch;
  const auto path = scratch.path() / "table.csv";
  {
    analysis::OutputFile file(path);
    file.print("{},{}\n", 1, 0.1);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  CHECK(files_in(scratch.path()) == 0);
  {
    analysis::OutputFile file(path);
    file.print("{},{}\n", 1, 0.1);
    file.commit();
  }
  CHECK(content(path) == "1,0.1\n");
  CHECK(files_in(scratch.path()) == 1);
}

TEST_CASE("output file: of several files none appears if one cannot be written") {
  const test::Scratch scratch;
  {
    analysis::OutputFile first(scratch.path() / "first"), second("/dev/full", analysis::Existing::kFollowed);
    first.write("1");
    second.write("2");
    CHECK_THROWS_WITH(analysis::commit({&first, &second}),
                      "/dev/full: writing failed: No space left on device");
  }
  CHECK(files_in(scratch.path()) == 0);
}

TEST_CASE("output file: a missing folder is an error") {
  CHECK_THROWS_AS(analysis::OutputFile("/no/such/folder/table.csv"), analysis::OutputError);
}

TEST_CASE("output file: of a path that the user names, links are followed and a FIFO is written into") {
  const test::Scratch scratch;
  const auto followed = [&](const char* name) {
    analysis::OutputFile file(scratch.path() / name, analysis::Existing::kFollowed);
    file.write("new");
    file.commit();
    return file.direct();
  };
  scratch.write("kept/target", "old");
  std::filesystem::create_symlink("kept/target", scratch.path() / "second");
  std::filesystem::create_symlink("second", scratch.path() / "link");
  CHECK_FALSE(followed("link"));
  CHECK(std::filesystem::is_symlink(scratch.path() / "link"));
  CHECK(content(scratch.path() / "kept/target") == "new");
  CHECK(files_in(scratch.path() / "kept") == 1);

  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  const int reader = ::open((scratch / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
  CHECK(followed("fifo"));
  char text[8] = {};
  CHECK(::read(reader, text, sizeof text) == 3);
  CHECK(std::string(text) == "new");
  ::close(reader);
  CHECK(std::filesystem::is_fifo(scratch.path() / "fifo"));

  // A stream that is a regular file is written where it stands, not replaced.
  const int stream = ::open((scratch / "stream").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::write(stream, "before ", 7) == 7);
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(stream), scratch.path() / "open");
  CHECK(followed("open"));
  REQUIRE(::write(stream, " after", 6) == 6);
  ::close(stream);
  CHECK(content(scratch.path() / "stream") == "before new after");
}

TEST_CASE("output file: in a folder of results a link is replaced, not followed") {
  const test::Scratch scratch;
  scratch.write("foreign", "kept");
  std::filesystem::create_symlink("foreign", scratch.path() / "series.csv");
  analysis::OutputFile file(scratch.path() / "series.csv");
  file.write("1");
  file.commit();
  CHECK(content(scratch.path() / "foreign") == "kept");
  CHECK(content(scratch.path() / "series.csv") == "1");
  CHECK_FALSE(std::filesystem::is_symlink(scratch.path() / "series.csv"));
}

TEST_CASE("temporary folder: one of a living process stays, one of an ended process is removed") {
  const test::Scratch scratch;
  const auto use_folder = [&] { const analysis::TemporaryFolder mine(scratch.path(), "x"); };
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const ::pid_t child = ::fork();
  if (child == 0) {
    const analysis::TemporaryFolder mine(scratch.path(), "x");
    std::ofstream(mine / "half") << "half";
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  use_folder();
  CHECK(files_in(scratch.path()) == 2);  // with its marker
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(files_in(scratch.path()) == 2);
  use_folder();
  CHECK(files_in(scratch.path()) == 0);
}

TEST_CASE("temporary folder: nothing without hearsay's name and marker is removed") {
  const test::Scratch scratch;
  scratch.write("thesis.2026000.tmp/chapter1.txt", "precious");
  scratch.write("data.20261124.tmp", "precious");
  scratch.write("thesis.tmp/series.csv", "");  // another name
  scratch.write("thesis.lock", "");
  scratch.write(".hearsay-0123456789abcdeg.tmp/series.csv", "");  // another name
  scratch.write(".hearsay-0123456789abcdeg.lock", "");
  scratch.write(".hearsay-0123456789abcdef.tmp/chapter1.txt", "precious");  // no marker
  std::filesystem::create_directory(scratch.path() /
                                    ".hearsay-0123456789abcdeb.tmp");  // no marker, and empty
  scratch.write(".hearsay-0123456789abcdea.lock", "a marker has no text");
  scratch.write("elsewhere/chapter1.txt", "precious");
  std::filesystem::create_directory_symlink("elsewhere", scratch.path() / ".hearsay-0123456789abcded.tmp");
  scratch.write(".hearsay-0123456789abcded.lock", "");
  const auto others = files_in(scratch.path());
  scratch.write(".hearsay-0123456789abcdec.tmp/series.csv", "half");  // of a process that has ended
  scratch.write(".hearsay-0123456789abcdec.lock", "");
  scratch.write(".hearsay-0123456789abcde9.lock", "");  // ended before it made the folder
  { const analysis::TemporaryFolder mine(scratch.path(), "x"); }
  CHECK(files_in(scratch.path()) == others);
  CHECK_FALSE(std::filesystem::exists(scratch.path() / ".hearsay-0123456789abcdec.tmp"));
  CHECK(content(scratch.path() / "thesis.2026000.tmp/chapter1.txt") == "precious");
  CHECK(content(scratch.path() / "elsewhere/chapter1.txt") == "precious");
}

TEST_CASE("csv: fields that contain a separator, a quote or a line break are quoted") {
  CHECK(analysis::csv_field("plain text") == "plain text");
  CHECK(analysis::csv_field("a,b") == "\"a,b\"");
  CHECK(analysis::csv_field("=1+1") == "'=1+1");
  CHECK(analysis::csv_field("@x,y") == "\"'@x,y\"");
  CHECK(analysis::csv_field("-1.5e3") == "-1.5e3");
  CHECK(analysis::csv_field("-x") == "'-x");
  CHECK(analysis::csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(analysis::csv_field("two\nlines") == "\"two\nlines\"");
}

TEST_CASE("quantile: linear between order statistics") {
  // Type 7 of 1, 2, 3, 4: position p (n - 1).
  CHECK(analysis::quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(analysis::quantile({4, 1, 3, 2}, 0.25) == 1.75);
  CHECK(analysis::quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(analysis::quantile({7}, 0.3) == 7);
  CHECK(std::isnan(analysis::quantile({}, 0.5)));
  // Infinite values are values, as relative_fitness has them where the optimum is 0.
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  CHECK(analysis::quantile({kInfinity, kInfinity, kInfinity}, 0.25) == kInfinity);
  const analysis::Statistics s = analysis::statistics_of(
      {0, kInfinity, kInfinity, 0, kNone, kInfinity, 0, kInfinity, kInfinity, kInfinity});
  CHECK(s.low == 0);
  CHECK(s.median == kInfinity);
  CHECK(s.high == kInfinity);
  CHECK(s.mean == kInfinity);
  CHECK(std::isnan(s.mean_low));
}

TEST_CASE("summary: of axes that vary together only those that distinguish points are shown") {
  // Axes 0 to 2 vary together over four values, which the first two axes identify; axes 3 and 4 are
  // independent, one with a single value.
  std::vector<std::vector<std::string>> labels;
  for (const auto& [loss, width] :
       {std::pair{"squared", "28"}, {"logistic", "28"}, {"squared", "248"}, {"logistic", "248"}}) {
    for (const char* epsilon : {"1", "10"})
      labels.push_back({loss, width, width == std::string("28") ? "0.1" : "1e-3", epsilon, "star"});
  }
  CHECK(analysis::distinguishing_axes(labels, {0, 0, 0, 1, 2}, 5) ==
        std::vector<bool>{true, true, false, true, true});
  CHECK(analysis::distinguishing_axes(labels, {}, 5) == std::vector<bool>(5, true));
  // In a figure over the third axis the first one identifies the rest; in one over the first two nothing is left.
  CHECK(analysis::distinguishing_axes(labels, {0, 0, 0, 1, 2}, 5, {2}) ==
        std::vector<bool>{true, false, true, true, true});
  CHECK(analysis::distinguishing_axes(labels, {0, 0, 0, 1, 2}, 5, {0, 1}) ==
        std::vector<bool>{true, true, false, true, true});
  // The second axis distinguishes nothing, the third does.
  for (auto& row : labels) row[1] = "7", row[2] = row[0] + row[3];
  CHECK(analysis::distinguishing_axes(labels, {4, 4, 4, 1, 2}, 5) ==
        std::vector<bool>{true, false, true, true, true});
}

TEST_CASE("table: columns that exceed the width are continued below, after the first ones") {
  const std::vector<std::vector<std::string>> rows{
      {"axis", "first", "second"}, {"1", "22", "333"}, {"\u00fc", "", "4"}};
  const std::string whole =
      "axis  first  second\n"
      "   1     22     333\n"
      "   \u00fc              4\n";
  CHECK(analysis::align(rows) == whole);
  CHECK(analysis::align(rows, 19) == whole);
  CHECK(analysis::align(rows, 18) ==
        "axis  first\n"
        "   1     22\n"
        "   \u00fc\n"
        "\n"
        "axis  second\n"
        "   1     333\n"
        "   \u00fc       4\n");
  // 31 characters of width leave 24 for the label besides the 5 of "value" and two spaces.
  CHECK(analysis::align({{"axis", "value"}, {"on_off up.mean=8 s down.mean=1 s", "1"}}, 31) ==
        "                    axis  value\n"
        "on_off up....wn.mean=1 s      1\n"
        "labels are shortened to the width of the terminal\n");
}

TEST_CASE("summary: axes of one value stand above the table, labels as tables show them") {
  analysis::StudyHead head{.axes = {"a", "b"}, .metrics = {{.name = "m"}}};
  head.shown = {{}, {{"x mu=1", "x"}}};
  const auto point = [](const char* a, const char* b) {
    return analysis::PointSummary{.labels = {a, b}, .runs = 1, .finals = {{{1, 1, 1}}}};
  };
  CHECK(analysis::summary_text(head, {point("5", "x mu=1"), point("5", "y")}) ==
        "a = 5 at all points\n"
        "b  runs  m [quartiles]\n"
        "x     1       1 [1, 1]\n"
        "y     1       1 [1, 1]\n");
  CHECK(analysis::summary_text(head, {point("5", "y")}) ==
        "a  b  runs  m [quartiles]\n"
        "5  y     1       1 [1, 1]\n");
}

TEST_CASE("summary: cells of baselines are on the data of all owners, or on the owner's own test records") {
  const analysis::StudyHead head{
      .axes = {}, .metrics = {{.name = "test_error"}, {.name = "test_error_by_owner", .per_agent = true}}};
  analysis::PointResult point;
  point.owners = 3;  // the last has no test records
  point.scalars = {{"isolated.test_error", 0, 10},         {"isolated.test_error", 1, 30},
                   {"isolated.test_error", 2, 20},         {"isolated.test_error_by_owner", 0, 1},
                   {"isolated.test_error_by_owner", 1, 2}, {"isolated.test_error_by_owner", 2, std::nan("")},
                   {"isolated.test_error", {}, 20},        {"pooled.test_error", {}, 5}};
  CHECK(
      analysis::summary_text(head, {analysis::PointCollector(head, point).summary()}) ==
      "    runs  test_error [quartiles]  test_error_by_owner [quartiles]\n"
      "       0                       -                                -\n"
      "isolated                      20                              1.5\n"
      "  pooled                       5\n"
      "isolated: mean over the owners' own models, without privacy; test_error: on the data of all owners; "
      "test_error_by_owner: on the owner's own test records\n"
      "pooled: one model learned from all records, without privacy; test_error: on the data of all owners\n");
}

TEST_CASE("summary: the median of a baseline is over those runs that have a number of it") {
  const analysis::StudyHead head{.axes = {}, .metrics = {{.name = "test_error"}}};
  const analysis::PointResult point{};
  analysis::PointCollector collector(head, point);
  for (const double x : {3.0, std::nan(""), 1.0}) {
    analysis::RunResult run;
    run.scalars = {{"isolated.test_error", {}, x}};
    collector.add(run);
  }
  const auto baselines = collector.summary().baselines;
  REQUIRE(baselines.size() == 1);
  CHECK(baselines[0].second == std::vector{2.0});
}

TEST_CASE("trace: payloads have all digits, in a column after the quoted detail") {
  const test::Scratch scratch;
  analysis::TraceOptions options;
  options.payload = true;
  const double numbers[] = {0.1, -3, 1.0 / 3};
  {
    analysis::TraceFiles trace(options, scratch.path());
    trace.record({.time = 1,
                  .kind = sim::TraceKind::kSend,
                  .agent = 3,
                  .peer = 0,
                  .message = sim::order_key(sim::Rank::kMessage, 3, 5),
                  .bytes = 88,
                  .payload = numbers});
    trace.record({.time = 2, .kind = sim::TraceKind::kEvent, .detail = "storm, \"wind\""});
    trace.commit();
  }
  CHECK(content(scratch.path() / "trace.csv") ==
        "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin,payload\n"
        "0,1,send,3,0,message:3:5,,88,,0,,,0.1 -3 0.3333333333333333\n"
        "1,2,event,,,,,,,0,\"storm, \"\"wind\"\"\",,\n");
}

TEST_CASE("trace: events are named, filtered by kind and time, and numbered including those left out") {
  const test::Scratch scratch;
  const auto path = scratch.path() / "trace.csv";
  analysis::TraceOptions options;
  options.kinds = {sim::TraceKind::kSend, sim::TraceKind::kLose};
  options.to = 2;
  {
    analysis::TraceFiles trace(options, scratch.path());
    const auto tick = sim::order_key(sim::Rank::kTick, 3, 17);
    const auto message = sim::order_key(sim::Rank::kMessage, 3, 5);
    trace.record({.time = 1, .kind = sim::TraceKind::kTick, .agent = 3, .cause = tick});
    trace.record({.time = 1,
                  .kind = sim::TraceKind::kSend,
                  .agent = 3,
                  .peer = 0,
                  .message = message,
                  .cause = tick,
                  .bytes = 144,
                  .iteration = 17});
    trace.record({.time = 1.5,
                  .kind = sim::TraceKind::kLose,
                  .agent = 0,
                  .peer = 3,
                  .message = message,
                  .cause = message,
                  .bytes = 144,
                  .staleness = 0.5,
                  .detail = "receiver_down"});
    trace.record({.time = 2.5, .kind = sim::TraceKind::kSend, .agent = 3, .peer = 0, .message = message});
    trace.commit();
  }
  CHECK(content(path) ==
        "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin\n"
        "1,1,send,3,0,message:3:5,tick:3:17,144,,17,,\n"
        "2,1.5,lose,0,3,message:3:5,message:3:5,144,0.5,0,receiver_down,\n");
}
