// The figures of "The Cost of Privacy" and "The Value of Collaboration", shrunk by --set: that each runs, and
// that its curves have the signs and the order that theory gives them. script/papers runs them whole.
#include <cmath>
#include <map>

#include "tests/support/cases.hpp"
#include "tests/support/shipped_study.hpp"

using namespace hearsay;
using test::ShippedStudy;

namespace {

// Gains over the isolated model, by the labels of these axes; of one owner or, without, of all.
std::vector<std::pair<std::string, double>> gains_of(const ShippedStudy& study,
                                                     const std::vector<std::string>& axes,
                                                     const std::string& agent = "") {
  std::vector<std::pair<std::string, double>> all;
  for (const auto& row : study.rows("fits.csv")) {
    if (row.at("kind") != "gain" || (!agent.empty() && row.at("agent") != agent)) continue;
    std::string labels;
    for (const std::string& axis : axes) labels += (labels.empty() ? "" : " ") + row.at(axis);
    all.emplace_back(labels, std::stod(row.at("value")));
  }
  return all;
}

}  // namespace

TEST_CASE("papers: fitness improves with the budget, over iterations as at the end") {
  for (const auto& [name, records] : {std::pair{"papers/cost-of-privacy/fig2", "30000"},
                                      {"papers/value-of-collaboration/fig2", "250000"}}) {
    const auto psi =
        ShippedStudy(name, std::string("--repeat 5 --set data.records=") + records).ends("relative_fitness");
    REQUIRE(psi.size() == 3);
    CHECK(psi[0] > psi[1]);
    CHECK(psi[1] > psi[2]);
  }
}

TEST_CASE("papers: the trace of a timing figure has one reply per iteration, from every owner") {
  for (const auto& [name, owners] :
       {std::pair{"papers/cost-of-privacy/fig3", 3u}, {"papers/cost-of-privacy/fig8", 86u}}) {
    std::map<std::string, int> answers;
    for (const auto& row : ShippedStudy(name, "--set data.records=50").rows("trace.csv")) {
      // A delivery at the learner that carries a vector is an answer.
      if (row.at("event") == "deliver" && row.at("agent") == "0" && std::stod(row.at("bytes")) > 100)
        ++answers[row.at("peer")];
    }
    int all = 0;
    for (const auto& [owner, count] : answers) all += count;
    CHECK(all == 1000);
    CHECK(answers.size() == owners);
  }
}

TEST_CASE("papers: mean fitness falls with the square of budget and size") {
  // Noise dominates, and is the same at every point but for its scale; what is left of the start bends the
  // line by less than a tenth.
  for (const auto& [name, records, budgets] :
       {std::tuple{"papers/cost-of-privacy/fig4", "[4000,8000]", "[10,30]"},
        {"papers/value-of-collaboration/fig3", "[1000,2000]", "[100,300]"}}) {
    const ShippedStudy study(name, std::string("--repeat 5 --set 'sweep.data.records=") + records +
                                       "' --set 'sweep.privacy.epsilon=" + budgets + "'");
    const auto slopes = study.manifest().at("analysis").at("slopes");
    REQUIRE(slopes.size() == 4);
    for (const auto& slope : slopes) {
      INFO(name << " " << slope.dump());
      CHECK(slope.at("slope").at("value").get<double>() == Approx(-2).margin(0.3));
    }
  }
}

TEST_CASE(
    "papers: with owners that differ five gain at a budget of 10 and two do not, with owners alike no owner "
    "does") {
  const ShippedStudy study(
      "papers/cost-of-privacy/fig6",
      "--repeat 10 --points 'privacy.epsilon == 10 && (data.owners == 2 || data.owners == 5)'");
  const auto all = gains_of(study, {"protocol.budget_for", "data.heterogeneity", "data.owners"}, "1");
  const std::map<std::string, double> gain(all.begin(), all.end());
  REQUIRE(gain.size() == 8);
  CHECK(gain.at("horizon 0.3 5") > 0);
  CHECK(gain.at("horizon 0.3 2") < 0);
  CHECK(gain.at("horizon 0 5") < 0);
  CHECK(gain.at("horizon 0 2") < 0);
  // The budget over ceil(500 + 3 sqrt(500)) = 568 answers instead of 1000: a variance 3.1 times smaller.
  CHECK(gain.at("expected_share 0.3 2") > 0);
}

TEST_CASE("papers: hospitals gain the more the larger the budget") {
  const ShippedStudy study("papers/cost-of-privacy/fig10",
                           "--repeat 3 --set data.records=20000 --set data.owners=20");
  std::map<double, int> gains;
  for (const auto& [epsilon, gain] : gains_of(study, {"privacy.epsilon"}))
    gains[std::stod(epsilon)] += gain > 0 ? 1 : 0;
  REQUIRE(gains.size() == 4);
  CHECK(gains.at(0.1) == 0);
  CHECK(gains.at(100) > 0);
  CHECK(gains.at(100) >= gains.at(10));
}

TEST_CASE(
    "papers: four scenarios of collaboration: small conservative partners are the worst, large eager ones "
    "the best") {
  for (const auto& [name, large, repeat] :
       test::cases({std::tuple{"papers/value-of-collaboration/fig11", "8000", 3},
                    {"papers/value-of-collaboration/fig6", "50000", 10}})) {
    const std::string zip = std::string("[{\"data.records.1\":[1000,1000,") + large + "," + large +
                            "],\"data.records.2\":[1000,1000," + large + "," + large +
                            "],\"privacy.epsilon.1\":[0.1,10,0.1,10],\"privacy.epsilon.2\":[0.1,10,0.1,10]}]";
    const auto psi =
        ShippedStudy(name, "--repeat " + std::to_string(repeat) + " --set 'sweep.zip=" + zip +
                               "' --set data.records.0=2000 --set 'sweep.privacy.epsilon.0=[1,10]'")
            .ends("relative_fitness");
    REQUIRE(psi.size() == 8);  // by scenario, then epsilon_1
    const auto at = [&](int scenario, int epsilon) {
      return psi[static_cast<std::size_t>(2 * scenario + epsilon)];
    };
    for (const int epsilon : {0, 1}) {
      INFO(name << " " << epsilon);
      CHECK(at(0, epsilon) > at(1, epsilon));  // i > ii
      CHECK(at(2, epsilon) > at(3, epsilon));  // iii > iv
    }
    // The first owner's budget matters in (ii), not in (i) and (iii).
    CHECK(at(1, 0) > 1.5 * at(1, 1));
    for (const int scenario : {0, 2}) CHECK(at(scenario, 0) == Approx(at(scenario, 1)).epsilon(0.2));
  }
}

TEST_CASE("papers: theorem 1, an owner that gives all answers spends its budget, and no other does") {
  const ShippedStudy study("papers/cost-of-privacy/theorem1",
                           "--repeat 2 --set data.records=100 --set 'sweep.data.owners=[1,10]' "
                           "--set 'sweep.privacy.mechanism=[\"laplace\"]'");
  const auto spent = study.ends("epsilon_spent_by_owner.max"), answers = study.ends("releases_by_owner.max");
  REQUIRE(spent.size() == 2);
  CHECK(spent[0] == Approx(1));
  CHECK(answers[0] == Approx(1000));
  CHECK(spent[1] == Approx(answers[1] / 1000));
  CHECK(answers[1] == Approx(100).margin(60));
}

TEST_CASE("papers: theorem 2, over a long horizon at the same rho the error stays near that of the start") {
  const ShippedStudy study(
      "papers/cost-of-privacy/theorem2",
      "--repeat 2 --set 'sweep.data.records=[20000]' --set 'sweep.privacy.epsilon=[1000]' "
      "--set 'sweep.stop.iterations=[1000,30000]' --set 'record.metrics=[\"cost_of_privacy\",\"distance\"]'");
  const auto cost = study.ends("cost_of_privacy");
  REQUIRE(cost.size() == 2);
  // The rule of thumb without noise: psi(0) exp(-2 h rho/(sigma (N + 1) T)); h = 2, rho = 0.4, sigma = 2e-5, N = 3.
  const double left = std::exp(-2 * 2 * 0.4 / (2e-5 * 4 * 30000));
  CHECK(cost[1] ==
        Approx(left * study.of_points("setting.start_fitness")[0] * study.of_points("optimum.objective")[0])
            .epsilon(0.03));
  CHECK(cost[0] < cost[1] / 1000);
}

TEST_CASE("papers: remark 4, scaling by the frequency removes the bias of unequal rates") {
  const auto psi = ShippedStudy("papers/cost-of-privacy/remark4",
                                "--repeat 10 --set data.records=20000 --set 'sweep.privacy.epsilon=[1000]'")
                       .ends("relative_fitness");
  REQUIRE(psi.size() == 6);  // by rates, then without and with scaling
  CHECK(psi[2] > 5 * psi[0]);
  CHECK(psi[3] < psi[2] / 3);
  CHECK(psi[4] > psi[2]);
  CHECK(psi[5] < psi[4] / 3);
}

TEST_CASE("papers: the other figures run") {
  const std::string cost = "papers/cost-of-privacy/", value = "papers/value-of-collaboration/";
  for (const auto& [name, shrunk] : {std::pair{cost + "fig5", "--points 'data.records == 10000'"},
                                     {cost + "fig7", "--set data.records=500"},
                                     {cost + "fig9", "--set data.records=500"},
                                     {cost + "fig11", "--set 'sweep.data.records=[1000]'"},
                                     {cost + "remark3", "--set data.records=500"},
                                     {value + "fig4", "--points 'data.records <= 20000'"},
                                     {value + "fig5", "--points 'data.records <= 20000'"},
                                     {value + "fig7", "--set data.records=1000"},
                                     {value + "fig8", "--set data.records=1000"},
                                     {value + "fig9", "--set data.records=1000"},
                                     {value + "fig10", "--set data.records=1000"}})
    ShippedStudy(name, std::string("--repeat 2 ") + shrunk);
}
