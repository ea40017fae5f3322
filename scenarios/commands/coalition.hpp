#pragma once
// Owners who learn together, as the theory sees them.
#include <string>
#include <vector>

#include "analysis/store/participants.hpp"

namespace hearsay::scenarios {

struct Coalition {
  std::vector<std::string> labels{};  ///< of its point; empty for one of the command line
  double owners = 0, records = 0;     ///< N, n
  double inverse_squares = 0;         ///< s = sum of 1/epsilon_i^2; NaN where an owner has no budget
  std::vector<double> runs{};         ///< the metric at the end of its runs; empty: it has not run

  void add(double n, double epsilon);
};

Coalition coalition_of(const std::vector<analysis::OwnerFacts>& owners,
                       const std::vector<std::string>& labels);

/// "20000:10,5000:1": records and budget of each owner. Throws UsageError.
Coalition parse_coalition(const std::string& text);

}  // namespace hearsay::scenarios
