// Invalid networks given to the program: one line with position and reason, exit code 2, no output.
#include <fmt/format.h>

#include "tests/support/process.hpp"

using namespace hearsay;
using test::Scratch;

namespace {

void check_refused(const std::string& network, const std::string& part, const std::string& file = "",
                   const std::string& more = "") {
  const Scratch dir;
  if (!file.empty()) dir.write("f.csv", file);
  dir.write("x.json",
            fmt::format(R"({{"data": {{"type": "lending_like", "owners": 3, "records": 100, "features": 2}},
    "network": {}, "protocol": {{"type": "central_async", "rho": 1}}, "privacy": {{"mechanism": "none"}},
    "stop": {{"iterations": 5, "time": "1 h"}}{}}})",
                        network, more));
  INFO(network);
  const std::string line = test::refusal(dir, "run x.json");
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK_THAT(line, Catch::Contains(part));
  CHECK_FALSE(std::filesystem::exists(dir / "out"));
}

}  // namespace

TEST_CASE("bad network: a latency matrix that is not square, negative, too small, or not readable") {
  const std::string matrix = R"({"latency": {"type": "matrix", "path": "f.csv"}})";
  check_refused(matrix,
                "/network/latency: f.csv:2: expected a square matrix of latencies, 4 numbers in each row",
                "0 1 1 1\n1 0 1\n1 1 0 1\n1 1 1 0\n");
  check_refused(matrix, "f.csv:2: expected a latency of at least 0, found -1 in field 1",
                "0 1 1 1\n-1 0 1 1\n1 1 0 1\n1 1 1 0\n");
  check_refused(matrix, "f.csv: expected a matrix of at least 4 nodes, one for each agent, found 3",
                "0 1 1\n1 0 1\n1 1 0\n");
  check_refused(matrix, "/network/latency/path: file \"f.csv\" not found in");
  check_refused(R"({"latency": {"type": "matrix", "path": "/etc/passwd"}})",
                "file \"/etc/passwd\" is outside");
}

TEST_CASE("bad network: an availability trace with overlaps, unknown agents, times running backwards") {
  const std::string trace = R"({"availability": {"type": "trace", "path": "f.csv"}})";
  check_refused(trace, "/network/availability: f.csv:3: sessions of agent 1 overlap",
                "agent,start,end\n1,0,5\n1,4,6\n");
  check_refused(trace, "f.csv:2: expected agents 0 to 3, found agent 9", "agent,start,end\n9,0,5\n");
  check_refused(trace, "f.csv:2: expected agents 0 to 3, found agent 4", "agent,start,end\n4,0,5\n");
  check_refused(trace, "f.csv:3: expected non-decreasing times of an agent",
                "agent,time,state\n1,5,up\n1,4,down\n");
  check_refused(trace, "f.csv: expected a column 'agent', found the columns who, start, end",
                "who,start,end\n1,0,5\n");
  check_refused(R"({"availability": {"type": "group", "groups": [{"agents": [1, 4]}]}})",
                "/network/availability: group : expected agents 0 to 3, found agent 4");
  check_refused(
      R"({"availability": {"type": "group", "groups": [{"name": "a", "agents": [1]}, {"name": "b", "agents": [1]}]}})",
      "agent 1 is in two groups, a and b");
}

TEST_CASE("bad network: numbers out of range, lists of another length, models without their requirements") {
  check_refused(R"({"loss": 1.5})", "/network/loss: expected a value in [0, 1], found 1.5");
  check_refused(R"({"bandwidth": 0})", "/network/bandwidth: expected a value above 0 B/s, found 0");
  check_refused(R"({"bandwidth": {"uplink": [1, 2], "downlink": 1}})",
                "/network/bandwidth/uplink: expected a list of 4 numbers, found 2");
  check_refused(R"({"latency": "distance"})", "/network/latency: distance needs a topology with coordinates");
  check_refused(R"({"latency": "edge_attribute"})", "/network/latency: edge_attribute needs a graph file");
  check_refused(R"({"loss": {"type": "partition", "agents": [7]}})",
                "/network/loss: partition: expected agents 0 to 3, found agent 7");
  check_refused("{}", "/clocks/rate: expected a value above 0 /s, found 0", "",
                R"(, "clocks": {"type": "poisson", "rate": 0})");
  check_refused("{}", "/clocks: expected a jitter of at most the period (1 s), found up to 2 s", "",
                R"(, "clocks": {"type": "periodic", "period": 1, "jitter": {"type": "uniform", "max": 2}})");
  check_refused("{}", "/clocks: f.csv:3: expected non-decreasing times", "time,agent\n2,1\n1,1\n",
                R"(, "clocks": {"type": "trace", "path": "f.csv"})");
}

TEST_CASE("bad network: a network in which no message can arrive is refused with the reason") {
  check_refused(R"({"loss": 1})", "/network: no message can arrive: every message on every link is lost");
  check_refused(R"({"loss": {"type": "partition", "agents": [0]}})", "every message on every link is lost");
  check_refused(
      R"({"availability": {"type": "join_leave", "join": "2 h"}})",
      "/network: no message can arrive: no agent is up before the last time that a neighbour is up");
  check_refused(R"({"latency": "1 h"})",
                "/network: no message can arrive: the smallest latency is as long as the run");
  check_refused("{}", "/clocks: the clock trace: expected agents 1 to 3, found agent 0", "time,agent\n5,0\n",
                R"(, "clocks": {"type": "trace", "path": "f.csv"})");
}

TEST_CASE("bad network: values by agent name agents that exist") {
  check_refused(R"({"compute_time": {"default": 1, "agents": {"4": 2}}})",
                "/network/compute_time: expected agents 1 to 3, found agent 4");
  check_refused(R"({"compute_time": {"default": 1, "agents": {"0": 2}}})",
                "/network/compute_time: expected agents 1 to 3, found agent 0");
  check_refused(R"({"compute_time": [1, 2]})",
                "/network/compute_time: expected a list of 3 numbers, found 2");
  check_refused(R"({"compute_time": {"default": 1, "agents": {"3": -2}}})",
                "/network/compute_time/agents/3: expected a value of at least 0 s, found -2");
  check_refused(
      R"({"compute_time": {"default": 1, "agents": {"three": 2}}})",
      "/network/compute_time/agents/three: expected the number of an agent, because the network's graph has no names, found 'three'");
  check_refused(R"({"availability": {"type": "outages", "outages": [{"agents": [4], "from": 1}]}})",
                "/network/availability: outages: expected agents 0 to 3, found agent 4");
}

TEST_CASE("bad network: events that do not fit the run are refused at their place") {
  const auto refused = [](const std::string& events, const std::string& part) {
    check_refused("{}", part, "", ", \"events\": " + events);
  };
  refused(R"([{"at": "1 s", "crash": [1]}, {"at": "2 s", "crash": [9]}])",
          "/events/1/crash: expected agents 0 to 3, found agent 9");
  refused(R"([{"at": "1 s", "crash": [3, 3]}])", "/events/0/crash: agent 3 is named twice: remove one");
  refused(R"([{"at": "1 s", "crash": [-1]}])",
          "/events/0/crash/0: expected the number or name of an agent, found -1");
  refused(R"([{"at": "2 h", "crash": [1]}])",
          "/events/0/at: expected a time before the end of the run (3600 s), found 7200 s");
  refused(R"([{"at": "2 s", "join": [1]}, {"at": "3 s", "join": [1]}])",
          "/events/1/join: agent 1 joins at 3 s, but it is there since 2 s");
  refused(R"([{"at": "2 s", "set": {"network.latencyy": 1}}])",
          "unknown key 'network.latencyy'; did you mean");
  refused(R"([{"at": "2 s", "set": {"network.latency": -1}}])",
          "/events/0/set/network.latency: expected a value of at least 0 s, found -1");
  refused(R"([{"at": "2 s", "set": {"network.latency": "distance"}}])",
          "/events: distance needs a topology with coordinates");
  refused(R"([{"at": "2 s", "set": {}}])", "/events/0/set: expected laws to change");
  refused(R"([{"at": "2 s", "partition": [1], "for": 0}])",
          "/events/0/for: expected a value above 0 s, found 0");
  refused(R"([{"crash": [1]}])", "/events/0/at: required key is missing");
  refused(R"([{"at": 1}])",
          "/events/0: expected an object with one of the keys crash, partition, join, leave, set, found an "
          "object with the key at");
}
