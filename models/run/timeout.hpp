#pragma once
// How long a requester waits for a reply.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/run/setting.hpp"

namespace hearsay::models {

/// The option of a server that works in rounds.
inline constexpr sim::About kAboutRoundTimeout{.name = "round_timeout",
                                               .help =
                                                   "Maximum time the server waits for answers in a round; by "
                                                   "default unlimited on a reliable network, else "
                                                   "5 typical round trips, at least 1 s.",
                                               .unit = "s",
                                               .min = 0,
                                               .open_min = true};

/// The timeout of an option: as given; else infinite where every reply arrives, or 5 times the typical round trip, but at
/// least 1 s (as RFC 6298 sets a retransmission timer before it has measured a round trip).
sim::Time timeout_of(const std::optional<sim::Time>& given, const Study& study);
/// The same for a protocol whose replies can fail to come although nothing is lost: always finite.
sim::Time finite_timeout_of(const std::optional<sim::Time>& given, const Study& study);

/// A note of the timeout chosen by default, or a warning if more than 1 % of round trips take longer than the given one;
/// `key`: the name of the option; `finite`: whether the default is that of finite_timeout_of.
std::optional<std::string> timeout_note(std::string_view key, const std::optional<sim::Time>& given,
                                        const Study& study, bool finite = false);
/// Throws OptionError if no round trip can be as short as the given timeout.
void require_possible_timeout(std::string_view key, const std::optional<sim::Time>& given,
                              const sim::RoundTrips& round_trips);
/// How a protocol goes on without clocks.
enum class OwnPace : std::uint8_t {
  kNone,       ///< not: clocks drive it
  kTrainings,  ///< by trainings, whose end is waited for
  kMessages    ///< by rounds of messages, also when budgets are spent and no agent trains
};
/// Of a protocol that does not need clocks: throws std::invalid_argument if the run ends by time alone, and no time passes.
/// The setting has round trips.
void require_passing_time(const Setting& setting, OwnPace pace);
/// A warning if a run has used less than 5 % of the replies that came (Context::count_reply or count_staleness), the
/// others having been too late; if its protocol counts none, only where at least 95 % of round trips take longer than the
/// timeout. `given` as above.
std::optional<std::string> unused_replies_warning(const std::optional<sim::Time>& given, const World& world);

}  // namespace hearsay::models
