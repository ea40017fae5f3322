#include "sim/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace hearsay::sim {

namespace {

// Mean number of publications of an agent in flight above which reading costs more draws than it saves events.
constexpr double kMaxInFlight = 4;
// Agents whose state, some hundred bytes each, fills the second-level cache.
constexpr AgentId kManyAgents = 4096;

Engine::Options with_files(Engine::Options options, const Topology& topology) {
  if (options.files == nullptr) {
    options.files = std::make_shared<const NetworkFiles>(
        NetworkFiles::of(options.network, options.clocks, options.timeline, topology));
  }
  return options;
}

// Whether all exponents are less than that of infinity and NaN.
bool all_finite(std::span<const double> numbers) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7FF} << 52;
  bool not_finite = false;
  for (const double x : numbers) not_finite |= (std::bit_cast<std::uint64_t>(x) & kExponent) == kExponent;
  return !not_finite;
}

}  // namespace

Engine::Engine(const Options& options, const Topology& topology, const Streams& streams, TraceSink* trace)
    : options_(with_files(options, topology)),
      topology_(topology),
      streams_(streams),
      drawn_(streams),
      clocks_(options.clocks, topology.agents(), streams, first_clock(), options_.files->ticks),
      transport_(options.network.links, options.vector_length, topology, streams, options.hub ? 0 : kNoAgent,
                 *options_.files, options.stand_in),
      presence_(options.network, *options_.files, topology.agents(), options.hub, clocks_.defers(), streams,
                options.timeline.changes(&LawChanges::compute_time)),
      last_time_(std::min(options.time_limit, last_resolved())),
      stop_at_(last_time_),
      agenda_(clocks_, first_clock(), topology.agents(), last_time_),
      pool_(options.payload_width),
      trace_(trace),
      publications_(topology, pool_, transport_.links(),
                    options.network.links.order == PublicationOrder::kNewest, lazy_latency(options)),
      large_(topology.agents() >= kManyAgents) {
  check(options.observe_every > 0, "expected a positive time between observations");
}

// The last time at which the doubles around it, at most epsilon times it apart, are close enough for all clocks.
Time Engine::last_resolved() const {
  return kResolution / (fastest_clock() * std::numeric_limits<Time>::epsilon());
}

// Largest rate of a clock, 1/s.
double Engine::fastest_clock() const {
  double rate = 0;
  for (AgentId i = first_clock(); i < agents(); ++i) rate = std::max(rate, clocks_.rate(i));
  return rate;
}

// The next event is after the last time of the run.
End Engine::pass_last_time() {
  if (last_time_ < options_.time_limit) {
    throw LimitError(
        "the run has reached {:g} s, where times are too coarse for a clock of {:g} ticks per second; "
        "give the run a limit (stop), or use another unit of time",
        last_time_, fastest_clock());
  }
  now_.time = last_time_;
  return End::kTime;
}

// The longest latency if publications may travel without events.
std::optional<Time> Engine::lazy_latency(const Options& options) const {
  const LinkOptions& links = options.network.links;
  if (options.delivery != Delivery::kLazy || tracing() || !options.timeline.empty()) return std::nullopt;
  if (options.event_limit < std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  if (!presence_.always() || !transport_.unlimited_bandwidth()) return std::nullopt;
  if (!transport_.links().loss().none() || links.order != PublicationOrder::kNewest) return std::nullopt;
  // A clock that ends leaves messages in flight behind.
  if (std::holds_alternative<ClockTrace>(options.clocks) || clocks_.never_tick()) return std::nullopt;
  const std::optional<Time> longest = links.latency.bound_per_message();
  if (!longest || *longest * fastest_clock() > kMaxInFlight) return std::nullopt;
  return longest;
}

double Engine::tick_residual() const {
  double rate = clocks_.poisson() ? 0 : std::numeric_limits<double>::quiet_NaN();
  for (AgentId i = first_clock(); i < agents(); ++i) rate += clocks_.rate(i);
  return agenda_.ticks().popped() - rate * now();
}

double Engine::loss_residual() const {
  const auto* const loss = std::get_if<BernoulliLoss>(&options_.network.links.loss);
  if (loss == nullptr || loss->probability == 0 || options_.timeline.changes(&LawChanges::loss))
    return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(traffic().lost_as(LossReason::kLoss)) -
         loss->probability * transport_.links().sent();
}

double Engine::latency_residual() const {
  double sum = std::numeric_limits<double>::quiet_NaN();
  if (options_.network.links.latency.constant() || options_.timeline.changes(&LawChanges::latency) ||
      !topology_.has_few_edges())
    return sum;
  const Links& links = transport_.links();
  const bool per_message = links.latency_drawn() == Drawn::kPerMessage;
  if (per_message && drawn_.key(Purpose::kLatency) != streams_.key(Purpose::kLatency)) return sum;
  sum = 0;
  for (AgentId i = 0; i < agents(); ++i) {
    for (std::uint32_t k = 0; k < topology_.degree(i); ++k) {
      const std::uint32_t sent = lazy() ? publications_.version(i) : links.sent(topology_.first_edge(i) + k);
      for (std::uint32_t n = 0; n < (per_message ? sent : 1); ++n)
        sum += links.latency_deviation(i, topology_.neighbour(i, k), n);
    }
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::quiet_NaN();
}

void Engine::start() {
  fingerprint_.add(0, 0, agents(), 0);
  presence_.start(agenda_.queue());
  if (std::isfinite(options_.observe_every)) push(Event::observation(options_.observe_every, 1));
  note_what_is_vain();
  if (tracing()) {
    trace(TraceKind::kStart, kNoAgent);
    trace_timeline();
    for (AgentId i = 0; i < agents(); ++i)
      if (!up(i)) trace(TraceKind::kDown, i);
  }
  // Laws that change at time 0 hold for what the handler sends and computes at the start.
  const std::vector<Timeline::Entry>& entries = options_.timeline.entries;
  for (std::uint32_t n = 0; n < entries.size(); ++n) {
    const Event event = Event::timeline(entries[n].at, n);
    if (event.time > 0) {
      push(event);
    } else {
      follow(event);
    }
  }
}

// Lazy publications are counted as delivered when they are made: subtracts those that have not arrived. Those that have
// would have been events.
void Engine::settle(End end) {
  if (!lazy()) return;
  // At the time limit all events of that time have happened.
  const Moment last{now(), end == End::kTime ? ~std::uint64_t{0} : now_.key};
  transport_.take_back(publications_.lazy()->in_flight(last));
  events_ += transport_.traffic().delivered;
}

std::uint32_t Engine::store(std::span<const double> payload, std::uint32_t conversation,
                            std::uint32_t version, Payload kind) {
  check(payload.size() <= pool_.width(), "a message is longer than the rows of the payload pool");
  const std::uint32_t slot = pool_.take();
  std::copy(payload.begin(), payload.end(), pool_.row(slot).begin());
  PayloadPool::Header& header = pool_.header(slot);
  header.sent = now();
  header.version = version;
  header.conversation = conversation;
  header.numbers = static_cast<std::uint32_t>(payload.size()) & 0x7FFF'FFFF;
  header.not_finite = kind == Payload::kNumbers && !all_finite(payload);
  return slot;
}

// Sends a message or a copy of a publication over the edge at a position.
inline void Engine::transmit(Event& event, EdgePosition position, const Time* latency) {
  const AgentId from = event.source(), to = event.target;
  if (tracing())
    trace_message(event.kind == EventKind::kMessage ? TraceKind::kSend : TraceKind::kPublish, event);
  if (!up(from)) return lose(event, LossReason::kSenderDown);
  const auto lost = transport_.send(event, position, pool_.header(event.slot()).numbers, now(), latency);
  if (lost) return lose(event, *lost);
  // Its number is that of a message on the link all the same.
  if (pool_.header(event.slot()).not_finite) [[unlikely]]
    return lose(event, LossReason::kNotFinite);
  if (!presence_.online_at_message(from, to, transport_.links().sent(position) - 1))
    event.flags |= Event::kOffline;
  push(event);
}

void Engine::send(AgentId from, AgentId to, std::uint16_t tag, std::uint32_t conversation,
                  std::span<const double> payload, Time withheld, Payload kind) {
  send(from, std::span(&to, 1), tag, conversation, payload, withheld, kind);
}

void Engine::send(AgentId from, std::span<const AgentId> to, std::uint16_t tag, std::uint32_t conversation,
                  std::span<const double> payload, Time withheld, Payload kind) {
  check(!lazy(), "a message was sent in a run of publications only");
  if (to.empty()) return;
  const std::uint32_t slot = store(payload, conversation, 0, kind);
  pool_.add_reference(slot, static_cast<std::uint32_t>(to.size() - 1));
  for (const AgentId receiver : to) {
    const EdgePosition position = topology_.edge(from, receiver);
    check(position < 2 * topology_.edges(), "a message was sent to an agent that is not a neighbour");
    if (from == presence_.computing() || withheld > 0) {
      push_departure(withheld, from, EventKind::kSendMessage, receiver, slot, tag);
    } else {
      Event message = Event::message(now(), transport_.count(from, payload.size()), receiver, slot, tag);
      transmit(message, position);
    }
  }
}

std::uint32_t Engine::publish(AgentId from, std::span<const double> payload, Time withheld) {
  const std::uint32_t version = publications_.next_version(from), degree = topology_.degree(from);
  if (withheld == kNever) return version;
  const std::uint32_t slot = store(payload, 0, version);
  if (lazy() && pool_.header(slot).not_finite) {
    transport_.count(from, payload.size(), degree);
    for (std::uint32_t k = 0; k < degree; ++k) transport_.lose(LossReason::kNotFinite);
    not_finite_from_ = from;
    pool_.drop(slot);
  } else if (lazy()) {
    publications_.lazy()->publish(from, slot, transport_.count(from, payload.size(), degree), now_);
    transport_.deliver(degree);  // settled at the end
  } else if (from == presence_.computing() || withheld > 0) {
    push_departure(withheld, from, EventKind::kSendPublication, from, slot);
  } else {
    send_copies(from, slot);
  }
  return version;
}

// What an agent sends while it computes leaves at the end, what it withholds later.
void Engine::push_departure(Time withheld, AgentId from, EventKind kind, AgentId to, std::uint32_t slot,
                            std::uint16_t tag) {
  const std::uint64_t key = timer_key(from);
  if (tracing()) keep_origin(key);
  push(Event::departure(leaves(from) + withheld, key, presence_.life(from), kind, to, slot, tag));
}

// Sends a publication to each neighbour.
void Engine::send_copies(AgentId from, std::uint32_t slot) {
  const Neighbours neighbours = topology_.neighbours(from);
  const std::uint32_t degree = neighbours.size();
  const std::uint64_t first_key = transport_.count(from, pool_.header(slot).numbers, degree);
  pool_.add_reference(slot, degree);
  const EdgePosition first_edge = topology_.first_edge(from);
  constexpr std::uint32_t kBatch = Latency::kTogether;
  Time latencies[kBatch];
  AgentId room[kBatch];
  for (std::uint32_t k = 0; k < degree; ++k) {
    const EdgePosition position = first_edge + k;
    if (k % kBatch == 0)
      transport_.links().next_latencies(from, neighbours.part(k, std::min(kBatch, degree - k), room),
                                        position, latencies);
    Event copy =
        Event::publication(now(), first_key + k, neighbours[k], slot, publications_.reverse(position));
    transmit(copy, position, &latencies[k % kBatch]);
  }
  pool_.drop(slot);
}

// A message that has reached its receiver's downlink is received after the transfer.
void Engine::pass_downlink(Event event) {
  if (presence_.admit(event) == Admission::kLost) {
    if (event.kind == EventKind::kMessage) fingerprint_.add(event.time, event.key, event.target, 0);
    lose(event, LossReason::kReceiverDown);
  } else if (!up(event.target)) {
    presence_.wait(event);
  } else {
    event.time = transport_.receive(event.target, pool_.header(event.slot()).numbers, now());
    event.clear(Event::kAtDownlink | Event::kReleased);
    push(event);
  }
}

void Engine::lose(const Event& event, LossReason reason) {
  transport_.lose(reason);
  if (reason == LossReason::kNotFinite) not_finite_from_ = event.source();
  if (tracing()) trace_message(TraceKind::kLose, event, name(reason));
  pool_.drop(event.slot());
}

void Engine::discard(const Message& message) {
  transport_.lose(LossReason::kStale);
  transport_.take_back();
  if (!tracing()) return;
  trace_->record({.time = now(),
                  .kind = TraceKind::kLose,
                  .agent = message.to,
                  .peer = message.from,
                  .message = message.id,
                  .cause = now_.key,
                  .bytes = transport_.bytes(message.payload.size()),
                  .staleness = now() - message.sent,
                  .detail = name(LossReason::kStale)});
}

std::uint64_t Engine::timer_key(AgentId i) {
  if (timers_.empty()) timers_.assign(agents(), 0);
  const std::uint32_t key = timers_[i];
  timers_[i] = next_number(key, "timers and computations of an agent");
  return order_key(Rank::kTimer, i, key);
}

void Engine::after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number) {
  check(delay >= 0 && std::isfinite(delay), "expected a finite delay of a timer of at least 0");
  const std::uint64_t key = timer_key(agent);
  if (tracing()) keep_origin(key);
  push(Event::timer(leaves(agent) + delay, key, presence_.life(agent), tag, number));
}

// Where nothing ends a run after a time, ticks that are skipped for ever, and random changes of state, would go on.
void Engine::note_what_is_vain() {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  const bool unlimited = options_.time_limit == kNever && options_.event_limit == kUnlimited;
  const std::size_t observations = std::isfinite(options_.observe_every) ? 1 : 0;  // there is always one
  agenda_.are_vain(unlimited && presence_.all_gone(), observations + (unlimited ? presence_.endless() : 0));
}

// Returns whether the agent's state has changed.
bool Engine::change_state(const Event& event) {
  const AgentId i = event.target;
  const bool up = event.kind == EventKind::kUp, changed = presence_.change(event, agenda_.queue());
  fingerprint_.add(event.time, event.key, i, up ? 1 : 0);
  if (changed && tracing()) {
    trace_timeline();
    trace(up ? TraceKind::kUp : TraceKind::kDown, i);
  }
  if (presence_.resets(event)) {
    presence_.reset(i);
    publications_.forget(i);
    if (tracing()) trace(TraceKind::kReset, i);
    if (options_.network.in_flight == InFlight::kLost) lose_received(i);
  }
  if (up && changed) {
    pass_waiting(i);
    // Timers that were due get new keys: they fire after all that have been set.
    presence_.for_each_waiting(i, [this, i](Event& waiting) {
      if (waiting.kind != EventKind::kTimer) {
        if (!waiting.has(Event::kOffline)) waiting = received(waiting);
        return;
      }
      const std::uint64_t before = std::exchange(waiting.key, timer_key(i));
      if (tracing()) move_origin(before, waiting.key);
    });
    presence_.resume(i, now(), agenda_.queue());
  }
  note_what_is_vain();
  return changed;
}

// A message waits for an agent that is up.
Event Engine::received(Event event) {
  if (event.has(Event::kReceived)) return event;
  if (tracing()) {
    TraceRecord begins = record_of(TraceKind::kDeliver, event);
    begins.waits = Waits::kBegins;
    trace_->begins_to_wait(begins);
  }
  event.flags |= Event::kReceived;
  return event;
}

void Engine::wait(const Event& event) {
  presence_.wait(up(event.target) ? received(event) : event);
}

// Agent i returns. What arrived meanwhile and needs no handler passes now, in order of arrival, also if the agent
// computes: what arrives from now on does not wait either, and would overtake it. All of it belongs to the event of the
// return, so that no limit of events lies within.
void Engine::pass_waiting(AgentId i) {
  presence_.take_waiting(i, [this](const Event& event) {
    const bool passes = event.has(Event::kAtDownlink) || event.kind == EventKind::kPublication;
    if (!passes) return false;
    if (accept(event)) {
      deliver(event);
      publications_.arrive(event.edge(), event.slot());
    }
    return true;
  });
}

// Agent i has lost the messages that it had received while it computed, and not handled.
void Engine::lose_received(AgentId i) {
  presence_.take_waiting(i, [this](const Event& event) {
    if (event.kind != EventKind::kMessage) return false;
    fingerprint_.add(now(), event.key, event.target, 0);
    lose(event, LossReason::kReceiverDown);
    return true;
  });
}

// A computation has ended: a message sent meanwhile leaves, unless its agent has lost its state.
void Engine::depart(const Event& event) {
  const AgentId from = event.source();
  const std::uint32_t slot = event.slot();
  if (event.life() != presence_.life(from)) return pool_.drop(slot);
  PayloadPool::Header& header = pool_.header(slot);
  header.sent = now();
  if (tracing()) departing_ = take_origin(event.key);
  if (event.kind == EventKind::kSendPublication) {
    send_copies(from, slot);
  } else {
    Event message =
        Event::message(now(), transport_.count(from, header.numbers), event.target, slot, event.tag);
    transmit(message, topology_.edge(from, event.target));
  }
  departing_ = 0;
}

void Engine::occupy() {
  const AgentId i = presence_.computing();
  const std::uint64_t key = timer_key(i);
  push(presence_.occupy(key));
  if (!tracing()) return;
  keep_origin(key);
  trace(TraceKind::kCompute, i);
}

void Engine::free(const Event& event) {
  if (event.life() != presence_.life(event.target)) return;
  if (tracing()) trace(TraceKind::kComputed, event.target);
  presence_.free(event.target);
  presence_.resume(event.target, now(), agenda_.queue());
}

std::vector<std::string> Engine::events_to_come() const {
  std::vector<std::string> texts;
  for (std::size_t n = followed_; n < options_.timeline.entries.size(); ++n)
    texts.push_back(
        fmt::format("{} at {:g} s", options_.timeline.entries[n].text, options_.timeline.entries[n].at));
  return texts;
}

// An entry of the timeline: laws change for what begins from now on.
void Engine::follow(const Event& event) {
  const std::uint32_t n = sequence_of(event.key);
  ++followed_;
  fingerprint_.add(event.time, event.key, agents(), n);
  if (tracing()) trace_timeline();
  change_laws(n);
}

void Engine::change_laws(std::size_t n) {
  change_laws(options_.timeline.entries[n].changes, options_.files->changes.at(n));
}

void Engine::change_laws(const LawChanges& changes, const NetworkFiles& files) {
  transport_.change(changes, topology_, streams_, files);
  if (changes.compute_time)
    presence_.change(ComputeTime(*changes.compute_time, agents(), first_clock(), streams_));
  draw_from(drawn_);
}

void Engine::draw_from(const Streams& streams) {
  drawn_ = streams;
  clocks_.draw_from(streams);
  transport_.draw_from(streams);
  presence_.draw_from(streams);
}

}  // namespace hearsay::sim
