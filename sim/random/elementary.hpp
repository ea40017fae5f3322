#pragma once
// Exponential, logarithm and tangent for times that are drawn. Standard libraries round these differently, the same one
// on different processors too, and a time that differs in its last bit is another event. Here they consist of additions,
// multiplications, divisions and scalings by powers of 2 in a fixed order, which IEEE 754 determines: equal arguments
// give equal bits everywhere (without contraction to fused operations, which the build forbids).
//
// Errors are below 2 units in the last place, of the tangent below 5, by comparison with 64-bit mantissas
// (tests/sim/random/stream_test.cpp).

namespace hearsay::sim {

/// e^x; 0 below -745, infinite above 709.78. Results below 2^-1022 have the error of a subnormal number.
double exponential_of(double x);
/// ln x for a positive, normal x.
double logarithm_of(double x);
/// tan(pi u) for u in [0, 1).
double tangent_of_pi(double u);
/// x^y = e^(y ln x) for a positive, normal x; its error is below 2 + 2 |y ln x| ulps.
double power_of(double x, double y);

}  // namespace hearsay::sim
