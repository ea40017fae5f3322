#include "sim/network/bandwidth.hpp"

#include <limits>

namespace hearsay::sim {

void EqualBandwidth::describe(Visitor& v) {
  v(rate,
    positive("rate", "Rate of an agent's uplink and of its downlink; a law is drawn once per agent.", "B/s"));
}

void UpDownBandwidth::describe(Visitor& v) {
  v(uplink, positive("uplink", "Rate at which an agent sends; a law is drawn once per agent.", "B/s"));
  v(downlink, positive("downlink", "Rate at which an agent receives; a law is drawn once per agent.", "B/s"));
}

bool drawn_once(const BandwidthOptions& options) {
  if (const auto* equal = std::get_if<EqualBandwidth>(&options)) return equal->rate.random();
  const auto* apart = std::get_if<UpDownBandwidth>(&options);
  return apart != nullptr && (apart->uplink.random() || apart->downlink.random());
}

Bandwidth::Bandwidth(const BandwidthOptions& options, AgentId agents, const Streams& streams) {
  const auto servers = [&](std::string_view key, const PerAgent& rate, std::uint32_t option) {
    std::vector<Server> all;
    for (const double r : rate.values_of(key, 0, agents, option, streams)) all.push_back({r});
    return all;
  };
  if (const auto* equal = std::get_if<EqualBandwidth>(&options)) {
    up_ = down_ = servers("rate", equal->rate, kUplinkOption);
  } else if (const auto* apart = std::get_if<UpDownBandwidth>(&options)) {
    up_ = servers("uplink", apart->uplink, kUplinkOption);
    down_ = servers("downlink", apart->downlink, kDownlinkOption);
  }
}

void Bandwidth::change_to(const Bandwidth& next) {
  if (unlimited()) {
    *this = next;
    return;
  }
  const auto take_rates = [](std::vector<Server>& servers, const std::vector<Server>& from) {
    for (std::size_t i = 0; i < servers.size(); ++i)
      servers[i].rate = from.empty() ? std::numeric_limits<double>::infinity() : from[i].rate;
  };
  take_rates(up_, next.up_);
  take_rates(down_, next.down_);
}

}  // namespace hearsay::sim
