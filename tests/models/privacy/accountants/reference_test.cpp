// Values computed by independent programs: dp_reference.csv and vectors.json in the folder
// HEARSAY_REFERENCE_DIR.
#include <boost/math/tools/minima.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/accountants/pld/privacy_loss.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/support/outside_files.hpp"

using namespace hearsay::models;
using namespace hearsay::test;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      all.emplace_back();
    } else if (c != '\r') {
      all.back() += c;
    }
  }
  return all;
}

std::vector<Row> read_rows(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const auto header = fields(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto values = fields(line);
    Row row;
    for (std::size_t i = 0; i < header.size() && i < values.size(); ++i) row[header[i]] = values[i];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const std::string& column) {
  return std::stod(row.at(column));
}

// "1e-9 rel", "1e-6 abs" or "1e-14", which is absolute
double allowed(const Row& row) {
  const double tol = number(row, "tol");
  return row.at("tol").find("rel") == std::string::npos ? tol : tol * std::abs(number(row, "value"));
}

Releases pure_releases(const Row& row) {
  const std::string& e = row.at("eps0");
  Releases releases;
  if (e == "eps_t=0.01*t,t=1..20") {
    for (int t = 1; t <= 20; ++t) releases.add(pure_step(0.01 * t));
  } else if (e == "10x0.2 then 40x0.05") {
    releases.add(pure_step(0.2), 10);
    releases.add(pure_step(0.05), 40);
  } else if (e == "geometric 0.3*0.9^t,t=0..29") {
    for (int t = 0; t < 30; ++t) releases.add(pure_step(0.3 * std::pow(0.9, t)));
  } else {
    releases.add(pure_step(std::stod(e)), std::stoll(row.at("T")));
  }
  return releases;
}

Releases laplace_releases(const Row& row) {
  return {laplace_step(number(row, "eps0")), std::stoll(row.at("T"))};
}

Releases gaussian_releases(const Row& row) {
  const double q = row.at("q").empty() ? 1 : number(row, "q");
  return {gaussian_step(number(row, "noise_ratio"), q), std::stoll(row.at("T"))};
}

double exact_gaussian(const Row& row) {
  return gaussian_epsilon(number(row, "delta"), std::sqrt(number(row, "T")) / number(row, "noise_ratio"));
}

double sigma(const Row& row, GaussianCalibration calibration) {
  return gaussian_noise_multiplier(number(row, "eps_target"), number(row, "delta"), calibration);
}

double per_step(const Row& row, Accountant accountant, const Step& shape = Step{}) {
  return step_for_budget(number(row, "eps_target"), std::stoll(row.at("T")), shape,
                         {accountant, number(row, "delta"), Adjacency::kAddRemove})
      .epsilon;
}

// The epsilon of rdp at the best order between 1 + 1e-6 and 1e6, instead of at fixed orders.
double best_order_epsilon(const Releases& releases, double delta) {
  const auto at = [&](double log_excess) {
    const double a = 1 + std::exp(log_excess);
    double divergence = 0;
    for (const StepRun& run : releases.runs())
      divergence += static_cast<double>(run.count) * renyi_divergence(run.step, a, Adjacency::kAddRemove);
    return divergence + std::log1p(-1 / a) - (std::log(delta) + std::log(a)) / (a - 1);
  };
  const double best = boost::math::tools::brent_find_minima(at, std::log(1e-6), std::log(1e6), 30).second;
  return std::max(0.0, std::min(best, epsilon(releases, Accountant::kRdp, delta)));
}

// The library's value for each method of the file that it implements.
using Compute = std::function<double(const Row&)>;
const std::map<std::string, Compute>& methods() {
  const auto total = [](Accountant a) -> Compute {
    return [a](const Row& r) { return epsilon(pure_releases(r), a, number(r, "delta")); };
  };
  const auto term = [](double KairouzTerms::*member) -> Compute {
    return [member](const Row& r) { return kairouz_terms(pure_releases(r), number(r, "delta")).*member; };
  };
  const auto best_order = [](Releases (*releases)(const Row&)) -> Compute {
    return [releases](const Row& r) { return best_order_epsilon(releases(r), number(r, "delta")); };
  };
  const auto fixed_orders = [](Releases (*releases)(const Row&)) -> Compute {
    return [releases](const Row& r) { return epsilon(releases(r), Accountant::kRdp, number(r, "delta")); };
  };
  static const std::map<std::string, Compute> all{
      {"A basic", total(Accountant::kBasic)},
      {"A kairouz34_term2", term(&KairouzTerms::with_e)},
      {"A kairouz34_term3", term(&KairouzTerms::with_log_delta)},
      {"A seed_thm1_min", total(Accountant::kKairouz)},
      {"A kairouz33_exact", total(Accountant::kKairouzExact)},
      {"A pld_randomised_response_upper", total(Accountant::kPld)},
      {"A zcdp_pure_to_rho_bs16", total(Accountant::kZcdp)},
      {"A rdp_laplace_opt_order", best_order(laplace_releases)},
      {"A rdp_laplace_default_orders", fixed_orders(laplace_releases)},
      {"A2 closed_form 1-exp((eps-eps0)/2)",
       [](const Row& r) {
         const double at = std::stod(r.at("quantity").substr(std::string("delta_at_eps=").size()));
         return HockeyStick(laplace_step(number(r, "eps0")), Adjacency::kAddRemove)
             .excess(at, HockeyStick::Direction::kRemove);
       }},
      {"A3 basic", total(Accountant::kBasic)},
      {"A3 kairouz35_term2", term(&KairouzTerms::with_e)},
      {"A3 kairouz35_term3", term(&KairouzTerms::with_log_delta)},
      {"A3 seed_thm1_min", total(Accountant::kKairouz)},
      {"B analytic_exact_balle_wang", exact_gaussian},
      {"B zcdp_bs16", [](const Row& r) { return zcdp_epsilon(gaussian_releases(r), number(r, "delta")); }},
      {"B zcdp_cks20_opt_order", best_order(gaussian_releases)},
      {"B rdp_default_orders", fixed_orders(gaussian_releases)},
      {"B2 seed_remark4 sqrt(2ln(2/delta))/eps",
       [](const Row& r) { return sigma(r, GaussianCalibration::kPaper); }},
      {"B2 classic sqrt(2ln(1.25/delta))/eps (eps<=1)",
       [](const Row& r) { return sigma(r, GaussianCalibration::kClassic); }},
      {"B2 analytic_min", [](const Row& r) { return sigma(r, GaussianCalibration::kAnalytic); }},
      {"C rdp_poisson_default_orders", fixed_orders(gaussian_releases)},
      {"C pld_poisson_upper",
       [](const Row& r) { return epsilon(gaussian_releases(r), Accountant::kPld, number(r, "delta")); }},
      {"C2 log(1+q(e^eps0-1))",
       [](const Row& r) { return amplified_epsilon(number(r, "eps0"), number(r, "q")); }},
      {"D basic", [](const Row& r) { return per_step(r, Accountant::kBasic); }},
      {"D seed_thm1_min", [](const Row& r) { return per_step(r, Accountant::kKairouz); }},
      {"D kairouz33_exact", [](const Row& r) { return per_step(r, Accountant::kKairouzExact); }},
  };
  return all;
}

}  // namespace

TEST_CASE("reference: every stated value is met within its tolerance") {
  const auto path = reference_file("dp_reference.csv");
  if (!path) return;
  int compared = 0;
  for (const Row& row : read_rows(*path)) {
    const auto method = methods().find(row.at("group") + " " + row.at("method"));
    if (method == methods().end()) continue;
    INFO(method->first << " eps0 " << row.at("eps0") << " z " << row.at("noise_ratio") << " q " << row.at("q")
                       << " T " << row.at("T") << " target " << row.at("eps_target") << " delta "
                       << row.at("delta"));
    CHECK(method->second(row) == Approx(number(row, "value")).margin(allowed(row)).epsilon(0));
    ++compared;
  }
  CHECK(compared == 378);
}

TEST_CASE("reference: pld lies above every lower bound, and by no more than a thousandth") {
  const auto path = reference_file("dp_reference.csv");
  if (!path) return;
  int compared = 0;
  for (const Row& row : read_rows(*path)) {
    const std::string method = row.at("group") + " " + row.at("method");
    INFO(method << " eps0 " << row.at("eps0") << " z " << row.at("noise_ratio") << " q " << row.at("q")
                << " T " << row.at("T") << " delta " << row.at("delta"));
    if (method == "A pld_laplace_lower" || method == "A ownfft_laplace_lower") {
      const double ours = epsilon(laplace_releases(row), Accountant::kPld, number(row, "delta"));
      CHECK(ours >= number(row, "value"));
      CHECK(ours <= number(row, "value") + 1e-3);
    } else if (method == "B pld_upper") {
      const double ours = epsilon(gaussian_releases(row), Accountant::kPld, number(row, "delta"));
      CHECK(ours >= exact_gaussian(row));
      CHECK(ours <= number(row, "value") + 1e-3);
    } else if (method == "C ownfft_poisson_lower") {
      CHECK(epsilon(gaussian_releases(row), Accountant::kPld, number(row, "delta")) >= number(row, "value"));
      // Both are upper bounds: ours may lie above the other by its own error.
    } else if (method == "C ownfft_poisson_upper" || method == "A ownfft_laplace_upper") {
      const Releases releases = row.at("q").empty() ? laplace_releases(row) : gaussian_releases(row);
      CHECK(epsilon(releases, Accountant::kPld, number(row, "delta")) <= number(row, "value") + 1e-4);
    } else if (method == "D pld_laplace_ownfft_upper") {
      // The reference rounds each loss up to a grid of epsilon/2000: it may be too low by some of that.
      const double ours = per_step(row, Accountant::kPld, laplace_step(1));
      CHECK(ours >= number(row, "value") * (1 - 1e-5));
      CHECK(ours <= number(row, "value") * (1 + 1e-3));
    } else {
      continue;
    }
    ++compared;
  }
  CHECK(compared == 105);
}

TEST_CASE("reference: the budget of proposition 2") {
  const auto path = reference_file("dp_reference.csv");
  if (!path) return;
  std::vector<double> ticks;
  for (int t = 5; t <= 905; t += 100) ticks.push_back(t);
  const auto schedule = proposition_2_schedule(0.15, 0.999, ticks);
  Releases releases;
  double sum = 0, lambda = 0;
  const auto all = lemma_3_schedule(1, 0.999, 1000);
  for (const double t : ticks) lambda += all[static_cast<std::size_t>(t)];
  for (const double e : schedule) {
    releases.add(pure_step(e));
    sum += e;
  }
  const std::map<std::string, double> ours{
      {"lambda_i", lambda},
      {"eps_first", schedule.front()},
      {"eps_last", schedule.back()},
      {"sum_eps", sum},
      {"seed_thm1_min_total_delta=exp(-5)", kairouz_epsilon(releases, std::exp(-5))}};
  int compared = 0;
  for (const Row& row : read_rows(*path)) {
    if (row.at("group") != "E") continue;
    INFO(row.at("quantity"));
    CHECK(ours.at(row.at("quantity")) == Approx(number(row, "value")).margin(allowed(row)).epsilon(0));
    ++compared;
  }
  CHECK(compared == 5);
}

TEST_CASE("vectors: the split of theorem 1's budget, and proposition 2") {
  const auto path = reference_file("vectors.json");
  if (!path) return;
  const auto budget = nlohmann::json::parse(std::ifstream(*path))["budget"];
  for (const auto& row : budget["rows"]) {
    INFO(row.dump());
    CHECK(
        step_for_budget(row["eps_total"], row["T_i"], Step{}, {Accountant::kKairouz, row["delta"]}).epsilon ==
        near(row["eps_t"], 1e-9));
  }
  const auto& expected = budget["prop2"];
  const std::vector<double> ticks = expected["times"];
  const auto schedule = proposition_2_schedule(expected["eps_total"], expected["C"], ticks);
  REQUIRE(schedule.size() == expected["eps_t"].size());
  for (std::size_t k = 0; k < schedule.size(); ++k) CHECK(schedule[k] == near(expected["eps_t"][k], 1e-9));
}
