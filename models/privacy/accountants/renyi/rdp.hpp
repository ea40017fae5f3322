#pragma once
// Renyi differential privacy. The Renyi divergence R(a) of order a > 1 of one step is in step_kind.hpp, that of a Gaussian
// one Poisson-sampled at rate q under add_remove below; at fixed orders its bound. Sampled pure steps count as pure ones
// of amplified epsilon.
//
// R adds up over the steps, and for each order (epsilon, delta)-differential privacy follows with
//   epsilon = R + ln(1 - 1/a) - (ln delta + ln a)/(a - 1);
// the minimum over the orders counts, and the plain sum of the epsilons if every step is pure. Without that
// sum the largest order, 1024, bounds epsilon from below by about (ln(1/delta) - 7)/1023.
//
// The Poisson-sampled Gaussian release under add_remove:
//   P = (1-q) N(0, z^2) + q N(1, z^2) against Q = N(0, z^2)
//   A(a) = E_Q[(P/Q)^a],   Renyi divergence ln A(a)/(a - 1)
// Whole orders:  A = sum_k C(a, k) (1-q)^(a-k) q^k exp((k^2 - k)/(2 z^2)).
//
// Other orders: the binomial series on both sides of z0 = z^2 ln(1/q - 1) + 1/2, where (1-q) Q and q N(1)
// cross; from k > a on its terms alternate in sign. The sum of their absolute values is an upper bound, which
// needs no subtraction; Google's dp_accounting 0.6 computes it. At orders below 3 and over hundreds
// of steps it costs up to some per cent of epsilon.
//
// Source: Mironov 2017, Table II and Proposition 1. Conversion: Canonne, Kamath, Steinke 2020, Proposition 12.
// Sampling: Mironov, Talwar, Zhang 2019, "Renyi Differential Privacy of the Sampled Gaussian Mechanism", Section 3.3.

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

/// R(a) of one step; for a sampled Gaussian step to 1e-9 relative unless the series cancels, or the bound.
/// Throws std::invalid_argument unless a > 1, and for a sampled Gaussian step under replace_one.
double renyi_divergence(const Step& step, double order, Adjacency adjacency, bool bound = false);

/// 1.1, 1.2, ..., 10.9, 11, 12, ..., 63, 128, 256, 512, 1024: those of Google's dp_accounting.
const std::vector<double>& renyi_orders();
/// R at these orders of all releases together, then at infinity: the sum of their epsilons, infinite if one is not pure.
std::vector<double> renyi_curve(std::span<const StepRun> runs, Adjacency adjacency);
/// The minimum epsilon >= 0 over all orders; at delta = 0 that of infinity.
double renyi_epsilon(std::span<const double> curve, double delta);

/// The minimum epsilon >= 0 over the fixed orders (1.1 to 1024); 0 for no steps. O(orders x distinct steps), sampled Gaussian steps
/// some microseconds each. Throws std::invalid_argument unless 0 < delta < 1, and as above.
double rdp_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency);

/// The minimum delta over the same orders at `epsilon` >= 0, at most 1:
///   ln delta = (a - 1)(R - epsilon + ln(1 - 1/a)) - ln a.
double rdp_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency);

}  // namespace hearsay::models
