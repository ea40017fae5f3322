#pragma once
// Groups of owners that answer together. Farokhi, Wu, Smith, Kaafar, Remark 2: a fixed set of owners that the learner
// queries at once counts as one fictitious owner G, with n_G = sum n_i records and the answer
// Q_G = sum (n_i/n_G) Q_i, in which every member has its own noise.
#include <cstdint>
#include <span>
#include <vector>

#include "models/run/setting.hpp"

namespace hearsay::models {

/// Throws std::invalid_argument where a group is empty, or a number out of range or named twice.
void require_groups(const std::vector<std::vector<std::uint32_t>>& groups, const Setting& setting);

class Parties {
 public:
  /// One party for each of `groups`, which hold numbers of owners from 1 as agents are, then one for every
  /// owner that is in none.
  Parties(const std::vector<std::vector<std::uint32_t>>& groups, const Study& study);

  /// N, fictitious owners counted as one.
  std::size_t count() const { return members_.size(); }
  /// Agents of a party's owners, in the order of the option; the first one's clock is the party's.
  std::span<const sim::AgentId> members(std::size_t party) const { return members_[party]; }
  std::size_t of(std::size_t owner) const { return party_[owner]; }
  /// n_G/n.
  double share(std::size_t party) const { return share_[party]; }
  /// n_i/n_G: 1 for an owner in no group.
  double weight(std::size_t owner) const { return weight_[owner]; }

 private:
  std::vector<std::vector<sim::AgentId>> members_;
  std::vector<std::size_t> party_;
  std::vector<double> share_, weight_;
};

}  // namespace hearsay::models
