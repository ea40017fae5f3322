// The studies of the central learner, shrunk: values that theory gives, derived on the studies' pages.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support/shipped_study.hpp"

using namespace hearsay;
using test::ShippedStudy;

namespace {

double square(double x) {
  return x * x;
}

}  // namespace

TEST_CASE("central studies: with a fixed rho strongly_convex goes back to its start as T grows") {
  const ShippedStudy study("studies/strongly-convex",
                           "--repeat 60 --points 'stop.iterations >= 200 && privacy.epsilon == 10'");
  for (const int rounds : {200, 300, 1000}) {
    const std::string at = std::to_string(rounds) + " 5000 10";
    const double h = 2, a = 5000 * h / square(rounds), f_star = study.of_points("optimum.objective").at(at);
    const double noise =
        8 * square(250.0 * rounds) * (3 / square(10)) / square(60000);  // of a coordinate of the gradient
    double start = study.of_points("setting.start_fitness").at(at), spread = 0;
    for (int k = 1; k < rounds; ++k) {
      start *= square(1 - a / k);
      spread = square(1 - a / k) * spread + square(a / (h * k)) * noise;
    }
    INFO(rounds);
    CHECK(study.ends("relative_fitness").at(at) ==
          Approx(start + 10 * h / (2 * f_star) * spread).epsilon(0.02));
  }
}

TEST_CASE("central studies: the average of one model is the start, a full step forgets it") {
  const auto psi = ShippedStudy("studies/sync-rules", "--repeat 4 --points 'stop.iterations == 2'")
                       .ends("relative_fitness");
  CHECK(psi.at("averaged 0.5 2 2 1") == psi.at("averaged 0.5 2 2 10"));
  CHECK(psi.at("averaged 0.5 2 2 1") == psi.at("averaged 0.125 2 0.5 1"));
  CHECK(psi.at("strongly_convex 0.5 2 2 1") < 0.01);
  CHECK(psi.at("strongly_convex 0.5 2 2 1") == Approx(100 * psi.at("strongly_convex 0.5 2 2 10")));
}

TEST_CASE("central studies: kappa owners of a record cost kappa^2") {
  const auto psi =
      ShippedStudy("studies/overlap", "--repeat 3 --points 'data.records == 24000'").ends("relative_fitness");
  const auto of = [&](int kappa, const std::string& mechanism) {
    double value = NAN;
    for (const auto& [labels, mean] : psi.all) {
      if (labels.starts_with(std::to_string(kappa) + " 24000") && labels.find(mechanism) != labels.npos)
        value = mean;
    }
    return value;
  };
  CHECK(of(2, "laplace") / of(1, "laplace") == Approx(4).epsilon(1e-6));
  CHECK(of(3, "laplace") / of(1, "laplace") == Approx(9).epsilon(1e-6));
  // zcdp at (10, 1e-6), (5, 5e-7) and (10/3, 1e-6/3).
  const auto root_rho = [](double epsilon, double delta) {
    return std::sqrt(std::log(1 / delta) + epsilon) - std::sqrt(std::log(1 / delta));
  };
  const double one = root_rho(10, 1e-6);
  CHECK(of(2, "gaussian") / of(1, "gaussian") == Approx(square(one / root_rho(5, 5e-7))).epsilon(1e-6));
  CHECK(of(3, "gaussian") / of(1, "gaussian") ==
        Approx(square(one / root_rho(10.0 / 3, 1e-6 / 3))).epsilon(1e-6));
}

TEST_CASE("central studies: an owner that learns does not count its own budget") {
  const auto psi = ShippedStudy("studies/owner-as-learner", "--repeat 3").ends("relative_fitness");
  CHECK(psi.at("3 1 1 10 10") == psi.at("3 1 10"));
  CHECK(psi.at("3 1 5") == Approx(4 * psi.at("3 1 10")));
  CHECK(psi.at("10 1 1.1111111111111112") == Approx(81 * psi.at("10 1 10")));
}

TEST_CASE("central studies: the printed learner's step overweights the regulariser") {
  const ShippedStudy study(
      "studies/learner-step",
      "--repeat 20 --points 'data.owners == 10 && model.l2 == 1 && privacy.epsilon == 1e6'");
  const double step = 5.0 * 11 / (2000 * 2);  // rho/(T^2 sigma) of 5 rho_1
  for (const auto& [name, c] : {std::pair{"printed", 0.9}, std::pair{"proof", 0.5}}) {
    INFO(name);
    // theta_L over the unregularised minimiser, by the fixed point of the expected models.
    const double end = (1 - 2 * c * step) / (1 + (c + 0.5)), start = 0.656;
    CHECK(study.ends("relative_fitness").at(std::string(name) + " 10 1 1e6") ==
          Approx(square(2) * start * square(end - 0.5)).epsilon(0.03));
  }
}

TEST_CASE("central studies: reweighting by frequency removes the bias of frequent owners") {
  const auto psi = ShippedStudy("studies/reweighting",
                                "--repeat 20 --set 'sweep={\"clocks.rate\":[[1,1,1,1],[4,1,1,1]],"
                                "\"protocol.reweight_by_frequency\":[false,true]}' --set privacy.epsilon=1e6")
                       .ends("relative_fitness");
  // (h/2) p d^2 (sum q_i^2 - 1/N)/f* = 0.12.
  CHECK(psi.at("4 1 1 1 false") == Approx(2.5 * (19.0 / 49 - 0.25) / 2.875).epsilon(0.3));
  CHECK(psi.at("4 1 1 1 true") < 0.005);
  CHECK(psi.at("1 1 1 1 false") < 0.005);
}

TEST_CASE("central studies: a group of owners has m times the noise of a merged owner") {
  const ShippedStudy study("studies/groups", "--repeat 25 --points 'data.owners >= 6'");
  const auto psi = study.ends("relative_fitness");
  CHECK(psi.at("12 10000 all horizon") == psi.at("12 10000 all expected_share"));
  const double rest = 0.00016;  // of the start
  CHECK((psi.at("12 10000 pairs horizon") - rest) / (psi.at("6 20000  horizon") - rest) ==
        Approx(2).epsilon(0.3));
  CHECK(study.ends("epsilon_spent").at("12 10000 all horizon") == Approx(10));
  CHECK(study.ends("vectors").at("12 10000 sixes horizon") == 7200);
}

TEST_CASE("central studies: broadcast queries give each owner its share of the answers") {
  const ShippedStudy study("studies/broadcast", "--repeat 5 --set 'baselines=[]'");
  const std::string now = "learner queue false current ";
  CHECK(study.ends("epsilon_spent").at(now + "15 ms") == Approx(1));
  CHECK(study.ends("messages").at(now + "15 ms") == 400);
  CHECK(study.ends("staleness").at(now + "500 ms") == Approx(4.5));
  CHECK(study.ends("relative_fitness").at(now + "15 ms") ==
        study.ends("relative_fitness").at(now + "500 ms"));
  CHECK(study.ends("relative_fitness").at("learner queue false sent 0 ms") > 0.3);
}

TEST_CASE("central studies: psi follows the energy of the accountants' noise") {
  const std::string gaussian =
      R"({"mechanism":"gaussian","accountant":"zcdp","delta":1e-6,"clip":20,"epsilon":)";
  const auto psi = ShippedStudy("studies/accountants", "--repeat 3 --set 'sweep={\"privacy\":[" + gaussian +
                                                           "1}," + gaussian + "0.1}," + gaussian + "1e9}]}'")
                       .ends("relative_fitness");
  REQUIRE(psi.size() == 3);
  std::vector<double> values;
  for (const auto& [labels, mean] : psi.all) values.push_back(mean);
  std::sort(values.begin(), values.end());
  const double one = std::sqrt(std::log(1e6) + 1) - std::sqrt(std::log(1e6)),
               tenth = std::sqrt(std::log(1e6) + 0.1) - std::sqrt(std::log(1e6));
  CHECK((values[2] - values[0]) / (values[1] - values[0]) == Approx(square(one / tenth)).epsilon(0.05));
}

TEST_CASE("central studies: the last answer of an absent owner removes the bias that leaving it out has") {
  const ShippedStudy study("studies/missing-answers", "--repeat 20 --set privacy.epsilon=10");
  const auto psi = study.ends("relative_fitness");
  const double share = study.ends("releases_by_owner.min").at("zero short absences 10") / 399;
  // (h/2) p d^2 (4/3) u^2/f*, where the owner's weight is 1/4 - u.
  const auto bias = [](double weight) { return 2.5 * 4 / 3 * square(0.25 - weight) / 2.875; };
  CHECK(psi.at("reweight short absences 10") == Approx(bias(share / 4)).epsilon(0.3));
  CHECK(psi.at("zero short absences 10") == Approx(bias(share / (3 + share))).epsilon(0.3));
  CHECK(psi.at("last short absences 10") < 0.001);
}
