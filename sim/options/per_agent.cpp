#include "sim/options/per_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "sim/check.hpp"

namespace hearsay::sim {

void ValueList::describe(Visitor& v) {
  v(values,
    {.name = "values", .help = "Numbers, in the order of the agents.", .unit = "=", .required = true});
  v.check(!values.empty(), "values", "must hold at least one number");
}

void OfColumn::describe(Visitor& v) {
  v(column, {.name = "column", .help = "Name of the column.", .required = true});
}

std::vector<double> PerAgent::values(AgentId first, AgentId count, std::uint32_t option,
                                     const Streams& streams, std::uint32_t b) const {
  check(!unbound(), "values are asked for before they have come from the data");
  if (const auto* list = std::get_if<ValueList>(&law_)) {
    if (list->values.size() != count) {
      throw std::invalid_argument(
          fmt::format("expected a list of {} numbers, got {}", count, list->values.size()));
    }
    return list->values;
  }
  std::vector<double> all(count);
  for (AgentId i = 0; i < count; ++i) {
    Stream s = streams(Purpose::kPerAgent, first + i, b, option);
    all[i] = std::visit(
        [&s](const auto& law) {
          if constexpr (requires { law.sample(s); }) {
            return law.sample(s);
          } else {
            return 0.0;
          }
        },
        law_);
  }
  return all;
}

double PerAgent::mean() const {
  if (unbound()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto* list = std::get_if<ValueList>(&law_)) {
    return std::accumulate(list->values.begin(), list->values.end(), 0.0) /
           static_cast<double>(list->values.size());
  }
  return std::visit(
      [](const auto& law) {
        if constexpr (requires { law.mean(); }) {
          return law.mean();
        } else {
          return 0.0;
        }
      },
      law_);
}

void PerAgent::describe_as(Visitor& v, const About& about) {
  v.variant(law_, about);
  std::visit(
      [&]<class Law>(const Law& law) {
        if constexpr (std::is_same_v<Law, ValueList>) {
          if (!law.values.empty()) check_range(v, about, support());
        } else if constexpr (!std::is_same_v<Law, OfColumn>) {  // of a column, when its values are read
          Distribution(law).check_range(v, about);
        }
      },
      law_);
}

Support PerAgent::support() const {
  return std::visit(
      [](const auto& law) -> Support {
        if constexpr (requires { law.lower(); }) {
          return Distribution(law).support();
        } else if constexpr (requires { law.column; }) {
          constexpr double kInfinity = std::numeric_limits<double>::infinity();
          return {-kInfinity, kInfinity, false};
        } else {
          const auto [least, greatest] = std::minmax_element(law.values.begin(), law.values.end());
          return {*least, *greatest, true};
        }
      },
      law_);
}

}  // namespace hearsay::sim
