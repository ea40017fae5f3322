#pragma once
// The driver that runs a protocol: compiled for each one.
#include <algorithm>
#include <istream>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>
#include <string_view>

#include "models/algebra/state.hpp"
#include "models/run/observer.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

/// At most 100 N and this many events may happen at one time; beyond that a run that only time ends has failed.
inline constexpr std::uint64_t kMaxAtOnce = 10'000'000;
/// Both throw sim::UserError, for so many events in vain.
[[noreturn]] void time_stands_still(const World& world, sim::Time at, std::uint64_t events);
[[noreturn]] void nothing_is_reached(const World& world, std::uint64_t events);

/// Passes the engine's events on to a protocol and says when to look at the run.
template <Protocol P>
class Driver final : public Probe, public RunState {
  static_assert(
      !Entry(P::kEntry).snapshots || hooks::describes_state<P>,
      "expected a state of the protocol itself (auto state() { return std::tie(...); }), or Entry::snapshots false");

 public:
  Driver(P& protocol, World& world, Observer& observer)
      : protocol_(protocol),
        world_(world),
        context_(world),
        observer_(observer),
        next_iteration_(observer.every_iterations),
        next_vectors_(observer.every_vectors),
        next_bytes_(observer.every_bytes),
        next_check_(observer.check_every_iterations) {
    world_.probe = this;
  }
  ~Driver() override { world_.probe = nullptr; }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void measure([[maybe_unused]] std::string_view metric, [[maybe_unused]] const World& world,
               [[maybe_unused]] std::span<double> out) const override {
    static_assert(
        hooks::measure<P> == requires { P::kMetrics; }, "kMetrics and measure belong together");
    if constexpr (hooks::measure<P>) {
      for (std::size_t k = 0; k < protocol_.kMetrics.size(); ++k) {
        if (protocol_.kMetrics[k].name == metric) return protocol_.measure(k, world, out);
      }
    }
    sim::check(false, "the protocol has no such metric");
  }

  sim::End run() {
    world_.engine.begin(*this);
    if (observer_.keeper != nullptr) observer_.keeper->resume(world_, *this);
    sim::End end = go_on();
    for (; end == sim::End::kPaused; end = go_on()) {
      --asked_;  // the engine will ask once more, between the same events
      observer_.keeper->keep(world_, *this);
      stopped_ |= observer_.should_abort();
    }
    if (keeps() && stopped_ && !finished_) observer_.keeper->stopped(*this);
    world_.ledger.verify();
    if (!observed_here_ || moved() != observed_traffic_ || world_.engine.now() != observed_time_) look();
    return end;
  }

  void on_start() {
    if constexpr (hooks::on_start<P>) protocol_.on_start(context_);
    world_.freeze_start();
    look();
    // A protocol may count its start as an iteration, and send; that has been looked at. It may end a run.
    count_due();
    finished_ = ends();
    if (observer_.check_every_iterations != 0) stopped_ = observer_.reached(world_);
  }
  void on_tick(sim::AgentId i) {
    protocol_.on_tick(i, context_);
    after_event();
  }
  bool arrives(const sim::Message& message) { return context_.arrive(message); }
  void on_message(const sim::Message& message) {
    if constexpr (hooks::on_message<P>) protocol_.on_message(message, context_);
    after_event();
  }
  void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t number) {
    if constexpr (hooks::on_timer<P>) protocol_.on_timer(i, tag, number, context_);
    after_event();
  }
  void on_up(sim::AgentId i) {
    if constexpr (hooks::on_up<P>) protocol_.on_up(i, context_);
    after_event();
  }
  void on_down(sim::AgentId i) {
    if constexpr (hooks::on_down<P>) protocol_.on_down(i, context_);
    after_event();
  }
  static constexpr bool hears_changes(bool resets) {
    return hooks::on_up<P> || hooks::on_down<P> || (resets && hooks::reset<P>);
  }
  void on_reset(sim::AgentId i) {
    world_.restore_start(i);
    if constexpr (hooks::reset<P>) protocol_.reset(i, context_);
    after_event();
  }
  void save(std::ostream& out) const override {
    sim::check(Entry(P::kEntry).snapshots, "the protocol does not describe its state");
    cereal::BinaryOutputArchive archive(out);
    const_cast<Driver*>(this)->serialize(archive);  // NOLINT: it writes what it finds
  }
  void load(std::istream& in) override {
    sim::StateReader archive(in, world_.engine.pool());
    serialize(static_cast<cereal::BinaryInputArchive&>(archive));
    stopped_ = finished_ = false;  // at the start
  }
  void continue_as(std::uint32_t number) override { world_.continue_as(number); }
  void redraw(sim::Time from) override { world_.engine.redraw(from); }
  void branch(sim::Time at) override { world_.engine.branch(at); }
  /// Of ticks: see sim/engine/lookahead.hpp.
  sim::Preparation preparation() const requires hooks::prepare<P> { return context_.preparation(); }
  void make_rooms(std::uint32_t count) {
    if constexpr (hooks::foresees<P>) {
      protocol_.foresight().make_rooms(count, context_);
    } else {
      context_.make_rooms(count);
    }
  }
  void prepare(sim::AgentId i, sim::Moment at, std::uint32_t room) const requires hooks::prepare<P> {
    context_.prepare(i, at, protocol_, room);
  }
  /// What agents will compute: see sim/engine/speculation.hpp.
  static constexpr sim::Speculation::Kinds kSpeculation{hooks::foresee_tick<P>, hooks::foresee_message<P>};
  sim::Preparation speculation() const requires hooks::foresees<P> {
    return protocol_.foresight().cost(context_);
  }
  void foresee_tick([[maybe_unused]] sim::AgentId i, [[maybe_unused]] std::uint32_t room) const {
    if constexpr (hooks::foresee_tick<P>) protocol_.foresee_tick(i, context_, room);
  }
  void foresee_message([[maybe_unused]] const sim::Message& message,
                       [[maybe_unused]] std::uint32_t room) const {
    if constexpr (hooks::foresee_message<P>) protocol_.foresee_message(message, context_, room);
  }
  HEARSAY_PREFETCH void prefetch_room(std::uint32_t room) const {
    if constexpr (hooks::foresees<P>) {
      protocol_.foresight().prefetch_room(room);
    } else {
      context_.prefetch_room(room);
    }
  }
  /// Agent i ticks soon.
  HEARSAY_PREFETCH void prefetch(sim::AgentId i) const { world_.prefetch(i); }
  std::string_view timer_name([[maybe_unused]] sim::AgentId i, [[maybe_unused]] std::uint16_t tag,
                              [[maybe_unused]] std::uint32_t number) const {
    if constexpr (hooks::timer_name<P>) return protocol_.timer_name(i, tag, number);
    return {};
  }
  /// The engine has sent what was computed.
  void on_departure() { after_event(); }
  void on_observation() {
    look();
    stopped_ |= observer_.should_abort();
  }
  // The engine asks once an event of any kind: a run in which nothing happens for the protocol can be aborted too.
  bool finished() {
    if (++asked_ % Observer::kAbortCheckEvents == 0) {
      stopped_ |= observer_.should_abort();
      require_progress();
      pauses_ |= keeps() && observer_.keeper->due(world_);
    }
    if (const auto lost = world_.engine.traffic().lost_as(sim::LossReason::kNotFinite); lost != not_finite_)
        [[unlikely]] {
      not_finite_ = lost;
      const sim::AgentId from = world_.engine.not_finite_from();
      if (!context_.is_hostile(from)) world_.overflowed = from;
    }
    stopped_ |= world_.overflowed != sim::kNoAgent;
    return finished_ || stopped_ || pauses_;
  }
  bool pauses() const { return pauses_ && !finished_ && !stopped_; }

 private:
  sim::End go_on() {
    if (keeps()) {
      world_.engine.pause_after(observer_.keeper->pause_after());
      pause_at_ = observer_.keeper->pause_at_iteration();
    }
    pauses_ = world_.iterations >= pause_at_;
    return world_.engine.run(*this);
  }
  bool keeps() const { return Entry(P::kEntry).snapshots && observer_.keeper != nullptr; }

  // The protocol is read before the world: what it held belongs to the payloads that the world replaces.
  template <class Archive>
  void serialize(Archive& archive) {
    if constexpr (hooks::describes_state<P>) archive(protocol_);
    archive(next_iteration_, next_vectors_, next_bytes_, next_check_, observed_traffic_, observed_time_,
            asked_, instant_, done_, vain_since_, observed_here_, not_finite_, world_);
  }

  void look() {
    observer_.observe(world_);
    observed_here_ = true;
    observed_traffic_ = moved();
    observed_time_ = world_.engine.now();
    if (observer_.check_every_iterations == 0) stopped_ |= observer_.reached(world_);
  }

  // A run that only time ends would not end where none passes, one that counts end where nothing that they count is done.
  void require_progress() {
    const StopLimits& stop = world_.study.stop;
    const bool counts = stop.any(), by_time = world_.engine.time_limit() < sim::kNever;
    const std::uint64_t done = counts ? counted() : 0;
    if (done != done_ || ((!counts || by_time) && world_.engine.now() > instant_)) {
      done_ = done;
      instant_ = world_.engine.now();
      vain_since_ = asked_ - Observer::kAbortCheckEvents;
    }
    const std::uint64_t agents = context_.agents(), in_vain = asked_ - vain_since_;
    if (!counts && in_vain > kMaxAtOnce + 100 * agents) time_stands_still(world_, instant_, in_vain);
    if (counts && in_vain > stop.patience * (100 + agents)) nothing_is_reached(world_, in_vain);
  }

  // Grows with everything that brings a run closer to one of its limits.
  std::uint64_t counted() const {
    constexpr StopLimits kNone;
    const StopLimits& stop = world_.study.stop;
    const sim::Traffic& traffic = world_.engine.traffic();
    return (stop.iterations < kNone.iterations ? world_.iterations : 0) +
           (stop.vectors < kNone.vectors ? traffic.vectors : 0) +
           (stop.bytes < kNone.bytes ? traffic.bytes : 0) + (stop.budgets_spent ? world_.releases() : 0);
  }

  // The engine delivers publications and loses messages at times when nothing happens for the protocol. What is delivered
  // without events is settled at the end alone.
  std::uint64_t moved() const {
    const sim::Traffic& traffic = world_.engine.traffic();
    return std::accumulate(std::begin(traffic.lost), std::end(traffic.lost),
                           traffic.messages + (world_.engine.lazy() ? 0 : traffic.delivered));
  }

  // `next` is due when `count` has reached it; moves it past the count.
  static bool due(std::uint64_t count, std::uint64_t every, std::uint64_t& next) {
    if (every == 0 || count < next) return false;
    next = (count / every + 1) * every;
    return true;
  }

  // Whether an observation is due by what has been done so far; moves on to the next ones.
  bool count_due() {
    const sim::Traffic& traffic = world_.engine.traffic();
    bool any = due(world_.iterations, observer_.every_iterations, next_iteration_);
    any |= due(traffic.vectors, observer_.every_vectors, next_vectors_);
    any |= due(traffic.bytes, observer_.every_bytes, next_bytes_);
    return any;
  }

  bool awaits_answers() const {
    if constexpr (hooks::awaits_answers<P>) return protocol_.awaits_answers(context_);
    return false;
  }

  void after_event() {
    observed_here_ = false;
    if (count_due()) on_observation();
    if (due(world_.iterations, observer_.check_every_iterations, next_check_))
      stopped_ |= observer_.reached(world_);
    finished_ = ends();
    pauses_ |= world_.iterations >= pause_at_;
  }

  // Whether the run ends by what has been done so far, or the protocol ends it.
  bool ends() {
    const StopLimits& stop = world_.study.stop;
    const sim::Traffic& traffic = world_.engine.traffic();
    const bool reached = world_.iterations >= stop.iterations || traffic.vectors >= stop.vectors ||
                         traffic.bytes >= stop.bytes ||
                         (stop.budgets_spent && world_.ledger.all_spent() && !awaits_answers());
    if constexpr (hooks::finished<P>) return reached || protocol_.finished(context_);
    return reached;
  }

  P& protocol_;
  World& world_;
  Context context_;
  Observer& observer_;
  alignas(sim::kCacheLine) std::uint64_t next_iteration_, next_vectors_, next_bytes_, next_check_;
  std::uint64_t observed_traffic_ = 0;  // moved() and the time of the last observation
  sim::Time observed_time_ = -1;
  std::uint64_t asked_ = 0;
  sim::Time instant_ = -1;        // of the last progress, with
  std::uint64_t done_ = 0;        // what was counted then
  std::uint64_t vain_since_ = 0;  // of asked_: that there has been none
  std::uint64_t not_finite_ = 0;  // messages lost so far for this
  bool finished_ = false;
  bool stopped_ = false;  // by the observer
  bool pauses_ = false;
  std::uint64_t pause_at_ = std::numeric_limits<std::uint64_t>::max();  // iteration
  bool observed_here_ = false;  // nothing has happened for the protocol since the last observation
};

}  // namespace hearsay::models
