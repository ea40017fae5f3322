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
  v.check(!values.empty(), "values", "expected at least one number");
}

void OfColumn::describe(Visitor& v) {
  v(column, {.name = "column", .help = "Name of the column.", .required = true});
}

std::optional<Distribution> PerAgent::distribution() const {
  return std::visit(
      []<class L>(const L& law) -> std::optional<Distribution> {
        if constexpr (std::convertible_to<L, Distribution>) return Distribution(law);
        return std::nullopt;
      },
      law_);
}

std::vector<double> PerAgent::values(AgentId first, AgentId count, std::uint32_t option,
                                     const Streams& streams, std::uint32_t b) const {
  check(!unbound(), "values of a data column were used before they were read");
  if (const auto* list = std::get_if<ValueList>(&law_)) {
    if (list->values.size() == count) return list->values;
    throw std::invalid_argument(
        fmt::format("expected a list of {} numbers, found {}", count, list->values.size()));
  }
  const Distribution law = *distribution();
  std::vector<double> all(count);
  for (AgentId i = 0; i < count; ++i) {
    Stream s = streams(Purpose::kPerAgent, first + i, b, option);
    all[i] = law.sample(s);
  }
  return all;
}

double PerAgent::mean() const {
  if (unbound()) return std::numeric_limits<double>::quiet_NaN();
  const auto* list = std::get_if<ValueList>(&law_);
  if (list == nullptr) return distribution()->mean();
  return std::accumulate(list->values.begin(), list->values.end(), 0.0) /
         static_cast<double>(list->values.size());
}

void PerAgent::describe_as(Visitor& v, const About& about) {
  v.variant(law_, about);
  const auto* list = std::get_if<ValueList>(&law_);
  if (list != nullptr && !list->values.empty()) check_range(v, about, support());
  if (const auto law = distribution()) law->check_range(v, about);  // a column is checked when it is read
}

Support PerAgent::support() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (unbound()) return {-kInfinity, kInfinity, false};
  const auto* list = std::get_if<ValueList>(&law_);
  if (list == nullptr) return distribution()->support();
  const auto [least, greatest] = std::ranges::minmax(list->values);
  return {least, greatest, true};
}

}  // namespace hearsay::sim
