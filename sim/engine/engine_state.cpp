// The state of an engine between events.
#include "sim/engine/engine.hpp"
#include "sim/state/archive.hpp"

namespace hearsay::sim {

// departing_, and what Presence has of a computation that begins, are of an event that is being handled. Payloads are
// the last, behind all that refers to them.
template <class Archive>
void Engine::serialize(Archive& archive) {
  plain(archive, now_);
  archive(events_, followed_, traced_, timers_, set_by_, fingerprint_);
  if constexpr (Archive::is_loading::value) {
    const std::vector<Timeline::Entry>& entries = options_.timeline.entries;
    const NetworkOptions& network = options_.network;
    // begin() has followed the entries at time 0, which the past of a branch that parts then has not.
    if (!entries.empty() && entries.front().at <= 0)
      change_laws({network.links.latency, network.links.loss, network.links.bandwidth, network.compute_time},
                  *options_.files);
    for (std::size_t n = 0; n < followed_; ++n) change_laws(n);
  }
  archive(presence_, agenda_, transport_, publications_, pool_);
  if constexpr (Archive::is_loading::value) note_what_is_vain();
}

void Engine::save(cereal::BinaryOutputArchive& archive) const {
  const_cast<Engine*>(this)->serialize(archive);  // NOLINT: it writes what it finds
}

void Engine::load(cereal::BinaryInputArchive& archive) {
  serialize(archive);
}

void Engine::branch(Time at) {
  std::vector<Event> pending = agenda_.queue().take_all();
  presence_.branch(at > now() ? Moment{at, 0} : now_, pending);
  for (const Event& event : pending)
    if (event.kind != EventKind::kTimeline) push(event);
  for (std::size_t n = followed_; n < options_.timeline.entries.size(); ++n)
    push(Event::timeline(options_.timeline.entries[n].at, static_cast<std::uint32_t>(n)));
  note_what_is_vain();
}

void Engine::redraw(Time from) {
  if (clocks_.poisson()) agenda_.redraw_ticks(from);
  std::vector<Event> pending = agenda_.queue().take_all();
  presence_.redraw(from, pending);
  for (const Event& event : pending)
    if (event.time < kNever) push(event);
}

void HeldPayload::save(cereal::BinaryOutputArchive& archive) const {
  archive(slot_);
}

void HeldPayload::load(cereal::BinaryInputArchive& archive) {
  *this = {};
  std::uint32_t slot = kNoSlot;
  archive(slot);
  if (slot == kNoSlot) return;
  pool_ = &dynamic_cast<StateReader&>(archive).pool();
  slot_ = slot;
}

}  // namespace hearsay::sim
