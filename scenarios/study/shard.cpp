#include "scenarios/study/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/files/whole_number.hpp"
#include "sim/random/philox.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kBlocks = 16;  // of a part
constexpr std::uint32_t kMaxParts = 1'000'000;

// Of the blocks first .. first + count - 1, the one that a part gets.
std::size_t block_of(const Shard& shard, std::size_t first) {
  std::vector<std::size_t> blocks(shard.count);
  std::iota(blocks.begin(), blocks.end(), first);
  const auto random = [](std::size_t block) {
    return std::pair(sim::philox4x32({static_cast<std::uint32_t>(block), 0, 0, 0}, {0, 0})[0], block);
  };
  const auto wanted = blocks.begin() + (shard.number - 1);
  std::ranges::nth_element(blocks, wanted, {}, random);
  return *wanted;
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", number, count);
}

Shard shard_from(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = sim::whole_number<std::uint32_t>(text.substr(0, slash));
  const auto count = sim::whole_number<std::uint32_t>(text.substr(std::min(slash + 1, text.size())));
  if (!number || !count)
    throw std::invalid_argument(fmt::format("expected a part such as 2/3, found '{}'", text));
  const Shard shard{*number, *count};
  if (shard.count < 1 || shard.count > kMaxParts || shard.number < 1 || shard.number > shard.count) {
    throw std::invalid_argument(
        fmt::format("expected a part from 1/N to N/N with N from 1 to {}, found '{}'", kMaxParts, text));
  }
  return shard;
}

std::vector<bool> runs_of(const Shard& shard, std::size_t runs) {
  std::vector<bool> own(runs);
  const std::size_t blocks = std::min(runs, kBlocks * shard.count);
  for (std::size_t first = 0; first < blocks; first += shard.count) {
    const std::size_t block = block_of(shard, first);
    if (block >= blocks) continue;
    // Blocks of equal length, to one run.
    for (std::size_t k = block * runs / blocks; k < (block + 1) * runs / blocks; ++k) own[k] = true;
  }
  return own;
}

}  // namespace hearsay::scenarios
