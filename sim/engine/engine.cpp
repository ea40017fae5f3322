#include "sim/engine/engine.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay::sim {

namespace {

Engine::Options with_files(Engine::Options options) {
  if (options.files == nullptr) {
    options.files = std::make_shared<const NetworkFiles>(NetworkFiles::of(options.network, options.clocks));
  }
  return options;
}

}  // namespace

Engine::Engine(const Options& options, const Topology& topology, const Streams& streams, TraceSink* trace)
    : options_(with_files(options)),
      topology_(topology),
      clocks_(options.clocks, topology.agents(), streams, options.hub ? 1 : 0, options_.files->ticks),
      links_(options.network.links, topology, streams, options.hub ? 0 : kNoAgent, *options_.files),
      bandwidth_(options.network.links.bandwidth, topology.agents(), streams),
      compute_time_(options.network.compute_time, streams),
      availability_(options.network.availability, streams, topology.agents(), options.hub ? 1 : 0,
                    options_.files->sessions),
      queue_(topology.agents()),
      pool_(options.payload_width),
      trace_(trace),
      up_count_(topology.agents()),
      coin_(availability_.coin()),
      messages_(topology.agents()) {
  check(options.observe_every > 0, "observations need a distance");
  const LinkOptions& links = options.network.links;
  if (links.order == PublicationOrder::kFifo || links.send_order == MessageOrder::kFifo)
    last_arrival_.assign(2 * topology.edges(), 0);
  if (!compute_time_.none()) {
    busy_.assign(agents(), 0);
    computations_.assign(agents(), 0);
  }
  if (!availability_.always()) down_.assign(agents(), 0);
  if (availability_.resets()) lives_.assign(agents(), 0);
  restricted_ = !down_.empty() || !busy_.empty();
  if (restricted_) waiting_.resize(agents());
  if (restricted_ && clocks_.defers()) deferred_.assign(agents(), kNoSlot);
  if (const std::optional<Time> longest = lazy_latency())
    lazy_ = std::make_unique<LazyPublications>(topology_, *longest);
}

void Engine::start() {
  fingerprint_.add(0, 0, agents(), 0);
  if (trace_ != nullptr) trace_agent(TraceKind::kStart, kNoAgent);
  const std::uint32_t laws = availability_.laws();
  for (AgentId i = 0; laws > 0 && i < agents(); ++i) {
    for (std::uint32_t l = 0; l < laws; ++l) {
      if (!availability_.applies_to(i, options_.hub && i == 0, l)) continue;
      const Availability::Period first = availability_.first(i, l);
      if (!first.up) ++down_[i];
      if (first.length == kNever) continue;
      const Rank rank = first.up ? Rank::kDown : Rank::kUp;
      queue_.push({first.length, order_key(rank, i, laws + l), i, i, kNoSlot,
                   first.up ? EventKind::kDown : EventKind::kUp, 0, 0});
    }
    if (down_[i] == 0) continue;
    --up_count_;
    if (trace_ != nullptr) trace_agent(TraceKind::kDown, i);
  }
  for (AgentId i = options_.hub ? 1 : 0; i < agents(); ++i) next_tick(i, 0, 0);
  if (std::isfinite(options_.observe_every)) next_observation(1);
}

std::uint32_t Engine::message_row(std::uint32_t conversation, std::span<const double> payload) {
  check(payload.size() <= pool_.width(), "a message is longer than the rows of the payload pool");
  const std::uint32_t slot = pool_.take();
  std::copy(payload.begin(), payload.end(), pool_.row(slot).begin());
  PayloadPool::Header& header = pool_.header(slot);
  header.sent = now_;
  header.conversation = conversation;
  header.numbers = static_cast<std::uint32_t>(payload.size());
  return slot;
}

void Engine::transmit(AgentId from, AgentId to, std::uint32_t position, std::uint32_t slot, EventKind kind,
                      std::uint16_t tag, AgentId source) {
  const std::uint32_t numbers = pool_.header(slot).numbers;
  const bool message = kind == EventKind::kMessage;
  ++traffic_.messages;
  traffic_.vectors += (numbers + options_.vector_length - 1) / options_.vector_length;
  traffic_.bytes += bytes(numbers);
  const std::uint64_t key = order_key(Rank::kMessage, from, messages_[from]++);
  if (trace_ != nullptr)
    trace_message(message ? TraceKind::kSend : TraceKind::kPublish, from, to, key, slot, {});
  Event event{now_, key, to, source, slot, kind, 0, tag};
  if (!up(from)) {
    lose(event, LossReason::kSenderDown);
    return;
  }
  Time left = now_;
  if (!bandwidth_.unlimited()) {
    left = bandwidth_.send(from, static_cast<double>(bytes(numbers)), now_);
    event.flags |= kAtDownlink;
  }
  const Fate fate = links_.transmit(from, to, position, now_);
  if (fate.lost) {
    lose(event, *fate.lost);
    return;
  }
  event.time = left + fate.latency;
  if (!last_arrival_.empty() && (message ? options_.network.links.send_order == MessageOrder::kFifo
                                         : options_.network.links.order == PublicationOrder::kFifo)) {
    // Equal times keep the order of sending: the key counts the sender's messages.
    event.time = last_arrival_[position] = std::max(event.time, last_arrival_[position]);
  }
  if (coin_ && !availability_.online_at_message(from, to, links_.sent(position) - 1)) event.flags |= kOffline;
  queue_.push(event);
}

void Engine::send(AgentId from, AgentId to, std::uint16_t tag, std::uint32_t conversation,
                  std::span<const double> payload) {
  check(lazy_ == nullptr, "a message was sent where all are publications");
  const std::uint32_t position = topology_.edge(from, to);
  check(position < 2 * topology_.edges(), "a message was sent to an agent that is no neighbour");
  const std::uint32_t slot = message_row(conversation, payload);
  if (from != computing_) {
    transmit(from, to, position, slot, EventKind::kMessage, tag, from);
    return;
  }
  pool_.header(slot).version = life(from);
  queue_.push({done_, timer_key(from), to, from, slot, EventKind::kSendMessage, 0, tag});
}

std::uint32_t Engine::publish(AgentId from, std::span<const double> payload) {
  if (lazy_ != nullptr) return publish_lazily(from, payload);
  if (heard_.empty()) heard_.prepare(topology_);
  const std::uint32_t version = heard_.next_version(from);
  const std::uint32_t slot = message_row(0, payload);
  pool_.header(slot).version = version;
  if (from == computing_) {
    queue_.push({done_, timer_key(from), from, life(from), slot, EventKind::kSendPublication, 0, 0});
  } else {
    spread(from, slot);
  }
  return version;
}

void Engine::spread(AgentId from, std::uint32_t slot) {
  const auto neighbours = topology_.neighbours(from);
  pool_.add_reference(slot, static_cast<std::uint32_t>(neighbours.size()));
  for (std::uint32_t k = 0; k < neighbours.size(); ++k) {
    // The source is in the key; its place in the event holds where the reader keeps what it hears.
    const std::uint32_t position = topology_.first_edge(from) + k;
    transmit(from, neighbours[k], position, slot, EventKind::kPublication, 0, heard_.reverse(position));
  }
  pool_.drop(slot);
}

void Engine::receive(Event event) {
  const Admission admission = admit(event);
  if (admission == Admission::kLost) {
    if (event.kind == EventKind::kMessage) fingerprint_.add(event.time, event.key, event.target, 0);
    lose(event, LossReason::kReceiverDown);
  } else if (!up(event.target)) {
    wait(event);
  } else {
    event.time =
        bandwidth_.receive(event.target, static_cast<double>(bytes(pool_.header(event.slot).numbers)), now_);
    event.flags = static_cast<std::uint8_t>(event.flags & ~(kAtDownlink | kReleased));
    queue_.push(event);
  }
}

void Engine::arrive(const Event& event) {
  if ((event.flags & kAtDownlink) != 0) {
    receive(event);
    return;
  }
  const Admission admission = admit(event);
  if (admission == Admission::kWaits) {
    wait(event);
    return;
  }
  if (admission == Admission::kLost) {
    lose(event, LossReason::kReceiverDown);
    return;
  }
  ++traffic_.delivered;
  if (trace_ != nullptr)
    trace_message(TraceKind::kDeliver, event.target, source_of(event.key), event.key, event.slot, {});
  heard_.take(event.source, event.slot, options_.network.links.order == PublicationOrder::kNewest, pool_);
}

Latest Engine::latest(AgentId reader, std::uint32_t k) {
  const std::uint32_t slot = lazy_ != nullptr ? lazy_->row(reader, k, now_, cause_, pool_, links_)
                                              : heard_.row(topology_.first_edge(reader) + k);
  Latest heard;
  if (slot != kNoSlot) {
    const PayloadPool::Header& header = pool_.header(slot);
    heard = {header.version, header.sent, std::as_const(pool_).row(slot).first(header.numbers)};
  }
  fingerprint_.add(now_, k, reader, heard.version);
  return heard;
}

std::uint64_t Engine::timer_key(AgentId i) {
  if (timers_.empty()) timers_.assign(agents(), 0);
  return order_key(Rank::kTimer, i, timers_[i]++);
}

void Engine::after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number) {
  check(delay >= 0 && std::isfinite(delay), "a timer needs a finite delay that is not negative");
  const Time from = leaves(agent);
  queue_.push({from + delay, timer_key(agent), agent, life(agent), number, EventKind::kTimer, 0, tag});
}

void Engine::discard(const Message& message) {
  ++traffic_.lost[static_cast<int>(LossReason::kStale)];
  --traffic_.delivered;
  if (trace_ == nullptr) return;
  trace_->record({.time = now_,
                  .kind = TraceKind::kLose,
                  .agent = message.to,
                  .peer = message.from,
                  .message = message.id,
                  .cause = cause_,
                  .bytes = bytes(message.payload.size()),
                  .staleness = now_ - message.sent,
                  .detail = name(LossReason::kStale)});
}

void Engine::lose(const Event& event, LossReason reason) {
  ++traffic_.lost[static_cast<int>(reason)];
  if (trace_ != nullptr) {
    trace_message(TraceKind::kLose, event.target, source_of(event.key), event.key, event.slot, name(reason));
  }
  pool_.drop(event.slot);
}

void Engine::trace_message(TraceKind kind, AgentId agent, AgentId peer, Cause message, std::uint32_t slot,
                           std::string_view detail) {
  const PayloadPool::Header& header = pool_.header(slot);
  TraceRecord record{.time = now_,
                     .kind = kind,
                     .agent = agent,
                     .peer = peer,
                     .message = message,
                     .cause = cause_,
                     .bytes = bytes(header.numbers),
                     .detail = detail};
  if (kind == TraceKind::kDeliver || kind == TraceKind::kLose) record.staleness = now_ - header.sent;
  trace_->record(record);
}

void Engine::trace_agent(TraceKind kind, AgentId agent, std::string_view detail) {
  trace_->record({.time = now_, .kind = kind, .agent = agent, .cause = cause_, .detail = detail});
}

void Engine::trace_tick(const Event& event, bool ticks) {
  if (ticks) {
    trace_agent(TraceKind::kTick, event.target, (event.flags & kDeferred) != 0 ? "deferred" : "");
  } else {
    trace_agent(TraceKind::kSkip, event.target,
                !up(event.target)    ? ""
                : busy(event.target) ? "busy"
                                     : "offline");
  }
}

void Engine::trace_release(AgentId agent, std::string_view detail) {
  if (trace_ == nullptr) return;
  trace_->record(
      {.time = now_, .kind = TraceKind::kRelease, .agent = agent, .cause = cause_, .detail = detail});
}

}  // namespace hearsay::sim
