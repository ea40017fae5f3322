#pragma once
// When data are drawn, and from which stream what of them is.
#include <array>
#include <cstdint>
#include <numbers>

#include "sim/options/describe.hpp"

namespace hearsay::models {

/// Whether all repetitions of a study share one instance of the data or each draws its own.
enum class Draw { kStudy, kRepetition };

/// Which instances of a task: those that results are for, or others that options may be chosen on.
enum class Instances { kTest, kValidation };

/// Streams of Purpose::kData: entity = owner (0, 1, ...), index = one of these. A study's own parameters,
/// which belong to no owner, are drawn with the entity kWholeStudy.
enum class DataDraw : std::uint32_t {
  kFeatures = 0,
  kTargetNoise = 1,
  kParameters = 2,
  kSplit = 3,
  kSize = 4,
  kTestFeatures = 5,
  kTestNoise = 6,
};
inline constexpr std::uint32_t kWholeStudy = 0xFFFF'FFFF;
/// Added to a DataDraw for validation instances, so that they are independent of the others.
inline constexpr std::uint32_t kValidationDraws = 0x8000'0000;

/// Half the width of the uniform distribution of variance 1.
inline constexpr double kRoot3 = std::numbers::sqrt3;

/// The index of a draw for one kind of instances.
constexpr std::uint32_t draw_index(DataDraw what, Instances instances = Instances::kTest) {
  return static_cast<std::uint32_t>(what) + (instances == Instances::kValidation ? kValidationDraws : 0);
}

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::Draw> {
  static constexpr std::array kValues{Choice{"study", "Once: all repetitions use the same data."},
                                      Choice{"repetition", "A new instance for each repetition."}};
};
template <>
struct Choices<models::Instances> {
  static constexpr std::array kValues{
      Choice{"test", "Test instances, on which results are reported."},
      Choice{"validation", "Validation instances, for choosing options without using the test instances."}};
};
}  // namespace hearsay::sim

namespace hearsay::models {
inline constexpr sim::About kAboutDraw{
    .name = "draw", .help = "How often the data, or their split into training and test records, are drawn."};
}  // namespace hearsay::models
