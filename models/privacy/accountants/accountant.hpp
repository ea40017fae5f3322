#pragma once
// The accountants by name: the guarantee of a sequence of releases. Pure functions that draw nothing.
//
//   basic          the sum of the epsilons                                       closed_forms.hpp
//   kairouz        the minimum of three closed forms                             closed_forms.hpp
//   kairouz_exact  the optimum for equal pure steps                              closed_forms.hpp
//   zcdp           zero-concentrated differential privacy                        closed_forms.hpp
//   rdp            Renyi differential privacy at fixed orders                    rdp.hpp
//   pld            the privacy loss distribution, numerically                    pld.hpp
#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

enum class Accountant { kBasic, kKairouz, kKairouzExact, kZcdp, kRdp, kPld };
constexpr auto choices_of(Accountant) {
  return std::to_array<sim::Choice>({
      {"basic", "Basic composition: epsilon is the sum of the epsilons, delta the sum of the deltas."},
      {"kairouz", "The minimum of three closed forms: Kairouz, Oh, Viswanath 2015, Theorem 3.5."},
      {"kairouz_exact", "Optimal composition of equal pure steps: Kairouz, Oh, Viswanath 2015, Theorem 3.3."},
      {"zcdp", "Zero-concentrated differential privacy: Bun and Steinke 2016."},
      {"rdp", "Renyi differential privacy: Mironov 2017; Canonne, Kamath, Steinke 2020."},
      {"pld", "Privacy loss distribution, numerically: at most 10000 steps, delta at least 1e-12."},
  });
}

/// Told when the composition of a guarantee begins and ends, on any thread: for measuring what it costs.
class AccountantWatch {
 public:
  virtual ~AccountantWatch() = default;
  virtual void begin() = 0;
  virtual void end() = 0;

 protected:
  AccountantWatch() = default;
  AccountantWatch(const AccountantWatch&) = default;
  AccountantWatch& operator=(const AccountantWatch&) = default;
};

struct AccountantOptions {
  Accountant accountant = Accountant::kBasic;
  double delta = 0;  ///< of the total guarantee; 0 with basic only
  Adjacency adjacency = Adjacency::kReplaceOne;
  AccountantWatch* watch = nullptr;  ///< not an option; outlives what is composed, null: nobody
};

/// (epsilon, delta)-differential privacy of all releases together, and the accountant that computed it.
struct Guarantee {
  double epsilon = 0, delta = 0;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
};

/// The total guarantee; epsilon = 0 for no steps. Its delta is options.delta, with basic the sum of the deltas
/// of the steps. Throws std::invalid_argument if the accountant does not cover a step, or delta is out of range.
Guarantee total_guarantee(std::span<const StepRun> runs, const AccountantOptions& options);

/// The minimum delta at total `epsilon`; options.delta is not used.
double total_delta(std::span<const StepRun> runs, double epsilon, const AccountantOptions& options);

}  // namespace hearsay::models
