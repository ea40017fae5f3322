// A study that is changed, interrupted, or run on other numbers of threads.
#include "tests/support/changed_store.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

const std::vector<std::string> kExports{"series.csv", "scalars.csv", "runs.csv"};

std::string counts(const std::string& text) {
  const std::size_t runs = text.find(" runs: ");  // a warning may come first
  const std::size_t begin = text.rfind('\n', runs) + 1;
  return text.substr(begin, text.find(';', runs) - begin);
}

}  // namespace

TEST_CASE("resume: a further value of an axis and more repetitions make exactly the new runs") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 3)");
  const std::string out = "-o out ";
  CHECK(counts(run_study(dir, out)) == "6 runs: 0 cached, 6 to run");
  CHECK(counts(run_study(dir, out)) == "6 runs: 6 cached, 0 to run");
  CHECK(counts(run_study(dir, out + "--set 'sweep.privacy.epsilon=[0.1,0.5,1]'")) ==
        "9 runs: 6 cached, 3 to run");
  CHECK(counts(run_study(dir, out + "--set 'sweep.privacy.epsilon=[0.1,0.5,1]' --repeat 5")) ==
        "15 runs: 9 cached, 6 to run");
  run_study(dir, "-o fresh --set 'sweep.privacy.epsilon=[0.1,0.5,1]' --repeat 5");
  check_same_files(dir / "out", dir / "fresh", kExports);
  // A study that asks for less shows less, and throws nothing away.
  CHECK(counts(run_study(dir, out + "--points 'privacy.epsilon > 0.5' --repeat 2")) ==
        "2 runs: 2 cached, 0 to run");
  CHECK(counts(run_study(dir, out + "--set 'sweep.privacy.epsilon=[0.1,0.5,1]' --repeat 5")) ==
        "15 runs: 15 cached, 0 to run");
  check_same_files(dir / "out", dir / "fresh", kExports);
}

TEST_CASE("resume: options that change no event and no number keep all runs, others repeat them") {
  const test::StudyFolder dir(R"("repeat": 2)");
  const std::string out = "-o out ";
  run_study(dir, out);
  CHECK(
      counts(run_study(dir, out + "--set name=x --set description=y --set 'baselines=[\"pooled\"]' -j 2")) ==
      "2 runs: 2 cached, 0 to run");
  CHECK(text_of(dir / "out/scalars.csv").find("pooled.objective") != std::string::npos);
  CHECK(counts(run_study(dir, out + "--set 'network.latency.max=0.015'")) == "2 runs: 2 cached, 0 to run");
  CHECK(counts(run_study(dir, out + "--set 'network.latency.max=16 ms'")) == "2 runs: 0 cached, 2 to run");
  CHECK(counts(run_study(dir, out + "--seed 2")) == "2 runs: 0 cached, 2 to run");
  CHECK(counts(run_study(dir, out + "--set stop.events=100000")) == "2 runs: 0 cached, 2 to run");
}

TEST_CASE("resume: another metric repeats the runs, with the same fingerprints") {
  const test::StudyFolder dir(R"("repeat": 3)");
  run_study(dir, "-o out");
  const std::string before = text_of(dir / "out/runs.csv");
  const std::string metrics =
      R"(--set 'record.metrics=["objective","messages"]' --set record.every.iterations=10 )";
  CHECK(counts(run_study(dir, metrics + "-o out")) ==
        "3 runs: 0 cached, 3 to run (3 of them again, to record other values)");
  CHECK(text_of(dir / "out/runs.csv") == before);
  run_study(dir, metrics + "-o fresh");
  check_same_files(dir / "out", dir / "fresh", kExports);
  // Both records are there from now on.
  CHECK(counts(run_study(dir, "-o out")) == "3 runs: 3 cached, 0 to run");
}

TEST_CASE("resume: a repeated run with another fingerprint is an internal error with both fingerprints") {
  const test::StudyFolder dir;
  run_study(dir, "-o out");
  test::rewrite(dir / "out", "UPDATE run SET fingerprint = 81985529216486895");
  const auto again = test::ended_with(dir, R"(run s.json -o out --set 'record.metrics=["objective"]')", 70);
  CHECK_THAT(again.err, Catch::Contains("expected 0123456789abcdef") && Catch::Contains("seed 1") &&
                            Catch::Contains("to reproduce: hearsay run"));
}

namespace {

// Iterations that take a study some seconds.
#ifdef HEARSAY_SANITIZED
constexpr int kLong = 30'000;
#else
constexpr int kLong = 600'000;
#endif

// Starts a study of some seconds, and sends it a signal once it has committed something.
test::Outcome stopped_by(const std::string& signal, const Scratch& dir) {
  dir.write("s.json", small_scenario(R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 8)", kLong));
  // Reads the live database meanwhile, as anybody may.
  dir.write("committed.py",
            "import sqlite3, sys, time\n"
            "while True:\n"
            "  time.sleep(0.02)\n"
            "  try:\n"
            "    runs = sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM run')\n"
            "    if runs.fetchone()[0] > 3: break\n"
            "  except sqlite3.OperationalError: pass\n");
  return shell(
      dir,
      "$program run s.json -j 1 -o out --no-progress &\n/usr/bin/python3 committed.py out/results.sqlite; kill -" +
          signal + " $!; wait $!");
}

}  // namespace

TEST_CASE(
    "resume: a study ended by SIGKILL, SIGINT or SIGTERM resumes, and its tables equal those of an "
    "uninterrupted "
    "study") {
  const Scratch fresh;
  for (const std::string signal : {"KILL", "INT", "TERM"}) {
    INFO(signal);
    const Scratch dir;
    const auto stopped = stopped_by(signal, dir);
    std::string stored;
    if (signal == "KILL") {
      CHECK(stopped.code == 137);
      CHECK_FALSE(std::filesystem::exists(dir / "out/series.csv"));
      run_study(dir, "-j 2 -o " + fresh / "out");
    } else {
      // The program exports what there is, and says how to continue.
      CHECK(stopped.code == 130);
      const std::string said = "interrupted: ";
      stored = stopped.err.substr(stopped.err.find(said) + said.size());
      stored = stored.substr(0, stored.find(' '));
      CHECK_THAT(stopped.err,
                 Catch::Contains(said + stored + " of 16 runs are stored; run the same command to resume"));
      CHECK_THAT(stopped.out, Catch::Contains(" points, " + stored + " of 16 runs (" + stored + " new) in "));
      CHECK(text_of(dir / "out/runs.csv").find(",interrupted,") != std::string::npos);
      CHECK(std::filesystem::exists(dir / "out/manifest.json"));
    }
    const std::string again = run_study(dir, "-j 2 -o out");
    INFO(again);
    CHECK(again.starts_with("16 runs: " + stored));
    CHECK_FALSE(again.starts_with("16 runs: 0 cached"));
    CHECK_FALSE(again.starts_with("16 runs: 16 cached"));
    check_same_files(dir / "out", fresh / "out", kExports);
  }
}

TEST_CASE(
    "resume: a run that is interrupted while an equal point makes it again for its trace stays stored") {
  const test::StudyFolder dir(R"("sweep": {"description": ["a", "b"]})", 4 * kLong);
  const auto stopped =
      shell(dir,
            "$program run s.json -j 1 -o out --no-progress --set record.every.iterations=10000 --set "
            "'record.trace={\"point\": 1, \"from\": 1e9}' &\n"
            "until hearsay status out 2> /dev/null | grep -q ' 2 done'; do kill -0 $! || break; sleep "
            "0.02; done; kill -INT $!; wait $!");
  INFO(stopped.err);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.err, Catch::Contains("interrupted: 2 of 2 runs are stored"));
  CHECK_THAT(ended_with(dir, "status out").out, Catch::Contains(" 2 done, 0 diverged, 0 failed; 0 left"));
  CHECK(text_of(dir / "out/series.csv").size() > 200);
}

TEST_CASE("resume: data drawn by every repetition are the same in any order of runs") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 4,
                                        "baselines": ["isolated"])");
  const std::string draw = "--set data.draw=repetition ";
  run_study(dir, draw + "-j 1 -o one");
  run_study(dir, draw + "-j 2 -o two --repeat 2");
  CHECK(counts(run_study(dir, draw + "-j 2 -o two")) == "8 runs: 4 cached, 4 to run");
  check_same_files(dir / "one", dir / "two", kExports);
}
