// Folders and files that cannot be written or read: one line, exit code 4.
#include <algorithm>
#include <filesystem>

#include "analysis/store/output_file.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

void check_refused(const Outcome& outcome, const std::string& part) {
  INFO(outcome.err);
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, Catch::Contains(part));
  CHECK_THAT(outcome.err, !Catch::Contains("internal"));
}

// Starts a long trace into a folder and sends it a signal once it has its temporary folder, after 10 s at the latest. It
// writes 100 MB at most.
Outcome ended_trace(const Scratch& dir, const std::string& signal, const std::string& then) {
  const std::string scenario = dir.write("long.json", small_scenario("", 100000000));
  // Job control: else the shell lets its background jobs ignore SIGINT.
  return shell(dir,
               "set -m; ulimit -f 100000; $program trace " + scenario +
                   " -o out/trace.csv & for i in {1..200}; do ls -A out | grep -q 'hearsay-.*tmp' && break; "
                   "sleep 0.05; done; kill -" +
                   signal + " $!; wait $!; " + then);
}

}  // namespace

TEST_CASE("output: a folder that cannot be created or written is reported in one line") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario()) + " --no-progress -o ";
  check_refused(shell(dir, run + "/proc/hearsay"), "/proc/hearsay: cannot be created");
}

TEST_CASE("output: a file in place of a folder, or the reverse, is refused before anything is computed") {
  const Scratch dir;
  const std::string scenario = dir.write("s.json", small_scenario());
  test::ended_with(dir, "run " + scenario + " --no-progress -o out");
  dir.write("file", "x");
  const auto refused = [&](const std::string& command, const std::string& part) {
    const std::string outcome = test::refusal(dir, command);
    CHECK_THAT(outcome, Catch::Contains(part));
    CHECK(std::count(outcome.begin(), outcome.end(), '\n') == 1);
  };
  const std::string run = "run " + scenario + " -o ";
  refused(run + "/dev/full",
          "--output: expected a folder for the results, found '/dev/full', which is no folder");
  refused(run + "file", "found 'file', which is no folder");
  refused(run + "file/below", "found 'file', which is no folder");
  refused("export out -o file", "found 'file', which is no folder");
  for (const char* command : {"report", "trace"}) {
    const std::string start = std::string(command) + " out -o ";
    refused(start + "out", "--output: expected a file to write, found the folder 'out'");
    refused(start + "none/x", "--output: there is no folder 'none': create it first");
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path()))
    CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("output: a file that cannot take its name leaves nothing behind") {
  const Scratch dir;
  std::filesystem::create_directories(dir.path() / "folder" / "inside");
  analysis::OutputFile file(dir.path() / "folder");
  file.write("x");
  CHECK_THROWS_WITH(file.commit(), Catch::StartsWith(dir / "folder: cannot be written: "));
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("output: a full disk ends the study, which resumes once there is space") {
  const Scratch dir;
  const std::string run =
      "hearsay run " + dir.write("s.json", small_scenario(R"("repeat": 3000, "model": {"l2": 0.01})", 20)) +
      " --no-progress -j 2 -o out";
  check_refused(shell(dir, "trap '' XFSZ; ulimit -f 300; " + run), "out/results.sqlite");
  const Outcome again = shell(dir, run);
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Catch::StartsWith("3000 runs: ") && !Catch::StartsWith("3000 runs: 3000 cached"));
}

TEST_CASE("output: a damaged database is reported in one line and not changed") {
  const Scratch dir;
  const std::string run =
      "hearsay run " + dir.write("s.json", small_scenario(R"("repeat": 40)")) + " --no-progress -o out";
  REQUIRE(shell(dir, run).code == 0);
  const std::string good = test::text_of(dir / "out/results.sqlite");

  dir.write("out/results.sqlite",
            "this is no database, but it is long enough to be one\n" + std::string(5000, 'x'));
  check_refused(shell(dir, run), "damaged, or not a database");
  dir.write("out/results.sqlite", good.substr(0, good.size() / 2));
  check_refused(shell(dir, run), "damaged");
  std::string holed = good;
  std::fill(holed.begin() + 8192, holed.begin() + 30000, '\x5a');
  dir.write("out/results.sqlite", holed);
  check_refused(shell(dir, run), "damaged");
  CHECK(test::text_of(dir / "out/results.sqlite") == holed);
  dir.write("out/results.sqlite", good);
  CHECK(shell(dir, run).err.starts_with("40 runs: 40 cached"));
}

TEST_CASE("output: standard output that cannot be written is an error, not success") {
  check_refused(shell("hearsay list metrics > /dev/full; exit $?"), "No space left on device");
}

TEST_CASE("output: messages that cannot be written end no study") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario()) + " --no-progress -o ";
  CHECK(shell(dir, run + "full 2>/dev/full; exit $?").code == 0);
  CHECK(shell(dir, run + "closed 2>&-; exit $?").code == 0);
  check_same_files(dir / "full", dir / "closed", {"series.csv", "scalars.csv", "runs.csv"});
  test::ended_with(dir, "run none.json 2>/dev/full; exit $?", 2);
}

TEST_CASE("output: closed standard output is an error, and no file takes its place") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario()) + " --no-progress -o out";
  check_refused(shell(dir, run + " >&-; exit $?"), "Bad file descriptor");
  CHECK(shell(dir, run).code == 0);
}

TEST_CASE(
    "output: what a killed process has left is removed by the next command, what is not hearsay's stays") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario()) + " --no-progress -o out";
  REQUIRE(shell(dir, run).code == 0);
  REQUIRE(ended_trace(dir, "KILL", "").code == 137);
  CHECK(shell(dir, "ls -A out | grep -c '^[.]hearsay-'").out == "2\n");
  dir.write("out/mine.tmp", "kept");
  dir.write("out/thesis.2026000.tmp/chapter1.txt", "kept");
  dir.write("out/series.csv.999999999.tmp", "kept");
  for (const std::string& command :
       {run, std::string("hearsay export out"), std::string("hearsay figures out -o out"),
        std::string("hearsay report out"), std::string("hearsay merge out -o out")}) {
    INFO(command);
    CHECK(shell(dir, command).code == 0);
    CHECK(shell(dir, "ls -A out | grep -c '^[.]hearsay-'").out == "0\n");
    for (const char* name : {"mine.tmp", "thesis.2026000.tmp/chapter1.txt", "series.csv.999999999.tmp"})
      CHECK(test::text_of(dir / "out/" + name) == "kept");
  }
}

TEST_CASE("output: a command that is ended by a signal leaves no temporary files") {
  const Scratch dir;
  std::filesystem::create_directories(dir.path() / "out");
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const Outcome ended = ended_trace(dir, signal, "echo $?; ls -A out");
    INFO(signal);
    CHECK(ended.out == (signal == "INT" ? "130\n" : signal == "TERM" ? "143\n" : "129\n"));
  }
}

TEST_CASE("output: a page or a trace goes into a FIFO, a device or standard output, and through a link") {
  const Scratch dir;
  const std::string scenario = dir.write("s.json", small_scenario()), out = dir / "out";
  test::ended_with(dir, "run " + scenario + " --no-progress -o " + out);
  REQUIRE(shell(dir, "mkfifo fifo").code == 0);
  dir.write("kept/target", "old");
  std::filesystem::create_symlink("kept/target", dir.path() / "link");
  for (const std::string& command : {"report " + out, "trace " + scenario}) {
    INFO(command);
    const auto start = [&](const std::string& to) { return "hearsay " + command + " -o " + to; };
    REQUIRE(shell(dir, start(dir / "file")).code == 0);
    const std::string expected = test::text_of(dir / "file");
    CHECK(shell(dir, "cat fifo > read & timeout 60 $program " + command + " -o fifo && wait").code == 0);
    CHECK(std::filesystem::is_fifo(dir.path() / "fifo"));
    CHECK(test::text_of(dir / "read") == expected);
    CHECK(shell(dir, start("/dev/stdout")).out == expected);
    CHECK(shell(dir, start(dir / "link")).code == 0);
    CHECK(std::filesystem::is_symlink(dir.path() / "link"));
    CHECK(test::text_of(dir / "kept/target") == expected);
    // A node of its own: as root the one in /dev is at risk.
    if (shell(dir, "mknod full c 1 7 2> /dev/null || ln -s /dev/full full").code != 0) return;
    check_refused(shell(dir, start(dir / "full")), "full: writing failed: No space left on device");
    std::filesystem::remove(dir.path() / "full");
  }
}

TEST_CASE("output: a database of another program is not written to") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario()) + " --no-progress -o out";
  dir.write("out/x", "");
  REQUIRE(
      shell(
          dir,
          "/usr/bin/python3 -c \"import sqlite3; d = sqlite3.connect('out/results.sqlite'); d.execute('create table t (x)'); d.commit()\"")
          .code == 0);
  check_refused(shell(dir, run), "not a database of hearsay's results");
}

TEST_CASE("output: a folder that is removed while its study runs keeps no runs, and the message says so") {
  const Scratch dir;
  const std::string run = "$program run " + dir.write("s.json", small_scenario(R"("repeat": 4000)", 4000)) +
                          " --no-progress -j 1 -o out";
  const Outcome ended =
      shell(dir, run + " & until [ -e out/results.sqlite ]; do sleep 0.02; done; rm -r out; wait $!");
  check_refused(ended, "results.sqlite was removed while the study ran: run the same command again");
  CHECK_THAT(ended.err, !Catch::Contains("completed runs are stored"));
}

TEST_CASE("output: two processes do not write to one folder") {
  const Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", small_scenario(R"("repeat": 2000)", 4000)) +
                          " --no-progress -j 1 -o out";
  const Outcome second =
      shell(dir, run + " 2>/dev/null >/dev/null & until [ -e out/results.sqlite ]; do sleep 0.02; done; " +
                     run + "; code=$?; kill -9 $!; exit $code");
  check_refused(second, "out: another hearsay process is writing to this folder");
}
