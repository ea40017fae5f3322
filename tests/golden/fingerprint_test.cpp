// Small runs that must stay what they are: the fingerprint of their events, and their models at the end. The stored
// values are golden: hearsay computed them itself (release preset, g++ 12). They change only in a commit that says why
// and names the first event that differs. A run that goes on from a state of it is the same run, bit for bit.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <cmath>

#include "scenarios/language/reader.hpp"
#include "tests/golden/states.hpp"

using namespace hearsay;

namespace {

struct Unobserved final : models::Observer {
  void observe(const models::World&) override {}
};

// `events`: structural fingerprint. `norm`, `sum`: Frobenius norm and sum of all coordinates of all models at the end.
// Rounding differs between compilers and flags; over these short runs it stays far below the tolerance.
struct Golden {
  std::string events;
  double norm, sum;
};

void check_golden(const std::string& text, const Golden& golden) {
  const scenarios::Document document = scenarios::parse(text, "golden");
  scenarios::Scenario scenario;
  scenarios::read(document, document.root, scenario);
  const scenarios::Experiment experiment(scenario, scenarios::solve(scenario, 0));
  models::World world = experiment.prepare(0);
  Unobserved observer;
  scenario.protocol->run(world, observer);
  INFO(fmt::format("{{\"{:016x}\", {:.17g}, {:.17g}}}", world.engine.fingerprint().value(),
                   world.models.norm(), world.models.sum()));
  CHECK(fmt::format("{:016x}", world.engine.fingerprint().value()) == golden.events);
  const double tolerance = 1e-9 * golden.norm;
  CHECK(std::abs(world.models.norm() - golden.norm) <= tolerance);
  CHECK(std::abs(world.models.sum() - golden.sum) <= tolerance);
  test::check_states(scenario, world.engine.now(), world.iterations);
}

}  // namespace

TEST_CASE("golden: central_async over perfect links") {
  check_golden(R"({
    "data": {"type": "lending_like", "records": 100, "features": 3}, "model": {"theta_max": 10},
    "protocol": {"type": "central_async", "rho": 1, "timeout": "1 s"},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 10}, "stop": {"iterations": 200}
  })",
               {"3c345c964af7c838", 9.8591656588549323, 16.393253886962558});
}

TEST_CASE("golden: central_async over late, lossy links with owners that come and go") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 5, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "uniform", "min": 0, "max": "15 ms"}, "loss": 0.1,
                "availability": {"type": "on_off", "up": {"type": "exponential", "mean": 5},
                                 "down": {"type": "lognormal", "median": 1, "sigma": 0.5}, "start": "stationary"}},
    "protocol": {"type": "central_async", "rho": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 10000, "clip": 10}, "stop": {"iterations": 200}
  })",
               {"0ddf7c589ab7b9c5", 1.0579258580081909, 0.15559213065523114});
}

TEST_CASE("golden: central_sync over late, lossy links, with the last answer for one that is missing") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 4, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "exponential", "mean": "100 ms"}, "loss": 0.1},
    "protocol": {"type": "central_sync", "c1": 0.1, "missing": "last", "round_timeout": "500 ms"},
    "privacy": {"mechanism": "laplace", "epsilon": 1000, "clip": 10}, "stop": {"iterations": 50}
  })",
               {"ea4bd96567cb47e0", 0.71770791067360162, 0.13315102744656787});
}

TEST_CASE("golden: p2p_coordinate_descent from a private warm start, publications late") {
  check_golden(R"({
    "data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12}, "model": {"loss": "logistic"},
    "network": {"topology": "similarity", "latency": {"type": "uniform", "min": 0, "max": "500 ms"}},
    "protocol": {"type": "p2p_coordinate_descent", "initial": "private_warm_start"},
    "privacy": {"mechanism": "laplace", "epsilon": 5, "epsilon_warm": 1, "steps": 10, "clip": 1},
    "stop": {"iterations": 200}, "record": {"metrics": ["own_test_error"]}
  })",
               {"d79cf8ecb10cb44d", 1.7456909896161956, -1.271025401694486});
}

TEST_CASE("golden: p2p_coordinate_descent over lossy links with agents that come and go") {
  check_golden(R"({
    "data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12}, "model": {"loss": "logistic"},
    "network": {"topology": "similarity", "latency": "100 ms", "loss": 0.1, "availability": {"type": "on_off",
                "up": {"type": "exponential", "mean": 5}, "down": {"type": "exponential", "mean": 1}}},
    "protocol": {"type": "p2p_coordinate_descent"},
    "privacy": {"mechanism": "gaussian", "epsilon": 5, "delta": 1e-5, "accountant": "rdp", "steps": 10, "clip": 1},
    "stop": {"iterations": 200}, "record": {"metrics": ["own_test_error"]}
  })",
               {"295f470c98db02d3", 0.28216042771256267, -0.23078411471191373});
}

TEST_CASE("golden: p2p_coordinate_descent of several classes, publications late") {
  check_golden(R"({
    "data": {"type": "synthetic", "owners": 8, "records": 12, "features": 4, "classes": 3}, "model": {"loss": "softmax"},
    "network": {"topology": "ring", "latency": {"type": "uniform", "min": 0, "max": "500 ms"}, "loss": 0.1},
    "protocol": {"type": "p2p_coordinate_descent", "initial": "private_warm_start"},
    "privacy": {"mechanism": "laplace", "epsilon": 50, "epsilon_warm": 10, "steps": 10, "clip": 1},
    "stop": {"iterations": 200}, "record": {"metrics": ["own_test_accuracy"]}
  })",
               {"d37baf495d3e4b40", 0.16927924587269402, 0.03211974020963107});
}

TEST_CASE("golden: p2p_admm over late, lossy links") {
  check_golden(R"({
    "data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12}, "model": {"loss": "logistic"},
    "network": {"topology": "similarity", "latency": {"type": "uniform", "min": 0, "max": "500 ms"}, "loss": 0.1},
    "protocol": {"type": "p2p_admm", "timeout": "1 s"}, "privacy": {"mechanism": "none"},
    "stop": {"iterations": 100}, "record": {"metrics": ["own_test_error"]}
  })",
               {"bd0f5d4a31c88946", 0.050506892579451186, -0.0025016381637437551});
}

TEST_CASE("golden: model_propagation over the network") {
  check_golden(R"({
    "data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12}, "model": {"loss": "logistic"},
    "network": {"topology": "similarity", "latency": {"type": "uniform", "min": 0, "max": "500 ms"}},
    "protocol": {"type": "model_propagation"}, "privacy": {"mechanism": "none"},
    "stop": {"iterations": 200}, "record": {"metrics": ["own_test_error"]}
  })",
               {"8de0068c1dc8a5a3", 2.3397875797111789, 0.94194136709341603});
}

TEST_CASE("golden: gossip over late, lossy links of agents that crash and compute") {
  for (const auto& [protocol, expected] :
       {std::pair{R"("dpsgd_gossip", "round_timeout": "1 s")",
                  Golden{"6317c21b83ef67a4", 0.84650355677331535, 0.90226075337973755}},
        {R"("ad_psgd", "timeout": "1 s")",
         Golden{"1f7bdbf1911ea461", 0.68029334680203002, 0.69329897170162602}},
        {R"("gossip_learning", "merge": "um", "merge_weights": "age")",
         Golden{"43cc6cb3312792ed", 0.94866166855791478, 0.43110943730520107}},
        {R"("push_sum", "weighted_update": true)",
         Golden{"b8415ef32791f725", 0.19721713448291281, 0.16791527813891513}},
        {R"("epidemic", "fan_out": 2)", Golden{"1ccb50fc96298ec7", 0.38743090454037271, 0.34309688068171973}},
        {R"("muffliato", "round_timeout": "1 s", "gossip_steps": 3, "accelerated": true)",
         Golden{"a8d75b4cc9c859b3", 0.76577136811509428, 0.71958687869908122}}}) {
    check_golden(fmt::format(R"({{
      "data": {{"type": "lending_like", "owners": 8, "records": 40, "features": 3}}, "model": {{"loss": "squared"}},
      "network": {{"topology": {{"type": "random_regular", "degree": 4}}, "loss": 0.1, "compute_time": "50 ms",
                   "latency": {{"type": "uniform", "min": 0, "max": "500 ms"}},
                   "availability": {{"type": "crash", "up": {{"type": "exponential", "mean": 20}}, "down": 2}}}},
      "protocol": {{"type": {}, "step": 0.02, "local_steps": 2, "batch": 5}},
      "privacy": {{"mechanism": "gaussian", "epsilon": 100, "delta": 1e-5, "accountant": "rdp", "clip": 5, "steps": 40}},
      "stop": {{"iterations": 300}}
    }})",
                             protocol),
                 expected);
  }
}

TEST_CASE("golden: async_mtl with both noises, nodes that come and go") {
  check_golden(R"({
    "data": {"type": "low_rank_tasks", "tasks": 5, "records": 40, "features": 6}, "model": {"loss": "logistic"},
    "network": {"latency": {"type": "uniform", "min": 0, "max": "15 ms"}, "loss": 0.01},
    "protocol": {"type": "async_mtl", "column_update": "block", "turns": 40},
    "privacy": {"mechanism": "exponential_norm", "epsilon_1": 1, "epsilon_2": 1},
    "stop": {"iterations": 150}, "record": {"metrics": ["objective_joint"]}
  })",
               {"18ad7aa3002117d7", 29.988268007852373, -8.9504577175832747});
}

TEST_CASE("golden: sync_mtl and amtl without noise") {
  for (const auto& [protocol, expected] :
       {std::pair{"sync_mtl", Golden{"7ca616e279c75216", 29.615690695267745, -6.6805539730292907}},
        {"amtl", Golden{"f72d0f2817e7357f", 29.596988534701186, -6.664531911747936}}}) {
    check_golden(fmt::format(R"({{
      "data": {{"type": "low_rank_tasks", "tasks": 5, "records": 40, "features": 6}}, "model": {{"loss": "logistic"}},
      "network": {{"latency": {{"type": "uniform", "min": 0, "max": "15 ms"}}}},
      "protocol": {{"type": "{}", "turns": 40}}, "privacy": {{"mechanism": "none"}},
      "stop": {{"iterations": 30}}, "record": {{"metrics": ["objective_joint"]}}
    }})",
                             protocol),
                 expected);
  }
}

TEST_CASE("golden: dp_fedavg over late, lossy links with owners that come and go") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 10, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "exponential", "mean": "100 ms"}, "loss": 0.1, "availability": {"type": "on_off",
                "up": {"type": "exponential", "mean": 5}, "down": {"type": "exponential", "mean": 1}}},
    "protocol": {"type": "dp_fedavg", "participation": 0.4, "local_steps": 3, "step": 0.1, "batch": {"type": "poisson", "size": 20}},
    "privacy": {"mechanism": "gaussian", "unit": "owner", "trust": "aggregator", "adjacency": "add_remove",
                "accountant": "rdp", "epsilon": 20, "delta": 1e-3, "clip": 0.2},
    "stop": {"iterations": 50}
  })",
               {"ec7b0ef5ee4284a9", 0.94267173698719231, 0.32277752152137984});
}

TEST_CASE("golden: dp_ftrl over late, lossy links, with restarts and a server that crashes") {
  check_golden(R"({
    "data": {"type": "lending_like", "owners": 10, "records": 100, "features": 3}, "model": {"theta_max": 10},
    "network": {"latency": {"type": "exponential", "mean": "100 ms"}, "loss": 0.1, "availability": {"type": "crash",
                "up": {"type": "exponential", "mean": 20}, "down": {"type": "exponential", "mean": 1}, "hub": true}},
    "protocol": {"type": "dp_ftrl", "epoch_rounds": 5, "restart_epochs": 3, "server_momentum": 0.5, "local_steps": 3,
                 "step": 0.1, "round_timeout": "1 s"},
    "privacy": {"mechanism": "gaussian", "unit": "owner", "trust": "aggregator", "adjacency": "add_remove",
                "accountant": "rdp", "epsilon": 20, "delta": 1e-3, "clip": 0.2},
    "stop": {"iterations": 50}
  })",
               {"b9ffb3d4703f4ace", 0.81840535033205697, 0.10872593997286284});
}

TEST_CASE("golden: federated protocols over late, lossy links with owners that crash") {
  for (const auto& [protocol, expected] :
       {std::pair{R"("type": "fedavg", "cohort": 3, "over_selection": 1.4, "server_optimiser": "yogi")",
                  Golden{"f5157f59fed78373", 1.842442626400103, 2.6552567981437369}},
        {R"("type": "fedprox", "mu": 1, "momentum": 0.5)",
         Golden{"1a2c7a056d703b52", 0.6749720306200393, -0.10233977545493533}},
        {R"("type": "scaffold", "weights": "equal")",
         Golden{"1a2c7a056d703b52", 0.59425996172978457, -0.17203464296815502}},
        {R"("type": "fedasync", "rho": 0.1)",
         Golden{"8e479446a1fe75e4", 0.61716550521928637, 0.29935916798629247}},
        {R"("type": "fedbuff", "buffer": 3, "concurrency": 3)",
         Golden{"c5b72d6126d914a1", 0.75306370676355849, -0.53305521759294205}}}) {
    check_golden(fmt::format(R"({{
      "data": {{"type": "lending_like", "owners": 5, "records": 30, "features": 3, "heterogeneity": 1}},
      "network": {{"latency": {{"type": "uniform", "min": 0, "max": "15 ms"}}, "loss": 0.05,
                   "compute_time": {{"type": "exponential", "mean": "20 ms"}},
                   "availability": {{"type": "crash", "up": {{"type": "exponential", "mean": 5}}, "down": 1}}}},
      "protocol": {{{}, "local_steps": 3, "step": 0.05, "batch": 5}},
      "privacy": {{"mechanism": "gaussian", "accountant": "rdp", "epsilon": 100, "delta": 1e-6, "clip": 5, "steps": 100}},
      "stop": {{"iterations": 40}}
    }})",
                             protocol),
                 expected);
  }
}
