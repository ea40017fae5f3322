#pragma once
// The upper tail of the standard normal law without loss of relative precision, however far out.
//   Mills' ratio  R(x) = P(Z > x)/phi(x),  x >= 0;   1/(x + 1/(x + 2/(x + 3/(x + ...)))).

namespace hearsay::models {

/// R(x) for x >= 0, decreasing from sqrt(pi/2); relative error below 1e-14.
double mills_ratio(double x);

/// R(x) - R(x + width) for x >= 0, width >= 0, without cancellation; relative error below 1e-11.
double mills_gap(double x, double width);

/// P(Z > x), any x.
double normal_tail(double x);

/// ln P(Z > x), any x; finite where the tail itself underflows.
double log_normal_tail(double x);

/// ln phi(x).
double log_normal_density(double x);

}  // namespace hearsay::models
