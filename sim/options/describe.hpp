#pragma once
// How options describe themselves. An options struct has one function
//
//   void describe(Visitor& v) { v(max, {.name = "max", .help = "Largest delay.", .unit = "s", .min = 0}); ... }
//
// from which everything else follows: reading from a scenario, writing back, explanations, JSON Schema. Visitors run
// when a scenario is loaded, never during the simulation. Defaults are the values of a default-constructed struct.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/options/choices.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Description of one option.
struct About {
  std::string_view name;       ///< key in its object
  std::string_view help = {};  ///< one sentence
  /// SI unit of a bare number: "s", "1/s", "B", "B/s", or "=": that of the enclosing value
  std::string_view unit = {};
  std::string_view source = {};  ///< paper and equation, where there is one
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;  ///< min itself is not allowed
  bool open_max = false;  ///< max itself is not allowed
  bool required = false;
  bool in_run = false;  ///< a run may go on with another value: nothing that it has kept depends on it
  /// what a message expects instead of "a whole number"
  std::string_view noun = {};
};
inline constexpr std::string_view kAgentNumber = "the number or name of an agent";

// Descriptions of numbers that are positive, not negative, or in [0, 1].
constexpr About positive(std::string_view name, std::string_view help, std::string_view unit = {}) {
  return {.name = name, .help = help, .unit = unit, .min = 0, .open_min = true};
}
constexpr About non_negative(std::string_view name, std::string_view help, std::string_view unit = {}) {
  return {.name = name, .help = help, .unit = unit, .min = 0};
}
constexpr About unit_interval(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .min = 0, .max = 1};
}

/// An alternative that may be written without "type": as a bare number (kNumber) or list (kList) standing for
/// its member `key`, or as an object that has `key` and no "type".
struct Shorthand {
  enum Kind { kNone, kNumber, kList, kText };
  std::string_view key = {};
  Kind kind = kNone;
};

/// A file that a scenario names: as written, and its resolved path, set by the reader of the scenario.
struct InputFile {
  std::string path;
  std::string resolved;
};

class Visitor;
class Code;
struct CodePlace;
enum class CodeKind;

template <class T>
concept Described = requires(T& value, Visitor& v) {
  value.describe(v);
};

/// A value that describes itself as a member (a distribution, a protocol), given the About of its place.
template <class T>
concept DescribedInPlace = requires(T& value, Visitor& v, const About& about) {
  value.describe_as(v, about);
};

using Describe = std::function<void(Visitor&)>;

/// One of the kinds of value that an option may have, distinguished by "type".
struct Alternative {
  std::string_view name;
  std::string_view help = {};
  Shorthand shorthand = {};
  std::string_view example = {};   ///< JSON
  Describe describe_default = {};  ///< describes a default-constructed one
  bool open = false;               ///< may have further members, which depend on its others
};

class Visitor {
 public:
  virtual ~Visitor() = default;

  /// Visits one member. T: bool, double, an integer, std::string, an enumeration with choices_of(), InputFile,
  /// std::optional, std::vector, std::map by agent or std::variant of such, a Described struct, or a DescribedInPlace
  /// value.
  template <class T>
  void operator()(T& value, const About& about);

  /// States a rule that relates options of the struct being described; `key` is the one the message is about, or a
  /// path in it: "metrics/0".
  void check(bool holds, std::string_view key, const std::string& message) {
    if (!holds) failed(key, message);
  }
  /// The message is given by a format string and its arguments, and made only if the rule does not hold.
  template <class First, class... Rest>
  void check(bool holds, std::string_view key, fmt::format_string<First, Rest...> message, First&& first,
             Rest&&... rest) {
    if (!holds) failed(key, fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }

  /// A number in the message of a rule, with its unit ("=": that of the place). Here without one, to 6 digits.
  virtual std::string shown(double x, std::string_view unit) const;

  /// Executes the code that a scenario names and finds a class in it. Null, and nothing is executed, where nothing is
  /// read. Throws std::exception.
  virtual std::shared_ptr<const Code> load(const CodePlace& place, CodeKind kind) const;

  /// Visits a value that is the index of one of the names of a table.
  void one_of(std::size_t& index, std::span<const Choice> all, const About& about) {
    choice(index, all, about);
  }

  /// Visits a value that is one of `alternatives`. `select(i)` makes it a default-constructed i-th one, `current`
  /// describes the present one.
  virtual void alternatives(const About& about, std::span<const Alternative> all, std::size_t index,
                            const std::function<void(std::size_t)>& select, const Describe& current) = 0;

  /// The alternatives of a std::variant of described structs.
  template <class... Ts>
  void variant(std::variant<Ts...>& value, const About& about) {
    std::monostate none;
    variant(value, about, none, [](auto&&...) {});
  }
  /// Likewise, with further options `more` that `describe_more(visitor, alternative, more)` visits, after those of the
  /// alternative, or before them if More::kFirst; selecting an alternative sets them to their defaults.
  template <class... Ts, class More, class F>
  void variant(std::variant<Ts...>& value, const About& about, More& more, F describe_more);

 protected:
  Visitor() = default;
  Visitor(const Visitor&) = default;
  Visitor& operator=(const Visitor&) = default;

  virtual void boolean(bool& value, const About& about) = 0;
  virtual void number(double& value, const About& about) = 0;
  virtual void whole(std::int64_t& value, const About& about) = 0;
  virtual void text(std::string& value, const About& about) = 0;
  virtual void file(InputFile& value, const About& about) = 0;
  virtual void choice(std::size_t& index, std::span<const Choice> all, const About& about) = 0;
  virtual void object(const About& about, const Describe& members) = 0;
  /// `set(true)` makes the value present (default-constructed), `set(false)` absent; `value` visits a present one.
  virtual void optional(const About& about, bool present, const std::function<void(bool)>& set,
                        const Describe& value) = 0;
  /// `element(v, i)` visits the i-th element, whose About has the index as name.
  virtual void list(const About& about, std::size_t size, const std::function<void(std::size_t)>& resize,
                    const std::function<void(Visitor&, std::size_t)>& element) = 0;
  /// A value for each of some agents. `set(agents)` makes default-constructed ones, `values` visits them in the order
  /// of their agents, each with its agent as name.
  virtual void by_agent(const About& about, const std::function<void(const std::vector<AgentId>&)>& set,
                        const Describe& values) {
    static_cast<void>(set);
    object(about, values);
  }
  virtual void failed(std::string_view key, const std::string& message) = 0;
};

namespace detail {

template <class T, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... Ts>
inline constexpr bool kIs<Of<Ts...>, Of> = true;

template <class T>
Alternative alternative_of(Describe describe_default) {
  Alternative a{.name = T::kName};
  if constexpr (requires { T::kHelp; }) a.help = T::kHelp;
  if constexpr (requires { T::kShorthand; }) a.shorthand = T::kShorthand;
  if constexpr (requires { T::kExample; }) a.example = T::kExample;
  if constexpr (requires { T::kOpen; }) a.open = T::kOpen;
  a.describe_default = std::move(describe_default);
  return a;
}

}  // namespace detail

/// The parts of a value that is either one part or, in a member `of`, several.
template <class Part, class... Ts>
std::vector<Part> parts_of(const std::variant<Ts...>& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.of; }) {
          return held.of;
        } else {
          return std::vector<Part>{held};
        }
      },
      value);
}

template <class... Ts, class More, class F>
void Visitor::variant(std::variant<Ts...>& value, const About& about, More& more, F describe_more) {
  const auto describe = [describe_more](Visitor& v, auto& held, More& with) {
    constexpr bool kFirst = requires {
      More::kFirst;
    };
    if constexpr (kFirst) describe_more(v, held, with);
    held.describe(v);
    if constexpr (!kFirst) describe_more(v, held, with);
  };
  const std::array<Alternative, sizeof...(Ts)> all{detail::alternative_of<Ts>([describe](Visitor& v) {
    Ts held{};
    More with{};
    describe(v, held, with);
  })...};
  const auto select = [&](std::size_t i) {
    using Make = void (*)(std::variant<Ts...>&);
    static constexpr Make kMake[] = {[](std::variant<Ts...>& v) { v.template emplace<Ts>(); }...};
    kMake[i](value);
    more = More{};
  };
  alternatives(about, all, value.index(), select,
               [&](Visitor& v) { std::visit([&](auto& held) { describe(v, held, more); }, value); });
}

template <class T>
void Visitor::operator()(T& value, const About& about) {
  if constexpr (std::is_same_v<T, bool>) {
    boolean(value, about);
  } else if constexpr (std::is_same_v<T, double>) {
    number(value, about);
  } else if constexpr (std::is_integral_v<T>) {
    // Whole numbers travel as int64; the range of a narrower type bounds the allowed one.
    About bounded = about;
    if constexpr (sizeof(T) < 8) {
      bounded.max = std::min(bounded.max, static_cast<double>(std::numeric_limits<T>::max()));
      bounded.min = std::max(bounded.min, static_cast<double>(std::numeric_limits<T>::min()));
    }
    if constexpr (std::is_unsigned_v<T>) bounded.min = std::max(bounded.min, 0.0);
    auto wide = static_cast<std::int64_t>(value);
    whole(wide, bounded);
    value = static_cast<T>(wide);
  } else if constexpr (std::is_same_v<T, std::string>) {
    text(value, about);
  } else if constexpr (std::is_same_v<T, InputFile>) {
    file(value, about);
  } else if constexpr (std::is_enum_v<T>) {
    auto index = static_cast<std::size_t>(value);
    choice(index, kChoices<T>, about);
    value = static_cast<T>(index);
  } else if constexpr (detail::kIs<T, std::optional>) {
    optional(
        about, value.has_value(),
        [&value](bool present) {
          value.reset();
          if (present) value.emplace();
        },
        [&value, &about](Visitor& v) { v(*value, about); });
  } else if constexpr (detail::kIs<T, std::vector>) {
    list(
        about, value.size(), [&value](std::size_t n) { value.resize(n); },
        [&value, &about](Visitor& v, std::size_t i) {
          About element = about;
          const std::string name = std::to_string(i);
          element.name = name;
          element.required = true;
          v(value[i], element);
        });
  } else if constexpr (detail::kIs<T, std::map>) {
    by_agent(
        about,
        [&value](const std::vector<AgentId>& agents) {
          value.clear();
          for (const AgentId i : agents) value.try_emplace(i);
        },
        [&value, &about](Visitor& v) {
          for (auto& [agent, one] : value) {
            About element = about;
            const std::string name = std::to_string(agent);
            element.name = name;
            element.required = true;
            v(one, element);
          }
        });
  } else if constexpr (DescribedInPlace<T>) {
    value.describe_as(*this, about);
  } else if constexpr (detail::kIs<T, std::variant>) {
    variant(value, about);
  } else {
    static_assert(Described<T>, "an option must be described");
    object(about, [&value](Visitor& v) { value.describe(v); });
  }
}

}  // namespace hearsay::sim
