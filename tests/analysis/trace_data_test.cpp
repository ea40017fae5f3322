// The events of a traced run and of the scenario in figures.
#include <catch2/catch.hpp>

#include "tests/support/figure_study.hpp"

using namespace hearsay;
using analysis::StudyData;
using nlohmann::json;

TEST_CASE("figures: the scenario's events are lines in curves, each against what it happens at") {
  StudyData data;
  data.head.metrics = {{"objective", "", ""}};
  data.points.resize(1);
  data.points[0].curves.resize(1);
  data.points[0].curves[0][1] = {.x = {0, 4}, .y = {{{1, 1, 1}}, {{2, 2, 2}}}};
  const auto own_data = [&] {
    std::vector<json> all;
    const json specification = test::spec_of(test::draw(data, "curves", 0).at(0));
    for (const json& layer : specification.at("layer")) {
      if (!layer.contains("data")) continue;
      all.push_back(layer.at("data").at("values"));
      CHECK(layer.at("transform") == json::parse(R"([{"filter": "along === datum.k"}])"));
    }
    return all;
  };
  CHECK(own_data().empty());
  data.events = {{2, "storm"}, {500, "branches", 0}};
  CHECK(own_data() == std::vector{json::parse(
                          R"([{"t": 2.0, "e": "storm", "k": 1}, {"t": 500.0, "e": "branches", "k": 0}])")});
  data.points[0].names = {"Oslo", "Rome"};
  data.points[0].first_owner = 1;
  data.events = {{2, "crash 1, 2 for 3 s"}};
  CHECK(own_data() == std::vector{json::parse(R"([{"t": 2.0, "e": "crash Oslo, Rome for 3 s", "k": 1}])")});
}

TEST_CASE("figures: a trace gives messages from sending to arrival, losses and times down") {
  const test::Scratch dir;
  dir.write("trace.csv",
            "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail\n"
            "0,0,start,,,,,,,0,\n1,1,tick,1,,,tick:1:0,,,0,\n2,1,send,1,0,message:1:0,tick:1:0,144,,0,\n"
            "3,1,send,1,2,message:1:1,tick:1:0,144,,0,\n4,1.25,down,2,,,down:2:1,,,0,\n"
            "5,1.5,deliver,0,1,message:1:0,message:1:0,144,0.5,0,\n"
            "6,1.75,lose,2,1,message:1:1,message:1:1,144,0.75,0,receiver_down\n7,2,tick,1,,,tick:1:1,,,1,\n"
            "8,2,compute,1,,,tick:1:1,,,1,\n9,2.5,event,,,,event:0,,,1,\"crash 1, 2 for 5 s\"\n"
            "10,3,computed,1,,,timer:1:0,,,1,\n11,3,timer,0,,,timer:0:0,,,1,timeout (no effect)\n"
            "12,4,timer,0,,,timer:0:1,,,1,timeout\n");
  const auto trace = analysis::read_trace(dir / "trace.csv");
  REQUIRE(trace);
  CHECK(trace->agents == 3);
  REQUIRE(trace->messages.size() == 2);
  CHECK(trace->messages[0].sent == 1);
  CHECK(trace->messages[0].ended == 1.5);
  CHECK(trace->messages[0].lost.empty());
  CHECK(trace->messages[1].lost == "receiver_down");
  REQUIRE(trace->down.size() == 1);
  CHECK(trace->down[0].from == 1.25);
  CHECK(trace->down[0].to == 4);
  REQUIRE(trace->moments.size() == 3);
  CHECK(trace->moments[2].event == "timeout");
  REQUIRE(trace->computing.size() == 1);
  CHECK(trace->computing[0].from == 2);
  CHECK(trace->computing[0].to == 3);
  REQUIRE(trace->events.size() == 1);
  CHECK(trace->events[0].time == 2.5);
  CHECK(trace->events[0].text == "crash 1, 2 for 5 s");
  CHECK(trace->whole);
  CHECK_FALSE(analysis::read_trace(dir / "trace.csv", 4)->whole);
  // From 1.2 to 1.8 s: agent 2 goes down; both messages were sent before, as their staleness says.
  const auto part = analysis::read_trace(dir / "trace.csv", 100, 1.2, 1.8);
  CHECK_FALSE(part->whole);
  REQUIRE(part->messages.size() == 2);
  CHECK(part->messages[0].sent == 1);
  CHECK(part->messages[0].ended == 1.5);
  CHECK_FALSE(part->messages[0].steps);
  CHECK(part->messages[1].from == 1);
  // Until 1.2 s: they are in flight at the end, and arrive later.
  const auto first = analysis::read_trace(dir / "trace.csv", 100, 0, 1.2);
  CHECK(first->end == 1);
  CHECK(first->bounded);
  REQUIRE(first->messages.size() == 2);
  CHECK(first->messages[0].ended == 1.5);
  CHECK(first->messages[1].lost == "receiver_down");
  CHECK(part->down.at(0).from == 1.25);
  CHECK(part->end == 1.75);
  CHECK(analysis::read_trace(dir / "trace.csv", 100, 1.5)->down.at(0).from == 1.5);
  CHECK_FALSE(analysis::read_trace(dir / "none.csv"));
  // A column of payloads after the detail changes nothing, not even after a quoted comma.
  dir.write("numbers.csv",
            "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,payload\n"
            "0,1,send,1,0,message:1:0,tick:1:0,144,,0,,1 2\n"
            "1,2,lose,0,1,message:1:0,message:1:0,144,1,0,receiver_down,1 2\n"
            "2,3,event,,,,event:0,,,1,\"crash 1, \"\"2\"\" for 5 s\",\n"
            "3,4,timer,0,,,timer:0:0,,,1,timeout (no effect),\n");
  const auto with_numbers = analysis::read_trace(dir / "numbers.csv");
  CHECK(with_numbers->messages.at(0).lost == "receiver_down");
  CHECK(with_numbers->events.at(0).text == "crash 1, \"2\" for 5 s");
  CHECK(with_numbers->moments.empty());
  const json rows = test::spec_of(test::draw({}, "timeline", 0, trace).at(0)).at("data").at("values");
  CHECK(rows.size() == 8);
}

TEST_CASE("figures: ticks without an effect are left out, unless a trace has nothing but ticks") {
  const test::Scratch dir;
  const std::string ticks = "0,1,tick,1,,,tick:1:0,,,0,\n1,2,skip,1,,,tick:1:1,,,0,busy\n";
  dir.write("ticks.csv", ticks);
  CHECK(analysis::read_trace(dir / "ticks.csv")->moments.size() == 1);
  // Agent 2 sends, agent 3 completes an iteration; the tick of agent 4 is followed by one of another agent.
  dir.write("trace.csv", ticks +
                             "2,3,tick,2,,,tick:2:0,,,0,\n3,3,send,2,1,message:2:0,tick:2:0,8,,0,\n"
                             "4,4,tick,3,,,tick:3:0,,,0,\n5,5,tick,4,,,tick:4:0,,,1,\n"
                             "6,6,deliver,1,2,message:2:0,message:2:0,8,3,1,\n");
  const auto trace = analysis::read_trace(dir / "trace.csv");
  std::vector<sim::AgentId> shown;
  for (const auto& moment : trace->moments) shown.push_back(moment.agent);
  CHECK(shown == std::vector<sim::AgentId>{2, 3});
}

TEST_CASE("figures: of some agents there is what they take part in, and the agents at its other end") {
  const test::Scratch dir;
  dir.write(
      "trace.csv",
      "0,1,send,5,0,message:5:0,tick:5:0,8,,0,\n1,1,send,6,0,message:6:0,tick:6:0,8,,0,\n"
      "2,2,deliver,0,5,message:5:0,message:5:0,8,1,0,\n3,2,deliver,0,6,message:6:0,message:6:0,8,1,0,\n"
      "4,3,compute,0,,,message:5:0,,,0,\n5,4,computed,0,,,timer:0:0,,,0,\n6,5,down,5,,,down:5:0,,,0,\n");
  const auto trace = analysis::read_trace(dir / "trace.csv", 100, 0, sim::kNever, {5});
  REQUIRE(trace->messages.size() == 1);
  CHECK(trace->messages[0].from == 5);
  CHECK(trace->computing.size() == 1);
  CHECK(trace->down.size() == 1);
  const json specification = test::spec_of(test::draw({}, "timeline", 0, trace).at(0));
  for (const json& layer : specification.at("layer")) {
    if (layer.at("name") != "lanes") continue;
    CHECK(layer.at("data").at("values").size() == 2);
    CHECK(layer.at("encoding").at("y").at("axis").at("labelExpr") == R"(["0","5"][datum.value])");
  }
}

TEST_CASE("figures: lines of a trace whose time, agent or iteration is no number are ignored") {
  const test::Scratch dir;
  dir.write(
      "trace.csv",
      "0,1,tick,1,,,tick:1:0,,,0,\n1,1,tick,4294967295,,,,,,0,\n2,1,tick,-1,,,,,,0,\n3,nan,tick,2,,,,,,0,\n"
      "4,inf,down,2,,,,,,0,\n5,x,tick,2,,,,,,0,\n6,2,send,0,268435456,message:0:0,,8,,0,\n7,2,tick,1x,,,,,,0,"
      "\n"
      "8,1,send,1,0,message:1:0,tick:1:0,8,,1e308,\n9,1,deliver,0,1,message:1:0,message:1:0,8,0,-1,\n");
  const auto trace = analysis::read_trace(dir / "trace.csv");
  REQUIRE(trace);
  CHECK(trace->agents == 2);
  CHECK(trace->moments.size() == 1);
  CHECK(trace->messages.empty());
  CHECK(trace->down.empty());
  CHECK(trace->end == 1);
}

TEST_CASE("figures: a message is between the agents of its sending, whatever the row of its end says") {
  const test::Scratch dir;
  dir.write("trace.csv",
            "0,1,send,0,1,message:0:0,tick:0:0,8,,1,\n1,9,lose,1,2,message:0:0,,8,,1,receiver_down\n");
  const auto trace = analysis::read_trace(dir / "trace.csv", 100, 0, 5);
  REQUIRE(trace->messages.size() == 1);
  CHECK(trace->agents == 2);
  CHECK(trace->messages[0].from == 0);
  CHECK(trace->messages[0].to == 1);
}

TEST_CASE(
    "figures: a message that a protocol discards after its arrival is lost, steps are iterations in flight") {
  const test::Scratch dir;
  dir.write("trace.csv",
            "0,1,send,1,0,message:1:0,tick:1:0,8,,3,\n1,2,send,2,0,message:2:0,tick:2:0,8,,4,\n"
            "2,3,deliver,0,1,message:1:0,message:1:0,8,2,5,\n3,4,deliver,0,2,message:2:0,message:2:0,8,2,6,\n"
            "4,4,lose,0,2,message:2:0,message:2:0,8,2,6,stale\n");
  const auto trace = analysis::read_trace(dir / "trace.csv");
  REQUIRE(trace->messages.size() == 2);
  // 4 are completed after the event that sent it, 5 before that in which it arrives.
  CHECK(trace->messages[0].steps == 1);
  CHECK(trace->messages[0].lost.empty());
  CHECK(trace->messages[1].lost == "stale");
}

TEST_CASE("figures: the iteration of the event that sends a message is not completed while it is in flight") {
  const test::Scratch dir;
  // Two owners that gossip: an iteration a tick, a latency of 1 ms. The tick of agent 1 at 1 s is completed while the
  // message of agent 0 is in flight; its own messages, one of which is lost at once, have nothing in between.
  dir.write("trace.csv",
            "0,0,tick,1,,,tick:1:0,,,0,\n1,0,send,1,0,message:1:0,tick:1:0,8,,0,\n"
            "2,0.001,deliver,0,1,message:1:0,message:1:0,8,0.001,1,\n"
            "3,1,tick,0,,,tick:0:0,,,1,\n4,1,send,0,1,message:0:0,tick:0:0,8,,1,\n"
            "5,1,tick,1,,,tick:1:1,,,2,\n6,1,send,1,0,message:1:1,tick:1:1,8,,2,\n"
            "7,1,lose,0,1,message:1:1,tick:1:1,8,0,2,loss\n8,1,send,1,0,message:1:2,tick:1:1,8,,2,\n"
            "9,1.001,deliver,1,0,message:0:0,message:0:0,8,0.001,3,\n"
            "10,1.001,deliver,0,1,message:1:2,message:1:2,8,0.001,3,\n"
            "11,2,send,0,1,message:0:1,tick:0:1,8,,3,\n12,2,tick,2,,,tick:2:0,,,4,\n"
            "13,2,tick,2,,,tick:2:1,,,5,\n14,2.001,deliver,1,0,message:0:1,message:0:1,8,0.001,6,\n");
  const auto steps = [&](const std::set<sim::AgentId>& agents) {
    std::vector<std::optional<std::uint64_t>> all;
    const auto read = analysis::read_trace(dir / "trace.csv", 100, 0, sim::kNever, agents);
    for (const auto& m : read->messages) all.push_back(m.steps);
    return all;
  };
  const std::vector<std::optional<std::uint64_t>> expected{0, 0, 1, 0, 2};
  CHECK(steps({}) == expected);
  // Ticks of agents that are not shown count as well.
  CHECK(steps({0}) == expected);
  // Where events are not in the trace, it is not known whether the tick that sends is one of the 5.
  dir.write("trace.csv",
            "10,0,send,1,0,message:1:0,tick:1:0,8,,0,\n60,3,deliver,0,1,message:1:0,message:1:0,8,3,5,\n"
            "61,4,send,1,0,message:1:1,tick:1:1,8,,6,\n70,5,deliver,0,1,message:1:1,message:1:1,8,1,6,\n");
  CHECK(steps({}) == std::vector<std::optional<std::uint64_t>>{std::nullopt, 0});
}
