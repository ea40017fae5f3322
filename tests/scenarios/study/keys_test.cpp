#include "scenarios/study/keys.hpp"

#include "scenarios/study/plan.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

scenarios::Plan plan_of(const Scratch& dir, const std::vector<std::string>& sets = {},
                        const std::string& changes = "") {
  return scenarios::make_plan(dir.write("s.json", small_scenario(changes)), sets, {});
}

std::string key(const std::vector<std::string>& sets) {
  const Scratch dir;
  return plan_of(dir, sets).points.front().key;
}

std::string record(const std::vector<std::string>& sets) {
  const Scratch dir;
  return plan_of(dir, sets).record_key;
}

}  // namespace

TEST_CASE("keys: SHA-256 is that of FIPS 180-4's examples") {
  CHECK(scenarios::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(scenarios::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const Scratch dir;
  CHECK(scenarios::sha256_of_file(dir.write("f", std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("keys: the key of a run has only what can change an event or a number") {
  const std::string same = key({});
  for (const char* set :
       {"name=x", "description=x", "repeat=7", R"(record.metrics=["objective"])", "record.models=final",
        "record.every.iterations=1", "record.trace={}", R"(baselines=["pooled"])", "clocks.rate=1",
        "network.latency.max=0.015", "privacy.epsilon=1.0"}) {
    INFO(set);
    CHECK(key({set}) == same);
  }
  for (const char* set : {"seed=2", "network.loss=0.1", "stop.iterations=201", "privacy.epsilon=2",
                          "data.records=201", "network.latency.max=16 ms", "protocol.rho=2", "model.l2=1e-4",
                          R"(stop.target={"metric":"objective","below":1,"check_every":1})"}) {
    INFO(set);
    CHECK(key({set}) != same);
  }
  CHECK(scenarios::run_key(same, 0) != scenarios::run_key(same, 1));
}

TEST_CASE("keys: the record key has only metrics, models and 'every'") {
  const std::string same = record({});
  CHECK(record({R"(record.metrics=["objective"])"}) != same);
  CHECK(record({"record.every.iterations=1"}) != same);
  CHECK(record({"record.models=final"}) != same);
  CHECK(record({"record.models=none"}) == same);
  CHECK(record({"seed=2"}) == same);
  CHECK(record({R"(baselines=["pooled"])"}) == same);
  // Data of each repetition have baselines of their own.
  CHECK(record({"data.draw=repetition", R"(baselines=["pooled"])"}) != record({"data.draw=repetition"}));
}

TEST_CASE("keys: what is said of a point does not depend on what else is stored") {
  const Scratch dir;
  dir.write("s.json", small_scenario());
  // This protocol learns no model for all, so that only a metric asks for theta*.
  const std::string run =
      R"(run s.json --no-progress --set protocol='{"type": "p2p_coordinate_descent"}' --set network.topology=complete )"
      R"(--set privacy.mechanism=none --set record.metrics='["objective")";
  const auto scalars = [&](const std::string& folder, const std::string& metrics) {
    ended_with(dir, run + metrics + "]' -o " + folder);
    return text_of(dir / folder + "/scalars.csv");
  };
  const std::string with = scalars("with", R"(, "relative_fitness")"), without = scalars("without", "");
  CHECK_THAT(with, Catch::Contains("optimum.objective"));
  CHECK_THAT(without, !Catch::Contains("optimum.objective"));
  CHECK(scalars("with", "") == without);
  CHECK(scalars("without", R"(, "relative_fitness")") == with);
}

TEST_CASE("keys: baselines that are added are those of every point that draws its data or network") {
  // The first point draws none.
  const test::StudyFolder dir(
      R"("sweep": {"seed": [1, 2], "data.draw": ["study", "repetition"]}, "repeat": 2)");
  ended_with(dir, "run s.json --no-progress -o out");
  const std::string more = R"(run s.json --no-progress --set baselines='["isolated"]' -o )";
  const std::string err = ended_with(dir, more + "out").err;
  CHECK_THAT(err, Catch::Contains("8 runs: 0 cached, 8 to run"));
  ended_with(dir, more + "fresh");
  check_same_files(dir / "out", dir / "fresh", {"scalars.csv", "series.csv"});
}

TEST_CASE("keys: 'every' is in the key of a run if a target is checked at every sample") {
  const std::string target = R"(stop.target={"metric":"objective","below":1})";
  CHECK(key({target}) != key({target, "record.every.iterations=7"}));
  CHECK(key({target, "stop.target.check_every=3"}) ==
        key({target, "stop.target.check_every=3", "record.every.iterations=7"}));
}

TEST_CASE("keys: an input file counts by its contents, not its path") {
  const Scratch dir;
  const auto key_with = [&](const std::string& file, const std::string& text) {
    dir.write(file, text);
    const std::string scenario = dir.write(
        "s.json", R"({"data": {"type": "csv", "path": ")" + file +
                      R"(", "target": "y", "owner": {"blocks": 2}}, "privacy": {"mechanism": "none"},
                      "protocol": {"type": "central_async", "rho": 1},
                      "stop": {"iterations": 5}})");
    return scenarios::make_plan(scenario, {}, {}).points.front().key;
  };
  const std::string text = "x,y\n1,2\n2,3\n3,5\n4,4\n";
  const std::string same = key_with("a.csv", text);
  CHECK(key_with("b/c.csv", text) == same);
  CHECK(key_with("a.csv", text + "5,5\n") != same);
}

TEST_CASE("keys: independent random numbers give every point its own seed, common ones the same seed") {
  const Scratch dir;
  const std::string axes = R"("sweep": {"privacy.epsilon": [1, 2])";
  const auto common = plan_of(dir, {}, axes + "}");
  CHECK(common.points[0].scenario->seed == common.points[1].scenario->seed);
  const auto independent = plan_of(dir, {}, axes + R"(, "random_numbers": "independent"})");
  CHECK(independent.points[0].scenario->seed != independent.points[1].scenario->seed);
  CHECK(independent.points[0].scenario->seed < (1ull << 53));
  // A further value of the axis changes nobody's seed.
  const auto more =
      plan_of(dir, {"sweep.privacy.epsilon=[0.5,2,1]"}, axes + R"(, "random_numbers": "independent"})");
  CHECK(more.points[1].key == independent.points[1].key);
  CHECK(more.points[2].key == independent.points[0].key);
}
