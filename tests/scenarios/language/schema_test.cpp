#include "scenarios/language/reference/explain.hpp"

#include <catch2/catch.hpp>

#include "scenarios/language/reader.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;

namespace {

const char* const kGood[] = {
    "{}",
    R"({"seed": 1e4, "horizon": "15 ms", "network": {"bandwidth": "10 Mbit/s", "loss": null}})",
    R"({"network": {"latency": "15 ms", "topology": [1, 2]}})",
    R"({"network": {"latency": {"type": "lognormal", "median": "1 s", "sigma": 1}, "topology": "star"}})",
    R"({"network": {"latency": {"max": 3}, "topology": {"type": "named", "word": "w", "colour": "red"}}})",
    R"({"network": {"topology": "petersen"}})",
    R"({"owners": [{"weight": 1}, {"weight": 0.5, "shares": false}], "rates": [5, "5 Hz", {"value": 2}]})",
    R"({"hub": null, "bytes": "2 kB", "small": -3})",
};
const char* const kBad[] = {
    R"({"colr": "red"})",
    R"({"colour": "bleu"})",
    R"({"horizon": "15 MB"})",
    R"({"horizon": -1})",
    R"({"network": {"loss": 1.5}})",
    R"({"network": {"loss": "0.5"}})",
    R"({"privacy": {"epsilon": 0}})",
    R"({"network": {"topology": {"type": "ring"}}})",
    R"({"network": {"topology": {"type": "star", "word": "w"}}})",
    R"({"network": {"latency": true}})",
    R"({"seed": 1.5})",
    R"({"metrics": "a"})",
    R"({"owners": [{"wieght": 1}]})",
};

bool accepted(const std::string& text) {
  return test::message_of([&] {
           const auto document = scenarios::parse(text, "x.json");
           toy::Study study;
           scenarios::read(document, document.root, study);
         }) == "accepted";
}

}  // namespace

TEST_CASE("schema: an independent validator agrees with the reader") {
  std::vector<std::string> good(std::begin(kGood), std::end(kGood)), bad(std::begin(kBad), std::end(kBad));
  good.insert(
      good.end(),
      {R"({"$schema": "s.json", "extends": "base.json", "network": {"latency": {"sigma": 2}}})",
       R"({"sweep": {"seed": [1, {"label": "two", "value": 2}, {"a": 3}]}})",
       R"({"sweep": {"seed": null, "where": null, "select": null}, "branches": null, "tune": null})",
       R"({"$schema": null, "extends": null, "sweep": {"seed": {"from": 1, "to": 2, "step": 1, "count": null}}})",
       R"({"tune": {"paths": {"seed": [1, 2]}, "minimise": "x", "maximise": null}})",
       R"({"tune": {"paths": {"seed": [1, 2]}, "minimise": "x", "on": null, "trials": {"eta": null}}})"});
  bad.insert(bad.end(), {R"({"tune": {"paths": null, "minimise": "x"}})",
                         R"({"tune": {"paths": {"seed": [1, 2]}, "minimise": null}})",
                         R"({"tune": {"paths": {"seed": [1, 2]}, "minimise": "x", "maximise": "y"}})",
                         R"({"sweep": {"seed": {"from": 1, "to": 2, "step": null}}})",
                         R"({"sweep": {"seed": [1, {"label": "two"}]}})",
                         R"({"sweep": {"seed": [1, {"label": "two", "value": 2, "values": 2}]}})"});
  test::check_schema(scenarios::json_schema(scenarios::outline<toy::Study>()).dump(), good, bad);
}

TEST_CASE("schema: the reader accepts and refuses the same documents") {
  for (const char* text : kGood) {
    INFO(text);
    CHECK(accepted(text));
  }
  for (const char* text : kBad) {
    INFO(text);
    CHECK_FALSE(accepted(text));
  }
}

TEST_CASE("schema: alternatives that are allowed in several places are defined once") {
  const auto schema = scenarios::json_schema(scenarios::outline<toy::Study>());
  CHECK(schema.at("$defs").contains("lognormal"));
  CHECK(schema.at("$defs").contains("star"));
  // Latency and rates differ in unit and range; no third law of that name.
  CHECK_FALSE(schema.at("$defs").contains("lognormal_3"));
}
