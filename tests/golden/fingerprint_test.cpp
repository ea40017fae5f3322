// Fingerprints of small runs, so that a change of any event or number is noticed. They hold for the golden
// preset (no vectorisation); they change only in a commit that says why and names the first event that
// differs.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "scenarios/language/reader.hpp"
#include "scenarios/runner/experiment.hpp"

using namespace hearsay;

namespace {

std::string fingerprint(const std::string& text) {
  const scenarios::Document document = scenarios::parse(text, "golden");
  scenarios::Scenario scenario;
  scenarios::read(document, document.root, scenario);
  const scenarios::Experiment experiment(scenario, scenarios::solve(scenario, 0));
  return fmt::format("{:016x}", experiment.run(0).fingerprint);
}

void check_golden(const std::string& text, const std::string& expected) {
#ifdef HEARSAY_GOLDEN
  CHECK(fingerprint(text) == expected);
#else
  (void)expected;
  WARN("fingerprints are compared with the golden preset only; here the run is made twice");
  CHECK(fingerprint(text) == fingerprint(text));
#endif
}

}  // namespace

TEST_CASE("golden: central_async over perfect links") {
  check_golden(R"({
    "data": {"type": "lending_like", "records": 100, "features": 3}, "model": {"theta_max": 10},
    "protocol": {"type": "central_async", "rho": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 10}, "stop": {"iterations": 200}
  })",
               "8e6d7416ba9f48ed");
}

TEST_CASE("golden: central_async over late, lossy links with owners that come and go") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 5, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "uniform", "min": 0, "max": "15 ms"}, "loss": 0.1,
                "availability": {"type": "on_off", "up": {"type": "exponential", "mean": 5},
                                 "down": {"type": "lognormal", "median": 1, "sigma": 0.5}, "start": "stationary"}},
    "protocol": {"type": "central_async", "rho": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 10000, "clip": 10}, "stop": {"iterations": 200}
  })",
               "663ed226466846f0");
}

TEST_CASE("golden: central_sync over late, lossy links, with the last answer for one that is missing") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 4, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "exponential", "mean": "100 ms"}, "loss": 0.1},
    "protocol": {"type": "central_sync", "c1": 0.1, "missing": "last", "round_timeout": "500 ms"},
    "privacy": {"mechanism": "laplace", "epsilon": 1000, "clip": 10}, "stop": {"iterations": 50}
  })",
               "4ad2937607c508d5");
}
