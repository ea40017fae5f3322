#pragma once
// A part of a study, for machines that make its parts independently.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::scenarios {

/// Part `number`, from 1, of `count` parts. Every run belongs to exactly one.
struct Shard {
  std::uint32_t number = 1, count = 1;

  /// "2/3".
  std::string text() const;
  bool operator==(const Shard&) const = default;
};

/// The part that a text such as "2/3" names. Throws std::invalid_argument: "expected ..., found ...".
Shard shard_from(std::string_view text);

/// Which runs of a sequence belong to a part. The sequence is cut into blocks, at most 16 for each part, so that most
/// runs of a point stay together; of every `count` consecutive blocks each part gets one at random, always in the same
/// way, so that parts take about equally long although points do not. Their sizes differ by at most 16.
std::vector<bool> runs_of(const Shard& shard, std::size_t runs);

}  // namespace hearsay::scenarios
