#include "sim/links/bandwidth.hpp"

namespace hearsay::sim {

namespace {

void describe_rate(Visitor& v, PerAgent& rate, std::string_view name, std::string_view help) {
  v(rate, {.name = name, .help = help, .unit = "B/s", .min = 0, .open_min = true});
}

}  // namespace

void EqualBandwidth::describe(Visitor& v) {
  describe_rate(v, rate, "rate",
                "Rate of an agent's uplink and of its downlink; a law is drawn once per agent.");
}

void UpDownBandwidth::describe(Visitor& v) {
  describe_rate(v, uplink, "uplink", "Rate at which an agent sends; a law is drawn once per agent.");
  describe_rate(v, downlink, "downlink", "Rate at which an agent receives; a law is drawn once per agent.");
}

Bandwidth::Bandwidth(const BandwidthOptions& options, AgentId agents, const Streams& streams) {
  const auto servers = [&](const PerAgent& rate, std::uint32_t option) {
    std::vector<Server> all;
    all.reserve(agents);
    for (const double r : rate.values(0, agents, option, streams)) all.push_back({r});
    return all;
  };
  if (const auto* equal = std::get_if<EqualBandwidth>(&options)) {
    up_ = down_ = servers(equal->rate, kUplinkOption);
  } else if (const auto* apart = std::get_if<UpDownBandwidth>(&options)) {
    up_ = servers(apart->uplink, kUplinkOption);
    down_ = servers(apart->downlink, kDownlinkOption);
  }
}

}  // namespace hearsay::sim
