// Hostile agents through the whole program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// The last value of a metric at each point, by its label; without a sweep of each repetition.
std::map<std::string, double> last_values(const std::string& file, const std::string& metric) {
  std::map<std::string, double> values;
  std::istringstream in(text_of(file));
  std::ptrdiff_t named = -1;  // the column with the name of the metric
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (named < 0) {
      named = std::ranges::find(fields, "metric") - fields.begin();
    } else if (fields.at(static_cast<std::size_t>(named)) == metric) {
      values[fields[0]] = std::stod(fields.back());
    }
  }
  REQUIRE_FALSE(values.empty());
  return values;
}

// Honest agents 0-1-2-3 in a chain start at 0, 0, 200, 200; agent 4 is a hostile neighbour of 1, agent 5 of 2.
// `hostile_first`: the same agents with other numbers, the hostile ones 0 and 1.
std::string hostile_chain(double delta, double beta, const std::string& adversaries,
                          bool hostile_first = false) {
  const char* const edges = hostile_first
                                ? "\n\nsource,target,weight\n0,3,{2}\n1,4,{2}\n2,3,{0}\n3,4,{1}\n4,5,{0}\n"
                                : "\n\nsource,target,weight\n0,1,{0}\n1,2,{1}\n2,3,{0}\n1,4,{2}\n2,5,{2}\n";
  return R"({"data": {"type": "csv", "path": "data.csv", "target": "y", "owner": {"column": "owner"}},
  "model": {"loss": "squared", "l2": 0}, "privacy": {"mechanism": "none"},
  "network": {"topology": {"type": "file", "path": "edges.csv"}, "latency": "1 ms"},
  "protocol": {"type": "muffliato", "step": 0.5, "gossip_steps": 1000, "mixing": "links"},
  "stop": {"iterations": 600}, "record": {"metrics": ["distance.honest"]}, "repeat": 1, "adversaries": )" +
         adversaries + R"(, "sweep": {"protocol.aggregate": ["mean", "self_centered_clipping", "median",
                                                            {"type": "trimmed_mean", "f": 1}]}})" +
         fmt::format(fmt::runtime(edges), 1.0 / 3, beta, delta);
}

// The last squared distances of a chain's honest agents from 100, by rule; `starts`: of agents 0 to 5.
std::map<std::string, double> chain_distances(const std::string& chain, const std::vector<int>& starts) {
  const auto end = chain.find("\n\n");
  const test::Scratch folder;
  folder.write("s.json", chain.substr(0, end));
  folder.write("edges.csv", chain.substr(end + 2));
  std::string data = "owner,x,y\n";
  for (std::size_t i = 0; i < starts.size(); ++i) data += fmt::format("{},1,{}\n", "abcdef"[i], starts[i]);
  folder.write("data.csv", data);
  test::ended_with(folder, "run s.json");
  return last_values(folder / "out/s/series.csv", "distance.honest");
}

// A small study of classes with hostile agents.
std::string hostile_study(const std::string& protocol, const std::string& adversaries,
                          const std::string& more = "") {
  return R"({"data": {"type": "linear_separators", "owners": 8, "features": 3, "records": 20, "test_records": 20},
  "model": {"loss": "logistic"}, "privacy": {"mechanism": "none"}, "network": {"topology": "complete", "latency": "10 ms"},
  "protocol": {"type": ")" +
         protocol + R"(", "step": 0.2}, "stop": {"time": "20 s", "iterations": 400}, "adversaries": )" +
         adversaries +
         R"(, "record": {"metrics": ["objective", "messages_lost"], "every": {"time": "1 s"}}, "repeat": 2)" +
         more + "}";
}

std::string lost_of(const test::Scratch& folder, const std::string& column) {
  std::istringstream in(text_of(folder / "out/s/runs.csv"));
  std::string header, row, name, value;
  std::getline(in, header);
  std::getline(in, row);
  std::istringstream names(header), values(row);
  while (std::getline(names, name, ',') && std::getline(values, value, ','))
    if (name == column) return value;
  return "";
}

// The model of an agent at the end of the run of a scenario that is run in a folder and records models.
std::vector<double> model_of(const test::Scratch& folder, const std::string& scenario,
                             const std::string& agent) {
  folder.write("s.json", scenario);
  test::ended_with(folder, "run s.json");
  std::istringstream in(text_of(folder / "out/s/models.csv"));
  std::vector<double> model;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (fields.size() == 5 && fields[1] == agent) model.push_back(std::stod(fields[4]));
  }
  return model;
}

constexpr const char* kFederated[] = {"fedavg", "fedbuff", "fedasync", "scaffold"};
constexpr const char* kGossip[] = {"dpsgd_gossip", "ad_psgd",  "gossip_learning",
                                   "push_sum",     "epidemic", "muffliato"};

}  // namespace

TEST_CASE("hostile: consensus on a chain with two hostile neighbours, to four decimals") {
  struct Row {
    bool dissensus;
    double delta, beta, mean, clipped;
  };
  // The mean squared error from 100 after 100 steps, which a program of its own gives.
  constexpr Row kRows[] = {{false, .1, .267, 248.7835, .0001},      {false, .1, .12, 865.0558, 211.5106},
                           {false, .3, .267, 1293.9289, 1393.0733}, {false, .3, .12, 3086.4198, 4409.3096},
                           {true, .1, .267, 10000, .0002},          {true, .1, .12, 10000, 1272.1715}};
  for (const Row& row : kRows) {
    const std::string adversaries =
        row.dissensus ? R"({"agents": [4, 5], "omniscient": true, "behaviour": {"type": "dissensus"}})"
                      : R"([{"agents": [4], "behaviour": {"type": "constant", "value": 0}},
                            {"agents": [5], "behaviour": {"type": "constant", "value": 200}}])";
    const std::string all = hostile_chain(row.delta, row.beta, adversaries);
    const auto values = chain_distances(all, {0, 0, 200, 200, 0, 200});
    REQUIRE(values.size() == 4);
    CHECK(std::abs(values.at("mean") - row.mean) < 6e-5);
    CHECK(std::abs(values.at("self_centered_clipping") - row.clipped) < 6e-5);
    CHECK(std::abs(values.at("median") - 10000) < 1e-9);
    CHECK(std::abs(values.at("trimmed_mean f=1") - 10000) < 1e-9);
  }
}

TEST_CASE("hostile: dissensus does not depend on the agents' numbers, nor on what is said of its knowledge") {
  for (const char* omniscient : {"true", "false"}) {
    const std::string all = hostile_chain(
        .1, .267,
        fmt::format(R"({{"agents": [0, 1], "omniscient": {}, "behaviour": "dissensus"}})", omniscient), true);
    const auto values = chain_distances(all, {0, 200, 0, 0, 200, 200});
    CHECK(std::abs(values.at("mean") - 10000) < 6e-5);
    CHECK(std::abs(values.at("self_centered_clipping") - .0002) < 6e-5);
  }
}

TEST_CASE("hostile: omniscient owners move a trusted sum as far as any owner can") {
  const test::Scratch folder;
  folder.write(
      "s.json",
      R"({"data": {"type": "linear_separators", "owners": 8, "features": 3, "records": 20, "test_records": 20},
  "model": {"loss": "logistic"}, "network": {"topology": "star", "latency": "10 ms"},
  "privacy": {"mechanism": "gaussian", "trust": "aggregator", "unit": "owner", "epsilon": 1000, "delta": 1e-5, "clip": 1},
  "protocol": {"type": "dp_fedavg", "step": 0.2, "participation": 1}, "stop": {"iterations": 5},
  "adversaries": {"agents": [2], "omniscient": true, "behaviour": {"type": "inner_product", "tau": 1e6}},
  "record": {"metrics": ["distance"]}, "repeat": 1})");
  test::ended_with(folder, "run s.json");
  // Contributions have norm 1 at most, so that a round moves the model by 1 at most.
  for (const auto& [label, value] : last_values(folder / "out/s/series.csv", "distance")) CHECK(value < 1e3);
}

TEST_CASE("hostile: what leaves an agent after a computation is as it behaves then") {
  for (const char* from : {"0.5 s", "1.5 s"}) {
    const test::Scratch folder;
    std::string text = hostile_study(
        "fedavg",
        fmt::format(R"({{"agents": [2], "from": "{}", "behaviour": {{"type": "constant", "value": 1e3}}}})",
                    from));
    const std::string latency = R"("latency": "10 ms")", iterations = R"("iterations": 400)";
    text.replace(text.find(latency), latency.size(), R"("latency": "0 s", "compute_time": "1 s")");
    text.replace(text.find(iterations), iterations.size(), R"("iterations": 1)");
    folder.write("s.json", text);
    test::ended_with(folder, "run s.json");
    // The first round trains until 1 s.
    for (const auto& [label, value] : last_values(folder / "out/s/series.csv", "objective"))
      CHECK((value > 10) == (std::string_view(from) == "0.5 s"));
  }
}

TEST_CASE("hostile: what is not finite is lost and counted, and reaches no model") {
  for (const char* behaviour : {"not_a_number", "infinite"}) {
    for (const auto* protocols : {kFederated, kGossip}) {
      const std::size_t count = protocols == kFederated ? std::size(kFederated) : std::size(kGossip);
      for (std::size_t k = 0; k < count; ++k) {
        const test::Scratch folder;
        folder.write("s.json",
                     hostile_study(protocols[k],
                                   fmt::format(R"({{"agents": [2, 3], "behaviour": "{}"}})", behaviour)));
        const auto run = test::ended_with(folder, "run s.json");
        INFO(protocols[k] << " " << behaviour << "\n" << run.out << run.err);
        CHECK(std::stoi(lost_of(folder, "lost_not_finite")) > 0);
        CHECK(lost_of(folder, "status") == "done");
        for (const auto& [label, value] : last_values(folder / "out/s/series.csv", "objective"))
          CHECK(std::isfinite(value));
      }
    }
  }
}

TEST_CASE("hostile: what an honest agent computes and cannot send ends the run, whoever else is hostile") {
  // Each of 300 steps multiplies a model by 1 - 1e3 2 l2, about -4e3: to 1e1080.
  const test::Scratch folder;
  folder.write("s.json", hostile_study("fedavg", R"({"agents": [2, 3], "behaviour": "not_a_number"})"));
  const auto run = test::ended_with(folder,
                                    "run s.json --set protocol.local_steps=300 --set protocol.step=1e3 --set "
                                    "model.l2=2",
                                    6);
  CHECK(lost_of(folder, "status") == "diverged");
  CHECK_THAT(run.out, Catch::Contains("a vector that agent 1 sent was not finite at 0.01 s (iteration 0)"));
}

TEST_CASE("hostile: a model of fedasync stays in the box") {
  const test::Scratch folder;
  folder.write("data.csv", "owner,x,y\na,1,0.5\nb,1,0.5\n");
  folder.write("s.json",
               R"({"data": {"type": "csv", "path": "data.csv", "target": "y", "owner": {"column": "owner"}},
  "model": {"loss": "squared", "l2": 0, "theta_max": 1}, "privacy": {"mechanism": "none"},
  "network": {"topology": "star", "latency": "1 ms"},
  "protocol": {"type": "fedasync", "alpha": 1, "staleness": "constant"}, "stop": {"iterations": 1},
  "adversaries": {"agents": [1], "behaviour": {"type": "constant", "value": 5}},
  "record": {"metrics": ["distance"]}, "repeat": 1, "sweep": {"protocol.alpha": [1, 0.5]}})");
  test::ended_with(folder, "run s.json");
  // The first answer is the hostile one. Pi[5] = Pi[5/2] = 1, theta* = 1/2.
  const auto values = last_values(folder / "out/s/series.csv", "distance");
  REQUIRE(values.size() == 2);
  for (const auto& [label, value] : values) CHECK(value == Approx(0.25).epsilon(1e-12));
}

TEST_CASE("hostile: clipping bounds how far a hostile agent moves others, one message at a time") {
  // All start at 0, 1 from the minimum; at most 60 messages move a model by at most 0.01 each, so the squared distance
  // ends below 1.6^2. One mean with 100 is 49 from the minimum.
  for (const char* protocol :
       {R"("ad_psgd")", R"("gossip_learning", "merge": "rw")", R"("gossip_learning", "merge": "mu")",
        R"("gossip_learning", "merge": "um")", R"("fedasync")"}) {
    const test::Scratch folder;
    folder.write("data.csv", "owner,x,y\na,1,1\nb,1,1\nc,1,1\nd,1,1\n");
    folder.write(
        "s.json",
        fmt::format(
            R"({{"data": {{"type": "csv", "path": "data.csv", "target": "y", "owner": {{"column": "owner"}}}},
  "model": {{"loss": "squared", "l2": 0}}, "privacy": {{"mechanism": "none"}},
  "network": {{"topology": "complete", "latency": "1 ms"}},
  "protocol": {{"step": 1e-9, "type": {}}}, "stop": {{"iterations": 60}}, "record": {{"metrics": ["distance.honest"]}},
  "adversaries": {{"agents": [2], "behaviour": {{"type": "constant", "value": 100}}}}, "repeat": 1,
  "sweep": {{"protocol.aggregate": ["mean", {{"type": "centered_clipping", "tau": 0.01}}]}}}})",
            protocol));
    const auto run = test::ended_with(folder, "run s.json");
    INFO(protocol << "\n" << run.out << run.err);
    const auto values = last_values(folder / "out/s/series.csv", "distance.honest");
    REQUIRE(values.size() == 2);
    CHECK(values.at("mean") > 100);
    CHECK(values.at("centered_clipping tau=0.01") != 1);
    CHECK(values.at("centered_clipping tau=0.01") < 2.56);
  }
}

TEST_CASE("hostile: a run that goes on from a state is the undisturbed one") {
  for (const char* behaviour :
       {R"("behaviour": "a_little", "omniscient": true)", R"("behaviour": "sign_flip")",
        R"("behaviour": {"type": "replay", "age": 3}, "from": "4 s")",
        R"("behaviour": "stuck", "from": "4 s")",
        R"("behaviour": {"type": "late", "delay": "1 s"}, "from": "4 s")",
        R"("behaviour": {"type": "free_rider", "sends": "received"})",
        R"("behaviour": "bit_flip", "to": "9 s")"}) {
    for (const char* protocol : {"fedavg", "dpsgd_gossip", "epidemic"}) {
      const test::Scratch whole, kept;
      const std::string text =
          hostile_study(protocol, fmt::format(R"({{"share": 0.3, {}}})", behaviour),
                        R"(, "sweep": {"protocol.aggregate": ["mean", "median", "krum"]})");
      whole.write("s.json", text);
      kept.write("s.json", text);
      // Some runs diverge: a flipped bit can make a number very large.
      const auto undisturbed = shell(whole, "hearsay run s.json");
      CHECK((undisturbed.code == 0 || undisturbed.code == 6));
      shell(kept, "hearsay run s.json --pause 7");
      CHECK(shell(kept, "hearsay run s.json").code == undisturbed.code);
      CHECK(text_of(whole / "out/s/series.csv") == text_of(kept / "out/s/series.csv"));
      const std::string fingerprint = lost_of(whole, "fingerprint");
      CHECK(fingerprint == lost_of(kept, "fingerprint"));
    }
  }
}

TEST_CASE("hostile: silent agents cost a round its timeout, and late ones too") {
  const test::Scratch folder;
  folder.write("s.json", hostile_study("fedavg", R"({"agents": [2], "behaviour": "silent"})"));
  test::ended_with(folder, "run s.json");
  // Rounds of 1 s, the smallest timeout: 20 of them.
  CHECK(lost_of(folder, "iterations") == "20");
  CHECK(lost_of(folder, "lost_stale") == "0");
  const test::Scratch late;
  late.write("s.json",
             hostile_study("fedavg", R"({"agents": [2], "behaviour": {"type": "late", "delay": "1.5 s"}})"));
  test::ended_with(late, "run s.json");
  CHECK(std::stoi(lost_of(late, "lost_stale")) >= 18);
}

TEST_CASE("hostile: what is planned is planned for a run with these agents") {
  // Rounds wait 1 s for the silent owner: 20 releases in 20 s, not 1000.
  const test::Scratch folder;
  folder.write("s.json", R"({"data": {"type": "linear_separators", "owners": 8, "features": 3, "records": 20},
    "model": {"loss": "logistic"}, "network": {"topology": "complete", "latency": "10 ms"},
    "privacy": {"mechanism": "gaussian", "epsilon": 2, "delta": 1e-3, "clip": 1, "accountant": "rdp", "unit": "owner",
                "trust": "aggregator", "steps": "expected"},
    "protocol": {"type": "dp_fedavg", "participation": 1, "step": 0.2}, "stop": {"time": "20 s"}, "repeat": 1,
    "adversaries": {"agents": [2], "behaviour": "silent"}, "record": {"metrics": ["budget_used"]}})");
  test::ended_with(folder, "run s.json");
  CHECK_THAT(text_of(folder / "out/s/scalars.csv"), Catch::Contains("privacy.used,,1\n"));
}

TEST_CASE("hostile: flipped labels may leave one class") {
  // Both owners make the step y/4 from 0, the second with y = 1 in place of -1. Their mean is 1/4.
  const test::Scratch folder;
  folder.write("data.csv", "owner,x,y\na,1,yes\nb,1,no\n");
  folder.write("s.json",
               R"({"data": {"type": "csv", "path": "data.csv", "target": "y", "positive": {"equals": "yes"},
    "owner": {"column": "owner"}}, "model": {"loss": "logistic", "l2": 0}, "privacy": {"mechanism": "none"},
  "network": {"topology": "star"}, "protocol": {"type": "fedavg", "step": 0.5, "local_steps": 1},
  "stop": {"iterations": 1}, "repeat": 1, "adversaries": {"agents": [2], "behaviour": "label_flip"},
  "record": {"metrics": ["objective"]}})");
  test::ended_with(folder, "run s.json");
  CHECK(last_values(folder / "out/s/series.csv", "objective").begin()->second ==
        Approx((std::log1p(std::exp(0.25)) + std::log1p(std::exp(-0.25))) / 2));
}

TEST_CASE("hostile: flipped labels turn the first step of an agent round") {
  // Agent 0 sends a model of zeros, from which agent 1 makes one step: with flipped labels the gradient has the other sign.
  std::vector<std::vector<double>> models;
  for (const char* adversaries : {"", R"(, "adversaries": {"agents": [1], "behaviour": "label_flip"})"}) {
    const test::Scratch folder;
    folder.write("ticks.csv", "agent,time\n0,1\n");
    models.push_back(
        model_of(folder,
                 R"({"data": {"type": "linear_separators", "owners": 2, "features": 3, "records": 20},
      "model": {"loss": "logistic", "l2": 0}, "privacy": {"mechanism": "none"}, "network": {"topology": "complete"},
      "clocks": {"type": "trace", "path": "ticks.csv"}, "stop": {"time": 2}, "repeat": 1,
      "protocol": {"type": "gossip_learning", "merge": "rw", "step": 0.5},
      "record": {"metrics": ["objective"], "models": "final"})" +
                     std::string(adversaries) + "}",
                 "1"));
  }
  REQUIRE(models[0].size() == 3);
  REQUIRE(models[1].size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(models[0][k] != 0);
    CHECK(models[1][k] == Approx(-models[0][k]).epsilon(1e-12));
  }
}

TEST_CASE("hostile: what is learned alone at the start is learned from flipped labels") {
  // Without an offset the minimiser for flipped labels is minus that for the true ones. A message arrives within 1 ns with
  // probability 1e-9.
  for (const char* protocol : {R"("local_only")", R"("p2p_coordinate_descent", "initial": "local")",
                               R"("p2p_admm", "initial": "local")", R"("model_propagation")",
                               R"("amtl", "start": "single_task", "alpha": 0.01, "lambda": 0)"}) {
    std::vector<std::vector<double>> models;
    for (const char* adversaries : {"", R"(, "adversaries": {"agents": [1], "behaviour": "label_flip"})"}) {
      const test::Scratch folder;
      models.push_back(model_of(
          folder,
          fmt::format(
              R"({{"data": {{"type": "linear_separators", "owners": 2, "features": 3, "records": 20}},
      "model": {{"loss": "logistic", "l2": 0}}, "privacy": {{"mechanism": "none"}},
      "network": {{"topology": "complete", "latency": {{"type": "exponential", "mean": "1 s"}}}}, "stop": {{"time": "1 ns"}}, "repeat": 1,
      "protocol": {{"type": {}}}, "record": {{"metrics": ["objective"], "models": "final"}}{}}})",
              protocol, adversaries),
          "1"));
      REQUIRE(models.back().size() == 3);
    }
    INFO(protocol);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(models[0][k] != 0);
      CHECK(models[1][k] == Approx(-models[0][k]).epsilon(1e-6));
    }
  }
}

TEST_CASE("hostile: labels are flipped by the time when what is learned from them leaves") {
  // Agent 1 computes for 1 s: in p2p_coordinate_descent from 0.2 s, in the round of fedavg, whose server is agent 0, from 0 s.
  for (const auto& [protocol, agent] :
       {std::pair(R"("p2p_coordinate_descent")", "1"), {R"("fedavg", "step": 0.5)", "0"}}) {
    std::vector<std::vector<double>> models;
    for (const char* from : {"0 s", "0.5 s", "1.5 s"}) {
      const test::Scratch folder;
      models.push_back(model_of(
          folder,
          fmt::format(
              R"({{"data": {{"type": "linear_separators", "owners": 2, "features": 3, "records": 20}},
      "model": {{"loss": "logistic", "l2": 0}}, "privacy": {{"mechanism": "none"}},
      "network": {{"topology": "complete", "compute_time": "1 s"}},
      "clocks": {{"type": "trace", "times": [0.2], "agents": [1]}}, "stop": {{"time": 3, "iterations": 1}}, "repeat": 1,
      "protocol": {{"type": {}}}, "record": {{"metrics": ["objective"], "models": "final", "trace": {{}}}},
      "adversaries": {{"agents": [1], "behaviour": "label_flip", "from": "{}"}}}})",
              protocol, from),
          agent));
      const bool traced = text_of(folder / "out/s/trace.csv").find(",hostile,1,") != std::string::npos;
      CHECK(traced == (std::string_view(from) != "1.5 s"));
    }
    INFO(protocol);
    REQUIRE(models[0].size() == 3);
    CHECK(models[0] == models[1]);
    CHECK(models[0] != models[2]);
  }
}

TEST_CASE("hostile: a refusal, which has no vector, is as the protocol says") {
  const test::Scratch folder;
  std::string text = hostile_study("ad_psgd", R"({"agents": [1], "behaviour": "constant"})");
  const std::string latency = R"("latency": "10 ms")", record = R"("record": {)";
  text.replace(text.find(latency), latency.size(), R"("latency": "300 ms")");
  text.replace(text.find(record), record.size(), R"("record": {"trace": {}, )");
  folder.write("s.json", text);
  test::ended_with(folder, "run s.json");
  std::istringstream in(text_of(folder / "out/s/trace.csv"));
  std::size_t hostile = 0, empty = 0, vectors = 0;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;  // sequence, time, event, agent, peer, message, cause, bytes
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (fields.at(3) != "1") continue;
    if (fields[2] == "hostile") ++hostile;
    if (fields[2] == "send") ++(fields.at(7) == "64" ? empty : vectors);
  }
  CHECK(empty > 0);
  CHECK(vectors > 0);
  CHECK(hostile == vectors);
}

TEST_CASE("hostile: the owner that is the learner is refused, and in no share") {
  const auto with = [](const char* who) {
    std::string text = hostile_study("central_sync", fmt::format(R"({{{}, "behaviour": "silent"}})", who));
    const std::string step = R"("step": 0.2)";
    return text.replace(text.find(step), step.size(), R"("c1": 0.2, "learner_is_owner": 3)");
  };
  const test::Scratch folder;
  folder.write("s.json", with(R"("agents": [2, 3])"));
  CHECK_THAT(test::ended_with(folder, "validate s.json", 2).err,
             Catch::Contains("/adversaries/agents/1: agent 3 is the learner, which is never hostile"));
  folder.write("s.json", with(R"("share": 1)"));
  test::ended_with(folder, "run s.json");
  std::istringstream in(text_of(folder / "out/s/owners.csv"));
  std::string line;
  std::getline(in, line);
  std::istringstream names(line);
  std::ptrdiff_t column = 0, at = -1;
  for (std::string name; std::getline(names, name, ','); ++column)
    if (name == "hostile") at = column;
  REQUIRE(at >= 0);
  std::map<std::string, std::size_t> count;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string field;
    for (std::ptrdiff_t k = 0; k <= at; ++k) std::getline(fields, field, ',');
    ++count[field];
  }
  CHECK(count["1"] == 7);
  CHECK(count["0"] == 1);
}

TEST_CASE("hostile: rules and options that can never act are in the manifest") {
  const auto notes = [](const std::string& protocol) {
    const test::Scratch folder;
    std::string text = hostile_study("fedavg", R"("none")");
    const std::string type = R"("type": "fedavg", "step": 0.2)", complete = R"("topology": "complete")";
    text.replace(text.find(type), type.size(), protocol);
    if (protocol.find("psgd") != std::string::npos || protocol.find("epidemic") != std::string::npos)
      text.replace(text.find(complete), complete.size(), R"("topology": "ring")");
    folder.write("s.json", text);
    test::ended_with(folder, "run s.json --repeat 1 --set stop.iterations=2");
    return text_of(folder / "out/s/manifest.json");
  };
  const std::string few = "protocol.aggregate: never makes a vector";
  // On a ring an agent has three vectors, one of them its own; there are eight owners.
  constexpr const char* kRule = R"("aggregate": {{"type": "trimmed_mean", "f": {}}}, )";
  const auto rule = [&](int f, const char* rest) { return fmt::format(fmt::runtime(kRule), f) + rest; };
  const std::pair<std::string, bool> cases[] = {
      {rule(2, R"("type": "dpsgd_gossip", "step": 0.2)"), true},
      {rule(1, R"("type": "dpsgd_gossip", "step": 0.2)"), false},
      {rule(1, R"("type": "dpsgd_gossip", "step": 0.2, "before_aggregate": ["bucketing"])"), true},
      {rule(4, R"("type": "fedavg", "step": 0.2)"), true},
      {rule(3, R"("type": "fedavg", "step": 0.2)"), false},
      {rule(3, R"("type": "fedavg", "step": 0.2, "cohort": 6)"), true},
      {rule(2, R"("type": "fedbuff", "step": 0.2, "buffer": 4)"), true},
      {rule(4, R"("type": "central_sync", "c1": 0.2)"), true}};
  for (const auto& [protocol, noted] : cases) {
    INFO(protocol);
    CHECK((notes(protocol).find(few) != std::string::npos) == noted);
  }
  CHECK_THAT(
      notes(
          R"("type": "gossip_learning", "step": 0.2, "merge_weights": "age", "aggregate": "centered_clipping")"),
      Catch::Contains("protocol.merge_weights has no effect with aggregate centered_clipping"));
}

TEST_CASE("hostile: what does not go together is refused in one line") {
  const auto message = [](const std::string& protocol, const std::string& adversaries,
                          const std::string& more = "") {
    const test::Scratch folder;
    std::string text = hostile_study(protocol, adversaries, more);
    if (!protocol.starts_with("fed") && protocol != "push_sum")
      text.replace(text.find(R"(, "step": 0.2)"), 13, "");
    folder.write("s.json", text);
    return test::ended_with(folder, "validate s.json", 2).err;
  };
  CHECK_THAT(message("fedavg", R"({"agents": [2], "behaviour": "dissensus"})"),
             Catch::Contains("/adversaries/behaviour: agents of protocol fedavg send no models"));
  for (const char* protocol : {"local_only", "pooled", "local_dp"})
    CHECK_THAT(
        message(protocol, R"({"agents": [2], "behaviour": "constant"})"),
        Catch::Contains(fmt::format("/adversaries/behaviour: agents of protocol {} send nothing", protocol)));
  CHECK_THAT(message("model_propagation", R"({"agents": [2], "behaviour": "constant"})",
                     R"(, "sweep": {"protocol.propagation": ["network", "exact"]})"),
             Catch::Contains("agents of protocol model_propagation send nothing"));
  CHECK_THAT(message("pooled", R"({"agents": [2], "behaviour": "label_flip"})"),
             Catch::Contains("pooled learns from all records as they are"));
  CHECK_THAT(message("push_sum", R"({"agents": [2], "behaviour": "spectral"})"),
             Catch::Contains("/adversaries/behaviour: agents of protocol push_sum send no models"));
  CHECK_THAT(
      message("fedavg", R"({"agents": [1, 2, 3, 4, 5], "behaviour": "a_little"})"),
      Catch::Contains("/adversaries/behaviour: a_little has no default for 5 hostile agents of 8: set tau"));
  CHECK_THAT(message("fedavg", R"({"agents": [2], "behaviour": "a_litle"})"),
             Catch::Contains("did you mean 'a_little'?"));
  CHECK_THAT(message("fedavg", R"({"behaviour": "silent"})"),
             Catch::Contains("/adversaries: give exactly one of agents and share"));
  CHECK_THAT(
      message("fedavg",
              R"([{"agents": [2], "behaviour": "silent"}, {"agents": [9], "behaviour": "silent"}])"),
      Catch::Contains("/adversaries/1/agents/0: expected an agent that holds data, from 1 to 8, found 9"));
  CHECK_THAT(message("p2p_coordinate_descent", R"({"agents": [2], "behaviour": "equivocate"})"),
             Catch::Contains("tell all neighbours the same"));
  const auto seen = [&](const std::string& hostile, const std::string& adversary) {
    std::string text = hostile_study("fedavg", hostile);
    const std::string none = R"("privacy": {"mechanism": "none"})";
    text.replace(text.find(none), none.size(),
                 fmt::format(R"("privacy": {{"mechanism": "gaussian", "epsilon": 4, "delta": 1e-5, "clip": 1,
                                   "steps": 3, "adversaries": [{}]}})",
                             adversary));
    const test::Scratch folder;
    folder.write("s.json", text);
    return test::ended_with(folder, "validate s.json", 2).err;
  };
  CHECK_THAT(seen(R"("none")", R"("hostile")"),
             Catch::Contains("/privacy/adversaries/0: no agent is hostile: set adversaries"));
  CHECK_THAT(seen(R"({"agents": [2], "behaviour": "bit_flip"})", R"("hub")"),
             Catch::Contains(
                 "/privacy/adversaries: what adversaries see can not be worked out with behaviour bit_flip"));
  CHECK_THAT(
      seen(R"({"agents": [2], "behaviour": "mimic", "omniscient": true})", R"("hub", {"links": [[0, 1]]})"),
      Catch::Contains("/privacy/adversaries/1: what agents that know all send is settled when it arrives"));
}
