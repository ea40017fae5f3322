#include "models/data/owner_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data/data_set.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

constexpr double kLargest = 1099511627776.0;  // 2^40

struct Draws {
  std::size_t owner;
  const sim::Streams& streams;
  Instances instances;

  std::size_t operator()(const SizeList& list) const {
    if (owner >= list.values.size()) {
      throw DataError(fmt::format("records: expected a value for each owner, found {}", list.values.size()));
    }
    return list.values[owner];
  }
  template <class Law>
  std::size_t operator()(const Law& law) const {
    auto stream = streams(sim::Purpose::kData, static_cast<std::uint32_t>(owner), 0,
                          draw_index(DataDraw::kSize, instances));
    constexpr double kLeast = std::is_same_v<Law, UniformInteger> ? 0 : 1;
    const double size = std::max(kLeast, std::round(law.sample(stream)));
    if (!(size <= kLargest)) throw DataError(fmt::format("records: expected at most 2^40, got {:g}", size));
    return static_cast<std::size_t>(size);
  }
};

}  // namespace

void SizeList::describe(sim::Visitor& v) {
  v(values, {.name = "values", .help = "Number of records of each owner.", .min = 1, .required = true});
}

void UniformInteger::describe(sim::Visitor& v) {
  v(min, {.name = "min", .help = "Minimum.", .required = true});
  v(max, {.name = "max", .help = "Maximum.", .min = 1, .max = 1099511627776.0, .required = true});
  v.check(max >= min, "max", fmt::format("must be at least min ({}), got {}", min, max));
}

double UniformInteger::sample(sim::Stream& s) const {
  return static_cast<double>(min + sim::uniform_index(s, max - min + 1));
}

OwnerSizes::OwnerSizes(std::size_t records) : law_(sim::Constant{static_cast<double>(records)}) {}

std::size_t OwnerSizes::size(std::size_t owner, const sim::Streams& streams, Instances instances) const {
  return std::visit(Draws{owner, streams, instances}, law_);
}

void OwnerSizes::describe_as(sim::Visitor& v, const sim::About& about) {
  v.variant(law_, about);
  if (list()) return;
  const double lower = std::visit(
      [](const auto& law) {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, SizeList>) {
          return 1.0;
        } else {
          return law.lower();
        }
      },
      law_);
  // A law that starts at 0 is rounded up to 1; a constant has no excuse.
  const double least = std::holds_alternative<sim::Constant>(law_) ? 1 : 0;
  v.check(lower >= least, about.name, fmt::format("must be at least {:g}, got {:g}", least, lower));
}

}  // namespace hearsay::models
