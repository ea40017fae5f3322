#include "models/data/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/data/data_set.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

constexpr double kLargestSize = 1099511627776.0;         // 2^40
constexpr std::uint32_t kValidationDraws = 0x8000'0000;  // added to a DataDraw

}  // namespace

sim::Stream data_stream(const sim::Streams& streams, std::size_t owner, DataDraw what, Instances instances,
                        std::size_t part) {
  return streams(
      sim::Purpose::kData, static_cast<std::uint32_t>(owner), static_cast<std::uint32_t>(part),
      static_cast<std::uint32_t>(what) + (instances == Instances::kValidation ? kValidationDraws : 0));
}

std::vector<char> choose(std::size_t size, std::size_t count, sim::Stream stream) {
  std::vector<char> chosen(size, 0);
  for (std::size_t i = 0; i < size && count > 0; ++i) {
    if (sim::uniform_index(stream, size - i) >= count) continue;
    chosen[i] = 1;
    --count;
  }
  return chosen;
}

std::vector<char> choose_test(std::size_t size, double fraction, sim::Stream stream) {
  const auto wanted = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(size)));
  return choose(size, std::min(wanted, size - 1), stream);
}

std::vector<std::string> numbered(std::string_view name, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", name, i));
  return names;
}

void UniformInteger::describe(sim::Visitor& v) {
  v(min, {.name = "min", .help = "Minimum.", .required = true});
  v(max, {.name = "max", .help = "Maximum.", .min = 1, .max = kLargestSize, .required = true});
  v.check(max >= min, "max", "expected at least min ({}), found {}", min, max);
}

double UniformInteger::sample(sim::Stream& s) const {
  return static_cast<double>(min + sim::uniform_index(s, max - min + 1));
}

void ShiftedLognormal::describe(sim::Visitor& v) {
  v(median,
    {.name = "median", .help = "Median of the lognormal number.", .min = 0, .max = 1e9, .open_min = true});
  v(sigma, {.name = "sigma", .help = "Standard deviation of its logarithm.", .min = 0, .max = 5});
  v(shift, {.name = "shift", .help = "Minimum number of records.", .max = 1e9});
}

double ShiftedLognormal::sample(sim::Stream& s) const {
  return std::floor(median * std::exp(sim::normal(s, 0, sigma))) + static_cast<double>(shift);
}

OwnerSizes::OwnerSizes(std::size_t records) : law_(sim::Constant{static_cast<double>(records)}) {}

std::size_t OwnerSizes::size(std::size_t owner, const sim::Streams& streams, Instances instances) const {
  if (const auto* list = std::get_if<SizeList>(&law_)) {
    if (owner < list->values.size()) return list->values[owner];
    throw DataError(fmt::format("records: expected a value for each owner, found {}", list->values.size()));
  }
  auto stream = data_stream(streams, owner, DataDraw::kSize, instances);
  const double smallest = std::holds_alternative<UniformInteger>(law_) ? 0 : 1;
  const double drawn = std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.sample(stream); }) return law.sample(stream);
        return 0.0;
      },
      law_);
  const double size = std::max(smallest, std::round(drawn));
  if (!(size <= kLargestSize))
    throw DataError(fmt::format("records: expected at most 2^40, found {:g}", size));
  return static_cast<std::size_t>(size);
}

void OwnerSizes::describe_as(sim::Visitor& v, const sim::About& about) {
  v.variant(law_, about);
  const auto [lower, upper] = std::visit(
      [](const auto& law) {
        if constexpr (requires { law.upper(); }) return std::pair(law.lower(), law.upper());
        return std::pair(1.0, 1.0);
      },
      law_);
  // A distribution that starts at 0 is rounded up to 1; a constant 0 is an error.
  const double smallest = upper > 0 ? 0 : 1;
  v.check(lower >= smallest, about.name, "expected at least {:g}, found {:g}", smallest, lower);
  // Of a law without bounds its mean.
  const double most = std::visit(
      [up = upper](const auto& law) {
        if constexpr (requires { law.mean(); }) return std::isfinite(up) ? up : law.mean();
        return up;
      },
      law_);
  v.check(most <= kLargestSize, about.name, "expected at most {:.0f} (2^40) records, found up to {:g}",
          kLargestSize, most);
}

void OwnerSizes::describe_for(std::size_t owners, sim::Visitor& v, std::string_view help) {
  v(*this, {.name = "records", .help = help});
  const auto* list = std::get_if<SizeList>(&law_);
  v.check(list == nullptr || list->values.size() == owners, "records",
          "expected {} values, one per owner, found {}", owners, list ? list->values.size() : 0);
}

}  // namespace hearsay::models
