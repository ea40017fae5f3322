// The figures of "The Cost of Privacy" and "The Value of Collaboration", shrunk by --set: that each runs, and
// that its curves have the signs and the order that theory gives them. script/papers runs them whole.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/cases.hpp"
#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using test::kScenarios;
using test::manifest_of;
using test::rows_of;
using test::shell;
using test::text_of;

namespace {

// Runs a scenario into a folder; the arguments shrink it.
std::string run_paper(const test::Scratch& dir, const std::string& name, const std::string& more) {
  const std::string folder = dir / ("out" + std::to_string(std::hash<std::string>{}(name + more)));
  const auto outcome =
      shell("hearsay run " + kScenarios + name + ".json --no-progress -j 2 -o " + folder + " " + more);
  INFO(name << " " << more << "\n" << outcome.err << outcome.out);
  REQUIRE(outcome.code == 0);
  return folder;
}

// Means over repetitions of a metric at the end, by what the axes say, in order of points.
std::vector<std::pair<std::string, double>> means(const std::string& folder, const std::string& metric) {
  std::vector<std::pair<std::string, double>> all;
  std::vector<int> counts;
  const auto rows = rows_of(folder + "/scalars.csv");
  const std::size_t axes = rows[0].size() - 4;  // ..., repetition, name, agent, value
  for (const auto& row : rows) {
    if (row[axes + 1] != metric || row[axes].empty()) continue;
    std::string labels;
    for (std::size_t a = 0; a < axes; ++a) labels += (a == 0 ? "" : " ") + row[a];
    if (all.empty() || all.back().first != labels) {
      all.emplace_back(labels, 0);
      counts.push_back(0);
    }
    all.back().second += std::stod(row.back());
    ++counts.back();
  }
  for (std::size_t k = 0; k < all.size(); ++k) all[k].second /= counts[k];
  return all;
}

// Gains over the isolated model, by owner: the named axes' labels, then agent and gain.
std::vector<std::pair<std::string, double>> gains_of(const std::string& folder,
                                                     const std::vector<std::string>& axes,
                                                     const std::string& agent = "") {
  std::vector<std::pair<std::string, double>> all;
  const auto rows = rows_of(folder + "/fits.csv");
  const auto field = [&](const auto& row, const std::string& name) {
    const auto at = std::find(rows[0].begin(), rows[0].end(), name);
    REQUIRE(at != rows[0].end());
    return row[static_cast<std::size_t>(at - rows[0].begin())];
  };
  for (const auto& row : rows) {
    if (field(row, "kind") != "gain" || (!agent.empty() && field(row, "agent") != agent)) continue;
    std::string labels;
    for (const std::string& axis : axes) labels += (labels.empty() ? "" : " ") + field(row, axis);
    all.emplace_back(labels, std::stod(field(row, "value")));
  }
  return all;
}

double slope(const nlohmann::json& manifest, std::size_t k) {
  return manifest.at("analysis").at("slopes").at(k).at("slope").at("value").get<double>();
}

}  // namespace

TEST_CASE("papers: fitness improves with the budget, over iterations as at the end") {
  const test::Scratch dir;
  for (const auto& [name, records] : {std::pair{"papers/cost-of-privacy/fig2", "30000"},
                                      {"papers/value-of-collaboration/fig2", "250000"}}) {
    const auto psi = means(run_paper(dir, name, std::string("--repeat 5 --set data.records=") + records),
                           "relative_fitness");
    REQUIRE(psi.size() == 3);
    CHECK(psi[0].second > psi[1].second);
    CHECK(psi[1].second > psi[2].second);
  }
}

TEST_CASE("papers: the trace of a timing figure has one reply per iteration, from every owner") {
  const test::Scratch dir;
  for (const auto& [name, owners] :
       {std::pair{"papers/cost-of-privacy/fig3", 3u}, {"papers/cost-of-privacy/fig8", 86u}}) {
    const std::string folder = run_paper(dir, name, "--set data.records=50");
    std::map<std::string, int> answers;
    for (const auto& row : rows_of(folder + "/trace.csv")) {
      // A delivery at the learner that carries a vector is an answer.
      if (row[2] == "deliver" && row[3] == "0" && std::stod(row[7]) > 100) ++answers[row[4]];
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
  const test::Scratch dir;
  for (const auto& [name, records, budgets] :
       {std::tuple{"papers/cost-of-privacy/fig4", "[4000,8000]", "[10,30]"},
        {"papers/value-of-collaboration/fig3", "[1000,2000]", "[100,300]"}}) {
    const auto manifest =
        manifest_of(run_paper(dir, name,
                              std::string("--repeat 5 --set 'sweep.data.records=") + records +
                                  "' --set 'sweep.privacy.epsilon=" + budgets + "'"));
    const auto& slopes = manifest.at("analysis").at("slopes");
    REQUIRE(slopes.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      INFO(name << " " << slopes[k].dump());
      CHECK(slope(manifest, k) == Approx(-2).margin(0.3));
    }
  }
}

TEST_CASE(
    "papers: with owners that differ five gain at a budget of 10 and two do not, with owners alike nobody "
    "does") {
  const test::Scratch dir;
  const std::string folder =
      run_paper(dir, "papers/cost-of-privacy/fig6",
                "--repeat 10 --points 'privacy.epsilon == 10 && (data.owners == 2 || data.owners == 5)'");
  const auto all = gains_of(folder, {"protocol.budget_for", "data.heterogeneity", "data.owners"}, "1");
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
  const test::Scratch dir;
  const std::string folder = run_paper(dir, "papers/cost-of-privacy/fig10",
                                       "--repeat 3 --set data.records=20000 --set data.owners=20");
  std::map<double, int> gains;
  for (const auto& [epsilon, gain] : gains_of(folder, {"privacy.epsilon"}))
    gains[std::stod(epsilon)] += gain > 0 ? 1 : 0;
  REQUIRE(gains.size() == 4);
  CHECK(gains.at(0.1) == 0);
  CHECK(gains.at(100) > 0);
  CHECK(gains.at(100) >= gains.at(10));
}

TEST_CASE(
    "papers: four scenarios of collaboration: small conservative partners are the worst, large eager ones "
    "the best") {
  const test::Scratch dir;
  for (const auto& [name, large, repeat] :
       test::cases({std::tuple{"papers/value-of-collaboration/fig11", "8000", 3},
                    {"papers/value-of-collaboration/fig6", "50000", 10}})) {
    const std::string zip = std::string("[{\"data.records.1\":[1000,1000,") + large + "," + large +
                            "],\"data.records.2\":[1000,1000," + large + "," + large +
                            "],\"privacy.epsilon.1\":[0.1,10,0.1,10],\"privacy.epsilon.2\":[0.1,10,0.1,10]}]";
    const std::string folder =
        run_paper(dir, name,
                  "--repeat " + std::to_string(repeat) + " --set 'sweep.zip=" + zip +
                      "' --set data.records.0=2000 --set 'sweep.privacy.epsilon.0=[1,10]'");
    const auto psi = means(folder, "relative_fitness");
    REQUIRE(psi.size() == 8);  // by scenario, then epsilon_1
    const auto at = [&](int scenario, int epsilon) {
      return psi[static_cast<std::size_t>(2 * scenario + epsilon)].second;
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
  const test::Scratch dir;
  const std::string folder = run_paper(dir, "papers/cost-of-privacy/theorem1",
                                       "--repeat 2 --set data.records=100 --set 'sweep.data.owners=[1,10]' "
                                       "--set 'sweep.privacy.mechanism=[\"laplace\"]'");
  const auto spent = means(folder, "epsilon_spent_by_owner.max");
  const auto answers = means(folder, "releases_by_owner.max");
  REQUIRE(spent.size() == 2);
  CHECK(spent[0].second == Approx(1));
  CHECK(answers[0].second == Approx(1000));
  CHECK(spent[1].second == Approx(answers[1].second / 1000));
  CHECK(answers[1].second == Approx(100).margin(60));
}

TEST_CASE("papers: theorem 2, over a long horizon at the same rho the error stays near that of the start") {
  const test::Scratch dir;
  const std::string folder = run_paper(
      dir, "papers/cost-of-privacy/theorem2",
      "--repeat 2 --set 'sweep.data.records=[20000]' --set 'sweep.privacy.epsilon=[1000]' "
      "--set 'sweep.stop.iterations=[1000,30000]' --set 'record.metrics=[\"cost_of_privacy\",\"distance\"]'");
  const auto cost = means(folder, "cost_of_privacy");
  REQUIRE(cost.size() == 2);
  const auto scalar = [&](const std::string& name) {
    for (const auto& row : rows_of(folder + "/scalars.csv"))
      if (row[row.size() - 3] == name) return std::stod(row.back());
    return 0.0;
  };
  // The rule of thumb without noise: psi(0) exp(-2 h rho/(sigma (N + 1) T)); h = 2, rho = 0.4, sigma = 2e-5, N = 3.
  const double left = std::exp(-2 * 2 * 0.4 / (2e-5 * 4 * 30000));
  CHECK(cost[1].second ==
        Approx(left * scalar("setting.start_fitness") * scalar("optimum.objective")).epsilon(0.03));
  CHECK(cost[0].second < cost[1].second / 1000);
}

TEST_CASE("papers: remark 4, scaling by the frequency removes the bias of unequal rates") {
  const test::Scratch dir;
  const auto psi =
      means(run_paper(dir, "papers/cost-of-privacy/remark4",
                      "--repeat 10 --set data.records=20000 --set 'sweep.privacy.epsilon=[1000]'"),
            "relative_fitness");
  REQUIRE(psi.size() == 6);  // by rates, then without and with scaling
  CHECK(psi[2].second > 5 * psi[0].second);
  CHECK(psi[3].second < psi[2].second / 3);
  CHECK(psi[4].second > psi[2].second);
  CHECK(psi[5].second < psi[4].second / 3);
}

TEST_CASE("papers: the other figures run") {
  const test::Scratch dir;
  const auto shrink = [](const std::string& more) { return "--repeat 2 " + more; };
  run_paper(dir, "papers/cost-of-privacy/fig5", shrink("--points 'data.records == 10000'"));
  run_paper(dir, "papers/cost-of-privacy/fig7", shrink("--set data.records=500"));
  run_paper(dir, "papers/cost-of-privacy/fig9", shrink("--set data.records=500"));
  run_paper(dir, "papers/cost-of-privacy/fig11", shrink("--set 'sweep.data.records=[1000]'"));
  run_paper(dir, "papers/cost-of-privacy/remark3", shrink("--set data.records=500"));
  for (const char* n : {"4", "5"})
    run_paper(dir, std::string("papers/value-of-collaboration/fig") + n,
              shrink("--points 'data.records <= 20000'"));
  for (const char* n : {"7", "8", "9", "10"})
    run_paper(dir, std::string("papers/value-of-collaboration/fig") + n, shrink("--set data.records=1000"));
}
