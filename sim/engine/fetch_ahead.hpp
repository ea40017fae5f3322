#pragma once
// Brings into the cache what the next ticks and arrivals read and write, where the state of all agents is larger than it.
// Changes nothing but speed. An address that itself has to be read first is fetched some events earlier: hence the
// distances.
#include "sim/engine/agenda.hpp"
#include "sim/engine/publications.hpp"
#include "sim/engine/transport.hpp"
#include "sim/prefetch.hpp"

namespace hearsay::sim {

/// Before a tick. A handler may have prefetch(agent), for what it reads of an agent that ticks soon.
template <class Handler>
HEARSAY_PREFETCH inline void fetch_for_ticks(const Ticks& ticks, const Topology& topology,
                                             const Transport& transport, const Publications& publications,
                                             [[maybe_unused]] const Handler& handler) {
  if (const Tick* t = ticks.ahead(8)) topology.prefetch_place(t->agent);
  if (const Tick* t = ticks.ahead(6)) {
    topology.prefetch_row(t->agent);
    transport.prefetch(t->agent, topology.first_edge(t->agent));
    if constexpr (requires { handler.prefetch(t->agent); }) handler.prefetch(t->agent);
  }
  if (const Tick* t = ticks.ahead(5)) publications.prefetch(t->agent, 0);
  if (const Tick* t = ticks.ahead(3)) publications.prefetch(t->agent, 1);
  if (const Tick* t = ticks.ahead(2)) publications.prefetch(t->agent, 2);
}

/// Before an event of the queue.
HEARSAY_PREFETCH inline void fetch_for_arrivals(EventQueue& queue, const Publications& publications) {
  queue.look_ahead([&publications](const Event& e) {
    if (e.kind == EventKind::kPublication) publications.prefetch_arrival(e.edge(), e.slot());
  });
  if (const Event* e = queue.ahead(4); e != nullptr && e->kind == EventKind::kPublication)
    publications.prefetch_replaced(e->edge());
}

}  // namespace hearsay::sim
