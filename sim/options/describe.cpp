#include "sim/options/describe.hpp"

#include <fmt/format.h>

namespace hearsay::sim {

std::string Visitor::shown(double x, std::string_view) const {
  return fmt::format("{:g}", x);
}

}  // namespace hearsay::sim
