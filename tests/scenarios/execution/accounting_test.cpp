// What planning and composing budgets costs a study: shared by points and repetitions, and said where it is most of it.
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/run_maker.hpp"
#include "tests/support/process.hpp"

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
