// privacy.steps "expected": releases planned from the network, by runs without data.
#include <map>
#include <sstream>

#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;

namespace {

// s.json: `protocol` and further options, with privacy and ten seconds.
std::string expecting(const std::string& protocol, const std::string& more = "",
                      const std::string& privacy = "", const std::string& stop = R"({"time": "10.25 s"})") {
  return R"({"data": {"type": "lending_like", "owners": 4, "records": 30, "features": 2}, "model": {"theta_max": 10},
    "protocol": )" +
         protocol + R"(, "privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1, "steps": "expected")" +
         privacy + R"(}, "stop": )" + stop +
         R"(, "record": {"metrics": ["objective", "epsilon_spent", "budget_used"]})" +
         (more.empty() ? "" : ", " + more) + "}";
}

// By name, the values in scalars.csv of a study without axes: agents of points, repetitions of runs.
std::multimap<std::string, double> scalars_in(const std::string& folder) {
  std::multimap<std::string, double> all;
  std::istringstream lines(test::text_of(folder + "/scalars.csv"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "repetition,name,agent,value");
  while (std::getline(lines, line)) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    all.emplace(fields.at(1), std::stod(fields.at(3)));
  }
  return all;
}

std::vector<double> named(const std::multimap<std::string, double>& all, const char* name) {
  std::vector<double> values;
  const auto [begin, end] = all.equal_range(name);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

// The numbers of releases that are planned, each budget being used whole.
std::vector<double> planned_steps(const std::string& text) {
  const Scratch dir;
  dir.write("s.json", text);
  const auto outcome = test::ended_with(dir, "run s.json --no-progress");
  INFO(outcome.err);
  CHECK_THAT(outcome.err, !Contains("warning: stop"));
  const auto all = scalars_in(dir / "out/s");
  CHECK(named(all, "privacy.used") == std::vector<double>{1});
  return named(all, "privacy.steps");
}

}  // namespace

TEST_CASE("expected steps: where nothing is random, each owner's number of releases, and all of the budget") {
  const std::vector<double> ten(4, 10);
  // Ticks at 1, 2, ..., 10 s.
  const std::string every_second = R"("clocks": {"type": "periodic", "period": "1 s", "phase": "1 s"})";
  CHECK(planned_steps(expecting(R"({"type": "ad_psgd", "step": 0.1})", every_second)) == ten);
  CHECK(planned_steps(expecting(R"({"type": "ad_psgd", "step": 0.1, "local_steps": 3})", every_second)) ==
        std::vector<double>(4, 30));
  // Rounds of a second: owners train at 0.5, 1.5, ..., 9.5 s.
  const std::string half = R"("network": {"topology": "star", "latency": "0.5 s"})";
  CHECK(planned_steps(expecting(R"({"type": "fedavg", "step": 0.1})", half)) == ten);
  CHECK(planned_steps(expecting(R"({"type": "central_sync", "horizon": 1000, "c1": 1})", half)) == ten);
  // Queries at 0, 1, ..., 10 s, of which that at 10 s is answered at 10.5 s: after the end.
  const std::string late = R"("network": {"topology": "star", "latency": "0.5 s"})";
  CHECK(
      planned_steps(expecting(R"({"type": "central_async", "horizon": 1000, "rho": 1, "initiative": "learner",
                            "interval": "1 s", "interleave": true})",
                              late)) == ten);
}

TEST_CASE("expected steps: the rounds of a trusted server") {
  const Scratch dir;
  dir.write("s.json", expecting(R"({"type": "dp_fedavg", "step": 0.1, "participation": 1})",
                                R"("network": {"topology": "star", "latency": "0.5 s"})",
                                R"(, "unit": "owner", "trust": "aggregator")"));
  test::ended_with(dir, "run s.json --no-progress");
  // Rounds end at 1, 2, ..., 10 s.
  const auto all = scalars_in(dir / "out/s");
  CHECK(named(all, "privacy.steps") == std::vector<double>(4, 10));
  CHECK(named(all, "privacy.used") == std::vector<double>{1});
}

TEST_CASE("expected steps: of Poisson clocks, about rate times time, with or without absences") {
  // The 6th smallest of 16 Poisson(100) numbers is above 120 only if 11 of them are, and below 80 only if 6 are:
  // C(16, 6) P(N < 80)^6 = 8008 * 0.0171^6 = 2e-7.
  const Scratch dir;
  dir.write("s.json",
            expecting(R"({"type": "ad_psgd", "step": 0.1})", R"("repeat": 20)", "", R"({"time": "100 s"})"));
  test::ended_with(dir, "run s.json --no-progress");
  const auto all = scalars_in(dir / "out/s");
  for (const double steps : named(all, "privacy.steps")) CHECK((steps >= 80 && steps <= 120));
  // Of the 80 owners and repetitions at least half make all planned releases, unless the plan is bad luck; the second least
  // of 4 owners is then below that with probability at most 11/16: in all 20 repetitions with 5.7e-4.
  std::size_t whole = 0;
  for (const double used : named(all, "privacy.used")) {
    CHECK(used <= 1);
    whole += used >= 0.9 ? 1 : 0;
  }
  CHECK(whole >= 1);
  // Up for 0.8 of the time, in about 20 periods: fewer releases, but more than half as many.
  test::ended_with(
      dir,
      R"(run s.json --no-progress --repeat 1 -o absent --set 'network={"topology": "complete", "availability":
         {"type": "on_off", "up": {"type": "exponential", "mean": "4 s"}, "down": {"type": "exponential", "mean": "1 s"}}}')");
  for (const double steps : named(scalars_in(dir / "absent"), "privacy.steps"))
    CHECK((steps >= 50 && steps <= 100));
}

TEST_CASE("expected steps: no record and no budget matters") {
  const auto steps = [](const std::string& data, const std::string& epsilon) {
    const Scratch dir;
    dir.write("s.json",
              expecting(R"({"type": "gossip_learning", "step": 0.1})", R"("network": {"loss": 0.2})"));
    test::ended_with(
        dir, "run s.json --no-progress --set data.noise=" + data + " --set privacy.epsilon=" + epsilon);
    return named(scalars_in(dir / "out/s"), "privacy.steps");
  };
  const auto one = steps("0.1", "1");
  CHECK(one.size() == 4);
  CHECK(one == steps("3", "1"));
  CHECK(one == steps("0.1", "100"));
}

TEST_CASE("expected steps: need an end that is known without data, and one that they do not decide") {
  const Scratch dir;
  const auto refusal = [&](const std::string& text) {
    return test::refusal(dir, "validate " + dir.write("s.json", text));
  };
  CHECK_THAT(refusal(expecting(R"({"type": "fedavg", "step": 0.1})", "", "", R"({"wall": 5})")),
             Contains("/privacy/steps: \"expected\" needs a limit that is reached without data"));
  std::string personal = expecting(R"({"type": "p2p_coordinate_descent", "run_length": "until_spent"})");
  personal.replace(personal.find(R"({"theta_max": 10})"), 17, R"({"l2": 1e-5})");
  CHECK_THAT(refusal(personal),
             Contains("/protocol: protocol.run_length: expected stop with privacy.steps \"expected\""));
}

TEST_CASE(
    "expected steps: a number that the accountant does not take is refused before the run, as if it were given") {
  // An owner is asked at 1, 2, ..., 11000 ms.
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 30, "features": 2},
    "model": {"l2": 0.001}, "clocks": {"type": "periodic", "period": "1 ms", "phase": "1 ms"},
    "protocol": {"type": "central_async", "rho": 1, "horizon": 1000000, "interleave": true},
    "network": {"topology": "star", "latency": 0}, "stop": {"time": "11.0005 s"},
    "privacy": {"mechanism": "gaussian", "epsilon": 1, "delta": 1e-5, "accountant": "pld", "clip": 1,
                "steps": "expected"}, "record": {"metrics": ["objective"]}})");
  const std::string line = test::ended_with(dir, "run s.json --no-progress", 2).err;
  CHECK_THAT(line, Contains("/protocol: pld: expected at most 10000 steps, found 11000"));
  const std::string given =
      test::ended_with(dir, "run s.json --no-progress --set privacy.steps=11000", 2).err;
  CHECK_THAT(line, Contains(given.substr(given.find("/protocol"))));
}

TEST_CASE("privacy.steps: a number plans the releases of a central learner's owners") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario());
  // epsilon 1 in 3 releases of each owner: the run ends when all are made, long before 200 iterations.
  const auto done = test::ended_with(
      dir,
      R"(run s.json --no-progress --set privacy.steps=3 --set 'record.metrics=["releases_by_owner.max", "epsilon_spent"]')");
  CHECK_THAT(done.out, Contains("3 [3, 3]") && Contains("1 [1, 1]"));
}
