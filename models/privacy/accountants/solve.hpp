#pragma once
// The end of the range over which a monotone constraint holds.
#include <functional>
#include <stdexcept>

namespace hearsay::models {

/// The constraint holds everywhere, or nowhere.
class NoCrossing : public std::domain_error {
  using std::domain_error::domain_error;
};

/// Neighbouring points, relative distance about 1e-15 or the tolerance asked for: excess(below) <= 0 <
/// excess(above).
struct Crossing {
  double below = 0, above = 0;
};

/// Where an increasing function first exceeds 0 on (0, inf). `guess` > 0 is a point in its neighbourhood;
/// excess may be infinite. A relative tolerance of 0 asks for the last bit. Throws NoCrossing when
/// there is no sign change within a factor of 1e15 of the guess. Boost.Math's TOMS 748.
Crossing greatest_below(const std::function<double(double)>& excess, double guess, double relative_tolerance);

}  // namespace hearsay::models
