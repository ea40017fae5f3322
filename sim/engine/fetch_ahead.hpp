#pragma once
// Brings into the cache what the next ticks and arrivals read and write, where the state of all agents is larger than it.
// Changes nothing but speed. An address that itself has to be read first is fetched some events earlier: hence the
// distances.
#include "sim/engine/agenda.hpp"
#include "sim/engine/lookahead.hpp"
#include "sim/engine/publications.hpp"
#include "sim/engine/speculation.hpp"
#include "sim/engine/transport.hpp"
#include "sim/prefetch.hpp"

namespace hearsay::sim {

/// Before a tick. A handler may have prefetch(agent), for what it reads of an agent that ticks soon. For a tick that has been
/// prepared only what it writes.
template <class Handler>
HEARSAY_PREFETCH inline void fetch_for_ticks(const Ticks& ticks, const Topology& topology,
                                             const Transport& transport, const Publications& publications,
                                             const Lookahead& lookahead,
                                             [[maybe_unused]] const Handler& handler) {
  if (const Tick* t = ticks.ahead(8)) topology.prefetch_place(t->agent);
  if (const Tick* t = ticks.ahead(6)) {
    topology.prefetch_row(t->agent);
    transport.prefetch(t->agent, topology.first_edge(t->agent));
    if constexpr (requires { handler.prefetch(t->agent); }) handler.prefetch(t->agent);
  }
  const auto fetch = [&](std::uint32_t distance, int stage) {
    if (const Tick* t = ticks.ahead(distance); t != nullptr && !lookahead.ready(distance))
      publications.prefetch(t->agent, stage);
    else if (t != nullptr && stage == 0)
      publications.prefetch_own(t->agent);
  };
  if constexpr (requires { handler.prefetch_room(0U); }) {
    if (const std::uint32_t room = lookahead.room(2); room != Lookahead::kNone) handler.prefetch_room(room);
  }
  fetch(5, 0);
  fetch(3, 1);
  fetch(2, 2);
}

/// Before an event of the queue.
HEARSAY_PREFETCH inline void fetch_for_arrivals(EventQueue& queue, const Publications& publications) {
  queue.look_ahead([&publications](const Event& e) {
    if (e.kind == EventKind::kPublication) publications.prefetch_arrival(e.edge(), e.slot());
  });
  if (const Event* e = queue.ahead(4); e != nullptr && e->kind == EventKind::kPublication)
    publications.prefetch_replaced(e->edge());
}

/// Before any event, what has been computed ahead of those that come soon.
template <class Handler>
HEARSAY_PREFETCH inline void fetch_foreseen(const Agenda& agenda, const Speculation& speculation,
                                            const Handler& handler) {
  constexpr std::ptrdiff_t kAhead = 2;  // events
  const auto fetch = [&](AgentId i) {
    if (const std::uint32_t room = speculation.room(i); room != Speculation::kNone)
      handler.prefetch_room(room);
  };
  if constexpr (Handler::kSpeculation.ticks) {
    if (const Tick* tick = agenda.ticks().ahead(kAhead)) fetch(tick->agent);
  }
  if constexpr (Handler::kSpeculation.messages) {
    if (const Event* event = agenda.queue().ahead(kAhead)) fetch(event->target);
  }
}

}  // namespace hearsay::sim
