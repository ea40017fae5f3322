#include "models/protocols/central/parties.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

namespace hearsay::models {

void require_groups(const std::vector<std::vector<std::uint32_t>>& groups, const Setting& setting) {
  std::set<std::uint32_t> placed;
  for (const auto& group : groups) {
    if (group.empty()) throw std::invalid_argument("protocol.groups: a group must hold at least one owner");
    for (const std::uint32_t number : group) {
      if (number < 1 || (setting.owners && number > *setting.owners)) {
        throw std::invalid_argument(fmt::format("protocol.groups: expected owners from 1{}, found {}",
                                                setting.owners ? fmt::format(" to {}", *setting.owners) : "",
                                                number));
      }
      if (!placed.insert(number).second)
        throw std::invalid_argument(fmt::format("protocol.groups: owner {} is named twice", number));
    }
  }
}

Parties::Parties(const std::vector<std::vector<std::uint32_t>>& groups, const Study& study)
    : party_(study.problem.owners()), weight_(study.problem.owners()) {
  const std::size_t owners = study.problem.owners();
  std::vector<bool> placed(owners);
  require_groups(groups, setting_of(study));
  for (const auto& group : groups) {
    for (const std::uint32_t number : group) placed[number - 1] = true;
    members_.emplace_back(group.begin(), group.end());
  }
  for (std::size_t owner = 0; owner < owners; ++owner) {
    if (!placed[owner]) members_.push_back({static_cast<sim::AgentId>(owner) + 1});
  }
  for (std::size_t party = 0; party < members_.size(); ++party) {
    Eigen::Index records = 0;
    for (const sim::AgentId agent : members_[party]) records += study.problem.n(agent - 1);
    share_.push_back(static_cast<double>(records) / static_cast<double>(study.problem.n()));
    for (const sim::AgentId agent : members_[party]) {
      const std::size_t owner = agent - 1;
      party_[owner] = party;
      weight_[owner] = static_cast<double>(study.problem.n(owner)) / static_cast<double>(records);
    }
  }
}

}  // namespace hearsay::models
