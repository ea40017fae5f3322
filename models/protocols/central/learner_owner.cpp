#include "models/protocols/central/learner_owner.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

std::optional<sim::AgentId> learner_owner(std::optional<std::uint32_t> number, const Study& study) {
  if (!number) return std::nullopt;
  const std::size_t owners = study.problem.owners();
  if (*number < 1 || *number > owners) {
    throw std::invalid_argument(
        fmt::format("protocol.learner_is_owner: expected an owner from 1 to {}, found {}", owners, *number));
  }
  return *number;
}

std::string unaccounted_learner_owner(std::uint32_t number) {
  return fmt::format(
      "protocol.learner_is_owner: owner {} reads its own gradient without noise, and the other owners see "
      "the "
      "models it is used in",
      number);
}

}  // namespace hearsay::models
