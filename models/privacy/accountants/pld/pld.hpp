#pragma once
// Composition by the privacy loss distribution. Let (P_t, Q_t) dominate release t. The loss of all releases
// together is the sum of independent L_t = ln dP_t/dQ_t under P_t, and
//   delta(epsilon) = E[(1 - e^(epsilon - sum L_t))+].
//
// Each L_t is replaced by a loss on a common grid whose delta, as a function of e^epsilon, joins the exact
// values on the grid by straight lines ("connect the dots"): never below the exact one, as that is convex.
// The masses are tilted by e^(theta L), theta the saddle point of the given delta, convolved by FFT, and
// tilted back, so that rounding errors are relative to delta and not to 1. Losses beyond the grid count as
// infinite; the mass beyond the window of the FFT is bounded by Chernoff and added. So the results are upper
// bounds. The spacing is chosen so that epsilon exceeds the exact one by about 1e-5 of it and 1e-4 if 2^17
// points suffice for that, otherwise by 1e-4 of it and 5e-4, or by more if that takes more than 2^20 points, or if hardly
// any record takes part in a release: by up to 0.02 at rates of 1e-4 and less.
//
// Pure steps count as randomised response, Laplace and Gaussian ones as scalars (the worst direction of a
// vector). Sampled steps are composed in both directions, and the larger result counts.
//
// Source: Koskela, Jaelkoe, Honkela 2020; Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the
// dots"; Zhu, Dong, Wang 2022.
#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

inline constexpr std::int64_t kPldMostSteps = 10'000;
inline constexpr double kPldLeastDelta = 1e-12;
/// Largest budget, and the sum of losses beyond which every total exceeds it: finding the step of a larger one would
/// take minutes.
inline constexpr double kPldMostEpsilon = 1e4, kPldMostLoss = 2 * kPldMostEpsilon;

/// Of all releases together: the sum of q epsilon, q the sampling rate; of a Gaussian one q/(2 z^2), its mean loss.
double pld_loss(std::span<const StepRun> runs);

/// Throws as pld_epsilon does, of a sequence with such a release; composes nothing.
void require_pld_cover(const Step& step, double delta, Adjacency adjacency);

/// The minimum epsilon >= 0, rounded up. Some 0.5 ms per distinct step for T = 100; O(T^(1/2) log T).
/// Throws std::invalid_argument for more than 1e4 steps, delta below 1e-12 or not below 1, exponential_norm in d > 1,
/// and sampled Gaussian steps under replace_one. Infinite where rounding leaves no finite answer, at some 1e7 and more.
double pld_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency);

/// delta at `epsilon` >= 0, rounded up; not sharp below 1e-12. Throws as above.
double pld_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency);

}  // namespace hearsay::models
