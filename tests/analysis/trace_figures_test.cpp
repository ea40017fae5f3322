// Figures of a traced run, against traces whose marks are counted by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/figures/figure_data.hpp"
#include "tests/support/figure_study.hpp"

using namespace hearsay;
using analysis::TraceData;
using nlohmann::json;
using namespace hearsay::test;

namespace {

std::vector<json> marks(const test::Drawing& drawing, const std::string& what) {
  std::vector<json> all;
  for (const json& row : rows_of(drawing)) {
    if (row.at("w") == what) all.push_back(row);
  }
  return all;
}

json layer(const test::Drawing& drawing, const std::string& name) {
  const json spec = spec_of(drawing);
  for (const json& one : spec.at("layer")) {
    if (one.value("name", "") == name) return one;
  }
  return {};
}

json window(const test::Drawing& drawing) {
  return layer(drawing, "messages").at("encoding").at("x").at("scale").at("domain");
}

// Two owners behind a learner, traced at the only point.
analysis::StudyData small_study() {
  analysis::StudyData data;
  data.points.resize(1);
  data.points[0].owners = 2;
  data.points[0].first_owner = 1;
  data.points[0].names = {"north", "south"};
  return data;
}

// One message each second from agent 0 to 1, which takes half a second.
TraceData one_each_second(std::size_t messages) {
  TraceData trace{.agents = 2, .end = static_cast<double>(messages)};
  for (std::size_t k = 0; k < messages; ++k)
    trace.messages.push_back({static_cast<double>(k), static_cast<double>(k) + 0.5, 0, 1});
  return trace;
}

}  // namespace

TEST_CASE("figures: a timeline has a lane for each agent, an arrow for each arrival, a cross for each loss") {
  TraceData trace{.agents = 3, .end = 10, .repetition = 2};
  trace.messages = {{1, 2, 1, 0},          {2, 4, 0, 2},
                    {3, 3, 0, 1, "loss"},  {4, 6, 1, 2, "receiver_down"},
                    {5, 6, 2, 0, "stale"}, {7, 7, 2, 1, "loss"}};
  trace.down = {{5, 8, 2}};
  trace.moments = {{1, 1, "tick"}};
  trace.events = {{9, "storm"}, {9.5, "crash 1, 2 for 2 s"}};
  const auto drawn = draw(small_study(), "timeline", 0, trace).at(0);
  CHECK(layer(drawn, "lanes").at("data").at("values").size() == 3);
  CHECK(layer(drawn, "lanes").at("encoding").at("y").at("axis").at("labelExpr") ==
        R"(["learner","north","south"][datum.value])");
  const auto arrows = marks(drawn, "message"), lost = marks(drawn, "lost");
  REQUIRE(arrows.size() == 2);
  CHECK(arrows[0].at("y") == 1);
  CHECK(arrows[0].at("z") == 0);
  CHECK(arrows[0].at("u") == 2);
  // A loss on the link ends near its sender, on the side of the receiver.
  REQUIRE(lost.size() == 4);
  CHECK(lost[0].at("z") == 0.4);
  CHECK(lost[3].at("z") == 1.6);
  CHECK(lost[1].at("z") == 2);
  CHECK(lost[2].at("z") == 0);
  CHECK(lost[2].at("r") == "stale");
  CHECK(layer(drawn, "crosses").at("encoding").at("color").at("scale").at("domain") ==
        json{"loss", "receiver_down", "stale"});
  CHECK(marks(drawn, "down").size() == 1);
  CHECK(marks(drawn, "moment").size() == 1);
  // Agents 1 and 2 are the owners north and south.
  const auto events = marks(drawn, "event");
  REQUIRE(events.size() == 2);
  CHECK(events[0].at("e") == "storm");
  CHECK(events[1].at("e") == "crash north, south for 2 s");
  CHECK(window(drawn) == json{0.0, 10.0});
  CHECK_THAT(drawn.caption, Catch::Contains("repetition 2") && Catch::Contains("Cross: lost message") &&
                                !Catch::Contains("computing"));
  CHECK(layer(drawn, "computing").is_null());
}

TEST_CASE("figures: a timeline opens with at most 200 messages, a chosen end stands") {
  CHECK(window(draw({}, "timeline", 0, one_each_second(200)).at(0)) == json{0.0, 200.0});
  TraceData trace = one_each_second(300);
  CHECK(window(draw({}, "timeline", 0, trace).at(0)) == json{0.0, 200.0});
  trace.bounded = true;
  CHECK(window(draw({}, "timeline", 0, trace).at(0)) == json{0.0, 300.0});
  // Marks of one time are not divided.
  trace = {.agents = 2, .end = 9};
  for (int k = 0; k < 300; ++k) trace.messages.push_back({0, 1, 0, 1});
  trace.messages.push_back({5, 6, 0, 1});
  CHECK(window(draw({}, "timeline", 0, trace).at(0)) == json{0.0, 5.0});
  trace.messages.pop_back();
  CHECK(window(draw({}, "timeline", 0, trace).at(0)) == json{0.0, 9.0});
}

TEST_CASE(
    "figures: every lane of a timeline has room for its label, and the caption leaves its window to the "
    "file") {
  TraceData trace = one_each_second(3);
  trace.agents = 60;
  const auto drawn = draw({}, "timeline", 0, trace).at(0);
  const json axis = layer(drawn, "lanes").at("encoding").at("y").at("axis");
  CHECK(axis.at("values").size() == 60);
  CHECK(axis.at("tickCount") == 60);
  CHECK(axis.at("labelOverlap") == false);
  CHECK(spec_of(drawn).at("height") >= 60 * 12);  // the height of its letters
  CHECK(drawn.caption.find(" to 3") == std::string::npos);
  CHECK_THAT(draw({}, "latency", 0, trace).at(0).caption, Catch::Contains("from 0 to 3 s"));
}

TEST_CASE("figures: of many agents a timeline has those of the first messages, in order of their numbers") {
  TraceData trace{.agents = 1000, .end = 100};
  // Message k is from agent 900 - 10 k to agent 900 - 10 k - 1: 40 messages of 80 agents.
  for (sim::AgentId k = 0; k < 40; ++k)
    trace.messages.push_back({1.0 * k, 1.0 * k + 1, 900 - 10 * k, 899 - 10 * k});
  const auto drawn = draw({}, "timeline", 0, trace).at(0);
  CHECK(layer(drawn, "lanes").at("data").at("values").size() == 60);
  CHECK(marks(drawn, "message").size() == 30);
  // The last of the 30 is from agent 610 to 609, which have the lowest numbers.
  CHECK(marks(drawn, "message")[29].at("y") == 1);
  CHECK(marks(drawn, "message")[29].at("z") == 0);
  CHECK_THAT(drawn.caption, Catch::Contains("60 of 1000 agents"));
}

TEST_CASE("figures: bins of a histogram have round edges, and every number is in one of them") {
  const auto counts = [](const std::vector<analysis::Bin>& bins) {
    std::vector<std::size_t> all;
    for (const analysis::Bin& bin : bins) all.push_back(bin.count);
    return all;
  };
  const auto bins = analysis::histogram({0.1, 0.12, 0.19, 0.35}, 5);
  REQUIRE(bins.size() == 6);
  CHECK(bins.front().from == Approx(0.1));
  CHECK(bins.back().to == Approx(0.4));
  CHECK(counts(bins) == std::vector<std::size_t>{2, 1, 0, 0, 0, 1});
  CHECK(counts(analysis::histogram({0, 3, 0, 1}, 30, 1)) == std::vector<std::size_t>{2, 1, 0, 1});
  // 0.3 is an edge of bins of width 0.1, although 0.3 / 0.1 is below 3.
  CHECK(counts(analysis::histogram({0.3, 0.4, 1.1}, 8)) ==
        std::vector<std::size_t>{1, 1, 0, 0, 0, 0, 0, 0, 1});
  CHECK(counts(analysis::histogram({2, 2}, 30)) == std::vector<std::size_t>{2});
  // A constant latency, as the difference of times that are rounded.
  CHECK(counts(analysis::histogram({10, std::nextafter(10, 11), std::nextafter(10, 9)}, 30)) ==
        std::vector<std::size_t>{3});
  CHECK(counts(analysis::histogram({0, 0}, 30)) == std::vector<std::size_t>{2});
  CHECK(analysis::histogram({}, 30).empty());
}

TEST_CASE("figures: latency and staleness count the messages that were delivered") {
  TraceData trace{.agents = 2, .end = 10};
  trace.messages = {
      {0, 1, 0, 1, "", 4}, {1, 2, 0, 1, "", 4}, {2, 5, 0, 1, "", 6}, {2, 9, 1, 0, "stale", 9}, {3, 4, 1, 0}};
  const auto drawn = draw({}, "latency", 0, trace);
  REQUIRE(drawn.size() == 2);
  std::size_t messages = 0;
  for (const json& bin : rows_of(drawn[0])) messages += bin.at("n").get<std::size_t>();
  CHECK(messages == 4);
  CHECK(rows_of(drawn[0]).front().at("x") == 1);
  CHECK(rows_of(drawn[0]).front().at("n") == 3);
  CHECK_THAT(drawn[0].caption, Catch::Contains(": 4, median 1 s"));
  // The last message was sent before the trace begins, so that its iterations are unknown.
  CHECK(rows_of(drawn[1]) == json::parse(R"([{"x": 4.0, "u": 5.0, "n": 2}, {"x": 5.0, "u": 6.0, "n": 0},
                                             {"x": 6.0, "u": 7.0, "n": 1}])"));
  // Where the sending is in the trace, but not what followed, those that are known would be the short ones.
  trace.messages.back().sent_row = 0;
  CHECK(draw({}, "latency", 0, trace).size() == 1);
  trace.messages.clear();
  CHECK(draw({}, "latency", 0, trace).empty());
}

TEST_CASE("figures: availability falls and rises with the agents' down times") {
  TraceData trace{.agents = 2, .end = 10};
  CHECK(draw(small_study(), "availability", 0, trace).empty());
  trace.down = {{0, 4, 1}, {2, 10, 2}};
  const auto drawn = draw(small_study(), "availability", 0, trace).at(0);
  // Three agents with the learner: one is down at first, two from 2 s, one from 4 s to the end.
  CHECK(rows_of(drawn) ==
        json::parse(R"([{"t": 0.0, "s": 0.6666667, "n": 2}, {"t": 2.0, "s": 0.3333333, "n": 1},
                                          {"t": 4.0, "s": 0.6666667, "n": 2}, {"t": 10.0, "s": 0.6666667, "n": 2}])"));
  trace.only = {1};
  CHECK(draw(small_study(), "availability", 0, trace).size() == 1);
  trace.states = false;
  CHECK(draw(small_study(), "availability", 0, trace).empty());
}
