#include "models/protocols/central/horizon.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace hearsay::models {

std::uint64_t horizon_of(std::string_view protocol, std::optional<std::uint64_t> given, const Study& study) {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t stop = study.stop.iterations;
  const std::uint64_t horizon = given.value_or(stop);
  if (horizon == kNever) {
    throw std::invalid_argument(
        fmt::format("{} needs a horizon: give stop.iterations or protocol.horizon", protocol));
  }
  if (stop < kNever && stop != horizon) {
    throw std::invalid_argument(fmt::format(
        "protocol.horizon ({}) and stop.iterations ({}) must agree where both are given", horizon, stop));
  }
  return horizon;
}

}  // namespace hearsay::models
