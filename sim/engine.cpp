#include "sim/engine.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay::sim {

Engine::Engine(const Options& options, const Topology& topology, const Streams& streams, TraceSink* trace)
    : options_(options),
      topology_(topology),
      clocks_(options.clocks, topology.agents(), streams),
      links_(options.network.links, topology, streams),
      availability_(options.network.availability, streams),
      queue_(topology.agents()),
      pool_(options.payload_width),
      trace_(trace),
      up_count_(topology.agents()),
      messages_(topology.agents()) {
  check(options.observe_every > 0, "observations need a distance");
}

void Engine::start() {
  fingerprint_.add(0, 0, agents(), 0);
  if (trace_ != nullptr) trace_agent(TraceKind::kStart, kNoAgent);
  if (!availability_.always()) {
    up_.assign(agents(), 1);
    first_held_.assign(agents(), kNoSlot);
    for (AgentId i = 0; i < agents(); ++i) {
      if (!availability_.applies_to(options_.hub && i == 0)) continue;
      const Availability::Period first = availability_.first(i);
      if (!first.up) {
        up_[i] = 0;
        --up_count_;
        if (trace_ != nullptr) trace_agent(TraceKind::kDown, i);
      }
      const Rank rank = first.up ? Rank::kDown : Rank::kUp;
      queue_.push({first.length, order_key(rank, i, 1), i, i, kNoSlot,
                   first.up ? EventKind::kDown : EventKind::kUp, 0, 0});
    }
  }
  for (AgentId i = options_.hub ? 1 : 0; i < agents(); ++i) next_tick(i, 0, 0);
  if (std::isfinite(options_.observe_every)) next_observation(1);
}

void Engine::change_state(const Event& event) {
  const bool comes_up = event.kind == EventKind::kUp;
  const AgentId i = event.target;
  const std::uint32_t period = sequence_of(event.key);
  up_[i] = comes_up ? 1 : 0;
  up_count_ += comes_up ? 1u : ~0u;
  fingerprint_.add(event.time, event.key, i, comes_up ? 1 : 0);
  if (trace_ != nullptr) trace_agent(comes_up ? TraceKind::kUp : TraceKind::kDown, i);
  queue_.push({now_ + availability_.length(i, period, comes_up),
               order_key(comes_up ? Rank::kDown : Rank::kUp, i, period + 1), i, i, kNoSlot,
               comes_up ? EventKind::kDown : EventKind::kUp, 0, 0});
  if (comes_up) release_held(i);
}

void Engine::release_held(AgentId agent) {
  // The last to be held is first in the list.
  std::uint32_t first = kNoSlot;
  for (std::uint32_t h = std::exchange(first_held_[agent], kNoSlot); h != kNoSlot;) {
    h = std::exchange(held_[h].next, std::exchange(first, h));
  }
  for (std::uint32_t h = first; h != kNoSlot;) {
    Event timer = held_[h].event;
    timer.time = now_;
    timer.key = order_key(Rank::kTimer, agent, timers_[agent]++);
    queue_.push(timer);
    h = std::exchange(held_[h].next, std::exchange(free_held_, h));
  }
}

void Engine::hold(const Event& event) {
  std::uint32_t h = free_held_;
  if (h == kNoSlot) {
    h = static_cast<std::uint32_t>(held_.size());
    held_.push_back({});
  } else {
    free_held_ = held_[h].next;
  }
  held_[h] = {event, first_held_[event.target]};
  first_held_[event.target] = h;
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
  ++traffic_.messages;
  traffic_.vectors += (numbers + options_.vector_length - 1) / options_.vector_length;
  traffic_.bytes += kHeaderBytes + kNumberBytes * numbers;
  const std::uint64_t key = order_key(Rank::kMessage, from, messages_[from]++);
  if (trace_ != nullptr) {
    trace_message(kind == EventKind::kMessage ? TraceKind::kSend : TraceKind::kPublish, from, to, key, slot,
                  {});
  }
  Event event{now_, key, to, source, slot, kind, 0, tag};
  if (!up(from)) {
    lose(event, LossReason::kSenderDown);
  } else if (const auto latency = links_.transmit(from, to, position)) {
    event.time = now_ + *latency;
    queue_.push(event);
  } else {
    lose(event, LossReason::kLoss);
  }
}

void Engine::send(AgentId from, AgentId to, std::uint16_t tag, std::uint32_t conversation,
                  std::span<const double> payload) {
  const std::uint32_t position = topology_.edge(from, to);
  check(position < 2 * topology_.edges(), "a message was sent to an agent that is no neighbour");
  transmit(from, to, position, message_row(conversation, payload), EventKind::kMessage, tag, from);
}

std::uint32_t Engine::publish(AgentId from, std::span<const double> payload) {
  if (publications_.empty()) {
    publications_.assign(agents(), 0);
    latest_.assign(2 * topology_.edges(), kNoSlot);
    reverse_.resize(2 * topology_.edges());
    for (AgentId i = 0; i < agents(); ++i) {
      for (std::uint32_t k = 0; k < topology_.degree(i); ++k) {
        reverse_[topology_.first_edge(i) + k] = topology_.edge(topology_.neighbours(i)[k], i);
      }
    }
  }
  const std::uint32_t version = ++publications_[from];
  const std::uint32_t slot = message_row(0, payload);
  pool_.header(slot).version = version;
  const auto neighbours = topology_.neighbours(from);
  pool_.add_reference(slot, static_cast<std::uint32_t>(neighbours.size()));
  for (std::uint32_t k = 0; k < neighbours.size(); ++k) {
    // The source is in the key; its place in the event holds where the reader keeps what it hears.
    const std::uint32_t position = topology_.first_edge(from) + k;
    transmit(from, neighbours[k], position, slot, EventKind::kPublication, 0, reverse_[position]);
  }
  pool_.drop(slot);
  return version;
}

void Engine::arrive(const Event& event) {
  if (!up(event.target)) {
    lose(event, LossReason::kReceiverDown);
    return;
  }
  ++traffic_.delivered;
  if (trace_ != nullptr) {
    trace_message(TraceKind::kDeliver, event.target, source_of(event.key), event.key, event.slot, {});
  }
  std::uint32_t& heard = latest_[event.source];
  // The newest publication counts, not the last to arrive.
  if (heard != kNoSlot && pool_.header(heard).version > pool_.header(event.slot).version) {
    pool_.drop(event.slot);
    return;
  }
  pool_.drop(heard);
  heard = event.slot;
}

Latest Engine::latest(AgentId reader, std::uint32_t k) {
  const std::uint32_t slot = latest_.empty() ? kNoSlot : latest_[topology_.first_edge(reader) + k];
  Latest heard;
  if (slot != kNoSlot) {
    const PayloadPool::Header& header = pool_.header(slot);
    heard = {header.version, header.sent, std::as_const(pool_).row(slot).first(header.numbers)};
  }
  fingerprint_.add(now_, k, reader, heard.version);
  return heard;
}

void Engine::after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number) {
  check(delay >= 0 && std::isfinite(delay), "a timer needs a finite delay that is not negative");
  if (timers_.empty()) timers_.assign(agents(), 0);
  queue_.push({now_ + delay, order_key(Rank::kTimer, agent, timers_[agent]++), agent, agent, number,
               EventKind::kTimer, 0, tag});
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
                  .bytes = kHeaderBytes + kNumberBytes * message.payload.size(),
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
                     .bytes = kHeaderBytes + kNumberBytes * header.numbers,
                     .detail = detail};
  if (kind == TraceKind::kDeliver || kind == TraceKind::kLose) record.staleness = now_ - header.sent;
  trace_->record(record);
}

void Engine::trace_agent(TraceKind kind, AgentId agent) {
  trace_->record({.time = now_, .kind = kind, .agent = agent, .cause = cause_});
}

void Engine::trace_release(AgentId agent, std::string_view detail) {
  if (trace_ == nullptr) return;
  trace_->record(
      {.time = now_, .kind = TraceKind::kRelease, .agent = agent, .cause = cause_, .detail = detail});
}

}  // namespace hearsay::sim
