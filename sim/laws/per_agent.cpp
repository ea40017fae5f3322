#include "sim/laws/per_agent.hpp"

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

void ValueList::check_range(Visitor& v, const About& about) const {
  if (values.empty()) return;
  const auto [smallest, largest] = std::ranges::minmax(values);
  sim::check_range(v, about, Support{smallest, largest, true});
}

void OfColumn::describe(Visitor& v) {
  v(column, {.name = "column", .help = "Name of the column.", .required = true});
}

void ByAgent::describe(Visitor& v) {
  v(otherwise, {.name = "default", .help = "Value of all other agents.", .unit = "=", .required = true});
  v(agents, {.name = "agents", .help = "Values of agents.", .unit = "=", .required = true});
}

void ByAgent::check_range(Visitor& v, const About& about) const {
  otherwise.check_range(v, about);
  for (const auto& [agent, law] : agents) law.check_range(v, about);
}

std::optional<Distribution> PerAgent::distribution() const {
  return std::visit(
      []<class L>(const L& law) -> std::optional<Distribution> {
        if constexpr (std::convertible_to<L, Distribution>) return Distribution(law);
        return std::nullopt;
      },
      law_);
}

std::vector<Distribution> PerAgent::laws(AgentId first, AgentId count) const {
  check(!unbound(), "values of a data column were used before they were read");
  if (const auto* list = std::get_if<ValueList>(&law_)) {
    if (list->values.size() == count) return {list->values.begin(), list->values.end()};
    throw std::invalid_argument(
        fmt::format("expected a list of {} numbers, found {}", count, list->values.size()));
  }
  const auto* by_agent = std::get_if<ByAgent>(&law_);
  if (by_agent == nullptr) return {*distribution()};
  std::vector<Distribution> all(count, by_agent->otherwise);
  for (const auto& [agent, law] : by_agent->agents) {
    if (agent < first || agent - first >= count)
      throw std::invalid_argument(
          fmt::format("expected agents {} to {}, found agent {}", first, first + count - 1, agent));
    all[agent - first] = law;
  }
  return all;
}

std::vector<double> PerAgent::values(AgentId first, AgentId count, std::uint32_t option,
                                     const Streams& streams, std::uint32_t b) const {
  const std::vector<Distribution> all = laws(first, count);
  std::vector<double> values(count);
  for (AgentId i = 0; i < count; ++i) {
    Stream s = streams(Purpose::kPerAgent, first + i, b, option);
    values[i] = all[all.size() == 1 ? 0 : i].sample(s);
  }
  return values;
}

std::vector<double> PerAgent::values_of(std::string_view key, AgentId first, AgentId count,
                                        std::uint32_t option, const Streams& streams) const {
  try {
    return values(first, count, option, streams);
  } catch (const std::invalid_argument& error) {
    throw OptionError(std::string(key), error.what());
  }
}

bool ByAgent::random() const {
  return otherwise.random() ||
         std::ranges::any_of(agents, [](const auto& own) { return own.second.random(); });
}

bool PerAgent::random() const {
  if (const auto* by_agent = std::get_if<ByAgent>(&law_)) return by_agent->random();
  const std::optional<Distribution> one = distribution();
  return one && one->random();
}

double PerAgent::mean() const {
  if (unbound()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto* by_agent = std::get_if<ByAgent>(&law_)) return by_agent->otherwise.mean();
  const auto* list = std::get_if<ValueList>(&law_);
  if (list == nullptr) return distribution()->mean();
  return std::accumulate(list->values.begin(), list->values.end(), 0.0) /
         static_cast<double>(list->values.size());
}

void PerAgent::describe_as(Visitor& v, const About& about) {
  v.variant(law_, about);
  check_range(v, about, law_);  // a column is checked when it is read
}

}  // namespace hearsay::sim
