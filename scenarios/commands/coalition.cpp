#include "scenarios/commands/coalition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "scenarios/commands/arguments.hpp"

namespace hearsay::scenarios {

void Coalition::add(double n, double epsilon) {
  ++owners;
  records += n;
  inverse_squares += 1 / (epsilon * epsilon);
}

Coalition coalition_of(const std::vector<analysis::OwnerFacts>& owners,
                       const std::vector<std::string>& labels) {
  Coalition all{.labels = labels};
  for (const analysis::OwnerFacts& owner : owners) all.add(static_cast<double>(owner.records), owner.epsilon);
  return all;
}

Coalition parse_coalition(const std::string& text) {
  Coalition all;
  std::stringstream in(text + ",");
  for (std::string owner; std::getline(in, owner, ',');) {
    double records = 0, epsilon = 0;
    int used = 0;
    const int found = std::sscanf(owner.c_str(), "%lf:%lf%n", &records, &epsilon, &used);
    const bool whole = found == 2 && static_cast<std::size_t>(used) == owner.size();
    if (!whole || !(records > 0 && std::isfinite(records)) || !(epsilon > 0))
      throw UsageError(fmt::format(
          "--coalition: expected records and budget of each owner, such as 20000:10,5000:1, found '{}'",
          printable(text)));
    all.add(records, epsilon);
  }
  return all;
}

}  // namespace hearsay::scenarios
