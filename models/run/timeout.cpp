#include "models/run/timeout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "models/run/driver.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {
// Whether every request is answered: hostile agents need not, and what they send may be lost.
bool answered(const Study& study) {
  return study.round_trips.reliable() && study.hostile == nullptr;
}
// Of which run a note is.
std::string_view whose(bool drawn_once) {
  return drawn_once ? ", in repetition 0; others draw their own agents or links" : "";
}
// f(the round trips of the run), which are drawn when they are asked for.
template <class F>
auto of_run(const Study& study, F&& f) {
  const sim::RoundTrips& known = study.round_trips;
  const bool own = study.streams && (known.drawn_once() || known.settled_once());
  return own ? f(known.of_run(study.topology, *study.streams)) : f(known);
}
constexpr double kRoundTrips = 5, kMaxLate = 0.01, kMinUsed = 0.05;
constexpr sim::Time kMinTimeout = 1;  // s
}  // namespace

sim::Time finite_timeout_of(const std::optional<sim::Time>& given, const Study& study) {
  if (given) return *given;
  return of_run(study,
                [](const auto& trips) { return std::max(kMinTimeout, kRoundTrips * trips.settled()); });
}

sim::Time timeout_of(const std::optional<sim::Time>& given, const Study& study) {
  return !given && answered(study) ? sim::kNever : finite_timeout_of(given, study);
}

void require_possible_timeout(std::string_view key, const std::optional<sim::Time>& given,
                              const sim::RoundTrips& round_trips) {
  const sim::Time smallest = round_trips.smallest_possible();
  const bool late = round_trips.smallest_is_late();
  if (!given || (late ? *given > smallest : *given >= smallest)) return;
  throw sim::OptionError(std::string(key),
                         "expected {} the smallest possible round trip ({:g} s), found {:g} s: "
                         "every reply would be discarded; leave out protocol.{} or increase it",
                         late ? "more than" : "at least", smallest, *given, key);
}

void time_stands_still(const World& world, sim::Time at, std::uint64_t events) {
  const bool spent = world.study.privacy.active() && world.ledger.all_spent();
  throw sim::UserError(fmt::format(
      "simulated time stands still at {:g} s, after {} events: {}", at, events,
      spent
          ? "all budgets are spent, and rounds without releases take no simulated time; set stop.budgets_spent, or "
            "network.latency above 0"
          : "a round takes no simulated time; give stop.iterations, vectors or bytes, or network.latency or "
            "network.compute_time above 0"));
}

void nothing_is_reached(const World& world, std::uint64_t events) {
  const StopLimits& stop = world.study.stop;
  constexpr StopLimits kNone;
  const sim::Traffic& traffic = world.engine.traffic();
  std::vector<std::string> waited_for;
  const auto add = [&](const char* name, std::uint64_t now, std::uint64_t limit, std::uint64_t none) {
    if (limit < none)
      waited_for.push_back(fmt::format("stop.{} {}, of which there are {}", name, limit, now));
  };
  add("iterations", world.iterations, stop.iterations, kNone.iterations);
  add("vectors", traffic.vectors, stop.vectors, kNone.vectors);
  add("bytes", traffic.bytes, stop.bytes, kNone.bytes);
  if (stop.budgets_spent)
    waited_for.push_back(fmt::format("stop.budgets_spent, after {} releases", world.releases()));
  throw sim::UserError(fmt::format(
      "the run waits in vain for {}: nothing of it has happened in {} events, up to {:g} s; {} of {} "
      "agents are up, {} messages are in flight; give stop.time or stop.events if this is meant",
      fmt::join(waited_for, " or "), events, world.engine.now(), world.engine.up_count(),
      world.engine.agents(), traffic.in_flight()));
}

void require_passing_time(const Setting& setting, OwnPace pace) {
  if (pace == OwnPace::kNone) return;
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  const StopLimits& stop = setting.stop;
  if (std::min({stop.iterations, stop.vectors, stop.bytes}) < kUnlimited) return;
  const bool is_private = setting.privacy.active(), expected = setting.privacy.expected;
  if (stop.budgets_spent && is_private) return;
  if (pace == OwnPace::kMessages && is_private && expected && setting.round_trips->takes_time(true) &&
      !setting.round_trips->takes_time(false))
    throw std::invalid_argument(
        "rounds take no time once budgets are spent, so that runs would not end whose budget is spent before: expected "
        "stop.budgets_spent, iterations, vectors or bytes, or a network.latency");
  if (setting.round_trips->takes_time(true)) return;
  throw std::invalid_argument(
      "rounds and trainings take no time, so that a run would not end: expected stop.iterations, vectors or "
      "bytes, a network.latency or a network.compute_time");
}

std::optional<std::string> timeout_note(std::string_view key, const std::optional<sim::Time>& given,
                                        const Study& study, bool finite) {
  if (!given) {
    if (answered(study) && !finite) return std::nullopt;
    return fmt::format(
        "protocol.{} is {:g} s by default: at least 1 s and 5 typical round trips of up to {:.3g} s{}", key,
        finite_timeout_of(given, study), study.round_trips.settled(),
        whose(study.round_trips.settled_once()));
  }
  const double late = study.round_trips.fraction_above(*given);
  if (late <= kMaxLate) return std::nullopt;
  return fmt::format(
      "warning: protocol.{} is {:g} s, and {:.3g} % of round trips take longer (typically up to {:.3g} s{}): "
      "their replies "
      "are discarded; leave out protocol.{} or increase it",
      key, *given, 100 * late, study.round_trips.typical(), whose(study.round_trips.drawn_once()), key);
}

std::optional<std::string> unused_replies_warning(const std::optional<sim::Time>& given, const World& world) {
  const double used = static_cast<double>(std::max(world.tally.updates, world.tally.in_time));
  const double late = static_cast<double>(world.engine.traffic().lost_as(sim::LossReason::kStale));
  const sim::Time timeout = timeout_of(given, world.study);  // without one, they are not late
  if (timeout == sim::kNever || late == 0 || used >= kMinUsed * (used + late)) return std::nullopt;
  return of_run(world.study, [&](const sim::RoundTrips& trips) -> std::optional<std::string> {
    // A protocol need not count what it uses: none is a sign only where round trips take longer than the timeout.
    if (used == 0 && !world.tally.matches && trips.fraction_above(timeout) < 1 - kMinUsed)
      return std::nullopt;
    return fmt::format("{:.0f} of {:.0f} replies used: timeout {:g} s, smallest round trip {:.3g} s", used,
                       used + late, timeout, trips.shortest());
  });
}

}  // namespace hearsay::models
