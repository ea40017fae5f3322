#include "models/privacy/budget/schedule.hpp"

#include <algorithm>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

void require_contraction(double contraction) {
  require(contraction > 0 && contraction <= 1, "contraction C = 1 - sigma/(n L_max)", "a number in (0, 1]",
          contraction);
}

}  // namespace

// Proportional to C^(t/3), or C^(-t/3); computed relative to the largest, so that nothing overflows.
std::vector<double> proposition_2_schedule(double budget, double contraction, std::span<const double> ticks,
                                           bool corrected) {
  require_contraction(contraction);
  require_positive(budget, "budget");
  for (const double tick : ticks)
    require(tick >= 0 && std::isfinite(tick), "tick", "a finite number that is not negative", tick);
  if (ticks.empty()) return {};
  const double rate = (corrected ? -1 : 1) * std::log(contraction) / 3;
  const auto [first, last] = std::minmax_element(ticks.begin(), ticks.end());
  const double largest = rate < 0 ? *first : *last;
  std::vector<double> share;
  double sum = 0;
  for (const double tick : ticks) sum += share.emplace_back(std::exp(rate * (tick - largest)));
  for (double& e : share) {
    e *= budget / sum;
    if (!(e > 0)) {
      throw std::invalid_argument(
          "the schedule leaves a release without budget: C^(t/3) underflows; use fewer ticks or uniform");
    }
  }
  return share;
}

std::vector<double> expected_ticks(std::int64_t steps, double all_rates, double own_rate) {
  require_count(steps);
  require_positive(own_rate, "clock rate of the agent");
  require_positive(all_rates, "sum of all clock rates");
  require(all_rates >= own_rate, "sum of all clock rates", fmt::format("at least the agent's, {}", own_rate),
          all_rates);
  std::vector<double> ticks;
  for (std::int64_t k = 1; k <= steps; ++k)
    ticks.push_back(static_cast<double>(k) * (all_rates / own_rate) - 1);
  return ticks;
}

std::vector<double> lemma_3_schedule(double budget, double contraction, std::int64_t total_ticks) {
  require_positive(budget, "budget");
  require_contraction(contraction);
  require_count(total_ticks);
  const double rate = std::log(contraction) / 3, steps = static_cast<double>(total_ticks);
  std::vector<double> share;
  for (double t = 0; t < steps; ++t) {
    const double part =
        rate == 0 ? 1 / steps : std::exp(rate * t) * std::expm1(rate) / std::expm1(rate * steps);
    share.push_back(budget * part);  // the limit of C -> 1 is 1/T
  }
  return share;
}

ScheduleWeights schedule_weights(Schedule schedule, const Timetable& t) {
  ScheduleWeights weights;
  const auto steps = static_cast<std::int64_t>(t.releases);
  const auto expected = [&] { return expected_ticks(steps, t.all_rates, t.own_rate); };
  switch (schedule) {
    case Schedule::kUniform:
      weights.whole.assign(t.releases, 1 / static_cast<double>(t.releases));
      break;
    case Schedule::kProposition2:
      weights.whole = proposition_2_schedule(1, t.contraction, t.ticks);
      break;
    case Schedule::kProposition2Corrected:
      weights.whole = proposition_2_schedule(1, t.contraction, t.ticks, true);
      break;
    case Schedule::kExpectedSchedule:
      weights.whole = proposition_2_schedule(1, t.contraction, expected());
      break;
    case Schedule::kExpectedScheduleCorrected:
      weights.whole = proposition_2_schedule(1, t.contraction, expected(), true);
      break;
    case Schedule::kLemma3:
      weights.whole = lemma_3_schedule(1, t.contraction, t.total_ticks);
      for (const double tick : t.ticks) {
        require(tick >= 0 && tick < static_cast<double>(t.total_ticks), "tick of lemma_3",
                fmt::format("0 to {}", t.total_ticks - 1), tick);
        weights.own.push_back(weights.whole[static_cast<std::size_t>(tick)]);
      }
      break;
  }
  if (schedule != Schedule::kLemma3) weights.own = weights.whole;
  require(weights.own.size() == t.releases, "ticks of a schedule",
          fmt::format("{}, one per release", t.releases), weights.own.size());
  return weights;
}

}  // namespace hearsay::models
