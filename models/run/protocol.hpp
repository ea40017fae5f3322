#pragma once
// What a protocol is, and the driver that runs one. A protocol is a plain struct for which the driver is compiled:
//
//   class P {
//     struct Params { ... void describe(sim::Visitor&); ... };   its options
//     static constexpr Entry kEntry{"name", "One line."};
//     P(const Params&, const Study&);          throws std::invalid_argument where options and study do not fit
//     void on_tick(AgentId, Context&)
//     ...
//   };
//
// models/run/hooks.hpp lists its other members and those of Params, all optional.
// One object per run; it owns the state that is not the agents' public models.
#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "models/run/context.hpp"
#include "models/run/hooks.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// The row of a protocol in the table of protocols.
struct Entry {
  std::string_view name, help;
  bool hub = false;           ///< agent 0 is a learner that holds no data
  std::uint32_t vectors = 1;  ///< most p-vectors in one message
  bool schedules = false;     ///< opens accounts by a Timetable: has schedules other than uniform
  bool by_turn = false;       ///< takes its budget by turn: privacy.epsilon_1, epsilon_2
  bool broadcasts = false;    ///< publishes and never sends
  bool joint = true;          ///< learns one model for all: f and theta* of the pooled data are its measure
  bool any_model = false;     ///< works with several scores, hidden layers, any start; else theta . x
  bool any_linear = false;    ///< works with linear models of several scores (softmax), as with theta . x
  bool aggregates = false;    ///< its hub collects updates: takes privacy.trust aggregator, and no other
  bool own_models = false;    ///< every owner has a model of its own, and agent 0, the hub, has none
  /// Its models are sums and multiples of releases and public vectors with public factors, but for Context::project and
  /// Context::transformed, and no event depends on a value: views can follow it (models/views).
  bool linear = false;
  bool open = false;                        ///< has further options, which are known once its code is loaded
  std::string_view step = "the step size";  ///< what to reduce when a run diverges
  /// JSON: options of a small run (hearsay bench), where the defaults do not fit.
  std::string_view example = "";
};

/// Looks at a run without changing it.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(const World& world) = 0;
  /// Whether a stopping criterion is met. Asked after each observation, or every `check_every_iterations` where
  /// that is given; a function of the world alone.
  virtual bool reached(const World&) { return false; }
  /// Whether to abort the run (wall-clock limit, interrupt). Asked at observations and every kAbortCheckEvents events of
  /// any kind.
  virtual bool should_abort() { return false; }
  static constexpr std::uint32_t kAbortCheckEvents = 64;

  std::uint64_t check_every_iterations = 0;
  /// Observations are made at these distances, whichever is given.
  std::uint64_t every_iterations = 0, every_vectors = 0, every_bytes = 0;  // 0: never
  sim::Time every_time = sim::kNever;

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

/// At most 100 N and this many events may happen at one time; beyond that a run that only time ends has failed.
inline constexpr std::uint64_t kMaxAtOnce = 10'000'000;
/// Both throw std::runtime_error, for so many events in vain.
[[noreturn]] void time_stands_still(sim::Time at, std::uint64_t events);
[[noreturn]] void nothing_is_reached(const World& world, std::uint64_t events);

template <class P>
concept Protocol = requires(const typename P::Params& params, const Study& study) {
  requires sim::Described<typename P::Params>;
  { P::kEntry } -> std::convertible_to<Entry>;
  P(params, study);
  requires hooks::spelt_protocol<P>() && hooks::on_tick<P>;
};

/// Passes the engine's events on to a protocol and says when to look at the run.
template <Protocol P>
class Driver final : public Probe {
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
    const sim::End end = world_.engine.run(*this);
    world_.ledger.verify();
    if (!observed_here_ || sent_and_lost() != observed_traffic_ || world_.engine.now() != observed_time_)
      look();
    return end;
  }

  void on_start() {
    if constexpr (hooks::on_start<P>) protocol_.on_start(context_);
    world_.freeze_start();
    look();
    // A protocol may count its start as an iteration, and send; that has been looked at.
    count_due();
    if (observer_.check_every_iterations != 0) stopped_ = observer_.reached(world_);
  }
  void on_tick(sim::AgentId i) {
    protocol_.on_tick(i, context_);
    after_event();
  }
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
  void on_reset(sim::AgentId i) {
    world_.restore_start(i);
    if constexpr (hooks::reset<P>) protocol_.reset(i, context_);
    after_event();
  }
  /// Agent i ticks soon.
  HEARSAY_PREFETCH void prefetch(sim::AgentId i) const { world_.prefetch(i); }
  std::string_view timer_name([[maybe_unused]] sim::AgentId i, [[maybe_unused]] std::uint16_t tag,
                              [[maybe_unused]] std::uint32_t number) const {
    if constexpr (hooks::timer_name<P>) return protocol_.timer_name(i, tag, number);
    return {};
  }
  void on_observation() {
    look();
    stopped_ |= observer_.should_abort();
  }
  // The engine asks once an event of any kind: a run in which nothing happens for the protocol can be aborted too.
  bool finished() {
    if (++asked_ % Observer::kAbortCheckEvents == 0) {
      stopped_ |= observer_.should_abort();
      require_progress();
    }
    return finished_ || stopped_;
  }

 private:
  void look() {
    observer_.observe(world_);
    observed_here_ = true;
    observed_traffic_ = sent_and_lost();
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
      in_vain_ = 0;
    }
    in_vain_ += Observer::kAbortCheckEvents;
    const std::uint64_t agents = context_.agents();
    if (!counts && in_vain_ > kMaxAtOnce + 100 * agents) time_stands_still(instant_, in_vain_);
    if (counts && in_vain_ > stop.patience * (100 + agents)) nothing_is_reached(world_, in_vain_);
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

  // The engine sends what was computed, and loses messages, at times when nothing happens for the protocol.
  std::uint64_t sent_and_lost() const {
    const sim::Traffic& traffic = world_.engine.traffic();
    return std::accumulate(std::begin(traffic.lost), std::end(traffic.lost), traffic.messages);
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

  void after_event() {
    observed_here_ = false;
    const sim::Traffic& traffic = world_.engine.traffic();
    if (count_due()) on_observation();
    if (due(world_.iterations, observer_.check_every_iterations, next_check_))
      stopped_ |= observer_.reached(world_);
    const StopLimits& stop = world_.study.stop;
    finished_ = world_.iterations >= stop.iterations || traffic.vectors >= stop.vectors ||
                traffic.bytes >= stop.bytes || (stop.budgets_spent && world_.ledger.all_spent());
    if constexpr (hooks::finished<P>) finished_ = finished_ || protocol_.finished(context_);
  }

  P& protocol_;
  World& world_;
  Context context_;
  Observer& observer_;
  std::uint64_t next_iteration_, next_vectors_, next_bytes_, next_check_;
  std::uint64_t observed_traffic_ = 0;  // sent_and_lost() and the time of the last observation
  sim::Time observed_time_ = -1;
  std::uint32_t asked_ = 0;
  sim::Time instant_ = -1;     // of the last progress, with
  std::uint64_t done_ = 0;     // what was counted then
  std::uint64_t in_vain_ = 0;  // events since, in steps of a check
  bool finished_ = false;
  bool stopped_ = false;        // by the observer
  bool observed_here_ = false;  // nothing has happened for the protocol since the last observation
};

}  // namespace hearsay::models
