#pragma once
// The accountants as a calculator: the step that a total budget allows each of equal releases, or the total of
// releases of a given strength.
#include <optional>
#include <string>
#include <vector>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/theorems/tree.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"

namespace hearsay::models {

/// The most releases of one budget.
inline constexpr double kMaxSteps = 1e12;

struct CostQuestion {
  Mechanism mechanism = Laplace{};
  std::optional<double> epsilon;       ///< total budget; this or
  std::optional<double> epsilon_step;  ///< that of every release, or
  std::optional<double> noise;         ///< the noise multiplier of every release, gaussian only
  double delta = 0;                    ///< of the total
  std::int64_t steps = 1;
  Adjacency adjacency = Adjacency::kReplaceOne;
  double sampling_rate = 1;
  int dimension = 1;
  std::optional<double> sensitivity;  ///< in the mechanism's norm
  std::optional<Tree>
      tree;  ///< of `steps` rounds: the releases are running sums; gaussian, without epsilon_step
};

struct CostAnswer {
  Accountant accountant = Accountant::kBasic;
  std::string refusal;       ///< why the accountant gives no answer; empty if it gives one
  bool over_budget = false;  ///< no answer because no noise is enough
  std::string warning;       ///< why what it states may not hold; empty if it does
  Step step;                 ///< one release
  double noise_scale = 0;    ///< divided by the sensitivity if that is not given
  Guarantee total;
};

/// Throws std::invalid_argument if the question is wrong: neither or both of the epsilons, a number out of range, no
/// mechanism.
void require_valid(const CostQuestion& question);

/// The answer of one accountant. Throws std::invalid_argument if the question is wrong.
CostAnswer cost_under(Accountant accountant, const CostQuestion& question);
/// The answers of all, in their order.
std::vector<CostAnswer> cost(const CostQuestion& question);

}  // namespace hearsay::models
