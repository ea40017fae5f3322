#pragma once
// One release as accountants see it, and a sequence of them.
//
// A step has no scale: a mechanism's noise is stated relative to its sensitivity, so that adjacency matters
// only in the sensitivity, and in which amplification by sampling holds.
//
// Amplification by subsampling, in closed form. An epsilon-differentially private release of a random part of
// the data is epsilon'-differentially private for the whole, with
//   epsilon' = ln(1 + q (e^epsilon - 1)).
// Valid for add_remove when each record takes part independently with probability q (Poisson), and for
// replace_one when a fraction q is drawn without replacement; the step must be private under that adjacency.
// With Poisson sampling and replace_one it must be epsilon-private under both.
//
// Source: Balle, Barthe, Gaboardi 2018, "Privacy Amplification by Subsampling", Theorems 8 and 9.
#include <compare>
#include <span>
#include <string_view>
#include <vector>

#include "models/privacy/accountants/step_kind.hpp"

namespace hearsay::models {

/// Which data sets are neighbours.
enum class Adjacency { kReplaceOne, kAddRemove };
constexpr auto choices_of(Adjacency) {
  return std::to_array<sim::Choice>({
      {"replace_one", "Neighbouring data sets differ in the value of one record."},
      {"add_remove", "One of two neighbouring data sets has one additional record."},
  });
}

/// Which records of a data set take part in a release.
enum class Sampling {
  kAll,
  kPoisson,             ///< each record independently with probability q
  kWithoutReplacement,  ///< a fresh random subset of a fixed size for every release, the fraction q of the records
  kShuffled,            ///< subsets of a fixed size from a random order: each record once in a pass
};

using sim::name_of;

struct Step {
  StepKind kind = StepKind::kPure;
  double epsilon = 0;  ///< guarantee before sampling; Gaussian: the one it was calibrated to, 0 if none
  double delta = 0;    ///< Gaussian: the delta that goes with epsilon; otherwise 0
  double noise_multiplier = 0;  ///< Gaussian only
  /// Each record takes part with this probability (Poisson), or this fraction of them without replacement.
  double sampling_rate = 1;
  int dimension = 1;  ///< exponential_norm only

  const StepLaw& law() const { return law_of(kind); }
  double parameter() const { return law().pure ? epsilon : noise_multiplier; }

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  friend auto operator<=>(const Step&, const Step&) = default;
};

/// The constructors throw std::invalid_argument unless epsilon, the noise multiplier and the dimension are
/// positive and finite, 0 < q <= 1 and 0 < delta < 1.
Step pure_step(double epsilon, double q = 1);
Step laplace_step(double epsilon, double q = 1);
Step gaussian_step(double noise_multiplier, double q = 1);
/// A Gaussian release with the (epsilon, delta) it was calibrated to, as `basic` and `kairouz` need it.
Step calibrated_gaussian_step(double noise_multiplier, double epsilon, double delta);
Step exponential_norm_step(double epsilon, int dimension, double q = 1);

/// Throws std::invalid_argument when a member is out of range.
void check(const Step& step);

/// `count` equal steps.
struct StepRun {
  Step step;
  std::int64_t count = 0;
};

/// A sequence of releases, run-length encoded.
class Releases {
 public:
  Releases() = default;
  Releases(const Step& step, std::int64_t count) { add(step, count); }

  /// O(1); allocates nothing when the step equals the last one added, or within what was reserved.
  void add(const Step& step, std::int64_t count = 1) {
    if (!runs_.empty() && runs_.back().step == step) {
      runs_.back().count += count;
    } else {
      runs_.push_back({step, count});
    }
    steps_ += count;
  }
  void reserve(std::size_t runs) { runs_.reserve(runs); }

  std::int64_t steps() const { return steps_; }
  std::span<const StepRun> runs() const { return runs_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is a view
  operator std::span<const StepRun>() const { return runs_; }

 private:
  std::vector<StepRun> runs_;
  std::int64_t steps_ = 0;
};

/// The same releases sorted, equal steps merged, empty runs removed, each step checked: so neither composition
/// nor its rounding depends on the order. O(r log r) in the number of runs.
std::vector<StepRun> canonical(std::span<const StepRun> runs);

/// The epsilon for which the step is epsilon-differentially private, sampling included. Throws
/// std::invalid_argument for a Gaussian step; the message names the accountant.
double pure_epsilon(const Step& step, std::string_view accountant);

/// The epsilon of one release alone: sampling included where it is pure; of a Gaussian one the epsilon that it was
/// calibrated to, 0 if none.
double epsilon_alone(const Step& step);

/// epsilon' above, for any epsilon in (0, 700] without loss of digits at small q or epsilon; epsilon itself
/// when q = 1. Throws std::invalid_argument unless epsilon > 0 and 0 < q <= 1.
double amplified_epsilon(double epsilon, double q);

/// Epsilon of a turn of releases, `epsilon` together before sampling, all computed from one Poisson subsample
/// with probability q and a fixed public divisor. add_remove: epsilon' above. replace_one: each of two
/// neighbours samples the differing record with probability q; a release with and without one record is
/// epsilon/2-private, its sensitivity being half of that for a replacement, so that with e = epsilon/2
///   ln[ (1 - q + q e^e)/(1 - q + q e^-e) ].
/// Throws as amplified_epsilon does.
double amplified_turn(double epsilon, double q, Adjacency adjacency);

}  // namespace hearsay::models
