#pragma once
// The "privacy" of a scenario, as far as it is settled before the data are there.
#include <optional>

#include "models/run/privacy.hpp"

namespace hearsay::models {

/// What options say of the data.
struct KnownData {
  std::optional<DeclaredBounds> bounds = {};
  std::optional<std::size_t> owners = {};
  int parameters = 1;  ///< p; 1 where it is not known, which no accountant refuses
};

/// resolve_privacy() without what needs data: the bound is 0 where it is taken from them, there is no warning and no
/// schedule. Without a number of owners, epsilon and steps have the value for all owners, or none if there is no such
/// value. Throws std::invalid_argument as resolve_privacy().
Privacy settle_privacy(const PrivacyOptions& options, const ModelOptions& model, const KnownData& known,
                       sim::AgentId first_agent, const sim::Streams& streams);

/// Of a protocol that spreads each owner's budget over privacy.steps. Throws std::invalid_argument without them.
void require_steps(const Privacy& privacy);

}  // namespace hearsay::models
