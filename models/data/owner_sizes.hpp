#pragma once
// How many records each owner has: one number or law for all of them, or a list.
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "models/data/draw.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/distribution.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

/// A size for each owner.
struct SizeList {
  static constexpr std::string_view kName = "values";
  static constexpr std::string_view kHelp = "One number per owner. Short form: the list.";
  static constexpr sim::Shorthand kShorthand{"values", sim::Shorthand::kList};
  std::vector<std::size_t> values;
  void describe(sim::Visitor& v);
};

/// A whole number, all from min to max alike; 0 for owners without training records.
struct UniformInteger {
  static constexpr std::string_view kName = "uniform_integer";
  static constexpr std::string_view kHelp = "Uniform on the whole numbers min, min + 1, ..., max.";
  std::size_t min = 10, max = 100;
  void describe(sim::Visitor& v);
  double sample(sim::Stream& s) const;
  double lower() const { return static_cast<double>(min); }
};

class OwnerSizes {
 public:
  using Law = std::variant<sim::Constant, sim::Uniform, UniformInteger, sim::Exponential, sim::Lognormal,
                           sim::Gamma, sim::Pareto, SizeList>;

  OwnerSizes(std::size_t records);               // NOLINT(google-explicit-constructor): a number is a size
  OwnerSizes(Law law) : law_(std::move(law)) {}  // NOLINT(google-explicit-constructor)

  /// The size of an owner, at least 1 but under UniformInteger; a law is drawn from (kData, owner,
  /// DataDraw::kSize) of the instances and rounded. Throws DataError when a list does not reach to the owner
  /// or a draw exceeds 2^40.
  std::size_t size(std::size_t owner, const sim::Streams& streams,
                   Instances instances = Instances::kTest) const;
  /// How many owners a list is for; nothing where one law is for all.
  const SizeList* list() const { return std::get_if<SizeList>(&law_); }

  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  Law law_;
};

}  // namespace hearsay::models
