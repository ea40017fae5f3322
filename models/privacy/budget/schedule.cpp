#include "models/privacy/budget/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

namespace {

void require_contraction(double contraction) {
  if (!(contraction > 0 && contraction <= 1)) {
    throw std::invalid_argument(
        fmt::format("the contraction C = 1 - sigma/(n L_max) must lie in (0, 1], got {}", contraction));
  }
}

void require_ticks(std::span<const double> ticks) {
  for (const double tick : ticks) {
    if (!(tick >= 0) || !std::isfinite(tick)) {
      throw std::invalid_argument(fmt::format("a tick must be finite and not negative, got {}", tick));
    }
  }
}

// Proportional to e^(rate t), normalised to the budget; relative to the largest, so that nothing overflows.
std::vector<double> exponential_schedule(double budget, double rate, std::span<const double> ticks) {
  require_positive(budget, "the budget");
  require_ticks(ticks);
  std::vector<double> share;
  if (ticks.empty()) return share;
  const auto [first, last] = std::minmax_element(ticks.begin(), ticks.end());
  const double largest = rate < 0 ? *first : *last;
  double sum = 0;
  for (const double tick : ticks) sum += share.emplace_back(std::exp(rate * (tick - largest)));
  for (double& e : share) {
    e *= budget / sum;
    if (!(e > 0)) {
      throw std::invalid_argument(
          "the schedule leaves a release no budget at all: C^(t/3) underflows; use fewer ticks or uniform");
    }
  }
  return share;
}

// C^(t/3) (C^(1/3) - 1)/(C^(T/3) - 1), with its limit 1/T at C = 1
double lemma_3_share(double rate, double total_ticks, double tick) {
  if (rate == 0) return 1 / total_ticks;
  return std::exp(rate * tick) * std::expm1(rate) / std::expm1(rate * total_ticks);
}

}  // namespace

std::vector<double> uniform_schedule(double budget, std::int64_t steps) {
  require_positive(budget, "the budget");
  require_count(steps);
  return std::vector<double>(static_cast<std::size_t>(steps), budget / static_cast<double>(steps));
}

std::vector<double> proposition_2_schedule(double budget, double contraction, std::span<const double> ticks) {
  require_contraction(contraction);
  return exponential_schedule(budget, std::log(contraction) / 3, ticks);
}

std::vector<double> proposition_2_corrected_schedule(double budget, double contraction,
                                                     std::span<const double> ticks) {
  require_contraction(contraction);
  return exponential_schedule(budget, -std::log(contraction) / 3, ticks);
}

double proposition_2_lambda(double contraction, std::int64_t total_ticks, std::span<const double> ticks) {
  require_contraction(contraction);
  require_count(total_ticks);
  require_ticks(ticks);
  double sum = 0;
  for (const double tick : ticks) {
    sum += lemma_3_share(std::log(contraction) / 3, static_cast<double>(total_ticks), tick);
  }
  return sum;
}

std::vector<double> expected_ticks(std::int64_t steps, double all_rates, double own_rate) {
  require_count(steps);
  require_positive(own_rate, "the agent's clock rate");
  require_positive(all_rates, "the sum of all clock rates");
  if (all_rates < own_rate) {
    throw std::invalid_argument(fmt::format(
        "the sum of all clock rates {} must be at least the agent's own, {}", all_rates, own_rate));
  }
  std::vector<double> ticks;
  for (std::int64_t k = 1; k <= steps; ++k)
    ticks.push_back(static_cast<double>(k) * (all_rates / own_rate) - 1);
  return ticks;
}

std::vector<double> lemma_3_schedule(double budget, double contraction, std::int64_t total_ticks) {
  require_positive(budget, "the budget");
  require_contraction(contraction);
  require_count(total_ticks);
  std::vector<double> share;
  for (std::int64_t t = 0; t < total_ticks; ++t) {
    share.push_back(budget * lemma_3_share(std::log(contraction) / 3, static_cast<double>(total_ticks),
                                           static_cast<double>(t)));
  }
  return share;
}

namespace {

ScheduleWeights lemma_3_weights(const Timetable& t) {
  ScheduleWeights weights;
  weights.whole = lemma_3_schedule(1, t.contraction, t.total_ticks);
  for (const double tick : t.ticks) {
    if (!(tick >= 0 && tick < static_cast<double>(t.total_ticks))) {
      throw std::invalid_argument(
          fmt::format("lemma_3 covers ticks 0 to {}, got {}", t.total_ticks - 1, tick));
    }
    weights.own.push_back(weights.whole[static_cast<std::size_t>(tick)]);
  }
  return weights;
}

std::vector<double> weights_of(Schedule schedule, const Timetable& t) {
  const auto steps = static_cast<std::int64_t>(t.releases);
  switch (schedule) {
    case Schedule::kUniform:
      return uniform_schedule(1, steps);
    case Schedule::kProposition2:
      return proposition_2_schedule(1, t.contraction, t.ticks);
    case Schedule::kProposition2Corrected:
      return proposition_2_corrected_schedule(1, t.contraction, t.ticks);
    case Schedule::kExpectedSchedule:
      return proposition_2_schedule(1, t.contraction, expected_ticks(steps, t.all_rates, t.own_rate));
    case Schedule::kExpectedScheduleCorrected:
      return proposition_2_corrected_schedule(1, t.contraction,
                                              expected_ticks(steps, t.all_rates, t.own_rate));
    case Schedule::kLemma3:
      break;
  }
  throw std::logic_error("unknown schedule");
}

}  // namespace

ScheduleWeights schedule_weights(Schedule schedule, const Timetable& t) {
  ScheduleWeights weights;
  if (schedule == Schedule::kLemma3) {
    weights = lemma_3_weights(t);
  } else {
    weights.own = weights.whole = weights_of(schedule, t);
  }
  if (weights.own.size() != t.releases) {
    throw std::invalid_argument(
        fmt::format("a schedule of {} releases was given {} ticks", t.releases, weights.own.size()));
  }
  return weights;
}

}  // namespace hearsay::models
