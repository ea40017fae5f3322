#pragma once
// Draws of data: how often, from which streams, which records are held out, how many records each owner has.
#include <algorithm>
#include <numbers>

#include "sim/laws/distribution.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

/// Whether all repetitions of a study share one instance of the data or each draws a new one.
enum class Draw { kStudy, kRepetition };
constexpr auto choices_of(Draw) {
  return std::to_array<sim::Choice>({{"study", "Once: all repetitions use the same data."},
                                     {"repetition", "A new instance for each repetition."}});
}

/// Which instances of a task: those that results are for, or others for choosing options.
enum class Instances { kTest, kValidation };
constexpr auto choices_of(Instances) {
  return std::to_array<sim::Choice>(
      {{"test", "Test instances, on which results are reported."},
       {"validation", "Validation instances, for choosing options without using the test instances."}});
}

/// Streams of Purpose::kData: entity = owner (0, 1, ...), index = one of these. A study's parameters that
/// belong to no owner are drawn with the entity kWholeStudy.
enum class DataDraw : std::uint32_t {
  kFeatures = 0,
  kTargetNoise = 1,
  kParameters = 2,
  kSplit = 3,
  kSize = 4,
  kTestFeatures = 5,
  kTestNoise = 6,
  kPartition = 7,
  kPartitionOrder = 8,
};
inline constexpr std::uint32_t kWholeStudy = 0xFFFF'FFFF;

/// Half the width of the uniform distribution of variance 1.
inline constexpr double kRoot3 = std::numbers::sqrt3;

/// The stream of (kData, owner, `part`) for one kind of draw. Validation instances have separate streams.
sim::Stream data_stream(const sim::Streams& streams, std::size_t owner, DataDraw what,
                        Instances instances = Instances::kTest, std::size_t part = 0);

/// `count` <= size of `size` positions, all subsets equally likely: selection sampling, Knuth, TAOCP 2,
/// 3.4.2 S. One draw a position until all are chosen.
std::vector<char> choose(std::size_t size, std::size_t count, sim::Stream stream);
/// The records held out for testing: round(fraction * size) of them, at most all but one.
std::vector<char> choose_test(std::size_t size, double fraction, sim::Stream stream);

/// "<name>1", "<name>2", ..., so many.
std::vector<std::string> numbered(std::string_view name, std::size_t count);

/// A size for each owner.
struct SizeList {
  static constexpr std::string_view kName = "values";
  static constexpr std::string_view kHelp = "One number per owner. Short form: the list.";
  static constexpr sim::Shorthand kShorthand{"values", sim::Shorthand::kList};
  std::vector<std::size_t> values;
  void describe(sim::Visitor& v) {
    v(values, {.name = "values", .help = "Number of records of each owner.", .min = 1, .required = true});
  }
};

/// A whole number, min to max equally likely; 0 for owners without training records.
struct UniformInteger {
  static constexpr std::string_view kName = "uniform_integer";
  static constexpr std::string_view kHelp = "Uniform on the whole numbers min, min + 1, ..., max.";
  std::size_t min = 10, max = 100;
  void describe(sim::Visitor& v);
  double sample(sim::Stream& s) const;
  double lower() const { return static_cast<double>(min); }
};

/// floor(X) + shift, X lognormal: the sizes of Synthetic(alpha, beta).
struct ShiftedLognormal {
  static constexpr std::string_view kName = "shifted_lognormal";
  static constexpr std::string_view kHelp =
      "A lognormal number, rounded down, plus a shift; many small owners and a few large ones.";
  double median = 54.598150033144236, sigma = 2;  // exp(4)
  std::size_t shift = 50;
  void describe(sim::Visitor& v);
  double sample(sim::Stream& s) const;
  double lower() const { return static_cast<double>(shift); }
};

/// How many records each owner has: one number or distribution for all, or a list.
class OwnerSizes {
 public:
  using Law = sim::DistributionOr<UniformInteger, SizeList, ShiftedLognormal>;

  OwnerSizes(std::size_t records);               // NOLINT(google-explicit-constructor): a number is a size
  OwnerSizes(Law law) : law_(std::move(law)) {}  // NOLINT(google-explicit-constructor)

  /// The size of an owner, at least 1 except under UniformInteger; drawn from (kData, owner, kSize) of the
  /// instances and rounded. Throws DataError when a list is too short or a draw exceeds 2^40.
  std::size_t size(std::size_t owner, const sim::Streams& streams,
                   Instances instances = Instances::kTest) const;

  void describe_as(sim::Visitor& v, const sim::About& about);
  /// The option "records" of data with so many owners: a list must have one value for each.
  void describe_for(std::size_t owners, sim::Visitor& v, std::string_view help);

 private:
  Law law_;
};

/// Training records of all owners, `options.records` of each, estimated from the first thousand. Throws DataError as
/// OwnerSizes::size().
template <class Options>
double expected_records(const Options& options, std::size_t owners, const sim::Streams& streams) {
  Instances instances = Instances::kTest;
  if constexpr (requires { options.instances; }) instances = options.instances;
  const std::size_t sampled = std::min<std::size_t>(owners, 1000);
  double records = 0;
  for (std::size_t i = 0; i < sampled; ++i)
    records += static_cast<double>(options.records.size(i, streams, instances));
  return sampled == 0 ? 0 : records * static_cast<double>(owners) / static_cast<double>(sampled);
}

inline constexpr sim::About kAboutDraw{
    .name = "draw", .help = "How often the data, or their split into training and test records, are drawn."};

}  // namespace hearsay::models
