// privacy.adversaries: who sees what, through the whole program.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;

namespace {

constexpr std::string_view kGaussian =
    R"("mechanism": "gaussian", "epsilon": 4, "delta": 1e-5, "accountant": "zcdp", "gradient_bound": 10)";

struct Seen {
  std::string folder;                                     // of the results
  std::map<std::string, double> whole;                    // by name, without an agent
  std::map<std::string, std::map<int, double>> by_agent;  // by name

  // mu^2 in units of q^2 of one release.
  double mu(const std::string& adversary, int agent) const {
    const double q_squared = by_agent.at("seen." + adversary + ".local_mu_squared").at(agent) /
                             by_agent.at("releases_by_owner").at(agent);
    return by_agent.at("seen." + adversary + ".mu_squared").at(agent) / q_squared;
  }
  double of(const std::string& adversary, const std::string& what, int agent) const {
    return by_agent.at("seen." + adversary + "." + what).at(agent);
  }
  bool exact(const std::string& adversary) const { return whole.at("seen." + adversary + ".exact") == 1; }
};

Seen seen_in(const Scratch& dir, const std::string& scenario, const std::string& more = "") {
  static int number = 0;
  const std::string name = fmt::format("s{}", number++);
  dir.write(name + ".json", scenario);
  const auto outcome = test::ended_with(dir, "run " + name + ".json --no-progress" + more);
  INFO(scenario);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  Seen seen;
  seen.folder = dir / ("out/" + name);
  for (const auto& row : test::rows_of(seen.folder + "/scalars.csv")) {
    if (row.size() != 4 || row[0] == "repetition" || row[3].empty() || row[3] == "nan") continue;
    (row[2].empty() ? seen.whole[row[1]] : seen.by_agent[row[1]][std::stoi(row[2])]) = std::stod(row[3]);
  }
  return seen;
}

std::string study(std::string_view protocol, std::string_view network, int owners,
                  std::string_view adversaries, std::string_view stop,
                  std::string_view privacy = R"("steps": 30)",
                  std::string_view more = R"("model": {"l2": 0})") {
  return fmt::format(
      R"({{"data": {{"type": "lending_like", "owners": {}, "records": 20, "features": 2}},
  "network": {{{}}}, "protocol": {}, "privacy": {{{}, {}, "adversaries": [{}]}}, "stop": {},
  "record": {{"metrics": ["releases_by_owner", "epsilon_seen", "first_seen", "epsilon_spent_by_owner"]}}, {}}})",
      owners, network, protocol, kGaussian, privacy, adversaries, stop, more);
}

// T rounds of D-PSGD by the mean of what an agent has: in its first round it sends the start, in round k + 1 its k-th release.
Seen in_rounds(const Scratch& dir, std::string_view topology, int agents, int rounds,
               std::string_view adversary, std::string_view hostile = R"("none")",
               std::string_view rule = R"("mean")") {
  return seen_in(
      dir, study(fmt::format(R"({{"type": "dpsgd_gossip", "step": 0.1, "mixing": "mean", "aggregate": {}}})",
                             rule),
                 fmt::format(R"("topology": {}, "latency": "10 ms")", topology), agents, adversary,
                 fmt::format(R"({{"iterations": {}}})", agents * (rounds + 1)), R"("steps": 30)",
                 fmt::format(R"("model": {{"l2": 0}}, "adversaries": {})", hostile)));
}

constexpr std::string_view kPath = "0 1\n1 2\n";
constexpr std::string_view kPathFile = R"({"type": "file", "path": "path.edges"})";

}  // namespace

// On the path 0-1-2, two rounds of which agent 1 is hostile, towards agent 0. Honest: y_1, then (x_0 + y_1 + y_2)/3 + y_1'.
TEST_CASE("views: what hostile agents pass on, by hand") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  const auto seen = [&](std::string_view behaviour) {
    return in_rounds(dir, kPathFile, 3, 2, R"({"agents": [0]})",
                     fmt::format(R"({{"agents": [1], "behaviour": {}}})", behaviour));
  };
  for (const char* nothing : {R"("constant")", R"("silent")", R"("not_a_number")", R"("gaussian")"}) {
    const Seen view = seen(nothing);
    CHECK(view.mu("agent:0", 1) == 0);
    CHECK(view.mu("agent:0", 2) == 0);
    CHECK(view.exact("agent:0"));
  }
  // Signs and noise of its own do not matter.
  for (const char* same : {R"({"type": "sign_flip", "own": true})", R"("equivocate")"}) {
    const Seen view = seen(same);
    CHECK(view.mu("agent:0", 1) == Approx(1.9).margin(1e-9));
    CHECK(view.mu("agent:0", 2) == Approx(0.1).margin(1e-9));
  }
  // It has y_2 from the round before, and passes it on bare: as a copy, or in a mean and a deviation, which are taken to show it.
  for (const char* others : {R"({"type": "mimic", "of": 2})", R"("a_little")"}) {
    const Seen view = seen(others);
    CHECK(view.mu("agent:0", 1) == 0);
    CHECK(view.mu("agent:0", 2) == Approx(1).margin(1e-9));
    CHECK(view.exact("agent:0"));
  }
}

// From 15 ms on agent 1 repeats what it made before: x_0, y_1, and y_1 again in place of (x_0 + y_1 + y_2)/3 + y_1'.
TEST_CASE("views: old vectors are those that an agent made before it was hostile, too") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  const Seen view =
      in_rounds(dir, kPathFile, 3, 2, R"({"agents": [0]})",
                R"({"agents": [1], "from": "15 ms", "behaviour": {"type": "replay", "age": 1}})");
  CHECK(view.mu("agent:0", 1) == Approx(1).margin(1e-9));
  CHECK(view.mu("agent:0", 2) == 0);
}

TEST_CASE("views: hostile agents are a coalition, and who knows all sees every release") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  const auto run = [&](std::string_view more) {
    return in_rounds(dir, kPathFile, 3, 2, R"("hostile", {"agents": [1]}, "everybody")",
                     fmt::format(R"({{"agents": [1], {}}})", more));
  };
  const Seen own = run(R"("behaviour": "a_little")");
  const Seen all = run(R"("behaviour": "a_little", "omniscient": true)");
  const Seen models = run(R"("behaviour": "dissensus")");
  const Seen idle = run(R"("behaviour": {"type": "sign_flip", "own": true}, "omniscient": true)");
  for (const int i : {0, 2}) {
    // It hears from both without detour: the first release alone, the second with what it knows.
    CHECK(own.mu("hostile", i) == Approx(2).margin(1e-9));
    CHECK(own.mu("agent:1", i) == own.mu("hostile", i));
    CHECK(own.of("hostile", "distance", i) == 1);
    for (const Seen* one : {&all, &models, &idle}) {
      CHECK(one->mu("hostile", i) == one->mu("everybody", i));
      CHECK(one->mu("hostile", i) == one->by_agent.at("releases_by_owner").at(i));
    }
  }
}

// The median of starts, then that of x_0, y_1, y_2 and a second release: who sees it is taken to have seen all three.
TEST_CASE("views: a rule that is not linear shows what it is applied to, by hand") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  const Seen view = in_rounds(dir, kPathFile, 3, 2, R"({"agents": [0]})", R"("none")", R"("median")");
  CHECK(view.mu("agent:0", 1) == Approx(2).margin(1e-9));
  CHECK(view.mu("agent:0", 2) == Approx(1).margin(1e-9));
}

TEST_CASE("views: synchronous gradient descent on small graphs, by hand") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  const Seen once = in_rounds(dir, kPathFile, 3, 1, R"({"agents": [0]})");
  CHECK(once.mu("agent:0", 1) == Approx(1).margin(1e-9));
  CHECK(once.of("agent:0", "epsilon", 2) == 0);
  const Seen twice = in_rounds(dir, kPathFile, 3, 2, R"({"agents": [0]})");
  CHECK(twice.mu("agent:0", 1) == Approx(1.9).margin(1e-9));
  CHECK(twice.mu("agent:0", 2) == Approx(0.1).margin(1e-9));
  CHECK(twice.of("agent:0", "distance", 2) == 2);
  CHECK(twice.of("agent:0", "first", 1) == Approx(0.02));
  CHECK(twice.of("agent:0", "first", 2) == Approx(0.03));
  CHECK_FALSE(twice.exact("agent:0"));

  const Seen star = in_rounds(dir, R"({"type": "star"})", 5, 3, R"({"agents": [1]})");
  CHECK(star.mu("agent:1", 0) == Approx(2.860791).margin(1e-6));
  for (const int leaf : {2, 3, 4}) CHECK(star.mu("agent:1", leaf) == Approx(0.108689).margin(1e-6));

  const Seen ring = in_rounds(dir, R"({"type": "ring"})", 6, 4, R"({"agents": [0]})");
  for (const int near : {1, 5}) CHECK(ring.mu("agent:0", near) == Approx(3.831957).margin(1e-6));
  for (const int two : {2, 4}) CHECK(ring.mu("agent:0", two) == Approx(0.476467).margin(1e-6));
  CHECK(ring.mu("agent:0", 3) == Approx(0.076414).margin(1e-6));
}

// Padgett's marriages, numbered in the order of the usual list: 0 Acciaiuoli, 1 Medici, ...
TEST_CASE("views: ten rounds among the Florentine families, of an independent program") {
  const Scratch dir;
  dir.write("families.edges",
            "0 1\n2 3\n2 4\n2 5\n1 5\n1 6\n1 7\n1 8\n1 9\n9 10\n3 4\n3 11\n4 6\n4 11\n6 7\n7 12\n8 13\n8 12\n"
            "11 12\n12 14\n");
  const Seen seen =
      in_rounds(dir, R"({"type": "file", "path": "families.edges"})", 15, 10, R"({"agents": [0]})");
  const std::vector<double> expected{.130092, .060358, .159175, .332486, .508956, .536390, .436508,
                                     .455921, .127873, .064752, .251773, .067624, .021246};
  for (std::size_t k = 0; k < expected.size(); ++k)
    CHECK(seen.mu("agent:0", static_cast<int>(k) + 2) == Approx(expected[k]).margin(1e-6));
  // 10.910953 without the cap: what ten releases of eleven cost by themselves, less what the last one is hidden by.
  CHECK(seen.mu("agent:0", 1) >= 10 - 1e-6);
}

TEST_CASE("views: everybody sees what the ledger says, and no adversary more") {
  const Scratch dir;
  for (const std::string protocol :
       {R"({"type": "ad_psgd", "step": 0.1})", R"({"type": "epidemic", "step": 0.1})",
        R"({"type": "gossip_learning", "step": 0.1})", R"({"type": "push_sum", "step": 0.1})",
        R"({"type": "p2p_coordinate_descent"})"}) {
    const Seen seen = seen_in(
        dir,
        study(
            protocol,
            R"("topology": {"type": "ring"}, "latency": {"type": "exponential", "mean": "300 ms"}, "loss": 0.2)",
            6, R"("everybody", {"agents": [2]}, {"agents": [2, 3]}, {"links": [[4, 5]]})",
            R"({"time": "12 s"})"));
    CHECK(seen.exact("everybody"));
    for (int i = 0; i < 6; ++i) {
      const double ledger = seen.by_agent.at("epsilon_spent_by_owner").at(i);
      CHECK(seen.of("everybody", "epsilon", i) <= ledger * (1 + 1e-9));
      CHECK(seen.of("everybody", "mu_squared", i) ==
            Approx(seen.of("everybody", "local_mu_squared", i)).margin(1e-9));
      CHECK(seen.of("link:4-5", "epsilon", i) <= seen.of("everybody", "epsilon", i) + 1e-9);
      if (i == 2) continue;
      CHECK(seen.of("agent:2", "epsilon", i) <= seen.of("everybody", "epsilon", i) + 1e-9);
      if (i != 3) CHECK(seen.of("agents:2+3", "epsilon", i) <= seen.of("everybody", "epsilon", i) + 1e-9);
    }
    CHECK(seen.by_agent.at("seen.agent:2.epsilon").count(2) == 0);
  }
}

// With a hub the learner sees every answer, at once, at a query that it made itself; without a box an owner sees its queries.
TEST_CASE("views: a central learner sees everything, an owner its queries") {
  const Scratch dir;
  const std::string central = R"({"type": "central_async", "rho": 0.01, "sigma": 1})";
  const auto run = [&](std::string_view model) {
    return seen_in(dir, study(central, R"("latency": "10 ms")", 4, R"("hub", {"agents": [2]})",
                              R"({"iterations": 30})", R"("steps": 30)", model));
  };
  const Seen open = run(R"("model": {"l2": 0.01})");
  CHECK(open.exact("hub"));
  CHECK_FALSE(open.exact("agent:2"));
  for (const int i : {1, 3, 4}) {
    CHECK(open.of("hub", "mu_squared", i) == Approx(open.of("hub", "local_mu_squared", i)).margin(1e-9));
    CHECK(open.of("agent:2", "mu_squared", i) < open.of("hub", "mu_squared", i));
  }
  // A projection may reveal all that was put in: the copies that were averaged for a query have all answers in them.
  const Seen boxed = run(R"("model": {"l2": 0.01, "theta_max": 10})");
  for (const int i : {1, 3, 4}) {
    CHECK(boxed.of("agent:2", "epsilon", i) >= open.of("agent:2", "epsilon", i) - 1e-9);
    CHECK(boxed.of("agent:2", "epsilon", i) <= boxed.of("hub", "epsilon", i) + 1e-9);
  }
}

TEST_CASE("views: owners of a trusted server see the sums of their rounds") {
  const Scratch dir;
  const std::string scenario =
      R"({"data": {"type": "lending_like", "owners": 5, "records": 20, "features": 2},
  "network": {"latency": "10 ms"}, "protocol": {"type": "dp_fedavg", "participation": 1},
  "privacy": {"mechanism": "gaussian", "epsilon": 4, "delta": 1e-5, "accountant": "zcdp", "clip": 1, "unit": "owner",
    "trust": "aggregator", "adversaries": [{"agents": [1]}, "everybody", {"links": [[2, 0]]}]}, "stop": {"iterations": 6},
  "record": {"metrics": ["releases_by_owner", "epsilon_seen", "epsilon_spent_by_owner"]}})";
  const Seen seen = seen_in(dir, scenario);
  for (const int i : {2, 3, 4, 5}) {
    // The last of six releases is not sent any more; five are, one after the other.
    CHECK(seen.mu("agent:1", i) == Approx(5).margin(1e-9));
    CHECK(seen.mu("everybody", i) == Approx(6).margin(1e-9));
  }
  CHECK(seen.exact("agent:1"));
  // What is sent to the server is sealed.
  for (const int i : {1, 2, 3, 4, 5}) CHECK(seen.of("link:2-0", "epsilon", i) == 0);
  CHECK(seen.by_agent.count("seen.link:2-0.first") == 0);
  CHECK(seen.exact("link:2-0"));
}

TEST_CASE("views: releases that are not Gaussian cost the ledger's value once something has arrived") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  std::string scenario = study(R"({"type": "dpsgd_gossip", "step": 0.1})",
                               fmt::format(R"("topology": {}, "latency": "10 ms")", kPathFile), 3,
                               R"({"agents": [0]})", R"({"iterations": 6})");
  scenario.replace(scenario.find(kGaussian), kGaussian.size(),
                   R"("mechanism": "laplace", "epsilon": 3, "clip": 1)");
  const Seen seen = seen_in(dir, scenario);
  CHECK(seen.of("agent:0", "epsilon", 1) ==
        Approx(seen.by_agent.at("epsilon_spent_by_owner").at(1)).epsilon(1e-12));
  CHECK(seen.of("agent:0", "epsilon", 2) == 0);
}

TEST_CASE("views: the same by events of a trace, with any number of threads, and lazily") {
  const Scratch dir;
  const std::string scenario =
      study(R"({"type": "p2p_coordinate_descent"})",
            R"("topology": {"type": "ring"}, "latency": {"type": "uniform", "max": "15 ms"})", 8,
            R"({"agents": [3]})", R"({"time": "10 s"})");
  const Seen one = seen_in(dir, scenario, " -j 1"), two = seen_in(dir, scenario, " -j 2");
  CHECK(one.by_agent == two.by_agent);
  std::string traced = scenario;
  traced.insert(traced.find(R"("metrics")"), R"("trace": {"kinds": ["view"]}, )");
  const Seen by_events = seen_in(dir, traced);
  CHECK(by_events.by_agent == one.by_agent);
  // One line of the trace for each owner that is seen, in the order and at the times of first_seen.
  std::map<int, double> first;
  for (const auto& row : test::rows_of(by_events.folder + "/trace.csv")) {
    if (row.size() < 11 || row[2] != "view") continue;
    CHECK(row[10] == "agent:3");
    CHECK(first.emplace(std::stoi(row[3]), std::stod(row[1])).second);
  }
  CHECK(first == one.by_agent.at("seen.agent:3.first"));
  CHECK(first.size() == 7);
}

// Local models are released once. Over the network agent 0 hears Theta_1, made of those of 0, 1, 2: it knows that of 1 from the
// start, and with it that of 2. A limit that is computed at once shows all of them to everybody.
TEST_CASE("views: starts that are made of releases are known to neighbours") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath) + "2 3\n");
  const auto run = [&](std::string_view propagation, std::string_view stop) {
    return seen_in(
        dir, study(fmt::format(
                       R"({{"type": "model_propagation", "local": "noisy_gradient", "propagation": "{}"}})",
                       propagation),
                   fmt::format(R"("topology": {})", kPathFile), 4, R"({"agents": [0]})", stop,
                   R"("steps": 1)", R"("clocks": {"type": "trace", "times": [1, 2], "agents": [1, 0]})"));
  };
  const Seen before = run("network", R"({"time": "0.5 s"})");
  CHECK(before.mu("agent:0", 1) == Approx(1).margin(1e-9));
  CHECK(before.of("agent:0", "epsilon", 2) == 0);
  const Seen after = run("network", R"({"time": "3 s"})");
  CHECK(after.mu("agent:0", 2) == Approx(1).margin(1e-9));
  CHECK(after.of("agent:0", "epsilon", 3) == 0);
  const Seen at_once = run("exact", R"({"time": "0.5 s"})");
  for (const int i : {1, 2, 3}) CHECK(at_once.mu("agent:0", i) == Approx(1).margin(1e-9));
}

// One release each, then averaging. Within the owners at one distance q, what the d neighbours send spans d directions, or all
// C(d, q) if these are fewer, which symmetry shares among them equally: each owner shows min(1, d/C(d, q)).
TEST_CASE("views: private averaging on a hypercube, by symmetry") {
  const Scratch dir;
  for (const std::string_view accelerated : {"false", "true"}) {
    const Seen seen = seen_in(
        dir,
        study(fmt::format(R"({{"type": "muffliato", "step": 0.1, "gossip_steps": 12, "accelerated": {}}})",
                          accelerated),
              R"("topology": "hypercube", "latency": "10 ms")", 16, R"({"agents": [0]})",
              R"({"iterations": 192})", R"("steps": 1)"));
    CHECK(seen.exact("agent:0"));
    for (int i = 1; i < 16; ++i) {
      const auto distance = static_cast<int>(seen.of("agent:0", "distance", i));
      const double by_symmetry[] = {0, 1, 4. / 6, 1, 1};
      CHECK(seen.mu("agent:0", i) == Approx(by_symmetry[distance]).margin(1e-6));
    }
  }
}

// The gradient of a release reacts to the noise of others: 0 - 1 - 2, H = 1, eta = 1/2, two rounds. By hand: agent 0 learns
// 1 + 1/(1 + ((1 - 1/2)/3)^2) = 73/37 of a q^2, where rows that are fixed in advance give 1.9.
TEST_CASE("views: linear reactions on a path, by hand") {
  const Scratch dir;
  dir.write("path.edges", std::string(kPath));
  dir.write("d.csv",
            "owner,x,y\n0,0.70710678118654752,1\n1,0.70710678118654752,0\n2,0.70710678118654752,1\n");
  std::string scenario = study(R"({"type": "muffliato", "gossip_steps": 1, "step": 0.5, "mixing": "mean"})",
                               fmt::format(R"("topology": {}, "latency": "10 ms")", kPathFile), 3,
                               R"({"agents": [0]})", R"({"iterations": 6})", R"("steps": 2)");
  const std::string data = R"({"type": "lending_like", "owners": 3, "records": 20, "features": 2})";
  scenario.replace(
      scenario.find(data), data.size(),
      R"({"type": "csv", "path": "d.csv", "target": "y", "owner": {"type": "column", "column": "owner"}, "bias": false})");
  const Seen seen = seen_in(dir, scenario);
  CHECK_FALSE(seen.exact("agent:0"));
  CHECK(seen.mu("agent:0", 1) == Approx(1.9).margin(1e-9));
  const double q_squared = seen.of("agent:0", "local_mu_squared", 1) / 2;
  for (const char* what : {"linear_mu_squared", "one_label_mu_squared"})
    CHECK(seen.of("agent:0", what, 1) / q_squared == Approx(73. / 37).margin(1e-9));
}

// The last event delivers the only message with a release of owner 3, at the time of the observation before it.
TEST_CASE("views: what arrives last is seen, whatever is observed before") {
  const Scratch dir;
  const std::string scenario = R"({
    "data": {"type": "lending_like", "owners": 4, "records": 20, "features": 2}, "network": {"topology": "ring"},
    "protocol": {"type": "p2p_coordinate_descent", "initial_exchange": "sent"},
    "privacy": {"mechanism": "laplace", "clip": 1, "epsilon": 1, "steps": 3, "adversaries": [{"agents": [0]}]},
    "stop": {"events": 13}, "record": {"metrics": ["epsilon_seen"]}})";
  for (const char* every : {R"({"iterations": 100})", R"({"iterations": 1})", R"({"vectors": 1})"}) {
    INFO(every);
    const Seen seen = seen_in(dir, scenario, " --set 'record.every=" + std::string(every) + "'");
    CHECK(seen.of("agent:0", "epsilon", 3) == Approx(1. / 3).epsilon(1e-9));
  }
}

TEST_CASE("views: whoever taps a link sees nothing of a sender that goes down before its computation ends") {
  const Scratch dir;
  const auto seen = [&](const std::string& more) {
    return seen_in(
        dir,
        study(R"({"type": "push_sum", "step": 0.1, "fan_out": 2})",
              R"("topology": "star", "latency": "100 ms", "compute_time": "200 ms")", 3,
              R"({"links": [[2, 0]]})", R"({"time": "1.4 s"})", R"("steps": 30)",
              R"("model": {"l2": 0}, "clocks": {"type": "periodic", "period": "1 s", "phase": "500 ms"})" +
                  more));
  };
  // Its release of 0.5 s would leave at 0.7 s.
  CHECK(seen("").of("link:2-0", "epsilon", 2) > 0);
  const Seen down =
      seen(R"(, "events": [{"at": "600 ms", "crash": [2], "for": "300 ms", "state_on_return": "keep"}])");
  CHECK(down.by_agent.at("releases_by_owner").at(2) == 1);
  CHECK(down.of("link:2-0", "epsilon", 2) == 0);
  CHECK(down.by_agent.count("seen.link:2-0.first") == 0);
}

TEST_CASE("views: what has been seen by a time does not depend on the delta that is spent later") {
  // Of one release, before the partition; with basic composition delta grows with each.
  const Scratch dir;
  std::string scenario =
      study(R"({"type": "push_sum", "step": 0.001, "fan_out": 2, "weighted_update": true})",
            R"("topology": "star", "latency": "100 ms")", 3, R"({"agents": [1]})", R"({"time": "20 s"})",
            R"("steps": 30)",
            R"("model": {"l2": 0}, "clocks": {"type": "periodic", "period": "1 s", "phase": "500 ms"},
      "events": [{"at": "1 s", "partition": [1]}])");
  scenario.replace(scenario.find("zcdp"), 4, "basic");
  std::vector<double> found;
  for (const char* end : {"1.7 s", "20 s"}) {
    const Seen seen =
        seen_in(dir, scenario, fmt::format(" --set record.every.iterations=3 --set stop.time='{}'", end));
    const auto rows = test::rows_of(seen.folder + "/series.csv");
    const auto row = std::ranges::find_if(rows, [](const auto& r) {
      return r[1] == "epsilon_seen" && r[2] == "0" &&
             r[3] == "6";  // repetition, metric, agent, iteration, ...
    });
    REQUIRE(row != rows.end());
    found.push_back(std::stod(row->back()));
    if (std::string_view(end) == "20 s") CHECK(seen.of("agent:1", "epsilon", 0) < found.back());
  }
  CHECK(found[0] == found[1]);
}

// Where a value ends a run no view is worked out.
TEST_CASE("views: with stop.target the ledger's epsilon holds, but not for members of all adversaries") {
  const Scratch dir;
  const auto seen = [&](std::string_view adversaries) {
    return seen_in(dir,
                   study(R"("dpsgd_gossip")", R"("topology": "ring", "latency": "10 ms")", 8, adversaries,
                         R"({"iterations": 100, "target": {"metric": "messages", "above": 30}})"))
        .by_agent;
  };
  const auto one = seen(R"({"agents": [3]})");
  CHECK_FALSE(one.at("epsilon_seen").contains(3));
  CHECK(one.at("epsilon_seen").size() == 7);
  CHECK(one.at("epsilon_seen").at(2) == one.at("epsilon_spent_by_owner").at(2));
  const auto two = seen(R"({"agents": [3]}, {"agents": [2, 4]})");
  CHECK(two.at("epsilon_seen") == two.at("epsilon_spent_by_owner"));
}

// Agent 0 computes until the end. The others send their starts, then models with one release each, at 0.1 s.
TEST_CASE("views: what waits for an agent that computes has reached it") {
  const Scratch dir;
  // Also from an agent that would settle it later, but is not hostile yet.
  for (const char* hostile : {"", R"(, "adversaries": [
           {"agents": [1], "behaviour": "a_little", "omniscient": true, "from": "100 s"}])"}) {
    INFO(hostile);
    const Seen seen = seen_in(
        dir, study(R"({"type": "dpsgd_gossip", "step": 0.1})", R"("topology": "complete", "latency": "10 ms",
             "compute_time": {"type": "by_agent", "default": "100 ms", "agents": {"0": "20 s"}})",
                   3, R"({"agents": [0]})", R"({"time": "5 s"})", R"("steps": 30)",
                   std::string(R"("model": {"l2": 0})") + hostile));
    for (const int i : {1, 2}) CHECK(seen.of("agent:0", "first", i) == Approx(0.11));
    if (*hostile != '\0') continue;  // a_little counts as all that is made
    for (const int i : {1, 2}) CHECK(seen.mu("agent:0", i) == Approx(1).margin(1e-9));
    CHECK(seen.exact("agent:0"));
  }
}

TEST_CASE("views: bad adversaries are refused with one line") {
  const Scratch dir;
  const auto refused = [&](const std::string& scenario) {
    dir.write("s.json", scenario);
    return test::refusal(dir, "validate s.json");
  };
  const auto with = [](std::string_view adversaries, std::string_view protocol = R"({"type": "ad_psgd"})") {
    return study(protocol, R"("topology": {"type": "ring"})", 5, adversaries, R"({"time": "5 s"})");
  };
  CHECK_THAT(refused(with(R"({"agents": [1, 5]})")),
             Contains("/privacy/adversaries/0/agents/1: expected an agent from 0 to 4, found 5"));
  CHECK_THAT(refused(with(R"({"links": [[1, 2], [5, 0]]})")),
             Contains("/privacy/adversaries/0/links/1: expected an agent from 0 to 4, found 5"));
  CHECK_THAT(refused(with(R"({"links": [[1, 3]]})")),
             Contains("/privacy/adversaries/0/links/0: there is no link from agent 1 to agent 3"));
  CHECK_THAT(refused(with(R"("hub")")), Contains("/privacy/adversaries/0: protocol ad_psgd has no hub"));
  CHECK_THAT(refused(with(R"({"links": [[1]]})")), Contains("expected pairs of agents, such as"));
  CHECK_THAT(refused(with(R"({"agents": []})")), Contains("expected at least one agent"));
  CHECK_THAT(refused(with(R"("everyone")")), Contains("did you mean 'everybody'"));
  std::string central = with(R"({"agents": [1]})", R"({"type": "local_only"})");
  CHECK_THAT(refused(central),
             Contains("/privacy/adversaries: the releases of protocol local_only can not be followed"));
  std::string alone = with(R"("everybody")");
  alone.replace(alone.find(R"("adversaries": ["everybody"])"), 28, R"("adversaries": [])");
  CHECK_THAT(refused(alone), Contains("epsilon_seen requires an adversary"));
  CHECK_THAT(
      refused(
          R"({"data": {"type": "lending_like", "owners": 5, "records": 20, "features": 2},
  "protocol": {"type": "dp_fedavg", "participation": 1}, "stop": {"iterations": 6},
  "adversaries": {"agents": [2], "omniscient": true, "behaviour": {"type": "sign_flip", "own": true}},
  "privacy": {"mechanism": "gaussian", "epsilon": 4, "delta": 1e-5, "accountant": "zcdp", "clip": 1, "unit": "owner",
    "trust": "aggregator", "adversaries": ["hostile"]}})"),
      Contains("/privacy/adversaries: what adversaries see can not be worked out where owners of a trusted "
               "server are omniscient"));
}

TEST_CASE("views: what is seen costs at most what the ledger has spent, at the same delta") {
  // One of 100 releases, by basic composition 3 at delta 5e-4 of (300, 0.05); agent 1 sees all of it.
  const Scratch dir;
  const Seen seen = seen_in(dir, R"({"model": {"loss": "squared", "l2": 0},
 "data": {"type": "lending_like", "owners": 3, "records": 20, "features": 3},
 "privacy": {"mechanism": "gaussian", "delta": 0.05, "accountant": "basic", "epsilon": 300, "steps": 100, "clip": 1,
             "adversaries": [{"agents": [1]}]},
 "network": {"topology": "star", "latency": "100 ms"}, "record": {"metrics": ["releases_by_owner"]},
 "clocks": {"type": "periodic", "period": "1 s", "phase": "500 ms"}, "stop": {"time": "0.7 s"},
 "protocol": {"type": "push_sum", "step": 0.5, "fan_out": 2, "weighted_update": true}})");
  CHECK(seen.of("agent:1", "ledger", 0) == Approx(3).epsilon(1e-9));
  CHECK(seen.of("agent:1", "mu_squared", 0) == Approx(seen.of("agent:1", "local_mu_squared", 0)));
  CHECK(seen.of("agent:1", "epsilon", 0) == Approx(3).epsilon(1e-6));
}

TEST_CASE("views: who taps the links of a trusted server knows who takes part, whatever the noise") {
  const Scratch dir;
  const Seen seen = seen_in(dir, R"({"seed": 7, "model": {"loss": "squared", "l2": 0},
 "data": {"type": "lending_like", "owners": 10, "records": 20, "features": 3},
 "privacy": {"mechanism": "laplace", "accountant": "basic", "epsilon": 2, "clip": 1, "unit": "owner",
             "trust": "aggregator", "adversaries": [{"links": [[0, 1], [1, 0]]}, {"agents": [2]}]},
 "network": {"topology": "star", "latency": "100 ms"},
 "protocol": {"type": "dp_fedavg", "participation": 0.2, "rounds": 5, "step": 0.1},
 "stop": {"iterations": 5}, "record": {"metrics": ["epsilon_seen"]}})");
  // Amplified by q = 0.2 each of 5 releases costs ln(1 + q (e^x - 1)) = 2/5, so that x = ln(1 + (e^0.4 - 1)/0.2).
  const double one = std::log1p(std::expm1(0.4) / 0.2);
  CHECK(seen.of("links:0-1+1-0", "epsilon", 1) == Approx(5 * one).epsilon(1e-6));
  CHECK(seen.of("agent:2", "epsilon", 1) == Approx(2).epsilon(1e-6));
}

TEST_CASE("views: a round without answers has nothing to aggregate, and no release in it is seen") {
  const Scratch dir;
  const Seen seen = seen_in(
      dir, study(R"({"type": "central_sync", "c1": 1, "aggregate": "median"})",
                 R"("topology": "star", "loss": 0.9)", 2, R"({"agents": [0]})", R"({"iterations": 12})"));
  for (const int owner : {1, 2})
    CHECK(seen.of("agent:0", "mu_squared", owner) <= seen.of("agent:0", "local_mu_squared", owner));
}

TEST_CASE("views: a run whose models overflow is followed no further, and has none") {
  // Each of 300 steps of 1e3 multiplies a model by 1 - 1e3 (0.02 + ...): to beyond 1e380, also without any records' gradient.
  const Scratch dir;
  dir.write("s.json",
            study(R"({"type": "fedavg", "local_steps": 300})", R"("topology": "star", "latency": "10 ms")", 3,
                  R"({"agents": [1]})", R"({"iterations": 3})", R"("steps": 1800)",
                  R"("model": {"l2": 0.01}, "sweep": {"protocol.step": [0.01, 1000]})"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress", 6);
  INFO(outcome.err);
  std::map<std::string, std::string> status;
  for (const auto& row : test::rows_of(dir / "out/s/runs.csv")) status[row.at(0)] = row.at(2);
  CHECK(status.at("0.01") == "done");
  CHECK(status.at("1000") == "diverged");
  CHECK_THAT(
      test::ended_with(
          dir, "audit s.json --adversary agent:1 --runs 4 --set protocol.step=1000 --set sweep=null", 2)
          .err,
      Contains("the run diverges: an audit is of runs whose messages are all finite"));
}
