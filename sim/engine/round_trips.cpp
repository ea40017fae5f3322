#include "sim/engine/round_trips.hpp"

#include <algorithm>

namespace hearsay::sim {

namespace {
constexpr std::size_t kAll = 1'000'000;
constexpr std::uint32_t kLinks = 200, kTrips = 40, kFirstIndex = 1u << 31;

bool draws_once(const NetworkOptions& network, const Timeline& timeline) {
  return network.links.latency.drawn_once() || network.compute_time.drawn_once() ||
         drawn_once(network.links.bandwidth) || std::ranges::any_of(timeline.entries, [](const auto& entry) {
           const LawChanges& to = entry.changes;
           return (to.latency && to.latency->drawn_once()) ||
                  (to.compute_time && to.compute_time->drawn_once()) ||
                  (to.bandwidth && drawn_once(*to.bandwidth));
         });
}

}  // namespace

RoundTrips RoundTrips::of_run(const Topology& topology, const Streams& streams) const {
  RoundTrips own = again_ ? RoundTrips(again_->options, topology, streams, again_->numbers) : *this;
  if (past_) own.settle_by(past_->of_run(topology, streams));
  return own;
}

RoundTrips::RoundTrips(const Engine::Options& options, const Topology& topology, const Streams& streams,
                       std::size_t numbers) {
  const AgentId hub = options.hub ? 0 : kNoAgent, agents = topology.agents();
  const NetworkFiles files =
      options.files ? *options.files
                    : NetworkFiles::of(options.network, options.clocks, options.timeline, topology);
  const LinkOptions& link_options = options.network.links;
  Links links(link_options, topology, streams, hub, files);
  ComputeTime compute(options.network.compute_time, agents, options.hub ? 1 : 0, streams);
  const Availability availability(options.network.availability, streams, agents, options.hub ? 1 : 0,
                                  files.sessions);
  reliable_ = links.loss().none() && availability.always() && !availability.coin();

  const auto bytes = static_cast<double>(link_options.header + link_options.bytes_per_number * numbers);
  Bandwidth bandwidth(link_options.bandwidth, agents, streams);
  Time now = 0;
  // Time to take a message for every neighbour of an end of a link to its other end, one after another.
  const auto transmission = [&](AgentId from, AgentId to) {
    if (bandwidth.unlimited()) return 0.0;
    const Time start = now;
    for (std::uint32_t k = 0; k < topology.degree(from); ++k)
      now = bandwidth.receive(to, bytes, bandwidth.send(from, bytes, start));
    return now - start;
  };

  // Of many links that are not stored those around a ring: no message takes less than one on them, in some direction.
  const bool all = topology.stores_edges() || topology.edges() <= kAll || link_options.latency.known();
  const std::size_t step = (all ? topology.edges() : agents) / kLinks + 1;
  Time smallest = kNever;
  takes_time_ = takes_time_on_the_way_ = true;
  const auto sample = [&] {
    std::size_t edge = 0;
    Time longest = 0, longest_on_the_way = 0;  // of these laws
    for (AgentId i = 0; i < agents; ++i) {
      const Neighbours neighbours = topology.neighbours(i);
      for (std::uint32_t k = all ? 0 : i; k < (all ? neighbours.size() : std::min(i + 1, neighbours.size()));
           ++k) {
        const AgentId j = neighbours[k];
        if (j < i) continue;
        const EdgePosition there = topology.first_edge(i) + k, back = topology.edge(j, i);
        const Time ways[]{links.smallest_latency(i, j, there), links.smallest_latency(j, i, back)};
        const Time computing = all && options.hub ? compute.smallest(j) : 0;
        const Time trip = all ? ways[0] + ways[1] + computing : 2 * std::min(ways[0], ways[1]);
        const bool late = computing > 0 && ways[1] == 0;
        smallest_is_late_ = trip < smallest ? late : smallest_is_late_ && (late || trip > smallest);
        smallest = std::min(smallest, trip);
        if (edge++ % step != 0) continue;
        const Time sending = transmission(i, j) + transmission(j, i);
        const std::size_t first = sorted_.size();
        for (std::uint32_t n = kFirstIndex; n < kFirstIndex + kTrips; ++n) {
          const Time on_the_way = links.latency(i, j, there, n) + links.latency(j, i, back, n);
          longest_on_the_way = std::max(longest_on_the_way, on_the_way + sending);
          sorted_.push_back(on_the_way + compute.of(j, n) + sending);
          longest = std::max(longest, sorted_.back());
        }
        const auto median = sorted_.begin() + static_cast<std::ptrdiff_t>(first + kTrips / 2);
        std::nth_element(sorted_.begin() + static_cast<std::ptrdiff_t>(first), median, sorted_.end());
        typical_ = std::max(typical_, *median);
      }
    }
    takes_time_ = takes_time_ && longest > 0;
    takes_time_on_the_way_ = takes_time_on_the_way_ && longest_on_the_way > 0;
  };
  // Laws that change at time 0 never hold.
  if (options.timeline.empty() || options.timeline.entries.front().at > 0) sample();
  for (std::size_t n = 0; n < options.timeline.entries.size(); ++n) {
    const LawChanges& changes = options.timeline.entries[n].changes;
    links.change(changes, topology, streams, files.changes.at(n));
    if (changes.bandwidth) bandwidth.change_to(Bandwidth(*changes.bandwidth, agents, streams));
    if (changes.compute_time)
      compute = ComputeTime(*changes.compute_time, agents, options.hub ? 1 : 0, streams);
    reliable_ = reliable_ && links.loss().none();
    sample();
  }
  settled_ = typical_;
  smallest_possible_ = topology.edges() > 0 ? smallest : 0;
  std::sort(sorted_.begin(), sorted_.end());
  if (draws_once(options.network, options.timeline))
    again_ = std::make_shared<const Sampled>(Sampled{options, numbers});
}

double RoundTrips::fraction_above(Time limit) const {
  if (sorted_.empty()) return 0;
  const auto above = sorted_.end() - std::upper_bound(sorted_.begin(), sorted_.end(), limit);
  return static_cast<double>(above) / static_cast<double>(sorted_.size());
}

}  // namespace hearsay::sim
