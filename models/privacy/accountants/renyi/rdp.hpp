#pragma once
// Renyi differential privacy. The Renyi divergence of order a > 1 of one step, R(a):
//   pure      ln((e^(a e) + e^((1-a) e))/(1 + e^e)) / (a - 1)    randomised response, the worst pure step
//   Laplace   ln(a e^((a-1) e)/(2a - 1) + (a - 1) e^(-a e)/(2a - 1)) / (a - 1)     e = Delta_1/b
//   Gaussian  a/(2 z^2)
//   Gaussian, Poisson-sampled at rate q, add_remove: sampled_gaussian.hpp; at fixed orders the bound there
// Sampled pure and Laplace steps, and exponential_norm, count as pure steps of amplified epsilon.
//
// R adds up over the steps, and for each order (epsilon, delta)-differential privacy follows with
//   epsilon = R + ln(1 - 1/a) - (ln delta + ln a)/(a - 1);
// the least over the orders counts, and the plain sum of the epsilons where every step is pure. Without that
// sum the greatest order, 1024, bounds epsilon from below by about (ln(1/delta) - 7)/1023.
//
// Source: Mironov 2017, Table II and Proposition 1.
// Conversion: Canonne, Kamath, Steinke 2020, Proposition 12.
#include <span>
#include <vector>

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

/// 1.1, 1.2, .. 10.9; 11, 12, .. 63; 128, 256, 512, 1024: those of Google's dp_accounting.
const std::vector<double>& default_renyi_orders();

/// R(a) of one step. Throws std::invalid_argument unless a > 1, and for a sampled Gaussian step
/// under replace_one.
double renyi_divergence(const Step& step, double order, Adjacency adjacency);

/// The same, with the bound in place of the moment of a sampled Gaussian step: what the fixed orders use.
double renyi_bound(const Step& step, double order, Adjacency adjacency);

/// The least epsilon >= 0 over `orders`; 0 for no steps. O(orders x distinct steps), sampled Gaussian steps
/// some microseconds each. Throws std::invalid_argument unless 0 < delta < 1, and as above.
double rdp_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency,
                   const std::vector<double>& orders = default_renyi_orders());

/// The same at the best of all orders between 1 + 1e-6 and 1e6, found to about 1e-8.
double rdp_epsilon_best_order(std::span<const StepRun> runs, double delta, Adjacency adjacency);

/// The least delta over `orders` at `epsilon` >= 0, at most 1:
///   ln delta = (a - 1)(R - epsilon + ln(1 - 1/a)) - ln a.
double rdp_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency,
                 const std::vector<double>& orders = default_renyi_orders());

}  // namespace hearsay::models
