// model.start in runs: which models learning starts from.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/registry.hpp"
#include "sim/random/random.hpp"
#include "tests/support/parts.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

constexpr double kBound = 0.4;

models::Entry protocol_named(const std::string& name) {
  for (const models::ProtocolRow& row : models::protocols())
    if (row.entry.name == name) return row.entry;
  return {};
}

// 3 owners, 4 features; steps that move nothing.
std::string scenario(const std::string& protocol, const std::string& start) {
  return fmt::format(R"({{"version": 1, "seed": 3, "repeat": 2,
    "data": {{"type": "lending_like", "owners": 3, "records": 60, "features": 4}},
    "model": {{"l2": 0{}}}, "network": {{"topology": "{}"}},
    "protocol": {{"type": "{}", "step": 1e-300}}, "privacy": {{"mechanism": "none"}},
    "stop": {{"iterations": 3}}, "record": {{"metrics": ["objective"], "models": "final"}}}})",
                     start, protocol_named(protocol).hub ? "star" : "complete", protocol);
}

// The parameters of the final models by repetition: 4 numbers for each agent that has one.
std::vector<std::vector<double>> final_models(const Scratch& dir, const std::string& text) {
  dir.write("s.json", text);
  test::run_to(dir, "out");
  std::vector<std::vector<double>> all(2);
  const auto rows = rows_of(dir / "out/models.csv");
  for (std::size_t k = 1; k < rows.size(); ++k)
    all.at(std::stoul(rows[k].at(0))).push_back(std::stod(rows[k].at(4)));
  return all;
}

}  // namespace

TEST_CASE("start: federated and gossip protocols start all their models where the scenario says") {
  const sim::Streams first(3, 0), second(3, 1);
  for (const models::ProtocolRow& row : models::protocols()) {
    if (!row.entry.any_model) continue;
    const std::string name(row.entry.name);
    CAPTURE(name);
    const Scratch dir;
    const auto started = final_models(
        dir, scenario(name, fmt::format(R"(, "start": {{"type": "uniform", "bound": {}}})", kBound)));
    for (std::uint32_t repetition = 0; repetition < 2; ++repetition) {
      sim::Stream stream = (repetition == 0 ? first : second)(sim::Purpose::kStart, 0);
      std::vector<double> drawn;
      for (int j = 0; j < 4; ++j) drawn.push_back(sim::uniform(stream, -kBound, kBound));
      REQUIRE(started[repetition].size() == (row.entry.hub ? 4 : 12));
      for (std::size_t k = 0; k < started[repetition].size(); ++k)
        CHECK(started[repetition][k] == Approx(drawn[k % 4]).margin(1e-12));
    }
    const auto from_zero = final_models(dir, scenario(name, ""));
    for (const double value : from_zero[0]) CHECK(std::abs(value) < 1e-12);
  }
}

TEST_CASE("start: a bound of 0 or below is refused") {
  const Scratch dir;
  for (const char* bound : {"0", "-0.1"}) {
    dir.write("s.json",
              scenario("fedavg", fmt::format(R"(, "start": {{"type": "uniform", "bound": {}}})", bound)));
    CHECK_THAT(test::ended_with(dir, "validate s.json", 2).err,
               Contains("/model/start/bound") && Contains("above 0") && Contains(bound));
  }
}
