// The "privacy" of a scenario: what is accepted, and the messages for what is refused.
#include <nlohmann/json.hpp>

#include "models/privacy/budget/calculator.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/study/point_fit.hpp"
#include "sim/check.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

std::string scenario(const std::string& privacy, int iterations = 10) {
  return R"({"data": {"type": "lending_like", "owners": 2, "records": 200, "features": 3},
 "protocol": {"type": "central_async", "rho": 1}, "stop": {"iterations": )" +
         std::to_string(iterations) + R"(}, "privacy": {)" + privacy + "}}";
}

// The message from reading and assembling a scenario; "accepted" if there is none.
std::string answer(const std::string& privacy, int iterations = 10) {
  return test::message_of([&] {
    const scenarios::Document document = scenarios::parse(scenario(privacy, iterations), "x.json");
    scenarios::Scenario read;
    scenarios::read(document, document.root, read);
    try {
      scenarios::PointFit().require(read, 0);
      const scenarios::Experiment experiment(read, scenarios::solve(read, 0));
    } catch (const sim::Error& e) {
      const bool over = e.kind == sim::Error::Kind::kOverBudget;
      throw scenarios::InputError((over ? "over budget" : e.where) + ": " + e.what());
    }
  });
}

std::vector<std::string> warnings(const std::string& privacy) {
  const scenarios::Document document = scenarios::parse(scenario(privacy), "x.json");
  scenarios::Scenario read;
  scenarios::read(document, document.root, read);
  return scenarios::Experiment(read, scenarios::solve(read, 0)).privacy().warnings;
}

Outcome calculator(const std::string& options) {
  return shell("hearsay privacy " + options);
}

}  // namespace

TEST_CASE("privacy options: an epsilon, delta or bound out of range") {
  for (const char* bad : {"0", "-1", "1e999"}) {
    INFO(bad);
    const std::string number(bad);
    CHECK_THAT(answer(R"("mechanism": "laplace", "clip": 1, "epsilon": )" + number), Contains("epsilon"));
    CHECK_THAT(answer(R"("mechanism": "laplace", "clip": )" + number), Contains("clip"));
    CHECK_THAT(answer(R"("mechanism": "laplace", "gradient_bound": )" + number), Contains("gradient_bound"));
  }
  for (const char* bad : {"-1e-5", "1", "2"}) {
    CHECK_THAT(answer(R"("mechanism": "gaussian", "clip": 1, "delta": )" + std::string(bad)),
               Contains("delta"));
  }
  CHECK_THAT(answer(R"("mechanism": "laplace", "clip": 1, "epsilon": NaN)"), !Contains("accepted"));
}

TEST_CASE("privacy options: delta is required if the guarantee has one") {
  CHECK(answer(R"("mechanism": "laplace", "clip": 1)") == "accepted");
  CHECK_THAT(answer(R"("mechanism": "gaussian", "clip": 1)"),
             Contains("/privacy/delta") && Contains("expected a delta above 0 with gaussian and basic"));
  for (const char* accountant : {"kairouz", "kairouz_exact", "zcdp", "rdp", "pld"}) {
    const std::string options =
        R"("mechanism": "laplace", "clip": 1, "accountant": ")" + std::string(accountant);
    CHECK_THAT(answer(options + "\""), Contains("expected a delta above 0"));
    CHECK(answer(options + R"(", "delta": 1e-5)") == "accepted");
  }
}

TEST_CASE("privacy options: mechanisms that an accountant does not cover") {
  const std::string exact = R"("clip": 1, "delta": 1e-5, "accountant": "kairouz_exact", "mechanism": )";
  CHECK_THAT(answer(exact + R"("gaussian")"), Contains("/privacy") && Contains("use zcdp, rdp or pld"));
  CHECK_THAT(answer(exact + R"("laplace", "schedule": "proposition_2")"),
             Contains("kairouz_exact composes equal steps only"));
  CHECK_THAT(answer(R"("clip": 1, "delta": 1e-5, "accountant": "pld", "mechanism": "exponential_norm")"),
             Contains("/privacy") && Contains("use kairouz_exact or kairouz"));
  CHECK_THAT(answer(R"("clip": 1, "delta": 1e-5, "epsilon": 20, "mechanism":
                        {"type": "gaussian", "calibration": "classic"})"),
             Contains("epsilon: expected at most 1") && Contains("use analytic"));
}

TEST_CASE("privacy options: schedules other than uniform are refused by protocols that do not offer them") {
  const std::string privacy = R"("mechanism": "laplace", "clip": 1, "schedule": )";
  CHECK(answer(privacy + R"("uniform")") == "accepted");
  for (const char* schedule : {"proposition_2", "proposition_2_corrected", "expected_schedule", "lemma_3"}) {
    CHECK_THAT(
        answer(privacy + "\"" + schedule + "\""),
        Contains("/privacy/schedule: central_async spreads its budget uniformly") && Contains(schedule));
  }
}

TEST_CASE("privacy options: sources of the gradient bound") {
  CHECK_THAT(answer(R"("mechanism": "laplace")"), Contains("requires a bound on a record's gradient"));
  CHECK_THAT(answer(R"("mechanism": "laplace", "clip": 1, "gradient_bound": 2)"),
             Contains("give only one of"));
  CHECK_THAT(warnings(R"("mechanism": "laplace", "bound_from_data": true)").at(0),
             Contains("the stated epsilon does not hold; use clip"));
  CHECK(warnings(R"("mechanism": "laplace", "clip": 1)").empty());
}

TEST_CASE(
    "privacy options: the calibration of the paper is proved for epsilon 1, and used by some accountants") {
  const auto of = [](const std::string& accountant, const char* epsilon) {
    return warnings(
        R"("mechanism": {"type": "gaussian", "calibration": "paper"}, "clip": 1, "accountant": ")" +
        accountant + R"(", "delta": 1e-5, "epsilon": )" + epsilon);
  };
  CHECK_THAT(of("basic", "2").at(0), Contains("calibration: paper is proved"));
  CHECK(of("basic", "1").empty());
  CHECK(of("zcdp", "2").empty());
}

TEST_CASE("privacy options: a delta of 1/records causes a warning, a smaller one does not") {
  const std::string privacy = R"("mechanism": "laplace", "clip": 1, "accountant": "zcdp", "delta": )";
  CHECK(warnings(privacy + "0.0049").empty());
  CHECK_THAT(warnings(privacy + "0.005").at(0),
             Contains("at least 1/records of 2 of 2 owners") && Contains("choose delta well below 0.005"));
  // No part of the guarantee under basic.
  CHECK(warnings(R"("mechanism": "laplace", "clip": 1, "delta": 0.5)").empty());
}

TEST_CASE("privacy options: a budget beyond the range of the accountants is refused, whoever draws it") {
  for (const char* epsilon : {"1e-10", "1e16", R"([1, 1e-30])", R"({"type": "uniform", "max": 1e-12})"}) {
    CHECK_THAT(answer(R"("mechanism": "laplace", "clip": 1, "epsilon": )" + std::string(epsilon)),
               Contains("/privacy/epsilon: expected a number from 1e-09 to 1e+15, found "));
  }
  CHECK(answer(R"("mechanism": "laplace", "clip": 1, "epsilon": 1e-9)") == "accepted");
  CHECK(answer(R"("mechanism": "laplace", "clip": 1, "epsilon": 1e15)") == "accepted");
  CHECK_THAT(
      answer(R"("mechanism": "laplace", "clip": 1, "epsilon": 2e4, "delta": 1e-6, "accountant": "pld")"),
      Contains("pld: expected a total epsilon of at most 10000, found 20000"));
}

TEST_CASE(
    "privacy calculator: every accountant answers or refuses at the ends of the range, within the budget") {
  const auto epsilon = GENERATE(1e-9, 1e-3, 1e4, 1e15);
  const auto steps = GENERATE(std::int64_t{1}, std::int64_t{1000});
  const auto mechanism = GENERATE(models::Mechanism(models::Laplace{}), models::Mechanism(models::Gaussian{}),
                                  models::Mechanism(models::ExponentialNorm{}));
  models::CostQuestion question{.mechanism = mechanism, .epsilon = epsilon, .delta = 1e-6, .steps = steps};
  for (const models::CostAnswer& a : models::cost(question)) {
    INFO(models::name_of(a.accountant)
         << ", epsilon " << epsilon << ", " << steps << " steps: " << a.refusal);
    if (!a.refusal.empty()) continue;
    CHECK((std::isfinite(a.noise_scale) && a.noise_scale > 0));
    CHECK((a.total.epsilon > 0 && a.total.epsilon <= epsilon * (1 + 1e-9)));
  }
  question.epsilon.reset();
  question.epsilon_step = epsilon;
  for (const models::CostAnswer& a : models::cost(question)) {
    INFO(models::name_of(a.accountant) << ", epsilon of a step " << epsilon << ": " << a.refusal);
    // Zero where delta alone covers all releases.
    if (a.refusal.empty()) CHECK((std::isfinite(a.total.epsilon) && a.total.epsilon >= 0));
  }
}

TEST_CASE(
    "privacy options: releases that cannot fit the budget are refused before the run, with exit code 5") {
  const std::string stated =
      R"("clip": 1, "delta": 1e-5, "mechanism": {"type": "gaussian", "delta_step": 1e-6})";
  CHECK(answer(stated, 10) == "accepted");
  CHECK_THAT(answer(stated, 11), Contains("over budget: the deltas of 11 steps add up to 1.1e-05"));
  CHECK_THAT(
      answer(R"("clip": 1, "delta": 1e-10, "epsilon": 1e-3, "accountant": "rdp", "mechanism": "gaussian")"),
      Contains("over budget: no noise gives"));
  const Scratch scratch;
  scratch.write("x.json", scenario(stated, 11));
  const Outcome run = shell("cd " + scratch.path().string() + " && hearsay run x.json --no-progress");
  CHECK(run.code == scenarios::kExitBudget);
  CHECK_THAT(run.err, Contains("x.json:2:") && Contains("/privacy: the deltas of 11 steps"));
}

TEST_CASE("privacy options: warnings are printed and kept in the manifest with accountant and sensitivity") {
  const Scratch scratch;
  scratch.write("x.json", scenario(R"("mechanism": "exponential_norm", "clip": 1, "accountant": "kairouz",
                                       "delta": 0.01)"));
  const Outcome run = shell("cd " + scratch.path().string() + " && hearsay run x.json -o out --no-progress");
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("warning: privacy.delta: 0.01 is at least 1/records"));
  const std::string manifest = hearsay::test::text_of(scratch / "out/manifest.json");
  for (const char* part : {"warning: privacy.delta", "\"accountant\": \"kairouz\"", "\"norm\": \"L2\"",
                           "\"delta\": 0.01", "\"schedule\": \"uniform\"", "\"adjacency\": \"replace_one\"",
                           "clip: every record", "not for release"}) {
    CHECK_THAT(manifest, Contains(part));
  }
}

TEST_CASE(
    "privacy options: manifest, plan and report say whose data the guarantee covers, and what is clipped") {
  const Scratch scratch;
  const std::string trusted =
      R"("mechanism": "gaussian", "unit": "owner", "trust": "aggregator", "delta": 1e-3,
                                  "accountant": "rdp", "adjacency": "add_remove", "clip": 1)";
  // The first point has no mechanism.
  const std::string sweep = R"("sweep": {"privacy": [{"mechanism": "none"}, {)" + trusted + "}]}";
  for (const std::string protocol : {R"("type": "dp_fedavg")", R"("type": "dp_ftrl", "epoch_rounds": 2)"}) {
    INFO(protocol);
    scratch.write("x.json", R"({"data": {"type": "lending_like", "owners": 4, "records": 20, "features": 3},
      "protocol": {"step": 0.1, )" +
                                protocol + R"(}, "stop": {"iterations": 4}, )" + sweep + "}");
    const std::string run = "cd " + scratch.path().string() + " && hearsay run x.json -o out --no-progress";
    REQUIRE(shell(run).code == 0);
    const auto manifest = nlohmann::json::parse(hearsay::test::text_of(scratch / "out/manifest.json"));
    const auto& privacy = manifest.at("privacy");
    CHECK(privacy.value("unit", "") == "owner");
    CHECK(privacy.value("trust", "") == "aggregator");
    CHECK(privacy.at("mechanism") == "gaussian");
    CHECK(privacy.at("sensitivity") == "clip: every owner's update is scaled to the bound");
    const std::string meaning =
        "unit owner, trust aggregator, adjacency add_remove; clip: every owner's update is scaled to the bound";
    CHECK_THAT(shell(run + " --dry-run").out, Contains("privacy: " + meaning + "\n"));
    if (shell("cd " + scratch.path().string() + " && hearsay report out").code == 0)
      CHECK_THAT(hearsay::test::text_of(scratch / "out/report.html"),
                 Contains("unit owner, trust aggregator"));
  }
}

TEST_CASE("calculator: the split of epsilon 1 over 10 steps at delta exp(-5)") {
  const Outcome text = calculator("--mechanism laplace --epsilon 1 --delta 0.006737946999 --steps 10");
  CHECK(text.code == 0);
  for (const char* expected : {"0.1 ", "0.106046", "0.167513", "0.1687"})
    CHECK_THAT(text.out, Contains(expected));
  const Outcome json = calculator(
      "--mechanism laplace --epsilon 1 --delta 0.006737946999 --steps 10 --sensitivity 2 --format json");
  const auto parsed = nlohmann::json::parse(json.out);
  const auto& rows = parsed["accountants"];
  REQUIRE(rows.size() == 6);
  CHECK(rows[0]["epsilon_step"].get<double>() == Approx(0.1).epsilon(1e-12));
  CHECK(rows[0]["noise_scale"].get<double>() == Approx(20).epsilon(1e-12));
  CHECK(rows[2]["epsilon_step"].get<double>() == Approx(0.167513).margin(5e-7));
  CHECK(rows[5]["epsilon_step"].get<double>() == Approx(0.1687).margin(1e-4));
}

TEST_CASE(
    "calculator: the cost of given releases, the sensitivity of a mean, and accountants that do not apply") {
  const auto rows = [](const std::string& options) {
    return nlohmann::json::parse(calculator(options + " --format json").out)["accountants"];
  };
  const auto basic = rows("--mechanism laplace --epsilon-step 0.1 --steps 100 --bound 3 --records 60")[0];
  CHECK(basic["epsilon_total"].get<double>() == Approx(10).epsilon(1e-12));
  CHECK(basic["noise_scale"].get<double>() == Approx(2 * 3 / 60.0 / 0.1).epsilon(1e-12));
  // A batch of q N records is divided by q N.
  const auto half =
      rows("--mechanism laplace --epsilon-step 0.1 --steps 100 --bound 3 --records 60 --sampling 0.5");
  CHECK(half[0]["noise_scale"].get<double>() == Approx(2 * 3 / 30.0 / 0.1).epsilon(1e-12));
  const auto norm = rows("--mechanism exponential_norm --epsilon 1 --delta 1e-5 --steps 5 --dimension 3");
  CHECK_THAT(norm[5]["refused"].get<std::string>(), Contains("use kairouz_exact or kairouz"));
  CHECK(norm[2].contains("epsilon_step"));
  const auto normal = rows("--mechanism gaussian --epsilon 1 --delta 1e-5 --steps 1 --sensitivity 1");
  CHECK_THAT(normal[2]["refused"].get<std::string>(), Contains("use zcdp, rdp or pld"));
  // One release: basic at (1, 1e-5) is the analytic calibration, 3.7306 (Balle and Wang 2018).
  CHECK(normal[0]["noise_scale"].get<double>() == Approx(3.7306).margin(5e-4));
  // One release of stated (20, 1e-5) with the noise of `paper` has in truth the epsilon of the trade-off, beyond 20.
  const std::string paper =
      "--mechanism gaussian --calibration paper --delta 1e-5 --delta-step 1e-5 --steps 1 ";
  const auto beyond = rows(paper + "--epsilon-step 20");
  CHECK_THAT(beyond[0]["warning"].get<std::string>(), Contains("at most 1, beyond which the true one"));
  CHECK(beyond[5]["epsilon_total"].get<double>() > 20);
  CHECK_FALSE(beyond[5].contains("warning"));
  CHECK_FALSE(rows(paper + "--epsilon-step 1")[0].contains("warning"));
  const auto sampled = rows(
      "--mechanism laplace --epsilon-step 1 --delta 1e-5 --steps 1 --sampling 0.1 --adjacency add_remove");
  CHECK(sampled[0]["epsilon_total"].get<double>() == Approx(std::log1p(0.1 * std::expm1(1))).epsilon(1e-12));
}

TEST_CASE("calculator: wrong questions end in one line") {
  const auto refused = [](const std::string& options, const std::string& expected, int code = 2) {
    const Outcome outcome = calculator(options);
    INFO(options << ": " << outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains(expected));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  };
  const std::string laplace = "--mechanism laplace --delta 1e-5 --steps 10 ";
  for (const char* bad : {"0", "-1", "nan", "inf"}) {
    refused(laplace + "--epsilon " + bad, "epsilon: expected a number from 1e-09 to 1e+15");
    refused(laplace + "--epsilon 1 --sensitivity " + bad,
            "sensitivity: expected a number from 1e-100 to 1e100");
  }
  for (const char* bad : {"-1", "1", "nan", "inf"})
    refused("--mechanism gaussian --epsilon 1 --steps 10 --delta " + std::string(bad), "delta");
  refused("--mechanism gaussian --epsilon 1 --steps 10 --delta 0", "delta");
  refused(laplace, "expected one of the total epsilon, the epsilon of a step");
  refused(laplace + "--epsilon 1 --epsilon-step 1",
          "expected one of the total epsilon, the epsilon of a step");
  refused("--mechanism laplace --epsilon 1", "--steps is missing");
  refused("--mechanism laplace --epsilon 1 --steps 0", "--steps: expected a whole number");
  refused("--mechanism laplace --epsilon 1 --steps 1.5", "--steps: expected a whole number");
  refused("--mechanism lapalce --epsilon 1 --steps 1", "--mechanism: expected one of");
  refused("--mechanism none --epsilon 1 --steps 1", "--mechanism: expected one of");
  refused(laplace + "--epsilon 1 --accountant moments", "--accountant: expected one of basic, kairouz");
  refused(laplace + "--epsilon 1 --sampling 0", "(0, 1]");
  refused(laplace + "--epsilon 1 --bound 1", "--bound and --records must be given together");
  refused(laplace + "--epsilon 1 --format xml", "--format: expected one of text, json");
  refused(
      "--mechanism gaussian --calibration classic --accountant basic --epsilon-step 2 --delta 1e-5 --steps 1",
      "use analytic");
  refused("--mechanism exponential_norm --dimension 2 --accountant pld --epsilon 1 --delta 1e-5 --steps 5",
          "use kairouz_exact or kairouz");
  refused("--mechanism gaussian --accountant rdp --epsilon 0.001 --delta 1e-10 --steps 5", "no noise gives",
          5);
}
