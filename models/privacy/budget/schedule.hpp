#pragma once
// How an agent spreads its budget over its releases: epsilon of each release, in their order.
//
//   uniform                  e_k = E/T_i
//   proposition_2            e(t) = E C^(t/3) / sum_{s in ticks} C^(s/3)
//   proposition_2_corrected  e(t) = E C^(-t/3) / sum_{s in ticks} C^(-s/3)
//   expected_schedule        each of these two at the expected ticks t_k = k Lambda/lambda_i - 1, k = 1..T_i
//   lemma_3                  e(t) = E C^(t/3) (C^(1/3) - 1)/(C^(T/3) - 1), t = 0..T-1
//
// t: the agent's ticks, counted over the whole network; C = 1 - sigma/(n L_max); Lambda: the sum of all clock
// rates, lambda_i that of the agent. lemma_3 covers all T ticks of the network: an agent that wakes at some
// of them only does not exhaust its budget.
//
// E is the plain sum of the epsilons; for a budget under another accountant, scale (budget.hpp).
// proposition_2 is reversed: the noise of tick t enters the utility of the result with C^(T-1-t), not C^t,
// once the recursion of Theorem 2 is unrolled; its proof then gives proposition_2_corrected.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, "Personalized and Private Peer-to-Peer Machine Learning",
// Proposition 2 and Lemma 3.
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/tree.hpp"

namespace hearsay::models {

enum class Schedule {
  kUniform,
  kProposition2,
  kProposition2Corrected,
  kExpectedSchedule,
  kExpectedScheduleCorrected,
  kLemma3
};
constexpr auto choices_of(Schedule) {
  return std::to_array<sim::Choice>({
      {"uniform", "The same epsilon for every release."},
      {"proposition_2", "Proportional to C^(t/3) at the agent's global ticks t, as printed in the paper."},
      {"proposition_2_corrected", "Proportional to C^(-t/3): the noise decreases, as in the proof."},
      {"expected_schedule", "proposition_2 at the expected ticks k Lambda/lambda_i - 1."},
      {"expected_schedule_corrected", "proposition_2_corrected at the expected ticks k Lambda/lambda_i - 1."},
      {"lemma_3",
       "Proportional to C^(t/3) over all ticks of the network; a single run does not exhaust its budget."},
  });
}

// Each throws std::invalid_argument unless the budget E is positive and finite, 0 < C <= 1 (1 gives uniform) and
// the counts and ticks are not negative; and when C^(t/3) spans so many powers of ten that an epsilon would
// underflow.

std::vector<double> proposition_2_schedule(double budget, double contraction, std::span<const double> ticks,
                                           bool corrected = false);

/// t_k = k Lambda/lambda_i - 1 for k = 1..steps; Lambda >= lambda_i > 0.
std::vector<double> expected_ticks(std::int64_t steps, double all_rates, double own_rate);

std::vector<double> lemma_3_schedule(double budget, double contraction, std::int64_t total_ticks);

/// Whether a schedule needs an agent's ticks in advance.
inline bool needs_ticks(Schedule schedule) {
  return schedule == Schedule::kProposition2 || schedule == Schedule::kProposition2Corrected ||
         schedule == Schedule::kLemma3;
}

/// The releases of one account; the schedule uniform needs their number only.
struct Timetable {
  std::uint64_t releases = 0;          ///< in addition to the one up front
  double contraction = 1;              ///< C
  std::vector<double> ticks{};         ///< the agent's, counted over the network: one a release
  std::int64_t total_ticks = 0;        ///< T of the network
  double all_rates = 0, own_rate = 0;  ///< Lambda, lambda_i
  std::uint32_t overlap = 1;           ///< owners that may hold the same record; uniform only
  std::optional<Step> upfront{};       ///< a pure release before the others, which share the remainder
  double sampling_rate = 1;            ///< q of every release or turn: Budget::accounted_rate
  std::optional<Tree> tree{};          ///< the releases are running sums by this tree: one a round
  /// The releases are turns, each of one release for every epsilon, all on one Poisson subsample.
  std::vector<double> turn{};
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const Timetable&) const = default;
};

/// Proportions of an agent's releases. `whole` sums to 1 and must keep the budget. The two are the same except
/// for lemma_3, which covers ticks that are not the agent's.
struct ScheduleWeights {
  std::vector<double> own, whole;
};

/// The schedule at a budget of 1. Throws std::invalid_argument as above, and when a tick is beyond total_ticks
/// or there is not one tick per release.
ScheduleWeights schedule_weights(Schedule schedule, const Timetable& timetable);

}  // namespace hearsay::models
