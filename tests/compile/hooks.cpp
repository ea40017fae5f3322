// A protocol with every hook. With MISSPELT protocols whose hooks have a wrong signature or name: each error must be the
// text that its line is marked with.
#include <array>

#include "models/registry.hpp"

namespace hearsay::models {

struct Options {
  void describe(sim::Visitor&) {}
};

struct Ticks {
  using Params = Options;
  static constexpr Entry kEntry{.name = "ticks", .help = "Does nothing.", .snapshots = false};
  Ticks(const Params&, const Study&) {}
  void on_tick(sim::AgentId, Context&) {}
};

struct Complete : Ticks {
  struct Params : Options {
    static constexpr bool kFiniteTimeout = true;
    std::optional<sim::Time> timeout, round_timeout;
    MixingWeights mixing = MixingWeights::kMetropolis;
    std::optional<std::uint32_t> learner_is_owner;
    void require(const Setting&) const {}
    std::vector<std::string> notes(const Study&) const { return {}; }
    std::vector<std::pair<std::string, double>> numbers(const Study&) const { return {}; }
    std::uint64_t planned_iterations(std::string_view, const Study&, std::uint64_t min = 1) const {
      return min;
    }
    double release_sensitivity(const Budget&, Eigen::Index) const { return 1; }
    OwnPace self_paced() const { return OwnPace::kMessages; }
    static constexpr bool uses_late_replies() { return true; }
    static constexpr bool sends() { return true; }
    std::optional<std::string> warning(const World&) const { return {}; }
  };
  static constexpr Entry kEntry{"complete", "Has all hooks."};
  static constexpr std::array kMetrics{ProtocolMetric{"weight", "The sum of all weights."}};
  auto state() { return std::tie(); }
  Complete(const Params&, const Study&);
  void on_start(Context&) {}
  void on_message(const sim::Message&, Context&) {}
  void on_timer(sim::AgentId, std::uint16_t, std::uint32_t, Context&) {}
  std::string_view timer_name(sim::AgentId, std::uint16_t, std::uint32_t) const { return ""; }
  void on_up(sim::AgentId, Context&) {}
  void on_down(sim::AgentId, Context&) {}
  void reset(sim::AgentId, Context&) {}
  bool finished(const Context&) const { return false; }
  bool awaits_answers(const models::Context&) const { return false; }
  void measure(std::size_t, const World&, std::span<double>) const {}
};
template ProtocolRow row<Ticks>();
template ProtocolRow row<Complete>();

#if defined(MISSPELT)
// clang-format off
#define PROTOCOL(Name, ...)       \
  struct Name : Ticks {           \
    using Ticks::Ticks;           \
    __VA_ARGS__                   \
  };                              \
  template ProtocolRow row<Name>();
#define OPTIONS(Name, ...)        \
  struct Name : Ticks {           \
    struct Params : Options {     \
      __VA_ARGS__                 \
    };                            \
    Name(const Params&, const Study&); \
  };                              \
  template ProtocolRow row<Name>();

PROTOCOL(Kept, static constexpr Entry kEntry{"kept", "Says nothing of its state."};)  // refused: expected a state of the protocol
PROTOCOL(Private, private: void on_start(Context&) {})  // refused: void on_start(Context&)
PROTOCOL(Double, void on_tick(double, Context&) {})  // refused: void on_tick(sim::AgentId, Context&)
PROTOCOL(Changes, void on_message(sim::Message&, Context&) {})  // refused: void on_message(const sim::Message&, Context&)
PROTOCOL(Swapped, void on_timer(sim::AgentId, std::uint32_t, std::uint16_t, Context&) {})  // refused: void on_timer(
PROTOCOL(Tag, std::string_view timer_name(std::uint16_t) const { return ""; })  // refused: std::string_view timer_name(
PROTOCOL(Overloaded, void on_up(sim::AgentId) {} void on_up(Context&) {})  // refused: void on_up(sim::AgentId, Context&)
PROTOCOL(Returns, bool on_down(sim::AgentId, Context&) { return true; })  // refused: void on_down(sim::AgentId, Context&)
PROTOCOL(Position, void reset(std::size_t, Context&) {})  // refused: void reset(sim::AgentId, Context&)
PROTOCOL(Finished, bool finished = false;)  // refused: bool finished(const Context&)
PROTOCOL(Metrics, static constexpr std::array kMetrics{ProtocolMetric{"a", "A."}};)  // refused: kMetrics and measure
PROTOCOL(Tik, void on_tik(sim::AgentId, Context&) {})  // refused: on_tik is never called: the hook is on_tick
PROTOCOL(Camel, void onTick(sim::AgentId, Context&) {})  // refused: onTick is never called: the hook is on_tick
PROTOCOL(Plural, void on_messages(const sim::Message&, Context&) {})  // refused: the hook is on_message
OPTIONS(NotConst, void require(const Setting&) {})  // refused: void require(const Setting&) const
OPTIONS(Problems, std::vector<std::string> notes(const Problem&) const { return {}; })  // refused: notes(const Study&)
OPTIONS(Whole, double planned_iterations(const Study&) const { return 1; })  // refused: planned_iterations(
OPTIONS(Seconds, double timeout = 1;)  // refused: std::optional<sim::Time> timeout
OPTIONS(Rounds, sim::Time round_timeout() const { return 1; })  // refused: std::optional<sim::Time> round_timeout
OPTIONS(Finite, static constexpr int kFiniteTimeout = 1;)  // refused: const bool kFiniteTimeout
OPTIONS(Share, double mixing = 0.5;)  // refused: MixingWeights mixing
OPTIONS(Sends, std::uint32_t sends = 1;)  // refused: bool sends
OPTIONS(Learner, std::size_t learner_is_owner = 1;)  // refused: std::optional<std::uint32_t> learner_is_owner
struct Last final : Ticks { using Ticks::Ticks; };  // refused: a protocol cannot be final
template ProtocolRow row<Last>();
struct LastOptions : Ticks {
  struct Params final : Options {};  // refused: Params cannot be final
  LastOptions(const Params&, const Study&);
};
template ProtocolRow row<LastOptions>();
OPTIONS(Note, std::string note(const Study&) const { return ""; })  // refused: the hook is notes
// clang-format on
#endif

}  // namespace hearsay::models
