// A run that goes on from its snapshot is the same run: its tables and its trace, byte for byte.
#include <filesystem>
#include <fstream>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

namespace fs = std::filesystem;

// Late, lossy publications of agents that come and go; 400 iterations take about 50 s.
constexpr const char* kStudy = R"({
  "data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12}, "model": {"loss": "logistic"},
  "network": {"topology": "similarity", "latency": {"type": "uniform", "max": "500 ms"}, "loss": 0.1,
              "availability": {"type": "on_off", "up": {"type": "exponential", "mean": 5},
                               "down": {"type": "exponential", "mean": 1}}},
  "events": [{"at": "10 s", "set": {"network.latency": "50 ms"}}],
  "protocol": {"type": "p2p_coordinate_descent"},
  "privacy": {"mechanism": "laplace", "epsilon": 5, "steps": 10, "clip": 1}, "stop": {"iterations": 400},
  "sweep": {"protocol.mu": [0.1, 1]}, "repeat": 2,
  "record": {"metrics": ["own_test_error", "objective_q", "messages"], "every": {"time": "1 s"},
             "trace": {"format": ["csv", "perfetto"], "point": 1, "repetition": 1}}
})";

// A study that has been paused in the folder out, and the same without a pause in the folder whole.
struct Paused {
  test::Scratch dir;
  explicit Paused(const std::string& time = "20 s") {
    dir.write("s.json", kStudy);
    REQUIRE(shell(dir, "$program run s.json -o whole -j 1 --no-progress").code == 0);
    const auto outcome = shell(dir, "$program run s.json -o out -j 1 --no-progress --pause '" + time + "'");
    CHECK(outcome.code == 0);
    CHECK(outcome.err.find("paused at 20 s: 0 of 4 runs are stored; run the same command without --pause") !=
          std::string::npos);
    for (const auto& entry : fs::directory_iterator(dir / "out/snapshots")) files.push_back(entry.path());
    REQUIRE(files.size() == 4);
  }
  test::Outcome go_on() const { return shell(dir, "$program run s.json -o out -j 2 --no-progress"); }
  void check_same() const {
    check_same_files(dir / "out", dir / "whole",
                     {"series.csv", "scalars.csv", "runs.csv", "trace.csv", "trace.perfetto.json"});
  }
  std::vector<fs::path> files;
};

}  // namespace

TEST_CASE("snapshots: a paused study goes on, to the same tables and trace") {
  const Paused paused;
  const auto outcome = paused.go_on();
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " goes on from ") == 4);
  paused.check_same();
  CHECK_FALSE(fs::exists(paused.dir / "out/snapshots"));
}

TEST_CASE("snapshots: what is damaged, cut off or of another build is refused with a line, and made again") {
  const Paused paused;
  const auto change = [](const fs::path& file, std::size_t at) {
    std::string text = text_of(file.string());
    text.at(at) = static_cast<char>(text.at(at) ^ 1);
    std::ofstream(file, std::ios::binary) << text;
  };
  change(paused.files[0], text_of(paused.files[0].string()).size() / 2);
  fs::resize_file(paused.files[1], 1000);
  fs::resize_file(paused.files[2], 0);
  const auto outcome = paused.go_on();
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " is damaged: point ") == 3);
  CHECK(occurrences(outcome.err, " begins again") == 3);
  CHECK(occurrences(outcome.err, " goes on from ") == 1);
  paused.check_same();
}

TEST_CASE("snapshots: a folder in place of a state, and what a killed process has left half written") {
  const Paused paused;
  fs::remove(paused.files[0]);
  fs::create_directory(paused.files[0]);
  const std::string left = "out/snapshots/.hearsay-0123456789abcdef";
  fs::create_directory(paused.dir / (left + ".tmp"));
  paused.dir.write(left + ".tmp/state", "half");
  paused.dir.write(left + ".lock", "");
  const auto outcome = paused.go_on();
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " goes on from ") == 3);
  paused.check_same();
  CHECK_FALSE(fs::exists(paused.dir / "out/snapshots"));
}

TEST_CASE("snapshots: a stored run that is paused while it is made again for its trace goes on") {
  const test::Scratch dir;
  dir.write("s.json", kStudy);
  const std::string run = "$program run s.json -j 1 --no-progress ";
  REQUIRE(shell(dir, run + "-o whole").code == 0);
  REQUIRE(shell(dir, run + "-o out --set record.trace=null").code == 0);
  CHECK(occurrences(shell(dir, run + "-o out --pause 20").err, "paused at 20 s: 4 of 4 runs are stored") ==
        1);
  CHECK(fs::exists(dir / "out/snapshots"));
  const auto outcome = shell(dir, run + "-o out");
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " goes on from ") == 1);
  check_same_files(dir / "out", dir / "whole",
                   {"series.csv", "scalars.csv", "runs.csv", "trace.csv", "trace.perfetto.json"});
}

TEST_CASE("snapshots: one of a run that records other values is not used") {
  const Paused paused;
  const auto outcome =
      shell(paused.dir, "$program run s.json -o out -j 1 --no-progress --set record.every.time=2");
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " is of another build, scenario or data: point ") == 4);
}

TEST_CASE("snapshots: a run that is killed goes on from its last snapshot") {
  const test::Scratch dir;
  dir.write("s.json", test::small_scenario("", 200'000));
  const std::string run = "$program run s.json -j 1 --no-progress ";
  REQUIRE(shell(dir, run + "-o whole").code == 0);
  const std::string interval = GENERATE(R"({"iterations":2000})", R"({"wall":"20 ms"})");
  const std::string often = run + "-o out --set 'record.snapshot=" + interval + "'";
  const std::string snapshots = "ls out/snapshots/*.snapshot > /dev/null 2>&1";
  shell(dir, often + " & while kill -0 $! && ! " + snapshots + "; do :; done; kill -9 $!; wait $!");
  REQUIRE(shell(dir, snapshots).code == 0);
  const auto outcome = shell(dir, often);
  CHECK(outcome.code == 0);
  CHECK(occurrences(outcome.err, " goes on from ") == 1);
  check_same_files(dir / "out", dir / "whole", {"series.csv", "scalars.csv", "runs.csv"});
}

TEST_CASE("snapshots: the runs of other points keep theirs when a part of a study is complete") {
  const Paused paused;
  const auto part = shell(paused.dir,
                          "$program run s.json -o out --no-progress --points 'protocol.mu < 0.5' "
                          "--set record.trace=null");
  CHECK(part.code == 0);
  CHECK(occurrences(part.err, " goes on from ") == 2);
  CHECK(occurrences(paused.go_on().err, " goes on from ") == 2);
  paused.check_same();
}

TEST_CASE("snapshots: intervals of simulated time that are shorter than the gaps between events") {
  const test::Scratch dir;
  dir.write("s.json", test::small_scenario());
  const std::string run = "$program run s.json -j 1 --no-progress ";
  REQUIRE(shell(dir, run + "-o whole").code == 0);
  REQUIRE(shell(dir, run + "-o out --set 'record.snapshot={\"time\":\"1 ns\"}'").code == 0);
  CHECK(text_of(dir / "out/series.csv") == text_of(dir / "whole/series.csv"));
  CHECK_FALSE(fs::exists(dir / "out/snapshots"));
}

TEST_CASE("snapshots: without record.snapshot nothing is kept, unless a pause asks for it") {
  const test::Scratch dir;
  dir.write("s.json", kStudy);
  const std::string run = "$program run s.json -o out -j 1 --no-progress --set record.snapshot=null";
  CHECK(shell(dir, run + " --pause 5").code == 0);
  CHECK(fs::exists(dir / "out/snapshots"));
  const auto outcome = shell(dir, run);
  CHECK(occurrences(outcome.err, " goes on from ") == 4);
}

TEST_CASE("snapshots: numbers that were not finite before the pause end no run after it") {
  const test::Scratch dir;
  // Until 5 s an agent sends infinity, which is lost; the steps are too long, so that all models are some time.
  dir.write("s.json",
            R"({"seed": 5, "data": {"type": "linear_separators", "owners": 6, "features": 3, "records": 12},
    "network": {"topology": "complete", "latency": "10 ms"}, "protocol": {"type": "gossip_learning", "step": 1e20},
    "privacy": {"mechanism": "none"}, "stop": {"time": "200 s"},
    "adversaries": {"agents": [2], "behaviour": "infinite", "from": "0 s", "to": "5 s"},
    "record": {"every": {"time": "0.1 s"}, "metrics": ["messages"]}})");
  const std::string run = "$program run s.json -j 1 --no-progress -o ";
  REQUIRE(shell(dir, run + "whole").code == 6);  // it has diverged
  REQUIRE(shell(dir, run + "out --pause 13").code == 0);
  REQUIRE(shell(dir, run + "out").code == 6);
  check_same_files(dir / "out", dir / "whole", {"series.csv", "runs.csv"});
}

TEST_CASE("snapshots: a pause whose states cannot be kept is an error") {
  const test::Scratch dir;
  dir.write("s.json", kStudy);
  fs::create_directory(dir / "out");
  dir.write("out/snapshots", "");
  const auto outcome = shell(dir, "$program run s.json -o out -j 1 --no-progress --pause 5");
  CHECK(outcome.code == 4);
  CHECK(outcome.err.find("its state is not kept") != std::string::npos);
  CHECK(outcome.err.find("paused at") == std::string::npos);
}

TEST_CASE("snapshots: progress counts the runs that are stored") {
  const test::Scratch dir;
  dir.write("s.json", kStudy);
  const std::string run = "$program run s.json -o out -j 1 --json-progress ";
  CHECK(occurrences(shell(dir, run + "--pause 5").err, R"("runs":4,"stored":0,)") > 0);
  REQUIRE(shell(dir, run).code == 0);
  // Two new repetitions, and that of the trace once more.
  const auto more = shell(dir, run + "--repeat 3");
  CHECK(occurrences(more.err, R"("runs":6,"stored":6,)") > 0);
  CHECK(occurrences(more.err, R"("stored":7)") == 0);
}
