// The beginnings of runs, to compare those of several builds of the program.
//
//   hearsay_fingerprints EVENTS SCENARIO...
//
// For the first and the last point of each scenario, after at most EVENTS events of repetition 0, a line: scenario,
// point, fingerprint of the events, and the Frobenius norm of all models.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>

#include "scenarios/execution/experiment.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"

using namespace hearsay;

namespace {

struct Unobserved final : models::Observer {
  void observe(const models::World&) override {}
};

void print_point(const scenarios::Plan& plan, std::size_t point, std::uint64_t events) {
  scenarios::Scenario scenario = *plan.points[point].scenario;
  scenario.stop.events = std::min(scenario.stop.events.value_or(events), events);
  const scenarios::Experiment experiment(scenario, scenarios::solve(scenario, 0));
  models::World world = experiment.prepare(0);
  Unobserved observer;
  scenario.protocol->run(world, observer);
  fmt::print("{} {} {:016x} {:.17g}\n", plan.file, point, world.engine.fingerprint().value(),
             world.models.norm());
}

}  // namespace

int main(int count, char** arguments) try {
  scenarios::Folders folders;
  if (const char* data = std::getenv("HEARSAY_DATA_DIR")) folders.emplace_back(data);
  for (int k = 2; k < count; ++k) {
    const scenarios::Plan plan = scenarios::make_plan(arguments[k], {}, folders);
    for (const std::size_t point : std::set<std::size_t>{0, plan.points.size() - 1})
      print_point(plan, point, std::strtoull(arguments[1], nullptr, 10));
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
