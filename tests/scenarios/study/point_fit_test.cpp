// Options that do not fit each other, refused by `validate` and by a dry run, before data are made.
#include <fmt/format.h>

#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

const std::string kPersonalOnRing =
    R"( --set 'protocol={"type": "p2p_coordinate_descent"}' --set network.topology=ring --set model.l2=0)"
    R"( --set privacy.mechanism=none --set 'record.metrics=["objective_q"]')";

// The line with which both refuse small_scenario() with these settings.
std::string misfit(const std::string& sets) {
  const test::StudyFolder dir;
  const std::string line = test::refusal(dir, "validate s.json " + sets);
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(test::refusal(dir, "run s.json --dry-run " + sets) == line);
  return line;
}

}  // namespace

TEST_CASE("point fit: a delayed direction requires a hub") {
  const std::string to_hub = " --set network.delayed_direction=to_hub";
  CHECK_THAT(
      misfit(kPersonalOnRing + to_hub),
      Contains("/network/delayed_direction: expected both, because protocol p2p_coordinate_descent has "
               "no hub"));
  const test::StudyFolder dir;
  test::ended_with(dir, "validate s.json" + to_hub);
  test::ended_with(dir, "validate s.json" + kPersonalOnRing);
}

TEST_CASE("point fit: numbers of records that no data set can have") {
  CHECK_THAT(misfit(R"(--set 'data.records={"type": "uniform", "min": 1, "max": 1e20}')"),
             Contains("/data/records: expected at most 1099511627776 (2^40) records, found up to 1e+20"));
  CHECK_THAT(misfit(R"(--set 'data.records={"type": "exponential", "mean": 1e15}')"),
             Contains("found up to 1e+15"));
}

TEST_CASE("point fit: more repetitions than a 32-bit number counts") {
  CHECK_THAT(misfit("--set repeat=4294967296"), Contains("[1, 4294967295], found 4294967296"));
}

TEST_CASE("point fit: clocks whose rates add up to infinity") {
  const std::string poisson = R"(--set 'clocks={"type": "poisson", "rate": )",
                    periodic = R"(--set 'clocks={"type": "periodic", "period": )";
  const auto wrong = Contains(
      "/clocks: expected rates (of periodic clocks: 1/period) that add up to at most 1.79769e+308 "
      "ticks per second, found more for 3 agents");
  CHECK_THAT(misfit(poisson + "1e308}'"), wrong);
  CHECK_THAT(misfit(poisson + "[1, 1.7e308, 1e308]}'"), wrong);
  CHECK_THAT(misfit(periodic + "1e-308}'"), wrong);
  const test::StudyFolder dir;
  test::ended_with(dir, "validate s.json " + poisson + "5e307}' --set network.latency=0");
}

TEST_CASE("point fit: a graph that cannot be made, or does not suit the protocol") {
  CHECK_THAT(
      misfit("--set network.topology=ring --set data.owners=5"),
      Contains("/network/topology: protocol central_async requires a link from agent 0 to every owner; "
               "agent 2 has none"));
  CHECK_THAT(misfit(kPersonalOnRing + R"( --set 'network.topology={"type": "random_regular", "degree": 7}')"),
             Contains("/network/topology: no simple graph of 3 agents has degree 7"));
  // Also where the graph would be too large to be made for a look.
  for (const char* graph :
       {R"({"type": "watts_strogatz", "neighbours": 1000})", R"({"type": "erdos_renyi", "mean_degree": 600})",
        R"({"type": "random_regular", "degree": 600})", R"({"type": "barabasi_albert", "links": 600})"})
    CHECK_THAT(misfit(kPersonalOnRing + " --set data.owners=500 --set network.topology='" + graph + "'"),
               Contains("/network/topology: "));
  CHECK_THAT(misfit(kPersonalOnRing + " --set network.topology=similarity"),
             Contains("/network/topology: the data define no similarity graph"));
  CHECK_THAT(misfit("--set network.latency=distance"), Contains("/network/latency: "));
}

TEST_CASE("point fit: metrics that cannot be measured, and limits that cannot be reached") {
  CHECK_THAT(misfit(R"(--set 'record.metrics=["objective_q"]')"),
             Contains("/record/metrics/0: objective_q is a metric of p2p_coordinate_descent"));
  CHECK_THAT(misfit(R"(--set 'record.metrics=["test_error"]')"),
             Contains("/record/metrics/0: test_error requires test records: set data.test_records"));
  CHECK_THAT(misfit("--set privacy.mechanism=none --set stop.budgets_spent=true"),
             Contains("/stop/budgets_spent: requires privacy budgets"));
  CHECK_THAT(misfit("--set privacy.schedule=lemma_3"),
             Contains("/privacy/schedule: central_async spreads its budget uniformly"));
}

TEST_CASE("point fit: the point of a sweep that does not fit is named") {
  CHECK_THAT(misfit(R"(--set 'sweep={"network.topology": ["star", "ring"]}' --set data.owners=5)"),
             Contains("agent 2 has none") && Contains("(point 1: network.topology=ring)"));
  CHECK_THAT(
      misfit(
          R"(--set 'data={"type": "linear_separators", "owners": 3}' --set model.loss=hinge --set 'baselines=["isolated"]')"
          R"( --set 'protocol={"type": "fedavg"}' --set privacy.steps=5 --set 'sweep={"model.l2": [0.1, 0]}')"),
      Contains("/model: hinge loss: a minimiser needs l2 > 0 or theta_max (point 1: model.l2=0)"));
}

TEST_CASE("point fit: options of protocol, privacy and stop that do not go together") {
  const std::string none = " --set privacy.mechanism=none";
  CHECK_THAT(misfit("--set protocol.horizon=5"),
             Contains("/protocol: protocol.horizon (5) and stop.iterations"));
  CHECK_THAT(misfit("--set model.l2=0"), Contains("/protocol: central_async needs strong convexity"));
  CHECK_THAT(misfit("--set protocol.initiative=learner"), Contains("/protocol: protocol.interval"));
  CHECK_THAT(misfit("--set 'protocol.groups=[[1, 4]]'"), Contains("expected owners from 1 to 3, found 4"));
  CHECK_THAT(misfit(kPersonalOnRing + " --set model.theta_max=5"),
             Contains("/protocol: a personalised protocol does not project"));
  CHECK_THAT(
      misfit(
          kPersonalOnRing +
          R"( --set protocol.initial=private_warm_start --set privacy.mechanism=laplace --set privacy.steps=5)"),
      Contains("needs privacy.epsilon_warm"));
  CHECK_THAT(
      misfit(kPersonalOnRing + R"( --set 'protocol={"type": "p2p_admm"}' --set privacy.mechanism=laplace)"),
      Contains("/protocol: p2p_admm has no private form"));
  CHECK_THAT(misfit(R"(--set 'protocol={"type": "fedavg"}')"),
             Contains("/protocol: this protocol spreads each owner's budget "
                      "over a number of releases: give privacy.steps"));
  CHECK_THAT(misfit(R"(--set 'protocol={"type": "fedavg", "cohort": 4}' --set privacy.steps=5)"),
             Contains("/protocol/cohort: expected at most the number of owners (3), found 4; or all"));
  CHECK_THAT(misfit(R"(--set 'protocol={"type": "scaffold", "momentum": 0.5}' --set privacy.steps=5)"),
             Contains("/protocol/momentum: "));
  CHECK_THAT(
      misfit(R"(--set 'protocol={"type": "epidemic", "fan_out": 3}' --set network.topology=complete)" + none),
      Contains("/protocol/fan_out: expected at most n - 1 = 2, found 3"));
  CHECK_THAT(
      misfit(R"(--set 'protocol={"type": "push_sum"}' --set network.topology=complete --set data.owners=1)" +
             none),
      Contains("/protocol: expected a neighbour of every agent"));
  CHECK_THAT(
      misfit(R"(--set 'protocol={"type": "fedavg"}' --set 'stop={"time": 10}' --set network.latency=0)" +
             none),
      Contains("/protocol: rounds and trainings take no time"));
  // Once the budgets are spent, agents of gossip mix without computing.
  const std::string spent =
      kPersonalOnRing +
      R"( --set 'protocol={"type": "dpsgd_gossip"}' --set 'stop={"time": 10}' --set network.latency=0)"
      " --set network.compute_time=0.1 --set privacy.mechanism=laplace --set privacy.steps=expected"
      R"( --set 'record.metrics=["train_loss"]')";
  CHECK_THAT(misfit(spent), Contains("/protocol: rounds take no time once budgets are spent"));
  const test::StudyFolder dir;
  test::ended_with(dir, "validate s.json" + spent + " --set stop.budgets_spent=true");
  test::ended_with(dir, "validate s.json" + spent + " --set network.latency=0.001");
  test::ended_with(dir, "validate s.json" + spent + " --set privacy.steps=2");  // they may last
  CHECK_THAT(
      misfit(R"(--set 'protocol={"type": "fedavg", "round_timeout": "1 s"}' --set network.latency=2)" + none),
      Contains("/protocol/round_timeout: expected at least the smallest possible round trip (4 s)"));
}

TEST_CASE("point fit: protocols of several tasks have no box") {
  const std::string tasks =
      R"(--set 'data={"type": "low_rank_tasks", "tasks": 3, "records": 20, "features": 3}')"
      R"( --set model.loss=logistic --set record.metrics='["objective"]' --set privacy.mechanism=none)";
  for (const char* type : {"async_mtl", "sync_mtl", "amtl"}) {
    const std::string protocol = tasks + fmt::format(R"( --set 'protocol={{"type": "{}"}}')", type);
    CHECK_THAT(misfit(protocol + " --set model.theta_max=5"),
               Contains("/protocol: multi-task protocols do not project: leave out model.theta_max"));
    const test::StudyFolder dir;
    test::ended_with(dir, "validate s.json " + protocol);
  }
}

TEST_CASE("point fit: a release up front that the protocol does not make") {
  const std::string warm = "--set privacy.epsilon_warm=0.5 ";
  CHECK_THAT(
      misfit(warm),
      Contains("/protocol: central learners make no release up front: leave out privacy.epsilon_warm"));
  CHECK_THAT(misfit(warm + R"(--set 'protocol={"type": "central_sync", "c1": 1}')"),
             Contains("central learners make no release up front"));
  for (const char* type : {"async_mtl", "sync_mtl"}) {
    CHECK_THAT(
        misfit(
            warm +
            R"(--set 'data={"type": "low_rank_tasks", "tasks": 3, "records": 20, "features": 3}')"
            R"( --set model.loss=logistic --set record.metrics='["objective"]')"
            R"( --set privacy.mechanism=exponential_norm --set privacy.epsilon_1=1 --set privacy.epsilon_2=1)" +
            fmt::format(R"( --set 'protocol={{"type": "{}"}}')", type)),
        Contains("/protocol: multi-task protocols make no release up front: leave out privacy.epsilon_warm"));
  }
}

TEST_CASE("point fit: what releases no gradient needs no bound on one") {
  const test::Scratch dir;
  dir.write("s.json", R"({"data": {"type": "linear_separators", "owners": 4, "features": 2, "records": 5,
    "feature_law": "normal"}, "model": {"loss": "logistic"}, "network": {"topology": "similarity"},
    "protocol": {"type": "local_dp", "clip": 2}, "privacy": {"mechanism": "laplace", "epsilon": 1},
    "stop": {"iterations": 1}, "record": {"metrics": ["epsilon_spent"]}})");
  test::run_study(dir, "-o out");
  CHECK_THAT(text_of(dir / "out/manifest.json"),
             Contains("computed by the protocol from the bounds in its options"));
  CHECK_THAT(text_of(dir / "out/scalars.csv"),
             Contains("privacy.epsilon") && !Contains("privacy.bound") && !Contains("privacy.sensitivity"));
  test::run_study(dir, R"(-o alone --set 'protocol={"type": "local_only"}')");
  const auto clips = test::ended_with(dir, "run s.json --no-progress -o clips --set privacy.clip=1");
  CHECK_THAT(clips.err, Contains("ignored, the protocol releases no gradients"));
  CHECK_THAT(test::refusal(dir, R"(validate s.json --set 'protocol={"type": "model_propagation"}')"),
             Contains("/privacy: noise requires a bound on a record's gradient"));
}

TEST_CASE("point fit: a privacy that cannot be, for the data and the model") {
  CHECK_THAT(misfit("--set data.whiten=true --set privacy.gradient_bound=null"),
             Contains("/privacy: noise requires a bound on a record's gradient"));
  CHECK_THAT(misfit("--set 'privacy.epsilon=[1, 2]'"),
             Contains("/privacy/epsilon: expected a list of 3 numbers, found 2"));
  CHECK_THAT(misfit("--set 'privacy.steps=[1.5, 2, 2]'"),
             Contains("/privacy: privacy.steps: expected whole numbers, found 1.5"));
  CHECK_THAT(
      misfit(
          "--set privacy.mechanism=exponential_norm --set privacy.accountant=pld --set privacy.delta=1e-5"),
      Contains("/privacy: pld: expected exponential_norm in one dimension"));
  CHECK_THAT(
      misfit("--set model.loss=logistic"),
      Contains(
          "/model: logistic loss: expected targets -1 and +1, found targets that are numbers: use squared"));
  CHECK_THAT(misfit("--set data.type=movielens --set model.loss=logistic"),
             Contains("/model: logistic loss: expected targets -1 and +1, found targets that are numbers"));
  CHECK_THAT(
      misfit(
          R"(--set 'model={"loss": "softmax", "l2": 0}' --set 'data={"type": "synthetic", "owners": 3}' --set 'baselines=["pooled"]')"
          R"( --set 'protocol={"type": "fedavg"}' --set privacy.steps=5)"),
      Contains("/model: softmax loss: a minimiser needs l2 > 0"));
  CHECK_THAT(misfit("--set 'record.trace={\"agent\": 4}'"),
             Contains("/record/trace/agent: expected an agent from 0 to 3, found 4"));
}

TEST_CASE("point fit: what options of a file say is refused before it is read, and nothing else") {
  const Scratch dir;
  dir.write("d.csv", "x,y,site\n1,1,a\n2,0,b\n3,1,b\n4,0,a\n");
  const auto validate = [&](const std::string& sets) {
    dir.write("s.json",
              R"({"data": {"type": "csv", "path": "d.csv", "target": "y", "owner": {"column": "site"}},
      "protocol": {"type": "fedavg"}, "privacy": {"mechanism": "laplace", "clip": 1}, "stop": {"iterations": 5}})");
    return shell(dir, "hearsay validate s.json " + sets);
  };
  CHECK_THAT(validate("").err, Contains("give privacy.steps"));
  CHECK_THAT(validate("--set privacy.clip=null --set privacy.steps=5").err,
             Contains("noise requires a bound"));
  CHECK(validate("--set privacy.clip=null --set privacy.steps=5 --set model.theta_max=1 --set "
                 "'data.bounds={\"features\": 5, \"target\": 1}'")
            .code == 0);
  CHECK_THAT(validate("--set privacy.steps=5 --set model.loss=softmax --set data.positive.above=0").err,
             Contains("found targets that are -1 and +1: use logistic"));
  CHECK_THAT(validate("--set privacy.steps=5 --set 'record.metrics=[\"test_error\"]'").err,
             Contains("test_error requires test records"));
  // How many owners there are, and what their targets are, only the file says.
  CHECK(validate(R"(--set privacy.steps=5 --set protocol.cohort=3)").code == 0);
  CHECK(validate(
            R"(--set 'privacy.steps={"type": "uniform", "min": 1, "max": 5}' --set 'privacy.epsilon=[1, 2]')")
            .code == 0);
  CHECK(validate("--set privacy.steps=5 --set model.loss=logistic").code == 0);
}

TEST_CASE("point fit: a similarity graph in two parts is mended by the options of the data") {
  const Scratch dir;
  // Owners 0 and 1, and 2 and 3, are near each other.
  dir.write("d.csv",
            "x,p,y,site\n1,0,1,a\n2,0,0,a\n1,1,1,b\n3,1,0,b\n1,90,1,c\n2,90,2,c\n1,91,3,d\n2,91,0,d\n");
  dir.write("s.json", R"({"data": {"type": "csv", "path": "d.csv", "target": "y", "owner": {"column": "site"},
      "similarity": {"from": {"columns": ["p"]}, "weights": {"type": "nearest", "neighbours": 1}}},
      "network": {"topology": "similarity"}, "protocol": {"type": "p2p_coordinate_descent"},
      "privacy": {"mechanism": "none"}, "record": {"metrics": ["objective_q"]}, "stop": {"iterations": 5}})");
  const auto run = shell(dir, "hearsay run s.json --no-progress -o out");
  CHECK_THAT(run.err,
             Contains("/network/topology: expected a connected network, found 2 components of the data's "
                      "similarity graph: link more owners by the options of data (neighbours, "));
  CHECK_THAT(run.err, !Contains("largest_component"));
}

TEST_CASE("point fit: model.l2 has no effect in a personalised protocol, which is a note") {
  const test::StudyFolder dir;
  const auto run =
      test::ended_with(dir, "run s.json --no-progress -o out" + kPersonalOnRing + " --set model.l2=0.1");
  CHECK_THAT(shell(dir, "cat out/manifest.json").out,
             Contains("model.l2 has no effect in a personalised protocol"));
}

TEST_CASE("point fit: releases that calibration classic does not cover") {
  // With accountant basic an owner's T releases have epsilon/T each, of which the theorem covers at most 1.
  const std::string classic =
      R"( --set 'privacy.mechanism={"type": "gaussian", "calibration": "classic"}' --set privacy.delta=1e-5)"
      R"( --set privacy.gradient_bound=null --set privacy.clip=1)";
  const auto wrong =
      Contains("epsilon: expected at most 1 with calibration classic (otherwise use analytic), found ");
  const std::string horizon = classic + " --set protocol.budget_for=horizon --set stop.iterations=300";
  CHECK_THAT(misfit(horizon + " --set privacy.epsilon=301"), wrong);
  // T_i = 300/3 + 3 sqrt(300/3) = 130 of 3 owners; of 2 parties 150 + 3 sqrt(150), rounded up to 187.
  const std::string share = classic + " --set stop.iterations=300";
  CHECK_THAT(misfit(share + " --set privacy.epsilon=131"), wrong);
  CHECK_THAT(misfit(share + " --set 'protocol.groups=[[1, 2]]' --set privacy.epsilon=188"), wrong);
  CHECK_THAT(misfit(horizon + " --set protocol.overlap=2 --set privacy.epsilon=602"), wrong);
  const std::string train = classic + R"( --set 'protocol={"type": "fedavg"}' --set privacy.steps=5)";
  CHECK_THAT(misfit(train + " --set 'privacy.epsilon=[1, 2, 6]'"), wrong);
  const std::string descent = classic + kPersonalOnRing +
                              R"( --set 'privacy.mechanism={"type": "gaussian", "calibration": "classic"}')";
  CHECK_THAT(misfit(descent + " --set privacy.steps=5 --set privacy.epsilon=6"), wrong);
  const std::string trusted = classic + R"( --set 'protocol={"type": "dp_fedavg"}' --set privacy.unit=owner)"
                                        " --set privacy.trust=aggregator --set stop.iterations=5";
  CHECK_THAT(misfit(trusted + " --set privacy.epsilon=6"), wrong);
  const test::StudyFolder dir;
  const auto code = [&](const std::string& sets) {
    return shell(dir, "hearsay validate s.json" + sets).code;
  };
  CHECK(code(horizon + " --set privacy.epsilon=299") == 0);
  CHECK(code(share + " --set privacy.epsilon=129") == 0);
  CHECK(code(share + " --set 'protocol.groups=[[1, 2]]' --set privacy.epsilon=186") == 0);
  CHECK(code(train + " --set 'privacy.epsilon=[1, 2, 4.9]'") == 0);
  CHECK(code(trusted + " --set privacy.epsilon=4.9") == 0);
  CHECK(code(train + " --set privacy.epsilon=6 --set privacy.accountant=zcdp") == 0);
  // 5 deltas of 1e-5 exceed the budget's 1e-5, as a run says.
  CHECK(code(train + " --set privacy.mechanism.delta_step=1e-5") == 5);
}

TEST_CASE("point fit: a csv that says how many owners there are is checked for so many") {
  const Scratch dir;
  dir.write("a.csv", "x,y,site,pace\n1,1,a,1\n2,0,b,2\n3,1,b,2\n4,0,a,1\n");
  dir.write("b.csv", "x,y,site,pace\n1,1,c,1\n2,0,c,1\n");
  const auto validate = [&](const std::string& data, const std::string& sets) {
    dir.write("s.json",
              R"({"data": {"type": "csv", "target": "y", )" + data +
                  R"(}, "protocol": {"type": "fedavg"}, "privacy": {"mechanism": "laplace", "clip": 1,
      "steps": 5}, "stop": {"iterations": 5}})");
    return shell(dir, "hearsay validate s.json " + sets);
  };
  const std::string one = R"("path": "a.csv")", two = R"("files": ["a.csv", "b.csv"])",
                    blocks = one + R"(, "owner": {"blocks": 2})",
                    iid = one + R"(, "owner": {"type": "iid", "owners": 2})";
  const auto short_list = Contains("/clocks/rate: expected a list of 2 numbers, found 3");
  const std::string rates = R"(--set 'clocks={"type": "poisson", "rate": [1, 2, 3]}')";
  for (const std::string& data : {two, blocks, iid}) {
    CHECK_THAT(validate(data, rates).err, short_list);
    CHECK_THAT(validate(data, "--set 'privacy.epsilon=[1, 2, 3]'").err,
               Contains("/privacy/epsilon: expected a list of 2 numbers, found 3"));
    CHECK_THAT(validate(data, R"(--set 'record.trace={"agent": 3}')").err,
               Contains("/record/trace/agent: expected an agent from 0 to 2, found 3"));
    CHECK_THAT(validate(data, "--set protocol.cohort=3").err,
               Contains("at most the number of owners (2), found 3"));
    CHECK_THAT(validate(data, "--set network.latency=2 --set protocol.round_timeout=1").err,
               Contains("expected at least the smallest possible round trip (4 s)"));
    CHECK(validate(data, "--set 'privacy.epsilon=[1, 2]' --set 'clocks.rate=[1, 2]'").code == 0);
  }
  CHECK_THAT(validate(one, rates).err, Contains("expected a list of 1 numbers, found 3"));
  // The file says how many remain, or has the values.
  for (const std::string& data : {one + R"(, "owner": {"column": "site"})", two + R"(, "min_records": 2)",
                                  two + R"(, "impute": "drop_rows")",
                                  one + R"(, "owner": {"type": "quantity", "owners": 2, "min_records": 0})"})
    CHECK(validate(data, rates).code == 0);
  CHECK_THAT(validate(one + R"(, "owner": {"column": "site"})",
                      R"(--set 'adversaries={"share": 0.5, "behaviour": "label_flip"}')")
                 .err,
             Contains("/adversaries/behaviour: expected data with classes with label_flip, found numbers"));
  CHECK(validate(two, R"(--set 'clocks={"type": "poisson", "rate": {"column": "pace"}}')").code == 0);
  CHECK(validate(two, R"(--set 'privacy.epsilon={"column": "pace"}')").code == 0);
}

TEST_CASE("point fit: a network that fits no number of agents, or no similarity graph") {
  const Scratch dir;
  dir.write("d.csv", "x,y,site\n1,1,a\n2,0,b\n3,1,b\n4,0,a\n");
  dir.write("parts.csv", "0,1\n2,3\n");
  const auto validate = [&](const std::string& owner, const std::string& sets) {
    dir.write("s.json",
              R"({"data": {"type": "csv", "path": "d.csv", "target": "y", "owner": )" + owner +
                  R"(, "similarity": {"from": "data"}}, "protocol": {"type": "p2p_coordinate_descent"},
      "network": {"topology": "complete"}, "privacy": {"mechanism": "none"}, "record": {"metrics": ["objective_q"]}, "stop": {"iterations": 5}})");
    return shell(dir, "hearsay validate s.json " + sets);
  };
  const std::string column = R"({"column": "site"})", similar = "--set network.topology=similarity ";
  for (const std::string& topology : {std::string(), similar}) {
    CHECK(validate(column, topology).code == 0);
    CHECK_THAT(validate(column, topology + "--set network.latency=distance").err,
               Contains("/network/latency: distance needs a topology with coordinates"));
    CHECK_THAT(validate(column, topology + "--set network.latency=edge_attribute").err,
               Contains("/network/latency: edge_attribute needs a graph file with latencies"));
    CHECK_THAT(
        validate(column, topology + R"(--set 'events=[{"at": 1, "set": {"network.latency": "distance"}}]')")
            .err,
        Contains("/events: distance needs a topology with coordinates"));
  }
  for (const char* type : {"ring", "similarity"})
    CHECK_THAT(
        validate(column, fmt::format(R"(--set 'network.topology={{"type": "{}", "overlay": "star"}}')", type))
            .err,
        Contains("/network/topology: overlay: the links have neither latency nor length"));
  CHECK_THAT(validate(column, R"(--set 'network.topology={"type": "complete", "weights": "given"}')").err,
             Contains("/network/topology: weights: the graph has no weights"));
  CHECK(validate(column, R"(--set 'network.topology={"type": "similarity", "weights": "given"}')").code == 0);
  CHECK_THAT(
      validate(
          column,
          R"(--set 'network.availability={"type": "group", "groups": [{"agents": [1]}, {"agents": [1]}]}')")
          .err,
      Contains("/network/availability/groups: agent 1 is in two groups"));
  CHECK(validate(column, "--set network.topology=random_geometric --set network.latency=distance").code == 0);
  CHECK_THAT(validate(column, R"(--set 'network.topology={"type": "file", "path": "parts.csv"}')").err,
             Contains("/network/topology: expected a connected network, found 2 components"));
  CHECK_THAT(
      validate(R"({"blocks": 2})", similar + R"(--set 'clocks={"type": "poisson", "rate": [1, 2, 3]}')").err,
      Contains("/clocks/rate: expected a list of 2 numbers, found 3"));
}
