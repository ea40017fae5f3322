// What audits certify of small scenarios whose privacy is known by hand.
#include "scenarios/execution/audit/audit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "scenarios/execution/audit/verdict.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/support/audited.hpp"

using namespace hearsay;
using scenarios::AuditOptions;
using scenarios::AuditResult;

namespace {

AuditResult audited(const std::string& text, AuditOptions options, std::optional<sim::AgentId> owner = 0) {
  const test::AuditFolder folder;
  const scenarios::Plan plan = scenarios::make_plan(folder.dir.write("s.json", text), {}, {});
  if (owner) options.owner = std::to_string(*owner);
  return scenarios::audit(*plan.points[0].scenario, 0, options);
}

AuditOptions seen_by(sim::AgentId agent, std::uint64_t runs) {
  return {.adversary = fmt::format("agent:{}", agent), .runs = runs, .threads = 2};
}

double ratio(const AuditResult& result, double mu, double rounds) {
  return rounds * mu * mu / (result.claims[0].mu * result.claims[0].mu);
}

const std::string kTwoRounds = R"("epsilon": 6, "steps": 2, "gradient_bound": 1.4142135623730951)";

}  // namespace

TEST_CASE("audit: a path in two rounds, seen by an end: by hand") {
  // In units of (Delta/sigma)^2. The middle has weight 4/3 in the second round, its model 3/8 of the noise of the other end.
  // With fixed gradients its second message adds 1/(1 + (3/8)^2); a gradient that reacts halves the 3/8.
  const AuditResult result = audited(test::audited_path(kTwoRounds), seen_by(1, 20'000));
  REQUIRE(result.claims.size() == 3);
  CHECK(result.claims[0].epsilon == Approx(6).epsilon(1e-6));
  CHECK(result.label == "fixed_gradients");
  CHECK_FALSE(result.claims[1].guarantee());
  CHECK(ratio(result, result.claims[1].mu, 2) == Approx(1 + 64.0 / 73).epsilon(1e-9));
  CHECK(ratio(result, result.claims[2].mu, 2) == Approx(1 + 256.0 / 265).epsilon(1e-9));
  CHECK(ratio(result, result.one_label, 2) == Approx(1 + 256.0 / 265).epsilon(1e-9));
  // 10,000 runs of each are counted: the certified mu is about 0.06 below the true one, with deviation 0.02.
  CHECK(result.gaussian->mu < result.one_label);
  CHECK(result.gaussian->mu > result.one_label - 0.14);
  CHECK(result.any->epsilon < result.claims[0].epsilon);
  CHECK(result.refuted.empty());
  // Phi(mu/sqrt 2), with a deviation of 0.002.
  CHECK(result.auroc == Approx(std::erfc(-result.one_label / 2) / 2).margin(0.01));
}

TEST_CASE("audit: in a ring gradients that react reveal more than fixed ones would") {
  const AuditResult result = audited(test::audited_ring(), seen_by(0, 20'000), 4);
  CHECK(ratio(result, result.claims[1].mu, 4) == Approx(3.8299).epsilon(1e-5));
  CHECK(ratio(result, result.one_label, 4) == Approx(3.9645).epsilon(1e-5));
  CHECK(result.gaussian->mu > result.one_label - 0.14);
  CHECK(result.gaussian->mu < result.one_label);
  CHECK(result.auroc == Approx(std::erfc(-result.one_label / 2) / 2).margin(0.01));
}

TEST_CASE("audit: half of the noise is found by 1e4 runs, and all of it is not") {
  const std::string one_release =
      test::audited_path(R"("epsilon": 2, "steps": 1, "clip": 1)", R"("stop": {"time": "0.7 s"}, )");
  AuditOptions options{.adversary = "everybody", .runs = 10'000, .threads = 2};
  const AuditResult whole = audited(one_release, options);
  CHECK(whole.claims[0].mu == Approx(0.5016).epsilon(1e-3));
  CHECK(whole.refuted.empty());
  CHECK(whole.gaussian->mu < 0.5016);
  CHECK(whole.gaussian->mu > 0.5016 - 0.14);
  options.noise_factor = 0.5;
  const AuditResult half = audited(one_release, options);
  REQUIRE_FALSE(half.refuted.empty());
  CHECK_THAT(half.refuted[0], Catch::Contains("mu") && Catch::Contains("above that of the ledger"));
  CHECK(half.gaussian->mu < 2 * 0.5016);
}

TEST_CASE("audit: scores depend neither on threads nor on the number of runs") {
  AuditOptions options = seen_by(1, 300);
  const AuditResult two = audited(test::audited_path(kTwoRounds), options);
  options.threads = 1;
  options.runs = 200;
  const AuditResult one = audited(test::audited_path(kTwoRounds), options);
  CHECK(one.fingerprint == two.fingerprint);
  for (const std::size_t side : {0, 1}) {
    REQUIRE(one.scores[side].size() == 200);
    CHECK(std::equal(one.scores[side].begin(), one.scores[side].end(), two.scores[side].begin()));
  }
}

TEST_CASE("audit: payloads behind a box have weights of their own") {
  std::string boxed = test::audited_path(R"("epsilon": 6, "steps": 2, "clip": 1)");
  boxed.replace(boxed.find(R"("l2": 0)"), 7, R"("l2": 0, "theta_max": 100)");
  const AuditResult result = audited(boxed, seen_by(1, 100));
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Catch::Contains("payloads have the weight of independent ones"));
}

TEST_CASE("audit: what a hostile agent passes on is audited as what it is") {
  // The agent between copies the other end's first message: all of that release, and nothing of its second.
  const auto path = [](std::string_view behaviour) {
    std::string text = test::audited_path(kTwoRounds);
    return text.insert(1, fmt::format(R"("adversaries": {{"agents": [0], {}}}, )", behaviour));
  };
  const AuditResult copy = audited(path(R"("behaviour": {"type": "mimic", "of": 2})"), seen_by(1, 20'000), 2);
  CHECK(copy.claims[1].guarantee());
  CHECK(ratio(copy, copy.claims[1].mu, 2) == Approx(1).epsilon(1e-9));
  CHECK(copy.auroc == Approx(std::erfc(-copy.claims[1].mu / 2) / 2).margin(0.01));
  // A mean and a deviation of several vectors.
  const AuditResult mixed =
      audited(path(R"("behaviour": "a_little", "omniscient": true)"), seen_by(1, 5000), 2);
  REQUIRE(mixed.notes.size() == 1);
  CHECK_THAT(mixed.notes[0], Catch::Contains("3 of 6 payloads have the weight of independent ones"));
  CHECK(mixed.auroc > 0.55);
  CHECK(mixed.refuted.empty());
}

TEST_CASE("audit: who sees final models alone certifies less than who sees everything") {
  AuditOptions options = seen_by(1, 5000);
  options.adversary.clear();
  const AuditResult models = audited(test::audited_path(kTwoRounds), options);
  CHECK(models.claims.size() == 1);
  CHECK(std::isnan(models.one_label));
  options.adversary = "everybody";
  const AuditResult all = audited(test::audited_path(kTwoRounds), options);
  CHECK(models.auroc > 0.6);
  CHECK(all.auroc > models.auroc);
  // All of it: (Delta/sigma)^2 = 2 q^2.
  CHECK(all.claims[1].mu == all.claims[0].mu);
  CHECK(all.auroc == Approx(std::erfc(-all.claims[0].mu / 2) / 2).margin(0.015));
}

TEST_CASE("audit: nothing is stated of reactions where records are released once for all") {
  const AuditResult result = audited(R"({
    "data": {"type": "linear_separators", "owners": 3, "records": 8, "test_records": 2, "features": 2, "weight_threshold": 0},
    "model": {"loss": "logistic"}, "protocol": {"type": "local_dp", "epsilon_label": 1}, "stop": {"time": "1 s"},
    "privacy": {"mechanism": "laplace", "epsilon": 4, "accountant": "basic"}})",
                                     {.runs = 40});
  CHECK(std::isnan(result.one_label));
}

TEST_CASE("audit: canaries in one run") {
  // 1000 directions of 1000 parameters in one Gaussian release: mu 1.666, of which the best tenth of the guesses is right by
  // 0.985, which certifies 2.7 to 3.3 (Steinke, Nasr and Jagielski 2023).
  const auto wide = [](int owners, int features) {
    std::string text =
        test::audited_path(R"("epsilon": 8, "steps": 1, "clip": 1)", R"("stop": {"time": "0.7 s"}, )");
    const std::size_t begin = text.find(R"({"type": "csv")");
    return text.replace(
        begin, text.find("}}", begin) + 2 - begin,
        fmt::format(
            R"({{"type": "lending_like", "owners": {}, "records": 1000, "features": {}, "test_records": 0}})",
            owners, features));
  };
  AuditOptions options{.adversary = "everybody", .canaries = 1000};
  const AuditResult result = audited(wide(3, 1000), options);
  REQUIRE(result.guesses);
  CHECK(result.guesses->canaries == 1000);
  CHECK(result.guesses->guessed == 100);
  CHECK(result.guesses->right >= 95);
  CHECK(result.epsilon > 2);
  CHECK(result.epsilon < 8);
  CHECK(result.scores[0].size() + result.scores[1].size() == 1000);
  CHECK(result.auroc == Approx(std::erfc(-1.666 / 2) / 2).margin(0.05));
  // Of 100 owners each has 20 of 2000 canaries in 50 directions. Their scores, in units of the score of a canary, have the
  // variance 1/mu^2 of noise and 19/50 E[b^2] of other canaries of the owner, present (b = 1) or not: Phi(1/sqrt(2 (0.36 +
  // 0.19))), with a deviation of 0.01. Scores with releases of other owners would have about three times that variance.
  options.canaries = 2000;
  CHECK(audited(wide(100, 50), options, {}).auroc == Approx(0.83).margin(0.05));
}

TEST_CASE("audit: where one run may exceed a guarantee by accident, the advice fits it") {
  // 90 of 100 guesses are right: ln(p/(1 - p)) of the lower bound of p, 0.836, is 1.63 (Clopper and Pearson).
  AuditResult result{.claims = {{.name = "ledger", .epsilon = 1.6}}, .guesses = {{100, 100, 90}}};
  scenarios::certify_canaries(result, 0.05);
  CHECK(result.epsilon == Approx(1.63).margin(0.01));
  CHECK(result.refuted.empty());
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Catch::EndsWith("repeat it with more --canaries or another seed"));
}

TEST_CASE("audit: what no budget covers is a finding, not a guarantee that is refuted") {
  // An agent goes on learning for itself after its budget: its final model reveals more than its releases.
  const std::string local = R"({"data": {"type": "lending_like", "owners": 6, "records": 20, "features": 5},
    "model": {"loss": "squared"}, "network": {"topology": "ring"},
    "privacy": {"mechanism": "gaussian", "accountant": "zcdp", "epsilon": 1, "delta": 1e-5, "steps": 2, "clip": 1},
    "protocol": {"type": "p2p_coordinate_descent", "mu": 1, "lipschitz": "public", "after_budget": "local"},
    "stop": {"iterations": 60}})";
  AuditOptions options{.runs = 6000, .threads = 2};
  const AuditResult result = audited(local, options, 1);
  CHECK_FALSE(result.claims[0].guarantee());
  CHECK(result.refuted.empty());
  CHECK_FALSE(result.findings.empty());
  // An owner that releases nothing.
  std::string nothing = local;
  const std::size_t begin = nothing.find(R"({"type": "p2p)"), end = nothing.find('}', begin);
  nothing.replace(begin, end + 1 - begin, R"({"type": "local_only"})");
  CHECK_THROWS_WITH(audited(nothing, options, 1), Catch::Contains("agent 1 releases nothing"));
}
