// Options of scenarios, from memory: units, ranges, choices, alternatives and rules about several options.
#include <nlohmann/json.hpp>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/scenario.hpp"
#include "tests/machines/fuzz/commands.hpp"
#include "tests/machines/fuzz/scenario_parts.hpp"

using namespace hearsay;

namespace {

scenarios::Scenario scenario_in(const scenarios::Document& document) {
  scenarios::Scenario scenario;
  scenarios::read(document, document.root, scenario, {fuzz::folder()});
  return scenario;
}

std::string written(const scenarios::Scenario& scenario) {
  return scenarios::write_all(scenario, scenarios::Numbers::kQuantities).dump();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write("data.csv", "owner,a,y\n1,0.5,1\n");
  fuzz::write("graph.csv", "0,1,1\n");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScenarioParts input(fuzz::text_of(data, size));
  fuzz::accepted<sim::Error>([&] {
    scenarios::Document document = fuzz::document_of(input, [](std::string_view, const scenarios::Node&) {});
    document.root.erase("sweep");
    const scenarios::Scenario scenario = scenario_in(document);
    const std::string text = written(scenario);
    bool same = false;
    fuzz::accepted<sim::Error>([&] {
      const scenarios::Scenario again = scenario_in(scenarios::parse(text, "again"));
      same = written(again) == text;
    });
    fuzz::require(same, "what is written can be read back");
  });
  return 0;
}
