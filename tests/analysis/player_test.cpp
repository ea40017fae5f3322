// What the player knows of a small trace at any time, worked out by hand. Its functions run on node.
#include <catch2/catch.hpp>

#include <set>
#include <sstream>

#include "tests/support/figure_study.hpp"

using namespace hearsay;
using nlohmann::json;

namespace {

// Agent 0 sends to 1 and 2 at 1 s, the second message is lost. Agent 1 hears it at 2 s, uses its data and computes until
// 3.5 s, when it sends to both; agent 2 is down from 3 to 6 s. Agent 0 hears the answer at 5 s, completes an iteration and
// sends again, which has no end.
constexpr const char* kTrace =
    "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin\n"
    "0,0,start,,,,,,,0,,\n1,1,tick,0,,,tick:0:0,,,0,,\n2,1,send,0,1,message:0:0,tick:0:0,8,,0,,\n"
    "3,1,send,0,2,message:0:1,tick:0:0,8,,0,,\n4,1,lose,2,0,message:0:1,tick:0:0,8,0,0,loss,\n"
    "5,2,deliver,1,0,message:0:0,message:0:0,8,1,0,,\n6,2,timer,1,,,timer:1:0,,,0,train,message:0:0\n"
    "7,2,release,1,,,timer:1:0,,,0,release=1 epsilon=0.25 spent=0.25 delta=0,\n"
    "8,2,compute,1,,,timer:1:0,,,0,,\n9,3,down,2,,,down:2:0,,,0,,\n"
    "10,3.5,hostile,1,,,timer:1:1,,,0,sign_flip,timer:1:0\n"
    "11,3.5,send,1,0,message:1:0,timer:1:1,8,,0,,timer:1:0\n"
    "12,3.5,send,1,2,message:1:1,timer:1:1,8,,0,,timer:1:0\n13,3.5,computed,1,,,timer:1:2,,,0,,timer:1:0\n"
    "14,4,lose,2,1,message:1:1,message:1:1,8,0.5,0,receiver_down,\n"
    "15,5,deliver,0,1,message:1:0,message:1:0,8,1.5,0,,\n16,5,send,0,1,message:0:2,message:1:0,8,,1,,\n"
    "17,6,up,2,,,up:2:0,,,1,,\n18,7,event,,,,event:0,,,1,storm,\n";

// Values of expressions, in which `run` is the loaded trace, `s` its functions, and `m` the number of a message by its
// name and `names` the opposite.
std::vector<json> values(const std::vector<std::string>& expressions, double from = 0,
                         const char* rows = kTrace, const std::set<sim::AgentId>& agents = {},
                         const analysis::StudyData& data = {}, std::size_t repetition = 0) {
  const test::Scratch dir;
  dir.write("trace.csv", rows);
  auto trace = analysis::read_trace(dir / "trace.csv", 20000, from, sim::kNever, agents);
  REQUIRE(trace);
  trace->repetition = repetition;
  const analysis::Json tables = analysis::figure_data(data, trace, "");
  std::string script;
  for (const std::string_view part : analysis::kSharedScripts) script += analysis::page_files().at(part);
  for (const std::string_view part : analysis::kPlayerPictures) script += analysis::page_files().at(part);
  script +=
      "const { study } = JSON.parse(require('fs').readFileSync(process.argv[2])), { trace } = study, s = traceState;\n"
      "const run = s.load(trace), key = ({ sentRow, endRow }) => run.text(run.rows.message[sentRow ?? endRow]);\n"
      "const m = (name) => run.messages.findIndex((one) => key(one) === name);\n"
      "const names = (list) => list.map((i) => key(run.messages[i])).sort();\n"
      "const steps = (list) => list.map(({ moment = null, message, depth }) =>\n"
      "  [moment, message === undefined ? '' : key(run.messages[message]), ...(depth === undefined ? [] : [depth])]);\n"
      "console.log(JSON.stringify([";
  for (const std::string& expression : expressions) script += "(" + expression + ") ?? null,\n";
  script += "]));";
  const auto outcome = test::shell("node " + dir.write("s.js", script) + " " +
                                   dir.write("data.json", analysis::json_text(tables)));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

void check(const std::vector<std::pair<std::string, const char*>>& expected) {
  std::vector<std::string> expressions;
  for (const auto& [expression, value] : expected) expressions.push_back(expression);
  const auto found = values(expressions);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    INFO(expected[k].first);
    CHECK(found[k] == json::parse(expected[k].second));
  }
}

}  // namespace

TEST_CASE("player: a message is in flight from its sending up to its end") {
  check({{"names(s.inFlight(run, 0.9))", "[]"},
         {"names(s.inFlight(run, 1))", R"(["message:0:0"])"},
         {"names(s.inFlight(run, 1.999))", R"(["message:0:0"])"},
         {"names(s.inFlight(run, 2))", "[]"},
         {"names(s.inFlight(run, 3.5))", R"(["message:1:0", "message:1:1"])"},
         {"names(s.inFlight(run, 4))", R"(["message:1:0"])"},
         {"names(s.inFlight(run, 7))", R"(["message:0:2"])"},
         {"names(s.lostIn(run, 0, 1))", R"(["message:0:1"])"},
         {"names(s.lostIn(run, 1, 4))", R"(["message:1:1"])"},
         {"s.progress(run, run.messages[m('message:0:0')], 1.25)", "0.25"},
         {"s.progress(run, run.messages[m('message:1:1')], 3.75)", "0.5"},
         // Lost when it was sent: near its sender. Without an end: half way at the end of the trace.
         {"s.progress(run, run.messages[m('message:0:1')], 1)", "0.3"},
         {"s.progress(run, run.messages[m('message:0:2')], 6)", "0.25"}});
  // A window that begins later has the message that was sent before it, as its staleness says.
  CHECK(values({"run.begin", "names(s.inFlight(run, 1.5))", "names(s.inFlight(run, 3.75))"}, 1.5) ==
        std::vector<json>{1.5, json{"message:0:0"}, json{"message:1:0", "message:1:1"}});
  // What computes or is down then does so from before.
  CHECK(values({"[2.6, 3.4, 3.5].map((t) => s.agentAt(run, 1, t).computing)"}, 2.5)[0] ==
        json::parse("[true, true, false]"));
  CHECK(values({"[4.6, 6].map((t) => s.agentAt(run, 2, t).down)"}, 4.5)[0] == json::parse("[true, false]"));
}

TEST_CASE("player: a whole run ends with its last sample, after its last event") {
  const std::string sampled =
      "((t) => { const one = s.load({ ...t, samples: { times: [0, 9], metrics: "
      "[{ name: 'x', values: [[1], [2]] }] } }); return [one.end, s.measures(one, "
      "0)[0].at(0, one.end)]; })";
  check({{sampled + "(trace)", "[9, 2]"}, {sampled + "({ ...trace, whole: false })", "[7, 1]"}});
}

TEST_CASE("player: agents are down, compute and have been hostile at a time") {
  check({{"[2.9, 3, 5.9, 6].map((t) => s.agentAt(run, 2, t).down)", "[false, true, true, false]"},
         {"[1.9, 2, 3.4, 3.5].map((t) => s.agentAt(run, 1, t).computing)", "[false, true, true, false]"},
         {"[3.4, 3.5, 7].map((t) => [s.agentAt(run, 1, t).attacks, s.agentAt(run, 1, t).hostile])",
          "[[0, false], [1, true], [1, true]]"},
         // Of agents 1 and 2, which the study says are hostile, 2 has no attack in the trace.
         {"[1, 2].map((agent) => s.agentAt(s.load(trace, [1, 2]), agent, 1).hostile)", "[false, true]"},
         {"[1.9, 2].map((t) => [s.released(run, 1, t).count, s.released(run, 1, t).spent])",
          "[[0, 0], [1, 0.25]]"}});
}

namespace {

// Agent 0 sends to 2 at 1 s. Agent 1 computes from 1.4 s on, is down from 2 to 3 s, and has computed at 5.4 s. An iteration is
// completed at 2.4 s by agent 0 and at 2.6 s by agent 2.
constexpr const char* kThree =
    "0,1,tick,0,,,tick:0:0,,,0,,\n1,1,send,0,2,message:0:0,tick:0:0,8,,0,,\n"
    "2,1.2,deliver,2,0,message:0:0,message:0:0,8,0.2,0,,\n3,1.4,compute,1,,,timer:1:0,,,0,,\n"
    "4,1.7,timer,2,,,timer:2:0,,,0,go,\n5,2,down,1,,,down:1:0,,,0,,\n6,2.4,tick,0,,,tick:0:1,,,0,,\n"
    "7,2.6,tick,2,,,tick:2:0,,,1,,\n8,3,up,1,,,up:1:0,,,2,,\n9,5.4,computed,1,,,timer:1:1,,,2,,\n"
    "10,5.6,tick,2,,,tick:2:1,,,2,,\n";
const std::string kDone = "run.moments.map(({ t, more, done }) => [t, more, done])";

}  // namespace

TEST_CASE("player: of one agent's events, iterations and states are those of the whole run") {
  const auto found = values({kDone, "[1.9, 2.5, 3].map((t) => s.agentAt(run, 1, t).down)", "trace.computing",
                             "[trace.whole, trace.states]"},
                            0, kThree, {2});
  CHECK(found[0] == json::parse("[[1, 0, 0], [1.2, 0, 0], [1.7, 0, 0], [2.6, 1, 2], [5.6, 0, null]]"));
  CHECK(found[1] == json::parse("[false, true, false]"));
  // Interrupted, it goes on.
  CHECK(found[2] == json::parse("[[1.4, 2, 1], [3, 5.4, 1]]"));
  CHECK(found[3] == json::parse("[false, true]"));
  // A trace of agent 2 alone does not say who completed the iterations after 1.7 s.
  std::string own;
  std::istringstream lines(kThree);
  for (std::string line; std::getline(lines, line);)
    if (std::set<char>{'1', '2', '4', '7'}.contains(line[0])) own += line + "\n";
  CHECK(values({kDone}, 0, own.c_str())[0] ==
        json::parse("[[1, 0, 0], [1.2, 0, 0], [1.7, 0, null], [2.6, 0, null], [5.6, 0, null]]"));
}

TEST_CASE("player: a computation ends with a reset, and is open if nothing ends it") {
  const std::string rows =
      "0,1.4,compute,1,,,tick:1:0,,,0,,\n1,2,down,1,,,down:1:0,,,0,,\n2,3,up,1,,,up:1:0,,,0,,\n";
  const auto computing = [](const std::string& text) {
    return values({"trace.computing", "s.agentAt(run, 1, 100).computing"}, 0, text.c_str());
  };
  const std::string tick = "4,4,tick,2,,,tick:2:0,,,0,,\n";
  CHECK(computing(rows + "3,3,reset,1,,,up:1:0,,,0,,\n" + tick) ==
        std::vector<json>{json::parse("[[1.4, 2, 1]]"), false});
  CHECK(computing(rows + tick) == std::vector<json>{json::parse("[[1.4, 2, 1], [3, 4, 1, true]]"), true});
  // What is computed while the agent is down does not go on.
  CHECK(
      computing(
          "0,1.4,compute,1,,,tick:1:0,,,0,,\n1,2,down,1,,,down:1:0,,,0,,\n2,2.5,computed,1,,,tick:1:0,,,0,,\n"
          "3,3,up,1,,,up:1:0,,,0,,\n" +
          tick) == std::vector<json>{json::parse("[[1.4, 2, 1]]"), false});
}

TEST_CASE("player: what is down or computes when a trace begins has been so before") {
  const auto periods = [](const char* rows) {
    return values({"[trace.down, trace.computing]"}, 10, rows)[0];
  };
  CHECK(periods("1,12,up,2,,,up:2:0,,,1,,\n") == json::parse("[[[10, 12, 2]], []]"));
  CHECK(periods("1,11,skip,2,,,tick:2:0,,,1,down,\n2,12,up,2,,,up:2:0,,,1,,\n") ==
        json::parse("[[[10, 12, 2]], []]"));
  CHECK(periods("1,11,skip,2,,,tick:2:0,,,1,down,\n2,12,tick,1,,,tick:1:0,,,1,,\n") ==
        json::parse("[[[10, 12, 2, true]], []]"));
  CHECK(periods("1,12,computed,2,,,timer:2:0,,,1,,\n") == json::parse("[[], [[10, 12, 2]]]"));
  // It has come up before.
  CHECK(periods("1,8,up,2,,,up:2:0,,,1,,\n2,12,tick,2,,,tick:2:0,,,1,,\n") == json::parse("[[], []]"));
}

TEST_CASE("player: a window knows what was before it") {
  const auto found = values(
      {"[s.released(run, 1, 5.6).count, s.released(run, 1, 5.6).spent]", "s.agentAt(run, 1, 5.6).hostile",
       "s.agentAt(s.load(trace, [1]), 1, 5.6).attacks", "trace.before"},
      5.5);
  CHECK(found[0] == json::parse("[0, 0.25]"));
  CHECK(found[1] == true);
  CHECK(found[2] == 0);
  CHECK(found[3] == json::parse(R"([[0, 1, ""], [1, 0, "release=1 epsilon=0.25 spent=0.25 delta=0"]])"));
  // An iteration before the window and one in it.
  const char* const rows =
      "0,1,tick,0,,,tick:0:0,,,0,,\n1,2,tick,0,,,tick:0:1,,,1,,\n2,3,tick,1,,,tick:1:0,,,2,,\n";
  CHECK(
      values(
          {"[1.5, 2].map((t) => s.measures(run, 0).find(({ unit, name }) => name.startsWith('iterations')).at(0, t))"},
          1.5, rows)[0] == json::parse("[1, 2]"));
}

TEST_CASE("player: an agent that attacks after the window is not hostile yet") {
  const test::Scratch dir;
  dir.write("trace.csv", kTrace);
  const auto first = analysis::read_trace(dir / "trace.csv", 20000, 0, 2.5);
  CHECK(first->attacked == std::map<sim::AgentId, double>{{1, 3.5}});
  CHECK(analysis::read_trace(dir / "trace.csv", 2)->attacked == first->attacked);
}

TEST_CASE("player: numbers that are not finite are lost where they are found") {
  const char* const rows =
      "0,1,send,0,1,message:0:0,tick:0:0,8,,0,,\n1,1,lose,1,0,message:0:0,tick:0:0,8,0,0,not_finite,\n"
      "2,1,send,0,1,message:0:1,tick:0:0,8,,0,,\n3,2,lose,1,0,message:0:1,message:0:1,8,1,0,not_finite,\n";
  CHECK(values({"run.messages.map((m) => s.progress(run, m, m.ended))"}, 0, rows)[0] ==
        json::parse("[0.3, 1]"));
}

TEST_CASE("player: the network of another repetition has the links that messages take") {
  analysis::StudyData data;
  data.points.resize(1);
  data.points[0].network = 0;
  data.networks = {{.nodes = {{"", 0, 0}, {"", 1, 0}, {"", 0, 1}}, .links = {{0, 1}}}};
  const auto links = [&](const char* rows, std::size_t repetition) {
    return values({"tracePicture.scene(study, String).links"}, 0, rows, {}, data, repetition)[0];
  };
  const char* const beyond = "0,1,send,0,2,message:0:0,tick:0:0,8,,0,,\n";
  CHECK(links(beyond, 1) == json::parse("[[0, 2]]"));
  CHECK(links(beyond, 0) == json::parse("[[0, 1]]"));
  CHECK(links("0,1,send,1,0,message:1:0,tick:1:0,8,,0,,\n", 1) == json::parse("[[0, 1]]"));
}

TEST_CASE("player: a film has its length, in hundredths of a second") {
  // 2.5 hundredths each: 3, 2, 3, 2.
  check({{"[...Array(80).keys()].reduce((sum, k) => sum + tracePicture.hundredths(k, 40), 0)", "200"},
         {"[0, 1, 2, 3].map((k) => tracePicture.hundredths(k, 40))", "[3, 2, 3, 2]"},
         {"[0, 1, 2].map((k) => tracePicture.hundredths(k, 12))", "[8, 9, 8]"}});
}

TEST_CASE("player: what an agent has heard is as old as the newest message that has arrived") {
  const std::string heard =
      "((agent, t) => s.heard(run, agent, t).map((h) => [h.from, h.message < 0 ? '' : names([h.message])[0], h.age, "
      "names(h.lost), names(h.flying)]))";
  check({{heard + "(0, 6)", R"([[1, "message:1:0", 2.5, [], []]])"},
         {heard + "(0, 4.9)", R"([[1, "", null, [], ["message:1:0"]]])"},
         {heard + "(1, 5.5)", R"([[0, "message:0:0", 4.5, [], ["message:0:2"]]])"},
         {heard + "(2, 4.5)", R"([[0, "", null, ["message:0:1"], []], [1, "", null, ["message:1:1"], []]])"},
         {"[4.9, 5, 6].map((t) => s.age(run, 0, t))", "[null, 1.5, 2.5]"}});
}

TEST_CASE("player: what is overtaken on its way is older than what has been heard") {
  // Sent at 1 s, 4 s on the way; sent at 2 s, 1 s on the way.
  const char* const rows =
      "0,1,send,0,1,message:0:0,tick:0:0,8,,0,,\n1,2,send,0,1,message:0:1,tick:0:1,8,,0,,\n"
      "2,3,deliver,1,0,message:0:1,message:0:1,8,1,0,,\n3,5,deliver,1,0,message:0:0,message:0:0,8,4,0,,\n";
  const auto found = values({"[3, 4.5, 5].map((t) => [s.age(run, 1, t), s.heard(run, 1, t)[0].age])",
                             "names([s.heard(run, 1, 5)[0].message])"},
                            0, rows);
  CHECK(found[0] == json::parse("[[1, 1], [2.5, 2.5], [3, 3]]"));
  CHECK(found[1] == json{"message:0:1"});
}

TEST_CASE("player: causes are followed back and forward, through messages and what an agent set itself") {
  // Moments: 0 the tick at 1 s, 1 the arrival at 2 s, 2 the timer, 3 down, 4 the sending at 3.5 s, 5 the end of the computation,
  // 6 the loss, 7 the answer's arrival, 8 up, 9 the scenario's event.
  check(
      {{"run.times", "[1, 2, 2, 3, 3.5, 3.5, 4, 5, 6, 7]"},
       {"steps(s.chain(run, m('message:1:0')).before)", R"([[4, ""], [2, ""], [1, "message:0:0"], [0, ""]])"},
       {"steps(s.chain(run, m('message:1:0')).after)", R"([[null, "message:0:2", 0]])"},
       {"steps(s.chain(run, m('message:0:0')).after)",
        R"([[2, "", 0], [4, "", 1], [5, "", 1], [null, "message:1:1", 2], [7, "message:1:0", 2], [null, "message:0:2", 3]])"},
       {"steps(s.chain(run, m('message:1:1')).after)", "[]"},
       // Sent at 1 s, 1 s on the way, 1.5 s at agent 1, 1.5 s back.
       {"s.basis(run, m('message:1:0'))",
        R"({"message": 0, "age": 4, "there": 1, "inside": 1.5, "back": 1.5, "iterations": 0})"},
       {"s.basis(run, m('message:0:0'))", "null"},
       // Of a learner that sends to many it would be one of many.
       {"s.basis(s.load(trace, [], 1), m('message:1:0'))", "null"},
       // The answer's arrival completes an iteration, which what is sent there does not wait for.
       {"[6, 7, 8].map((k) => [run.moments[k].more, run.moments[k].done])", "[[0, 0], [1, 1], [0, 1]]"}});
}

TEST_CASE("player: a timeout names those that have not answered") {
  // Agent 0 asks 1, 2 and 3 at 1 s. 1 answers; the request to 2 is lost; 3 computes until 4 s, and its answer is lost. What
  // 2 and 3 send when their clocks tick is no answer.
  const char* const rows =
      "0,1,send,0,1,message:0:0,tick:0:0,8,,0,,\n1,1,send,0,2,message:0:1,tick:0:0,8,,0,,\n"
      "2,1,lose,2,0,message:0:1,tick:0:0,8,0,0,loss,\n3,1,send,0,3,message:0:2,tick:0:0,8,,0,,\n"
      "4,2,deliver,1,0,message:0:0,message:0:0,8,1,0,,\n5,2,send,1,0,message:1:0,message:0:0,8,,0,,\n"
      "6,2,deliver,3,0,message:0:2,message:0:2,8,1,0,,\n7,2.5,send,2,0,message:2:0,tick:2:0,8,,0,,\n"
      "8,2.5,send,3,0,message:3:0,tick:3:0,8,,0,,\n9,3,deliver,0,1,message:1:0,message:1:0,8,1,0,,\n"
      "10,3,deliver,0,2,message:2:0,message:2:0,8,0.5,0,,\n11,3,deliver,0,3,message:3:0,message:3:0,8,0.5,0,,\n"
      "12,4,send,3,0,message:3:1,timer:3:0,8,,0,,message:0:2\n13,4,lose,0,3,message:3:1,timer:3:0,8,0,0,loss,\n"
      "14,5,timer,0,,,timer:0:0,,,0,timeout,tick:0:0\n";
  CHECK(values({"names(s.unanswered(run, run.moments.length - 1))"}, 0, rows)[0] ==
        json{"message:0:1", "message:0:2"});
  // In rounds of gossip what 2 and 3 have sent is what agent 0 waits for.
  const std::string gossip = "0,0,timer,0,,,timer:0:9,,,0,first round,\n" + std::string(rows);
  CHECK(values({"names(s.unanswered(run, run.moments.length - 1))"}, 0, gossip.c_str())[0] == json::array());
  // One that was set as the run began has no origin.
  const char* const begun =
      "0,0,send,0,1,message:0:0,,8,,0,,\n1,0,send,1,2,message:1:0,,8,,0,,\n2,1,deliver,1,0,message:0:0,message:0:0,8,1,0,,\n"
      "3,5,timer,0,,,timer:0:0,,,0,timeout,\n";
  CHECK(values({"names(s.unanswered(run, run.moments.length - 1))"}, 0, begun)[0] == json{"message:0:0"});
}

TEST_CASE("player: steps lead to the next lost message, of all agents or of one") {
  // message:0:1 is lost at 1 s between 0 and 2, message:1:1 at 4 s between 1 and 2.
  const auto loss = [](const std::string& arguments) {
    return "((i) => i === null ? '' : names([i])[0])(s.nextLoss(run, " + arguments + "))";
  };
  check({{loss("0, 1"), R"("message:0:1")"},
         {loss("1, 1"), R"("message:1:1")"},
         {loss("4, 1"), R"("")"},
         {loss("4, -1"), R"("message:0:1")"},
         {loss("1, -1"), R"("")"},
         {loss("0, 1, 1"), R"("message:1:1")"},
         {loss("4, 1, null, m('message:0:1')"), R"("")"}});
  // Of two that are lost at one time, each has its turn.
  const char* const rows =
      "0,1,send,0,1,message:0:0,tick:0:0,8,,0,,\n1,1,lose,1,0,message:0:0,tick:0:0,8,0,0,loss,\n"
      "2,1,send,0,2,message:0:1,tick:0:0,8,,0,,\n3,1,lose,2,0,message:0:1,tick:0:0,8,0,0,loss,\n";
  CHECK(values({"[s.nextLoss(run, 0, 1), s.nextLoss(run, 1, 1, null, 0), s.nextLoss(run, 1, 1, null, 1), "
                "s.nextLoss(run, 1, -1, null, 1)]"},
               0, rows)[0] == json::parse("[0, 1, null, 0]"));
}

TEST_CASE("player: labels of agents do not cover each other") {
  // A hub with twenty others around it, 100 and 60 pixels from it; the hub's label is needed.
  const auto found = values(
      {"([100, 60]).map((far) => { const view = { width: 300, height: 300, radius: 10, places: [[150, 150], ...[...Array(20).keys()].map((k) => "
       "[150 + far * Math.cos(0.1 * Math.PI * k), 150 + far * Math.sin(0.1 * Math.PI * k)])] };"
       "const all = tracePicture.placeLabels(view, view.places.map((_, agent) => ({ agent, needed: agent === 0, texts: "
       "[[`owner ${agent}, 200 ms old`, 20], [`owner ${agent}`, 8]] })), 12);"
       "const apart = (a, b) => a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];"
       "return [all[0].agent, all.length > 3, all.every((a, i) => all.slice(0, i).every((b) => apart(a.box, b.box))),"
       "all.every(({ box }) => box[0] >= 0 && box[1] >= 0 && box[2] <= 300 && box[3] <= 300)]; })"});
  CHECK(found[0] == json::parse("[[0, true, true, true], [0, true, true, true]]"));
}

TEST_CASE("player: when a run begins, what each agent does is a moment") {
  // Agents 0 and 1 send, the message of 0 is lost at once, and it sends another; 1 releases.
  const char* const rows =
      "0,0,send,0,1,message:0:0,,8,,0,,\n1,0,lose,1,0,message:0:0,,8,0,0,loss,\n2,0,send,0,2,message:0:1,,8,,0,,\n"
      "3,0,send,1,2,message:1:0,,8,,0,,\n4,0,release,1,,,,,,0,release=1 epsilon=1 spent=1 delta=0,\n"
      "5,1,tick,2,,,tick:2:0,,,0,,\n";
  CHECK(values({"run.moments.map(({ t, agent, first, last }) => [t, agent, first, last])"}, 0, rows)[0] ==
        json::parse("[[0, 0, 0, 2], [0, 1, 3, 4], [1, 2, 5, 5]]"));
}

TEST_CASE("player: steps lead to the next moment, of all agents or of one") {
  check(
      {{"[0.5, 1, 2, 100].map((t) => s.momentAt(run, t))", "[-1, 0, 2, 9]"},
       {"[s.neighbour(run, 1, 1), s.neighbour(run, 1, 1, 0), s.neighbour(run, 7, -1, 0)]", "[2, 7, 0]"},
       {"[s.neighbour(run, 9, 1), s.neighbour(run, 0, -1), s.neighbour(run, 7, 1, 0)]", "[null, null, null]"},
       {"run.moments[4].hostile", "true"},
       {"[4.9, 5].map((t) => s.measures(run, 0).find(({ name }) => name === 'iterations completed').at(0, t))",
        "[0, 1]"},
       {"s.measures(run, 0).map(({ name }) => name)",
        R"(["age of what it heard last", "iterations completed", "epsilon spent by releases"])"}});
}
