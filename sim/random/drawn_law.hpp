#pragma once
// Options that are a law together with how often it is drawn: once for each message, link, agent, ...
#include <variant>
#include <vector>

#include "sim/random/distribution.hpp"

namespace hearsay::sim {

template <class L>
concept DrawnLaw = requires(const L& law, Stream& s) {
  law.sample(s);
};

/// Describes a value that is one of several kinds. Those that are laws have the further option `drawn`, an
/// enumeration, and their values must lie in the range of their place.
template <class... Kinds, class Often>
void describe_drawn(Visitor& v, const About& about, std::variant<Kinds...>& value, Often& drawn) {
  static constexpr About kDrawn{.name = "drawn", .help = "How often the value is drawn."};
  const auto with_drawn = []<class Kind>(Alternative a, Kind*) {
    if constexpr (DrawnLaw<Kind>) {
      a.describe_default = [inner = a.describe_default](Visitor& visitor) {
        inner(visitor);
        Often often{};
        visitor(often, kDrawn);
      };
    }
    return a;
  };
  const std::vector<Alternative> all{
      with_drawn(detail::alternative_of<Kinds>(), static_cast<Kinds*>(nullptr))...};
  v.alternatives(
      about, all, value.index(), [&value](std::size_t i) { detail::emplace(value, i); },
      [&](Visitor& inner) {
        std::visit(
            [&]<class Kind>(Kind& held) {
              held.describe(inner);
              if constexpr (DrawnLaw<Kind>) inner(drawn, kDrawn);
            },
            value);
      });
  std::visit(
      [&]<class Kind>(const Kind& held) {
        if constexpr (DrawnLaw<Kind>) Distribution(held).check_range(v, about);
      },
      value);
}

}  // namespace hearsay::sim
