// What planning and composing budgets costs a study: shared by points and repetitions, and said where it is most of it.
#include <algorithm>

#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/run_maker.hpp"
#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

TEST_CASE("accounting: points and data instances with the same privacy share their release schedules") {
  const Scratch dir;
  const auto plan = scenarios::make_plan(
      dir.write("s.json", small_scenario(R"("repeat": 2, "sweep": {"privacy.epsilon": [1, 2],
                                          "network.latency": [0, 0.1]})")),
      {"data.draw=repetition"}, {});
  REQUIRE(plan.points.size() == 4);
  scenarios::RunMaker maker(plan, 1);
  const auto schedules = [&](std::uint32_t point, std::uint32_t repetition) {
    return maker.experiment({point, repetition})->privacy().schedules;
  };
  const auto first = schedules(0, 0);
  CHECK(first != nullptr);
  CHECK(schedules(0, 1) == first);
  CHECK(plan.points[1].scenario->privacy.epsilon.mean() == 1);
  CHECK(schedules(1, 0) == first);
  CHECK(schedules(1, 1) == first);
  CHECK(schedules(2, 0) != first);
  CHECK(schedules(3, 1) == schedules(2, 0));
}

TEST_CASE("accounting: a study that spends most of its time on an accountant says so") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": {"from": 1, "to": 60, "step": 1}})");
  const auto err = [&](const std::string& accountant) {
    return shell(dir,
                 "hearsay run s.json --no-progress -j 1 --set 'privacy.mechanism=\"gaussian\"' --set "
                 "privacy.delta=1e-5 --set stop.iterations=10000 --set stop.events=20 --set "
                 "privacy.accountant=" +
                     accountant)
        .err;
  };
  CHECK_THAT(err("pld"),
             Contains(" s were spent on composing guarantees with pld: another privacy.accountant, such as "
                      "rdp, is faster and less tight\n"));
  CHECK_THAT(err("rdp"), !Contains("composing guarantees"));
}

TEST_CASE("accounting: the sensitivity in the tables is that of the batches") {
  // One of 2, 3 or 4 records, each bounded by 1e-6, can be another one.
  const Scratch dir;
  dir.write("data.csv", "owner,x,y\na,1,1\na,1,2\nb,1,1\nb,1,2\nb,1,3\nc,1,1\nc,1,2\nc,1,3\nc,1,4\n");
  dir.write("s.json",
            R"({"data": {"type": "csv", "path": "data.csv", "target": "y", "owner": {"column": "owner"}},
    "network": {"topology": "star"}, "protocol": {"type": "fedavg", "batch": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1e-6, "steps": 1}, "stop": {"iterations": 1}})");
  run_study(dir, "");
  std::size_t owners = 0;
  for (const auto& row : rows_of(dir / "out/s/scalars.csv")) {
    if (std::ranges::find(row, "privacy.sensitivity") == row.end()) continue;
    CHECK(std::stod(row.back()) == Approx(2e-6).epsilon(1e-12));
    ++owners;
  }
  CHECK(owners == 3);
}

TEST_CASE("accounting: an owner spends nothing on a query older than one that it has trained from") {
  // The first query takes 3 s and its round ends after 1 s; from then on a round takes 0.2 s. Until 3.05 s owners train from
  // those that arrive at 1.1 s, 1.3 s, ..., 2.9 s, and not from the first, which arrives at 3 s.
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 2, "records": 20, "features": 2},
    "network": {"topology": "star", "latency": "3 s"},
    "events": [{"at": "0.9 s", "set": {"network.latency": "0.1 s"}}],
    "protocol": {"type": "fedavg", "step": 0.01, "round_timeout": "1 s"},
    "privacy": {"mechanism": "gaussian", "epsilon": 2, "delta": 1e-5, "clip": 1, "steps": 60},
    "stop": {"time": "3.05 s"}, "record": {"metrics": ["releases_by_owner.max"]}, "repeat": 1})");
  run_study(dir, "");
  CHECK_THAT(text_of(dir / "out/s/series.csv"), Contains("3.05,44,3520,10\n"));
}

TEST_CASE("accounting: SCAFFOLD spends no release of a training that it can not make") {
  // Option I releases K + 1 = 3 times in a training; of 4 the last one would buy nothing.
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 20, "features": 2},
    "network": {"topology": "star"}, "protocol": {"type": "scaffold", "option": "I", "local_steps": 2, "step": 0.01},
    "privacy": {"mechanism": "laplace", "epsilon": 2, "clip": 1, "steps": 4},
    "stop": {"iterations": 4}, "record": {"metrics": ["releases_by_owner.max"]}, "repeat": 1})");
  run_study(dir, "");
  CHECK_THAT(text_of(dir / "out/s/series.csv"), Contains(",3\n") && !Contains(",4\n"));
}
