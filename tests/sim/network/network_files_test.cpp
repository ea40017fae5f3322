// Files of a network, and the errors for invalid files.
#include "sim/network/network.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "sim/files/csv_table.hpp"
#include "sim/random/random.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/script.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

class Files {
 public:
  InputFile operator()(const std::string& text) {
    const std::string name = fmt::format("f{}.csv", ++count_);
    return {name, dir_.write(name, text)};
  }

 private:
  test::Scratch dir_;
  int count_ = 0;
};

template <class F>
std::string refusal(F&& f) {
  return test::error_of<std::exception>(f);
}

std::string trace_refusal(const std::string& text, std::optional<Time> repeat = {}, Time from = 0) {
  Files files;
  AvailabilityTrace trace{
      .path = files(text), .unit = 1, .from = from, .repeat = repeat, .absent = Absent::kUp};
  return refusal([&] { Sessions::read(trace); });
}

std::string matrix_refusal(const std::string& text) {
  Files files;
  return refusal([&] { SquareMatrix::read(files(text), 1); });
}

}  // namespace

TEST_CASE("csv: separators, headers, quotes, empty lines and line ends are read, lines are counted") {
  Files files;
  for (const std::string text : {"a,b\n1,2\n\n3,4\n", "a;b\r\n1;2\r\n\r\n3;4", "a\tb\n1\t2\n\n3\t4\n",
                                 "a b\n 1   2 \n\n3 4\n", "\xEF\xBB\xBF\"a\",b\n\"1\",2\n\n3,4\n"}) {
    INFO(text);
    const CsvTable table(files(text));
    CHECK(table.names() == std::vector<std::string>{"a", "b"});
    REQUIRE(table.rows() == 2);
    CHECK(table.column("b") == 1);
    CHECK(table.number(0, 0) == 1);
    CHECK(table.number(1, table.column("b")) == 4);
    CHECK_THAT(table.at(1), Catch::EndsWith(".csv:4: "));
  }
  const CsvTable bare(files("1,2\n3,4\n"));
  CHECK(bare.names().empty());
  CHECK(bare.rows() == 2);
  CHECK(bare.number(0, 1) == 2);
}

TEST_CASE("csv: errors contain the line") {
  Files files;
  CHECK(refusal([&] { CsvTable(files("")); }) == "f1.csv: expected rows, found an empty file");
  CHECK(refusal([&] { CsvTable(files("a,b\n")); }) == "f2.csv: expected rows, found only a header");
  CHECK_THAT(refusal([&] { CsvTable(files("a,b\n1,\"2\n")); }),
             Catch::Contains("a quote that is not closed"));
  CHECK(refusal([] { CsvTable({"gone", "/no/such/file"}); }) == "gone: not a regular file");
  const CsvTable table(files("a,b\n1,2\n3\nx,-1\n1.5,1e999\n"));
  CHECK(refusal([&] { table.column("c"); }) == "f4.csv: expected a column 'c', found the columns a, b");
  CHECK(refusal([&] { table.number(1, 1); }) == "f4.csv:3: expected at least 2 fields, found 1");
  CHECK(refusal([&] { table.number(2, 0); }) == "f4.csv:4: expected a number in field 1, found 'x'");
  CHECK(refusal([&] { table.agent(2, 1); }) ==
        "f4.csv:4: expected the number of an agent in field 2, found '-1'");
  CHECK(refusal([&] { table.agent(3, 0); }) ==
        "f4.csv:5: expected the number of an agent in field 1, found '1.5'");
  CHECK(refusal([&] { table.number(3, 1); }) == "f4.csv:5: expected a number in field 2, found '1e999'");
}

TEST_CASE("matrix: round trips are halved and scaled, agents are the first rows, or distinct random ones") {
  Files files;
  MatrixLatency law{.path = files("0 10 20\n10 0 30\n20 30 0\n"),
                    .unit = 1e-3,
                    .round_trip = true,
                    .nodes = NodeChoice::kFirst,
                    .plus = 0.0};
  NetworkFiles read;
  read.read_latency(law);
  const Topology all = make_topology(Complete{}, 3, kStreams);
  const Latency first(law, all, kNoAgent, kStreams, read.latency);
  CHECK(first.of(0, 1, 0, 0) == 0.005);
  CHECK(first.of(2, 0, 0, 0) == 0.010);
  CHECK(first.of(1, 2, 0, 8) == 0.015);
  law.round_trip = false;
  law.plus = Uniform{1, 2};
  NetworkFiles whole;
  whole.read_latency(law);
  Stream s = kStreams(Purpose::kLatency, 1, 2, 8);
  CHECK(Latency(law, all, kNoAgent, kStreams, whole.latency).of(1, 2, 0, 8) == 0.030 + uniform(s, 1, 2));

  // With two agents of three nodes each of the three distances comes up in a third of the repetitions.
  law.nodes = NodeChoice::kRandom;
  law.plus = 0.0;
  std::map<double, int> seen;
  for (std::uint32_t r = 0; r < 300; ++r)
    ++seen[Latency(law, test::kPair, kNoAgent, Streams(1, r), whole.latency).of(0, 1, 0, 0)];
  REQUIRE(seen.size() == 3);
  for (const auto& [latency, times] : seen) CHECK(times > 50);  // 300 of 1/3: below 51 with probability 1e-10
  // Adding an agent changes no other agent's node.
  for (std::uint32_t r = 0; r < 20; ++r) {
    CHECK(Latency(law, test::kPair, kNoAgent, Streams(1, r), whole.latency).of(0, 1, 0, 0) ==
          Latency(law, all, kNoAgent, Streams(1, r), whole.latency).of(0, 1, 0, 0));
  }
}

TEST_CASE("matrix: errors for not square, negative, no number and too few nodes contain the line") {
  CHECK(matrix_refusal("0 1\n1 0\n") == "accepted");
  CHECK(matrix_refusal("0 1 2\n1 0 2\n") ==
        "f1.csv:1: expected a square matrix of latencies, 2 numbers in each row, found 3");
  CHECK(matrix_refusal("0 1\n1 0 2\n") ==
        "f1.csv:2: expected a square matrix of latencies, 2 numbers in each row, found 3");
  CHECK(matrix_refusal("0 1\n-1 0\n") == "f1.csv:2: expected a latency of at least 0, found -1 in field 1");
  CHECK(matrix_refusal("0 1\n1 nan\n") == "f1.csv:2: expected a number in field 2, found 'nan'");
  Files files;
  const MatrixLatency law{
      .path = files("0 1\n1 0\n"), .unit = 1, .round_trip = true, .nodes = NodeChoice::kRandom, .plus = 0.0};
  NetworkFiles read;
  read.read_latency(law);
  CHECK(refusal([&] {
          Latency(law, make_topology(Ring{}, 3, kStreams), kNoAgent, kStreams, read.latency);
        }) == "f1.csv: expected a matrix of at least 3 nodes, one for each agent, found 2");
}

TEST_CASE("availability trace: a run has the up and down times of the file, in both formats") {
  Files files;
  const InputFile states =
      files("agent,time,state\n1,0,up\n2,1.5,down\n1,2,down\n2,3,up\n1,3.25,up\n1,7,down\n2,8,0\n2,8,1\n");
  const InputFile sessions = files("agent,start,end\n1,0,2\n1,3.25,7\n2,0,1.5\n2,3,8\n2,8,100\n");
  for (const InputFile& file : {states, sessions}) {
    Engine::Options options;
    options.clocks = ClockTrace{};
    options.time_limit = 50;
    options.network.availability =
        AvailabilityTrace{.path = file, .unit = 1, .from = 0, .repeat = {}, .absent = Absent::kUp};
    const Topology ring = make_topology(Ring{}, 4, kStreams);
    test::TraceLog trace;
    test::ScriptedEngine engine(options, ring, kStreams, &trace);
    engine.run();
    // Sessions that touch, at 8 s, are one.
    CHECK(engine.log ==
          std::vector<std::string>{"1.5 down 2", "2 down 1", "3 up 2", "3.25 up 1", "7 down 1"});
    CHECK(trace.count(TraceKind::kDown) + trace.count(TraceKind::kUp) == 5);
  }
}

TEST_CASE(
    "availability trace: who is up at the end and at the begin of what repeats does not go down there") {
  Files files;
  const auto changes = [&](const std::string& text, double from) {
    const auto sessions = Sessions::read({.path = files(text), .unit = 1, .from = from, .repeat = 100});
    std::vector<Time> all;
    for (std::uint64_t n = sessions->begin(3).change; all.size() < 4 && sessions->change(3, n) < kNever; ++n)
      all.push_back(sessions->change(3, n));
    return std::pair(sessions->begin(3).up, all);
  };
  const std::pair night(true, std::vector<Time>{30, 50, 130, 150});
  CHECK(changes("agent,time,state\n3,0,up\n3,30,down\n3,50,up\n", 0) == night);
  CHECK(changes("agent,start,end\n3,0,30\n3,50,100\n", 0) == night);
  CHECK(changes("agent,start,end\n3,0,30\n3,50,100\n", 40) ==
        std::pair(false, std::vector<Time>{10, 90, 110, 190}));
  CHECK(changes("agent,time,state\n3,0,up\n", 0) == std::pair(true, std::vector<Time>{}));
  CHECK(changes("agent,start,end\n3,0,50\n3,50,100\n", 60) == std::pair(true, std::vector<Time>{}));
}

TEST_CASE("availability trace: start, repetition, unit and absent agents") {
  Files files;
  // In hours: agent 1 is up on [1, 2) and [5, 6) of every 8, agent 2 from 3 to the end of each.
  AvailabilityTrace trace{.path = files("agent,time,state\n1,1,up\n1,2,down\n1,5,up\n1,6,down\n2,3,up\n"),
                          .unit = 3600,
                          .from = 5.5 * 3600,
                          .repeat = 8.0 * 3600,
                          .absent = Absent::kDown};
  const auto sessions = Sessions::read(trace);
  const Availability law(trace, kStreams, 4, 0, {sessions});
  const auto hours = [&](AgentId i) {
    auto [up, at] = law.first(i);
    std::string text = up ? "up" : "down";
    Time now = 0;
    for (std::uint32_t n = 1; n < 6 && at < kNever; ++n) {
      CHECK(at >= now);
      now = at;
      up = !up;
      text += fmt::format(" {}{}", now / 3600, up ? "u" : "d");
      at = law.end(i, n, up, now);
    }
    return text;
  };
  CHECK(hours(1) == "up 0.5d 3.5u 4.5d 7.5u 8.5d");
  CHECK(hours(2) == "up 2.5d 5.5u 10.5d 13.5u 18.5d");
  CHECK(hours(0) == "down");
  CHECK(hours(3) == "down");
  trace.repeat.reset();
  trace.absent = Absent::kUp;
  const Availability once(trace, kStreams, 4, 0, {Sessions::read(trace)});
  CHECK(once.first(0).up);
  CHECK(once.first(1).length == 1800);
  CHECK(once.end(1, 1, false, 1800) == kNever);
}

TEST_CASE("availability trace: changes never go back in time, whatever the length of the repeated pattern") {
  const double repeat = GENERATE(0.7, 20.1, 33.3, 3600.1);
  Files files;
  // Up from the middle to the end of each cycle: every second change is at a multiple of `repeat`.
  const AvailabilityTrace trace{.path = files(fmt::format("agent,time,state\n0,{},up\n", repeat / 2)),
                                .unit = 1,
                                .from = 0.1,
                                .repeat = repeat,
                                .absent = Absent::kUp};
  const auto sessions = Sessions::read(trace);
  Time last = 0;
  bool ordered = true;
  for (std::uint64_t number = sessions->begin(0).change; number < 100000; ++number) {
    const Time next = sessions->change(0, number);
    ordered = ordered && next >= last;
    last = next;
  }
  CHECK(ordered);
  CHECK(last == Approx(50000 * repeat - 0.1).epsilon(1e-9));
}

TEST_CASE("availability trace: overlaps, decreasing times, repeated states and unknown agents are refused") {
  CHECK(trace_refusal("agent,start,end\n1,0,2\n1,2,3\n") == "accepted");
  CHECK(trace_refusal("agent,start,end\n1,0,2\n1,1,3\n") ==
        "f1.csv:3: sessions of agent 1 overlap: one starts at 1 s, the one above it ends at 2 s");
  CHECK(trace_refusal("agent,start,end\n1,5,6\n1,1,3\n") ==
        "f1.csv:3: expected non-decreasing times of an agent, found 1 s after 6 s");
  CHECK(trace_refusal("agent,start,end\n1,5,5\n") ==
        "f1.csv:2: expected a session that ends after its start, found 5 s to 5 s");
  CHECK(trace_refusal("agent,time,state\n1,5,up\n1,4,down\n") ==
        "f1.csv:3: expected non-decreasing times of an agent, found 4 s after 5 s");
  CHECK(trace_refusal("agent,time,state\n1,5,up\n2,4,down\n1,6,up\n") ==
        "f1.csv:4: expected a change of state, agent 1 is already up");
  CHECK(trace_refusal("agent,time,state\n1,5,away\n") ==
        "f1.csv:2: expected up, down, 1 or 0 as a state, found 'away'");
  CHECK(trace_refusal("agent,time,state\n1,-5,up\n") ==
        "f1.csv:2: expected a time of at least 0, found -5 s");
  CHECK(trace_refusal("agent,time\n1,5\n") ==
        "f1.csv: expected a column 'state', found the columns agent, time");
  CHECK(trace_refusal("agent,time,state\n1,5,up\n", 4.0) ==
        "f1.csv:2: expected a time of at most repeat (4 s), found 5 s");
  CHECK(trace_refusal("agent,time,state\n1,5,up\n", 6.0, 6.0) ==
        "f1.csv: expected from before repeat, found from 6 s and repeat 6 s");
  Files files;
  const AvailabilityTrace trace{
      .path = files("agent,time,state\n4,5,up\n"), .unit = 1, .from = 0, .repeat = {}, .absent = Absent::kUp};
  CHECK(refusal([&] { Availability(trace, kStreams, 4, 0, {Sessions::read(trace)}); }) ==
        "f1.csv: expected agents 0 to 3, found agent 4");
  // Before agents up to this one are listed, which would take gigabytes.
  const AvailabilityTrace far{.path = files("agent,time,state\n1,5,up\n200000000,5,up\n"),
                              .unit = 1,
                              .from = 0,
                              .repeat = {},
                              .absent = Absent::kUp};
  CHECK(refusal([&] { Sessions::read(far, 4); }) ==
        "f2.csv:3: expected agents 0 to 3, found agent 200000000");
}

TEST_CASE(
    "availability trace: what is absent does not concern a hub, which is up unless the table names it") {
  Files files;
  const auto law = [&](const std::string& text) {
    const AvailabilityTrace trace{
        .path = files(text), .unit = 1, .from = 0, .repeat = {}, .absent = Absent::kDown};
    return Availability(trace, kStreams, 4, 1, {Sessions::read(trace)});
  };
  const Availability owners = law("agent,start,end\n1,0,100\n3,5,100\n");
  CHECK_FALSE(owners.applies_to(0, true));
  CHECK(owners.applies_to(0, false));
  CHECK(owners.applies_to(1, false));
  CHECK(owners.applies_to(2, false));
  CHECK_FALSE(owners.first(2).up);
  CHECK(law("agent,start,end\n0,5,100\n").applies_to(0, true));
}

TEST_CASE("clock trace: a file of ticks is read, decreasing times and unknown agents are refused") {
  Files files;
  const auto clocks = [&](const std::string& text) {
    const ClockTrace trace{.times = {}, .agents = {}, .path = files(text), .missed = Missed::kSkip};
    return Clocks(trace, 3, kStreams, 0, TickList::read(*trace.path));
  };
  const Clocks read = clocks("time,agent\n0.5,1\n1,0\n1,1\n");
  CHECK(read.tick(1, 0, 0) == 0.5);
  CHECK(read.tick(1, 1, 0) == 1);
  CHECK(read.tick(1, 2, 0) == kNever);
  CHECK(read.tick(0, 0, 0) == 1);
  CHECK(refusal([&] { clocks("time,agent\n2,1\n1,0\n"); }) ==
        "f2.csv:3: expected non-decreasing times, found 1 s after 2 s");
  CHECK(refusal([&] { clocks("time,agent\n2,3\n"); }) ==
        "the clock trace: expected agents 0 to 2, found agent 3");
}

TEST_CASE("loss: edges have the loss of the file, in one direction or both, others the default") {
  Files files;
  const Topology ring = make_topology(Ring{}, 4, kStreams);
  const auto certain = [&](const EdgeLoss& law, AgentId from, AgentId to) {
    const Loss loss(law, ring, kNoAgent, kStreams, {EdgeList::read(law.path)});
    return loss.certain(from, to, ring.edge(from, to), kNever);
  };
  EdgeLoss law{.path = files("from,to,loss\n0,1,1\n1,2,0.5\n"), .both_ways = true, .otherwise = 0};
  CHECK(certain(law, 0, 1));
  CHECK(certain(law, 1, 0));
  CHECK_FALSE(certain(law, 1, 2));
  CHECK_FALSE(certain(law, 2, 3));
  law.both_ways = false;
  CHECK(certain(law, 0, 1));
  CHECK_FALSE(certain(law, 1, 0));
  law.otherwise = 1;
  CHECK(certain(law, 2, 3));
  law.path = files("from,to,loss\n0,1,1.5\n");
  CHECK(refusal([&] { EdgeList::read(law.path); }) == "f2.csv:2: expected a loss in [0, 1], found 1.5");
  law.path = files("from,to,loss\n0,2,1\n");
  CHECK(refusal([&] { certain(law, 0, 1); }) == "f3.csv:2: agents 0 and 2 are not linked");
  law.path = files("from,to,loss\n0,4,1\n");
  CHECK(refusal([&] { certain(law, 0, 1); }) == "f4.csv:2: expected agents 0 to 3, found agent 4");
}

TEST_CASE("loss: a row for each direction needs both_ways false, equal rows may repeat") {
  Files files;
  const Topology ring = make_topology(Ring{}, 4, kStreams);
  const auto made = [&](const EdgeLoss& law) {
    return Loss(law, ring, kNoAgent, kStreams, {EdgeList::read(law.path)});
  };
  EdgeLoss law{.path = files("from,to,loss\n0,1,0.1\n1,0,1\n"), .both_ways = true, .otherwise = 0};
  CHECK(
      refusal([&] { made(law); }) ==
      "f1.csv:3: the loss from agent 1 to agent 0 is already given; for a row per direction set both_ways to "
      "false");
  law.both_ways = false;
  CHECK(made(law).certain(1, 0, ring.edge(1, 0), kNever));
  CHECK_FALSE(made(law).certain(0, 1, ring.edge(0, 1), kNever));
  law.path = files("from,to,loss\n1,0,1\n0,1,0\n1,0,0.5\n");
  CHECK(refusal([&] { made(law); }) ==
        "f2.csv:4: the loss from agent 1 to agent 0 is already given: remove a row");
  law = {.path = files("from,to,loss\n0,1,1\n1,0,1\n0,1,1\n"), .both_ways = true, .otherwise = 0};
  CHECK(made(law).certain(1, 0, ring.edge(1, 0), kNever));
}

TEST_CASE("network files: agents have the names of the graph's nodes, digits are their numbers") {
  Files files;
  Topology ring = make_topology(Ring{}, 4, kStreams);
  ring.describe_agents({}, {"UK", "PT", "0", "PT"}, {});
  const Names& names = ring.names();

  const EdgeLoss loss{.path = files("from,to,loss\nUK,UKK,1\n"), .both_ways = false, .otherwise = 0};
  CHECK(
      refusal([&] { EdgeList::read(loss.path, names); }) ==
      "f1.csv:2: expected an agent, by its number from 0 to 3 or its name, found 'UKK'; did you mean 'UK'?");
  const auto ticks = TickList::read(files("time,agent\n1,UK\n2,0\n3,2\n"), names);
  CHECK(ticks->agents == std::vector<AgentId>{0, 0, 2});
  CHECK(
      refusal([&] { TickList::read(files("time,agent\n1,PT\n"), names); }) ==
      "f3.csv:2: expected an agent, by its number from 0 to 3 or its name, found 'PT', the name of agents 1 "
      "and 3");
  CHECK(refusal([&] { TickList::read(files("time,agent\n1,UK\n")); }) ==
        "f4.csv:2: expected a number in field 2, found 'UK'");
  const AvailabilityTrace trace{.path = files("agent,start,end\nUK,1,2\n3,4,5\n"),
                                .unit = 1,
                                .from = 0,
                                .repeat = {},
                                .absent = Absent::kUp};
  const auto sessions = Sessions::read(trace, 4, names);
  CHECK(sessions->change(0, 0) == 1);
  CHECK(sessions->change(3, 1) == 5);

  // Rows in the order of the header, not of agents; the spare node is that of no agent.
  ring.describe_agents({}, {"UK", "PT", "FR", "DE"}, {});
  const auto latency = [&](const std::string& text) {
    const LatencyOptions options(MatrixLatency{
        .path = files(text), .unit = 1, .round_trip = false, .nodes = NodeChoice::kNamed, .plus = 0.0});
    NetworkFiles read;
    read.read_latency(options);
    return Latency(options, ring, kNoAgent, kStreams, read.latency).of(0, 1, ring.edge(0, 1), 0);
  };
  CHECK(latency("PT,IT,UK,DE,FR\n0,1,2,3,4\n5,0,6,7,8\n9,10,0,11,12\n13,14,15,0,16\n17,18,19,20,0\n") == 9);
  CHECK(refusal([&] { latency("PT,UKK,FR,DE\n0,1,2,3\n4,0,5,6\n7,8,0,9\n10,11,12,0\n"); }) ==
        "f7.csv: expected one column named 'UK' as agent 0, found none; did you mean 'UKK'?");
  CHECK(refusal([&] { latency("0,1,2,3\n4,0,5,6\n7,8,0,9\n10,11,12,0\n"); }) ==
        "f8.csv: nodes \"named\" needs a header with the agents' names");
}
