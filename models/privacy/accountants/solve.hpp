#pragma once
// The end of the range over which a monotone constraint holds.
#include <functional>

namespace hearsay::models {

/// Neighbouring points, relative distance about 1e-15 or the tolerance asked for: excess(below) <= 0 <
/// excess(above).
struct Crossing {
  double below = 0, above = 0;
};

/// Where an increasing function first exceeds 0 on (0, inf). `guess` > 0 is a point in its neighbourhood;
/// excess may be infinite. A relative tolerance of 0 asks for the last bit. Throws std::invalid_argument when
/// there is no sign change within a factor of 1e15 of the guess. Boost.Math's TOMS 748.
Crossing greatest_below(const std::function<double(double)>& excess, double guess, double relative_tolerance);

}  // namespace hearsay::models
