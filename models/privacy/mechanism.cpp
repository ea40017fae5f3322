#include "models/privacy/mechanism.hpp"

#include <cstdint>

#include "sim/random.hpp"

namespace hearsay::models {

void add_laplace(std::span<double> x, double scale, sim::Stream& s) {
  boost::random::exponential_distribution<double> magnitude;
  std::uint64_t signs = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (j % 64 == 0) signs = s();
    const double m = scale * magnitude(s);
    x[j] += (signs & 1) != 0 ? m : -m;
    signs >>= 1;
  }
}

}  // namespace hearsay::models
