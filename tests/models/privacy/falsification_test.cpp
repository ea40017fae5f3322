// Attacks on the releases: what an adversary learns from a million of them, on the worst pair of neighbouring
// data sets, is at most what the claim allows, and almost as much.
#include <boost/algorithm/string.hpp>
#include <fstream>

#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/models/privacy/release_path.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/outside_files.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr std::uint64_t kReleases = 1'000'000;
constexpr double kWrong = 1e-6;  // of each Clopper-Pearson bound

PrivacyOptions clipped(const Mechanism& mechanism, double epsilon_step, double clip) {
  PrivacyOptions privacy;
  privacy.mechanism = mechanism;
  privacy.epsilon = epsilon_step * static_cast<double>(kReleases);
  privacy.clip = clip;
  return privacy;
}

std::uint64_t seed_of(std::uint64_t seed) {
  return Random(seed).seed();
}

struct Counts {
  std::uint64_t one = 0, other = 0;

  /// Lower bound of ln of the ratio of the two probabilities.
  double epsilon() const {
    return std::log(clopper_pearson_low(one, kReleases, kWrong) /
                    clopper_pearson_high(other, kReleases, kWrong));
  }
  /// Bounds of P(E) - e^epsilon P'(E): delta(epsilon) if E is where the ratio exceeds e^epsilon.
  double delta_low(double epsilon) const {
    return clopper_pearson_low(one, kReleases, kWrong) -
           std::exp(epsilon) * clopper_pearson_high(other, kReleases, kWrong);
  }
  double delta_high(double epsilon) const {
    return clopper_pearson_high(one, kReleases, kWrong) -
           std::exp(epsilon) * clopper_pearson_low(other, kReleases, kWrong);
  }
};

/// How often the event happens on either data set.
template <class Event>
Counts attack(Releasing& one, Releasing& other, Event event) {
  Counts counts;
  for (std::uint64_t k = 0; k < kReleases; ++k) {
    counts.one += event(one()) ? 1 : 0;
    counts.other += event(other()) ? 1 : 0;
  }
  return counts;
}

/// A lower bound on the epsilon of a release, from the event with the largest ratio: beyond the greater mean.
double attacked_epsilon(const PrivacyOptions& privacy, Eigen::Index p, std::uint64_t seed) {
  Releasing one(false, p, privacy, kReleases, seed), other(true, p, privacy, kReleases, seed + 1);
  const double edge = one.exact()[0];
  REQUIRE(edge > other.exact()[0]);
  return attack(one, other, [edge](const Vector& x) { return x[0] >= edge; }).epsilon();
}

}  // namespace

TEST_CASE(
    "falsification: neighbours' clipped gradients are as far apart as the sensitivity, on one coordinate") {
  const PrivacyOptions privacy = clipped(Laplace{}, 1, 1.5);
  Releasing one(false, 3, privacy, 1, 1), other(true, 3, privacy, 1, 1);
  const Eigen::VectorXd difference = one.exact() - other.exact();
  CHECK(difference[0] == Approx(2 * 1.5 / 4).epsilon(1e-14));
  CHECK(difference.tail(2).norm() == 0);
  CHECK(one.sensitivity() == 2 * 1.5 / 4);
}

TEST_CASE("falsification: laplace loses at most its epsilon, and at least 94 % of it") {
  const std::uint64_t seed = seed_of(20);
  for (const double epsilon : cases({1.0, 0.5, 2.0, 5.0})) {
    const double attacked = attacked_epsilon(clipped(Laplace{}, epsilon, 1.5), 3, seed);
    INFO("seed " << seed << ", epsilon " << epsilon << ", attacked " << attacked);
    CHECK(attacked <= epsilon);
    CHECK(attacked >= 0.94 * epsilon);
  }
}

TEST_CASE("falsification: exponential_norm in one dimension loses at most its epsilon, and 94 % of it") {
  const std::uint64_t seed = seed_of(22);
  for (const double epsilon : cases({0.5, 5.0})) {
    const double attacked = attacked_epsilon(clipped(ExponentialNorm{}, epsilon, 0.2), 1, seed);
    INFO("seed " << seed << ", epsilon " << epsilon << ", attacked " << attacked);
    CHECK(attacked <= epsilon);
    CHECK(attacked >= 0.94 * epsilon);
  }
}

TEST_CASE("falsification: a given bound that is too small and not enforced is detected as a false claim") {
  PrivacyOptions privacy = clipped(Laplace{}, 1, 1);
  privacy.clip.reset();
  privacy.gradient_bound = 1000;  // the record's gradient has norm 2000
  CHECK(attacked_epsilon(privacy, 2, seed_of(24)) > 1.5);
}

TEST_CASE("falsification: gaussian releases have the exact trade-off of their noise multiplier") {
  const std::uint64_t seed = seed_of(26);
  PrivacyOptions privacy = clipped(Gaussian{}, 0.5, 1.5);
  privacy.accountant = Accountant::kZcdp;
  privacy.delta = 1e-6;
  Releasing one(false, 3, privacy, kReleases, seed), other(true, 3, privacy, kReleases, seed + 1);
  const double z = one.world().ledger.account(1).schedule->step(0).noise_multiplier;
  // A million releases of rho = 1/(2 z^2) cost rho + 2 sqrt(rho ln(1/delta)) = 5e5 in all: z is near 1.
  REQUIRE(z == Approx(1).epsilon(0.01));
  const double shift = one.sensitivity(), low = other.exact()[0];
  for (const double epsilon : cases({0.5, 0.0, 1.0, 2.0})) {
    // Loss at x = low + shift t: (2 t - 1)/(2 z^2).
    const double edge = low + shift * (epsilon * z * z + 0.5);
    Releasing fresh_one(false, 3, privacy, kReleases, seed + 2),
        fresh_other(true, 3, privacy, kReleases, seed + 3);
    const Counts counts = attack(fresh_one, fresh_other, [edge](const Vector& x) { return x[0] >= edge; });
    const double exact = gaussian_delta(epsilon, 1 / z);
    INFO("seed " << seed << ", epsilon " << epsilon << ", exact " << exact);
    CHECK(counts.delta_low(epsilon) <= exact);
    CHECK(counts.delta_high(epsilon) >= exact);
    CHECK(counts.delta_high(epsilon) - counts.delta_low(epsilon) < 0.02);
  }
}

TEST_CASE("falsification: exponential_norm has the exact delta(epsilon) of quadrature in more dimensions") {
  const auto file = reference_file("dp_reference.csv");
  if (!file) return;
  const std::uint64_t seed = seed_of(28);
  std::ifstream in(*file);
  int compared = 0;
  for (std::string line; std::getline(in, line);) {
    if (!boost::starts_with(line, "G,")) continue;
    // The mechanism's name is quoted and contains a comma.
    std::vector<std::string> cells;
    const std::string rest = line.substr(line.find('"', 3) + 2);
    boost::split(cells, rest, boost::is_any_of(","));
    const double epsilon_step = std::stod(cells[1]);
    const Eigen::Index d = std::stol(cells[5]);
    const double epsilon = std::stod(cells[9].substr(cells[9].find('=') + 1)), exact = std::stod(cells[11]);
    if (d == 1 || d > 10) continue;
    const PrivacyOptions privacy = clipped(ExponentialNorm{}, epsilon_step, 0.3);
    Releasing one(false, d, privacy, kReleases, seed), other(true, d, privacy, kReleases, seed + 1);
    const Eigen::VectorXd here = one.exact(), there = other.exact();
    const double beta = epsilon_step / one.sensitivity();
    const Counts counts = attack(one, other, [&](const Vector& x) {
      return beta * ((x - there).norm() - (x - here).norm()) >= epsilon;
    });
    INFO("seed " << seed << ", d " << d << ", epsilon of a step " << epsilon_step << ", epsilon " << epsilon);
    CHECK(counts.delta_low(epsilon) <= exact);
    CHECK(counts.delta_high(epsilon) >= exact);
    CHECK(counts.delta_high(epsilon) - counts.delta_low(epsilon) < 0.02);
    ++compared;
  }
  CHECK(compared >= 10);
}
