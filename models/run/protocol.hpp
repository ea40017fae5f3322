#pragma once
// What a protocol is: a plain struct for which the driver (models/run/driver.hpp) is compiled:
//
//   class P {
//     struct Params { ... void describe(sim::Visitor&); ... };   its options
//     static constexpr Entry kEntry{"name", "One line."};
//     P(const Params&, const Study&);          throws std::invalid_argument where options and study do not fit
//     void on_tick(AgentId, Context&)
//     auto state() { return std::tie(...); }   its members that change during a run (sim/state/plain.hpp)
//     ...
//   };
//
// models/run/hooks.hpp lists its other members and those of Params, all optional.
// One object per run; it owns the state that is not the agents' public models.
#include <concepts>
#include <cstdint>
#include <string_view>

#include "models/run/context.hpp"
#include "models/run/hooks.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// The row of a protocol in the table of protocols.
struct Entry {
  std::string_view name, help;
  bool hub = false;           ///< agent 0 is a learner that holds no data
  std::uint32_t vectors = 1;  ///< most p-vectors in one message
  MessageForm messages = {};  ///< for hostile agents
  bool schedules = false;     ///< opens accounts by a Timetable: has schedules other than uniform
  bool by_turn = false;       ///< takes its budget by turn: privacy.epsilon_1, epsilon_2
  bool gradients = true;      ///< privacy needs a bound on gradients of records
  bool broadcasts = false;    ///< publishes and never sends
  bool joint = true;          ///< learns one model for all: f and theta* of the pooled data are its measure
  bool any_model = false;     ///< works with several scores, hidden layers, any start; else theta . x
  bool any_linear = false;    ///< works with linear models of several scores (softmax), as with theta . x
  bool aggregates = false;    ///< its hub collects updates: takes privacy.trust aggregator, and no other
  bool own_models = false;    ///< every owner has a model of its own, and agent 0, the hub, has none
  /// Its models are sums and multiples of releases and public vectors with public factors, but for Context::project and
  /// Context::transformed, and no event depends on a value: views can follow it (models/views).
  bool linear = false;
  bool snapshots = true;                    ///< has state(), so that a run can be kept and continued
  bool open = false;                        ///< has further options, which are known once its code is loaded
  std::string_view step = "the step size";  ///< what to reduce when a run diverges
  /// JSON: options of a small run (hearsay bench), where the defaults do not fit.
  std::string_view example = "";
};

template <class P>
concept Protocol = requires(const typename P::Params& params, const Study& study) {
  requires sim::Described<typename P::Params>;
  { P::kEntry } -> std::convertible_to<Entry>;
  P(params, study);
  requires hooks::spelt_protocol<P>() && hooks::on_tick<P>;
};

}  // namespace hearsay::models
