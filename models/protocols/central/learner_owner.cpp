#include "models/protocols/central/learner_owner.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

void describe_owners(sim::Visitor& v, std::uint32_t& overlap,
                     std::optional<std::uint32_t>& learner_is_owner) {
  v(overlap, {.name = "overlap",
              .help = "How many owners may hold the same record: each spends that part of its budget.",
              .source = "Wu, Farokhi, Smith, Kaafar, section II.A",
              .min = 1});
  v(learner_is_owner, {.name = "learner_is_owner",
                       .help = "Number, from 1, of the owner that is the learner and reads its own gradient "
                               "without noise.",
                       .source = "Wu, Farokhi, Smith, Kaafar, section V",
                       .min = 1});
}

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
