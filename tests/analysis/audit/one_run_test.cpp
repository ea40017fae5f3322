#include "analysis/audit/one_run.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::analysis;

TEST_CASE("audit, one run: the certificate meets the table of an independent program") {
  struct Row {
    Guesses guesses;
    double delta, epsilon;
  };
  for (const Row& row : {Row{{100, 100, 100}, 0, 3.492965}, Row{{100, 100, 80}, 0, 0.958392},
                         Row{{1000, 100, 80}, 1e-5, 0.955319}, Row{{1000, 100, 95}, 1e-5, 2.165176},
                         Row{{10, 10, 10}, 0, 1.051873}, Row{{1000, 1000, 700}, 1e-5, 0.731740},
                         Row{{1000, 1000, 900}, 1e-5, 2.020646}, Row{{10000, 1000, 900}, 1e-5, 2.015194},
                         Row{{5000, 200, 190}, 1e-5, 2.375993}, Row{{100, 50, 25}, 0, 0}}) {
    INFO("m " << row.guesses.canaries << ", r " << row.guesses.guessed << ", v " << row.guesses.right);
    CHECK(std::abs(one_run_epsilon(row.guesses, row.delta) - row.epsilon) <= 1e-6);
  }
}

TEST_CASE("audit, one run: if all guesses are right, q^r = level") {
  for (const double level : {0.05, 1e-9}) {
    for (const std::uint64_t r : {std::uint64_t{100}, std::uint64_t{1'000'000}}) {
      const double q = std::pow(level, 1 / static_cast<double>(r));
      CHECK(one_run_epsilon({r, r, r}, 0, level) == Approx(std::log(q / (1 - q))).epsilon(1e-9));
    }
  }
}

TEST_CASE("audit, one run: the p-value of few guesses by hand") {
  // epsilon = ln 3: q = 3/4. W of 2: 1/16, 6/16, 9/16. All right: beta = 9/16; alpha is the larger of 6/16 and (6/16 +
  // 1/16)/2. One right: beta = 15/16, alpha = 1/16.
  const double epsilon = std::log(3.0), delta = 0.01;
  CHECK(one_run_p_value({5, 2, 2}, epsilon, 0) == Approx(9.0 / 16));
  CHECK(one_run_p_value({5, 2, 2}, epsilon, delta) == Approx(9.0 / 16 + 2 * 5 * delta * 6 / 16));
  CHECK(one_run_p_value({5, 2, 1}, epsilon, delta) == Approx(15.0 / 16 + 2 * 5 * delta / 16));
  CHECK(one_run_p_value({5, 2, 0}, epsilon, delta) == 1);
  CHECK(one_run_p_value({5, 0, 0}, epsilon, delta) == 1);
  // epsilon = 0, W of 3: 1/8, 3/8, 3/8, 1/8. All right: means 3/8, 6/16, 7/24.
  CHECK(one_run_p_value({3, 3, 3}, 0, delta) == Approx(1.0 / 8 + 2 * 3 * delta * 3 / 8));
  // The most likely number lies below v - 1: of 4 with q = 1/2, v = 4 means are 4/16, 10/32, 14/48, 15/64.
  CHECK(one_run_p_value({4, 4, 4}, 0, delta) == Approx(1.0 / 16 + 2 * 4 * delta * 10 / 32));
  CHECK(one_run_p_value({1000, 4, 4}, 0, delta) == 1);
}

TEST_CASE("audit, one run: p grows with epsilon until it reaches the level") {
  for (const std::uint64_t r : {2, 7, 40}) {
    for (std::uint64_t v = 1; v <= r; v += (r + 6) / 7) {
      for (const double delta : {1e-7, 1e-3, 0.1}) {
        double last = 0;
        for (double epsilon = 0; epsilon < 6 && last < 0.05; epsilon += 0.02) {
          const double p = one_run_p_value({10 * r, r, v}, epsilon, delta);
          INFO("r " << r << ", v " << v << ", delta " << delta << ", epsilon " << epsilon);
          CHECK(p >= last * (1 - 1e-12));
          last = p;
        }
      }
    }
  }
}

TEST_CASE("audit, one run: the most extreme scores are guessed") {
  const std::vector<double> scores{3, -1, 0.5, 7, -4, 2};
  // From the lowest: canaries 4, 1, 2, 5, 0, 3; of them 1, 5 and 3 are in.
  const std::vector<bool> present{false, true, false, true, false, true};
  CHECK(guess_extremes(scores, present, 2).right == 2);  // 4 out, 3 in
  CHECK(guess_extremes(scores, present, 3).right == 2);  // 4 out; 3, 0 in
  CHECK(guess_extremes(scores, present, 4).right == 2);  // 4, 1 out; 3, 0 in
  CHECK(guess_extremes(scores, present, 6).right == 4);
  CHECK(guess_extremes(scores, present, 0).right == 0);
  const Guesses all = guess_extremes(scores, present, 6);
  CHECK(all.canaries == 6);
  CHECK(all.guessed == 6);
  // Of equal scores presence decides nothing: the first is guessed to be out, the last in.
  CHECK(guess_extremes(std::vector<double>{1, 1}, {true, false}, 2).right == 0);
  CHECK(guess_extremes(std::vector<double>{1, 1}, {false, true}, 2).right == 2);
}

namespace {

// Certificates of a Gaussian release with orthogonal canaries: the score of one that is in has mean mu/2, of one that is
// out -mu/2, and deviation 1.
test::Mean certified_of_gaussian(double mu, std::uint64_t canaries, std::uint64_t guessed,
                                 std::uint32_t runs) {
  test::Mean mean;
  for (std::uint32_t run = 0; run < runs; ++run) {
    sim::Stream stream = test::kStreams(sim::Purpose::kNoise, static_cast<std::uint32_t>(canaries),
                                        static_cast<std::uint32_t>(guessed), run);
    std::vector<double> scores(canaries);
    std::vector<bool> present(canaries);
    for (std::size_t k = 0; k < canaries; ++k) {
      present[k] = sim::bernoulli(stream, 0.5);
      scores[k] = sim::normal(stream, present[k] ? mu / 2 : -mu / 2);
    }
    mean.add(one_run_epsilon(guess_extremes(scores, present, guessed), 1e-5));
  }
  return mean;
}

}  // namespace

TEST_CASE(
    "audit, one run: of an exact Gaussian release the mean certificate is that of an independent program") {
  // That program draws its own scores; its means have standard errors of at most 0.017.
  struct Row {
    double mu;
    std::uint64_t canaries, guessed;
    double epsilon;
  };
  for (const Row& row :
       {Row{1.6660, 1000, 20, 1.739}, Row{1.6660, 1000, 100, 2.892}, Row{1.6660, 1000, 400, 2.416},
        Row{1.6660, 10'000, 200, 3.613}, Row{1.6660, 10'000, 1000, 3.701}, Row{1.6660, 10'000, 4000, 2.649},
        Row{0.2681, 1000, 20, 0.114}, Row{0.2681, 1000, 100, 0.214}, Row{0.2681, 1000, 400, 0.205},
        Row{0.2681, 10'000, 200, 0.440}, Row{0.2681, 10'000, 1000, 0.445},
        Row{0.2681, 10'000, 4000, 0.322}}) {
    const test::Mean mean = certified_of_gaussian(row.mu, row.canaries, row.guessed, 100);
    INFO("mu " << row.mu << ", m " << row.canaries << ", r " << row.guessed << ": " << mean.mean() << " +- "
               << mean.standard_error());
    CHECK(std::abs(mean.mean() - row.epsilon) <= 0.1);
    CHECK(std::abs(mean.mean() - row.epsilon) <= 6 * std::hypot(mean.standard_error(), 0.017));
  }
}
