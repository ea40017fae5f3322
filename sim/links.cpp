#include "sim/links.hpp"

#include "sim/random.hpp"

namespace hearsay::sim {

void BernoulliLoss::describe(Visitor& v) {
  v(probability, {.name = "probability", .help = "Probability that a message is lost.", .min = 0, .max = 1});
}

void LinkOptions::describe(Visitor& v) {
  v(latency, {.name = "latency",
              .help = "Time a message takes, drawn anew for every message.",
              .unit = "s",
              .min = 0});
  v(late_legs, {.name = "late_legs", .help = "Messages of which direction are late; loss is of both."});
  v(loss, {.name = "loss", .help = "Which messages are lost; decided when they are sent."});
}

Links::Links(const LinkOptions& options, const Topology& topology, const Streams& streams)
    : latency_(options.latency),
      delay_(options.latency.constant() ? options.latency.mean() : 0),
      constant_(options.latency.constant()),
      loss_(std::get<BernoulliLoss>(options.loss).probability),
      legs_(options.late_legs),
      latency_key_(streams.key(Purpose::kLatency)),
      loss_key_(streams.key(Purpose::kLoss)),
      sent_(2 * topology.edges()) {}

bool Links::lost(AgentId from, AgentId to, std::uint32_t n) const {
  Stream s(loss_key_, from, to, n);
  return bernoulli(s, loss_);
}

Time Links::draw(AgentId from, AgentId to, std::uint32_t n) const {
  Stream s(latency_key_, from, to, n);
  return latency_.sample(s);
}

}  // namespace hearsay::sim
