// Publications without events: when, and what the engine counts of them.
#include <algorithm>
#include <limits>

#include "sim/engine/engine.hpp"

namespace hearsay::sim {

namespace {

// Publications of one agent that may be under way at a time, in the mean: with more a look costs more draws than
// it saves events.
constexpr double kMostUnderWay = 4;

// No latency is above it; infinite where there is no such bound, or not every message has a latency of its own.
Time longest(const LatencyOptions& latency) {
  constexpr Time kUnbounded = std::numeric_limits<Time>::infinity();
  if (latency.drawn != Drawn::kPerMessage) return kUnbounded;
  return std::visit(
      [](const auto& law) {
        if constexpr (requires { law.plus; }) {
          return kUnbounded;
        } else {
          return law.upper();
        }
      },
      latency.law);
}

}  // namespace

std::optional<Time> Engine::lazy_latency() const {
  const LinkOptions& links = options_.network.links;
  if (!options_.publications_only || trace_ != nullptr) return std::nullopt;
  if (options_.event_limit < std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  if (restricted_ || coin_ || !availability_.always() || !bandwidth_.unlimited()) return std::nullopt;
  if (!links_.loss().none() || links.order != PublicationOrder::kNewest) return std::nullopt;
  // A clock that ends leaves messages under way behind.
  if (std::holds_alternative<ClockTrace>(options_.clocks) || clocks_.silent()) return std::nullopt;
  double rate = 0;
  for (AgentId i = options_.hub ? 1 : 0; i < agents(); ++i) rate = std::max(rate, clocks_.rate(i));
  const Time bound = longest(links.latency);
  if (!(bound * rate <= kMostUnderWay)) return std::nullopt;
  return bound;
}

std::uint32_t Engine::publish_lazily(AgentId from, std::span<const double> payload) {
  const std::uint32_t degree = topology_.degree(from), version = lazy_->next_version(from);
  const std::uint32_t slot = message_row(0, payload);
  pool_.header(slot).version = version;
  lazy_->publish(from, slot, order_key(Rank::kMessage, from, messages_[from]), cause_, pool_);
  messages_[from] += degree;
  const std::uint64_t vectors = (payload.size() + options_.vector_length - 1) / options_.vector_length;
  traffic_.messages += degree;
  traffic_.vectors += vectors * degree;
  traffic_.bytes += bytes(payload.size()) * degree;
  traffic_.delivered += degree;  // settled at the end
  return version;
}

void Engine::settle(End end) {
  if (lazy_ == nullptr) return;
  // At the time limit everything of that time has happened.
  const std::uint64_t event = end == End::kTime ? ~std::uint64_t{0} : cause_;
  traffic_.delivered -= lazy_->under_way(now_, event, pool_, links_);
}

}  // namespace hearsay::sim
