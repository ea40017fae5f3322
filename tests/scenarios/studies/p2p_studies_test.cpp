// The studies of peer-to-peer learning and its appendices, shrunk: values that theory gives, derived on their pages.
#include <cmath>
#include <string>

#include "tests/support/shipped_study.hpp"

using namespace hearsay;

namespace {

// Mean over repetitions of a metric at the end of a study's runs; `changes` leave one point of its sweep.
double p2p_mean(const std::string& scenario, const std::string& metric, const std::string& changes) {
  const auto ends =
      test::ShippedStudy(scenario, "--set 'record.metrics=[\"" + metric + "\"]' " + changes).ends(metric);
  REQUIRE(ends.size() == 1);
  return ends[0];
}

}  // namespace

TEST_CASE("p2p studies: age of what a slow uplink delivers is that of an M/D/1 queue") {
  for (const double rate : {0.3, 0.6}) {
    // Kaul, Yates, Gruteser 2012, less what the first 28 of 29 messages are ahead of the last.
    const double age = 1 / (2 * (1 - rate)) + 0.5 + (1 - rate) * std::exp(rate) / rate - 14.0 / 29;
    CHECK(p2p_mean("studies/p2p-uplink", "staleness_time",
                   "--repeat 3 --set clocks.rate='" + std::to_string(rate) + " /s'") ==
          Approx(age).epsilon(0.03));
  }
}

TEST_CASE("p2p studies: age by distribution of latencies and order of reading") {
  const auto age = [](const std::string& latency, const std::string& order) {
    return p2p_mean("studies/p2p-latency-laws", "staleness_time",
                    "--repeat 3 --set network.order=" + order + " --set network.latency='" + latency + "'");
  };
  const std::string two =
      R"({"type":"mixture","parts":[{"weight":0.9,"law":"0.1 s"},{"weight":0.1,"law":"9.1 s"}]})";
  const std::string exponential = R"({"type":"exponential","mean":"1 s"})";
  // int_0^inf exp(-int_0^a F): 0.1 + (1 - e^-8.1)/0.9 + e^-8.1 for the mixture.
  CHECK(age(two, "newest") == Approx(0.1 + (1 - std::exp(-8.1)) / 0.9 + std::exp(-8.1)).epsilon(0.02));
  CHECK(age(exponential, "newest") == Approx(std::exp(1) - 1).epsilon(0.02));
  CHECK(age(exponential, "arrival") == Approx(2).epsilon(0.02));
}

TEST_CASE("p2p studies: regular clocks converge at the rate that their ages give") {
  const auto rate = [](const std::string& clock) {
    const auto distance = [&](int seconds) {
      return p2p_mean("studies/p2p-clocks", "propagation_distance",
                      "--repeat 20 --set clocks='" + clock + "' --set 'stop={\"time\":\"" +
                          std::to_string(seconds) + " s\"}'");
    };
    return std::log(distance(30) / distance(60)) / 60;
  };
  const double periodic = rate(R"({"type":"periodic"})");
  CHECK((std::exp(periodic) - 1) / periodic == Approx(1.1).epsilon(0.002));
  CHECK(rate(R"({"type":"poisson"})") == Approx(0.1 / 1.1).epsilon(0.06));
}

TEST_CASE("p2p studies: updates of agents that compute as long as they wait (Erlang)") {
  for (const char* law : {"\"1 s\"", R"({"type":"exponential","mean":"1 s"})"}) {
    const double messages =
        p2p_mean("studies/p2p-compute-time", "messages",
                 std::string("--repeat 5 --set clocks.missed=skip --set network.compute_time='") + law + "'");
    CHECK(messages == Approx(64 * 63 * 100 * 0.5).epsilon(0.02));
  }
}

TEST_CASE("p2p studies: distance between models on a ring and on a complete graph") {
  // Eigenvalues of the random walk: sum over k >= 1 of (mu/(1 + mu - lambda_k))^2.
  const double mu = 0.1, pi = std::acos(-1.0);
  double ring = 0;
  for (int k = 1; k < 64; ++k) ring += std::pow(mu / (1 + mu - std::cos(2 * pi * k / 64)), 2);
  const double complete = 63 * std::pow(mu / (1 + mu + 1.0 / 63), 2);
  const auto measured = [](const std::string& graph) {
    return p2p_mean("studies/p2p-graphs", "consensus_distance",
                    "--repeat 30 --set network.topology=" + graph);
  };
  CHECK(measured("ring") / measured("complete") == Approx(ring / complete).epsilon(0.07));
}

TEST_CASE("p2p studies: releases made when a run ends after as many ticks as releases") {
  // Expectation of min(2, X), X binomial with 200 trials of probability 1/100.
  const double none = std::pow(0.99, 200), one = 200 * 0.01 * std::pow(0.99, 199);
  CHECK(p2p_mean("studies/p2p-after-budget", "releases_by_owner.mean",
                 "--repeat 40 --set 'sweep={\"protocol.run_length\":[\"ticks\"]}' --set privacy.epsilon=1 "
                 "--set privacy.steps=2 --set privacy.gradient_bound=1") ==
        Approx(2 - 2 * none - one).epsilon(0.02));
}

TEST_CASE("p2p studies: error of a classifier from perturbed features and labels") {
  // The page's angle: sqrt((22.3 + 2 * 10^2)/1000)/(0.9 * 4.10 tanh 1) = 0.168 of the mean, in both coordinates;
  // for small angles the mean is sqrt(2/pi) * 0.168/pi = 0.043.
  CHECK(p2p_mean("studies/p2p-labels", "own_test_error",
                 "--repeat 5 --set 'sweep={\"protocol.learn\":[\"alone\"]}' --set privacy.epsilon=4 "
                 "--set protocol.epsilon_label=2") == Approx(0.043).epsilon(0.1));
}

TEST_CASE("p2p appendices: what noise adds to Q") {
  // sum_i p (mu D_ii c_i s_i)^2/L_i = 147 (T_i/epsilon)^2 for Laplace noise (best-t.md).
  const std::string paper = "papers/personalized-p2p/";
  const auto gap = [&](const std::string& epsilon) {
    return p2p_mean(paper + "best-t", "q_gap",
                    "--repeat 20 --set 'sweep={\"privacy.steps\":[20]}' --set privacy.epsilon=" + epsilon);
  };
  CHECK((gap("20") - gap("1e6")) == Approx(147).epsilon(0.06));
  // p (p + 1) (D/eps)^2 against p z^2 D^2 with z = 1/eps, if zcdp charges both alike.
  const auto zcdp = [&](const std::string& mechanism) {
    return p2p_mean(paper + "remark4", "q_gap",
                    "--repeat 3 --set 'sweep={\"privacy.steps\":[100]}' --set privacy.accountant=zcdp "
                    "--set privacy.gradient_bound=1 --set privacy.mechanism=" +
                        mechanism);
  };
  CHECK(zcdp("exponential_norm") / zcdp("gaussian") == Approx(21).epsilon(0.04));
}

TEST_CASE("p2p appendices: energy of output perturbation") {
  const auto distance = [](const std::string& epsilon) {
    return p2p_mean("papers/personalized-p2p/private-propagation", "consensus_distance",
                    "--repeat 10 --set 'sweep={\"protocol.mu\":[1e6]}' --set protocol.local=output "
                    "--set 'stop={\"iterations\":500}' --set privacy.epsilon=" +
                        epsilon);
  };
  CHECK(distance("1") - distance("1000") ==
        Approx(0.99 * 20 * 21).epsilon(0.05));  // lambda = 1/m: s = 1/epsilon
}
