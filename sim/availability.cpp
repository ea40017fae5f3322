#include "sim/availability.hpp"

#include <cmath>

#include "sim/random.hpp"

namespace hearsay::sim {

void OnOff::describe(Visitor& v) {
  v(up, {.name = "up",
         .help = "Length of an up time, drawn anew for every one.",
         .unit = "s",
         .min = 0,
         .open_min = true});
  v(down, {.name = "down",
           .help = "Length of a down time, drawn anew for every one.",
           .unit = "s",
           .min = 0,
           .open_min = true});
  v(start, {.name = "start", .help = "State at time 0."});
  v(hub, {.name = "hub", .help = "Whether the hub of a star goes down too."});
  v.check(start == Start::kUp || (std::isfinite(up.mean()) && std::isfinite(down.mean())), "start",
          "a stationary start needs up and down times of finite mean");
}

Availability::Availability(const AvailabilityOptions& options, const Streams& streams)
    : always_(std::holds_alternative<Always>(options)), key_(streams.key(Purpose::kAvailability)) {
  if (!always_) law_ = std::get<OnOff>(options);
}

Availability::Period Availability::first(AgentId i) const {
  Stream s(key_, i, 0, 0);
  if (law_.start == Start::kUp) return {true, law_.up.sample(s)};
  // Stationary law of an alternating renewal process: the period under way is size biased, and time 0 is
  // uniform in it.
  const double mean_up = law_.up.mean(), mean_down = law_.down.mean();
  const bool up = bernoulli(s, mean_up / (mean_up + mean_down));
  const double position = uniform(s);
  return {up, position * (up ? law_.up : law_.down).sample_size_biased(s)};
}

Time Availability::length(AgentId i, std::uint32_t n, bool up) const {
  Stream s(key_, i, 0, n);
  return (up ? law_.up : law_.down).sample(s);
}

}  // namespace hearsay::sim
