#pragma once
// The hooks of a protocol P and of its options P::Params: members that are called, and options that are read, where they
// exist. A member with the name of a hook but another signature or type is an error, as are the misspellings that are
// listed below. C++20 cannot list the members of a class, so that any other misspelling is a member that nothing calls.
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/run/context.hpp"
#include "models/run/timeout.hpp"

namespace hearsay::models {

struct Setting;

namespace hooks {

struct Nothing {};
/// Has the members of both: a name that both have is ambiguous in it, whatever it is in T, private or overloaded. No
/// class is derived from a final one.
template <class T, class Names>
struct Both : std::conditional_t<std::is_final_v<T>, Nothing, T>, Names {};

/// Converts to T and to nothing that T converts to: an agent is no double, a tag no number.
template <class T>
struct Exactly {
  template <std::same_as<T> U>
  operator U() const;
};
template <class T>
using Argument = std::conditional_t<std::is_arithmetic_v<T>, Exactly<T>, T>;

template <class T, class Call, class Signature>
inline constexpr bool kFits = false;
template <class T, class Call, class R, class... A>
inline constexpr bool kFits<T, Call, R(A...)> = requires(Call call, T& t) {
  { call(t, std::declval<Argument<A>>()...) } -> std::convertible_to<R>;
};
template <class T, class Call, class R, class... A>
inline constexpr bool kFits<T, Call, R(A...) const> = kFits<const T, Call, R(A...)>;

// hooks::NAME<T>: whether T has a member NAME, of which the condition holds; else it is an error that says `text`.
#define HEARSAY_MEMBER(name, text, ...)     \
  template <class T>                        \
  consteval bool has_##name() {             \
    struct Names {                          \
      int name;                             \
    };                                      \
    constexpr bool kNamed = !requires {     \
      &Both<T, Names>::name;                \
    };                                      \
    constexpr bool kRight = __VA_ARGS__;    \
    static_assert(!kNamed || kRight, text); \
    return kNamed && kRight;                \
  }                                         \
  template <class T>                        \
  inline constexpr bool name = has_##name<T>();

// The hook NAME.
#define HEARSAY_HOOK(result, name, arguments)                                                              \
  struct Call_##name {                                                                                     \
    template <class T, class... A>                                                                         \
    auto operator()(T& t, A&&... a) const -> decltype(t.name(std::forward<A>(a)...));                      \
  };                                                                                                       \
  HEARSAY_MEMBER(name, "this is the name of a hook with another signature: " #result " " #name #arguments, \
                 kFits<T, Call_##name, result arguments>)

// The data member NAME.
#define HEARSAY_OPTION(type, name)                                                                 \
  HEARSAY_MEMBER(                                                                                  \
      name, "this is the name of an option that hearsay reads, of another type: " #type " " #name, \
      requires { requires std::same_as<decltype(T::name), type>; })

// Of a protocol. It has on_tick, too.
HEARSAY_HOOK(void, on_start, (Context&))
HEARSAY_HOOK(void, on_tick, (sim::AgentId, Context&))
HEARSAY_HOOK(void, on_message, (const sim::Message&, Context&))
HEARSAY_HOOK(void, on_timer, (sim::AgentId, std::uint16_t tag, std::uint32_t number, Context&))
/// Of a timer, in the trace.
HEARSAY_HOOK(std::string_view, timer_name, (sim::AgentId, std::uint16_t tag, std::uint32_t number) const)
HEARSAY_HOOK(void, on_up, (sim::AgentId, Context&))
HEARSAY_HOOK(void, on_down, (sim::AgentId, Context&))
/// Back from a crash: the agent's state is lost, its public model is that of the start, spent budget stays spent.
HEARSAY_HOOK(void, reset, (sim::AgentId, Context&))
/// Asked after the start and after every event.
HEARSAY_HOOK(bool, finished, (const Context&))
/// Whether answers with releases that are charged are still to come: stop.budgets_spent ends a run after them.
HEARSAY_HOOK(bool, awaits_answers, (const Context&) const)
/// Sets in its last argument what the tick of an agent at a moment needs, from the agent's model and records and what it has
/// heard. May be called before the tick and on other threads, and only reads. Its on_tick begins with Context::prepared().
HEARSAY_HOOK(void, prepare, (sim::AgentId, sim::Moment, const Context&, Prepared&) const)
/// What an agent's next tick, or a message to it, is expected to compute of that agent, from its state as it is now. May be
/// called on other threads, only reads, and writes to a room of what foresight() of the protocol returns, its LocalTraining. Its handlers of ticks, messages and timers change
/// the state of their agent alone; others may be read there where nothing depends on it but statistics.
HEARSAY_HOOK(void, foresee_tick, (sim::AgentId, const Context&, std::uint32_t room) const)
HEARSAY_HOOK(void, foresee_message, (const sim::Message&, const Context&, std::uint32_t room) const)
/// The k-th of P::kMetrics, an array of ProtocolMetric: metrics that only this protocol can measure.
HEARSAY_HOOK(void, measure, (std::size_t k, const World&, std::span<double>) const)

template <class T>
inline constexpr bool foresees = foresee_tick<T> || foresee_message<T>;

// Of its Params, which have `void describe(sim::Visitor&)`, too.
/// Throws std::invalid_argument where options do not go together, as far as this needs no data.
HEARSAY_HOOK(void, require, (const Setting&) const)
/// What else is to be said of the options, a sentence each.
HEARSAY_HOOK(std::vector<std::string>, notes, (const Study&) const)
/// Numbers of a point that follow from the options, by name.
using Numbers = std::vector<std::pair<std::string, double>>;
HEARSAY_HOOK(Numbers, numbers, (const Study&) const)
/// Of a release of an owner with n records, the largest; by default that of the mean of all their gradients.
HEARSAY_HOOK(double, release_sensitivity, (const Budget&, Eigen::Index n) const)
/// The iterations that budgets are planned for. Its first argument is the protocol's name.
HEARSAY_HOOK(std::optional<std::uint64_t>, planned_iterations, (std::string_view, const Study&) const)
/// How the protocol goes on if not by clocks, so that time must pass.
HEARSAY_HOOK(OwnPace, self_paced, () const)
/// Whether replies after the timeout are used, so that one shorter than every round trip is not refused. A protocol that
/// calls timeout_of() for an option of another name than the next two needs it, or its timeouts are infinite.
HEARSAY_HOOK(bool, uses_late_replies, () const)
/// How long the protocol waits for replies, or in a round, for timeout_of(): notes, refusals and warnings are of this
/// option.
HEARSAY_OPTION(std::optional<sim::Time>, timeout)
HEARSAY_OPTION(std::optional<sim::Time>, round_timeout)
/// The default of the timeout is that of finite_timeout_of().
HEARSAY_OPTION(const bool, kFiniteTimeout)
/// W by which agents mix what they have heard, for attacks that are chosen by it.
HEARSAY_OPTION(MixingWeights, mixing)
/// Whether agents send anything. Else those that are hostile can only learn from flipped labels.
HEARSAY_HOOK(bool, sends, () const)
/// The owner, from 1, that is the learner at the hub: it sends nothing either, and is never hostile.
HEARSAY_OPTION(std::optional<std::uint32_t>, learner_is_owner)
/// What is suspicious about a run that has ended.
HEARSAY_HOOK(std::optional<std::string>, warning, (const World&) const)
#undef HEARSAY_HOOK
#undef HEARSAY_OPTION
#undef HEARSAY_MEMBER

/// Whether Study::round_trips has to be set.
template <class T>
inline constexpr bool needs_round_trips =
    timeout<T> || round_timeout<T> || self_paced<T> || uses_late_replies<T>;

/// Whether T describes its state itself: one that its base describes may not be all of it.
struct AnyArchive {
  using is_loading = std::true_type;
  using is_saving = std::false_type;
  template <class... Members>
  void operator()(Members&&... members);
};
template <class C, class R>
C class_of(R (C::*)());
template <class T>
inline constexpr bool describes_state = requires {
  requires std::same_as<decltype(&T::template serialize<AnyArchive>), void (T::*)(AnyArchive&)>;
}
|| requires {
  requires std::same_as<decltype(class_of(&T::state)), T>;
};

// clang-format off
#define HEARSAY_MISSPELT_HOOKS(X)                                                                            \
  X(onStart, on_start) X(OnStart, on_start) X(on_begin, on_start) X(on_init, on_start)                       \
  X(onTick, on_tick) X(OnTick, on_tick) X(on_tik, on_tick) X(on_tic, on_tick) X(on_ticks, on_tick)           \
  X(onMessage, on_message) X(OnMessage, on_message) X(on_messages, on_message) X(on_mesage, on_message)      \
  X(on_massage, on_message) X(on_msg, on_message) X(on_receive, on_message)                                  \
  X(onTimer, on_timer) X(OnTimer, on_timer) X(on_timers, on_timer) X(on_time, on_timer)                      \
  X(timerName, timer_name) X(timer_names, timer_name) X(name_of_timer, timer_name)                           \
  X(onUp, on_up) X(OnUp, on_up) X(on_join, on_up) X(onDown, on_down) X(OnDown, on_down) X(on_leave, on_down) \
  X(on_crash, reset) X(on_reset, reset) X(onReset, reset) X(on_restart, reset)                               \
  X(is_finished, finished) X(on_finish, finished) X(on_finished, finished)
#define HEARSAY_MISSPELT_PARAMS(X)                                                                           \
  X(requirements, require) X(note, notes) X(warnings, warning) X(planned_iteration, planned_iterations)      \
  X(self_pacing, self_paced) X(use_late_replies, uses_late_replies)
// clang-format on
#define HEARSAY_NAME(wrong, right) int wrong;
#define HEARSAY_REFUSE(wrong, right) \
  static_assert(                     \
      requires { &Some::wrong; }, #wrong " is never called: the hook is " #right);

/// Both fail to compile if T has a misspelt hook, or is final.
template <class T>
consteval bool spelt_protocol() {
  struct Names {
    HEARSAY_MISSPELT_HOOKS(HEARSAY_NAME)
  };
  static_assert(!std::is_final_v<T>, "a protocol cannot be final: no hook would be found");
  using Some = Both<T, Names>;
  HEARSAY_MISSPELT_HOOKS(HEARSAY_REFUSE)
  return true;
}
template <class T>
consteval bool spelt_params() {
  struct Names {
    HEARSAY_MISSPELT_PARAMS(HEARSAY_NAME)
  };
  static_assert(!std::is_final_v<T>, "Params cannot be final: no hook would be found");
  using Some = Both<T, Names>;
  HEARSAY_MISSPELT_PARAMS(HEARSAY_REFUSE)
  return true;
}
#undef HEARSAY_NAME
#undef HEARSAY_REFUSE
#undef HEARSAY_MISSPELT_HOOKS
#undef HEARSAY_MISSPELT_PARAMS

}  // namespace hooks
}  // namespace hearsay::models
