#pragma once
// The Poisson-sampled Gaussian release under add_remove:
//   P = (1-q) N(0, z^2) + q N(1, z^2) against Q = N(0, z^2)
//   A(a) = E_Q[(P/Q)^a],   Renyi divergence ln A(a)/(a - 1)
// Whole orders:  A = sum_k C(a, k) (1-q)^(a-k) q^k exp((k^2 - k)/(2 z^2)).
//
// Other orders: the binomial series on both sides of z0 = z^2 ln(1/q - 1) + 1/2, where (1-q) Q and q N(1)
// cross; from k > a on its terms alternate in sign. Their absolute values added up are an upper bound, which
// needs no subtraction; it is what Google's dp_accounting 0.6 computes. At orders below 3 and over hundreds
// of steps it costs up to some per cent of epsilon.
//
// Source: Mironov, Talwar, Zhang 2019, "Renyi Differential Privacy of the Sampled Gaussian Mechanism",
// Section 3.3.

namespace hearsay::models {

/// ln A(a) for a > 1, z > 0, 0 < q < 1; 1e-9 relative unless the series cancels.
double sampled_gaussian_log_moment(double noise_multiplier, double q, double order);

/// The bound on ln A(a) by absolute values; ln A(a) itself for whole orders.
double sampled_gaussian_log_moment_bound(double noise_multiplier, double q, double order);

}  // namespace hearsay::models
