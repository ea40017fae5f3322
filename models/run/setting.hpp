#pragma once
// What is known of a study before it has data: its options, and what follows from them. Options that do not fit each
// other are refused on this alone, by `validate` as by a run. A protocol says so in
//
//   void Params::require(const Setting& setting) const      throws std::invalid_argument, or OptionError
//
// What cannot be asked of a Setting needs data or the network, and is checked by the protocol's constructor.
#include <optional>

#include "models/run/privacy.hpp"
#include "models/run/world.hpp"

namespace hearsay::models {

struct Setting {
  const ModelOptions& model;
  const Budget& privacy;  ///< as settle_budget() leaves it, or resolved
  StopLimits stop = {};
  std::optional<DeclaredBounds> bounds = {};  ///< that the data declare
  std::optional<std::size_t> owners = {};     ///< not known before files are read
  /// Null where the network is large, or not known before files are read.
  const sim::Topology* topology = nullptr;
  const sim::RoundTrips* round_trips = nullptr;  ///< likewise, and without a timeout
  bool flips_labels = false;                     ///< some agents do
};

inline Setting setting_of(const Study& study) {
  return {study.problem.model(),  study.privacy,   study.stop,         study.problem.bounds(),
          study.problem.owners(), &study.topology, &study.round_trips, study.flipped != nullptr};
}

/// The options, after params.require() of the study's setting: for constructors.
template <class Params>
const Params& fitting(const Params& params, const Study& study) {
  params.require(setting_of(study));
  return params;
}

}  // namespace hearsay::models
