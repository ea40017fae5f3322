#include "models/privacy/accountants/theorems/tree.hpp"

#include <algorithm>
#include <bit>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

// Sum over the nodes of a tree of `size` leaves of the squared number of the leaves first, first + epoch, ... < made in
// the node.
double squared_counts(std::uint64_t first, std::uint64_t epoch, std::uint64_t made, std::uint64_t size) {
  double sum = 0;
  for (std::uint64_t width = 1; width <= size; width *= 2) {
    for (std::uint64_t leaf = first; leaf < made;) {
      const std::uint64_t end = (leaf / width + 1) * width;
      if (end > size) break;
      const std::uint64_t count = (std::min(end, made) - leaf + epoch - 1) / epoch;
      sum += static_cast<double>(count) * static_cast<double>(count);
      leaf += count * epoch;
    }
  }
  return sum;
}

}  // namespace

double tree_sensitivity_squared(const Tree& tree, std::uint64_t rounds) {
  require(tree.leaves >= 1, "rounds of a tree", "at least 1", tree.leaves);
  require(tree.epoch >= 1, "rounds of an epoch", "at least 1", tree.epoch);
  require(rounds <= tree.rounds, "rounds", fmt::format("at most {}", tree.rounds), rounds);
  double most = 0;
  for (std::uint64_t position = 0; position < std::min(tree.epoch, rounds); ++position) {
    double sum = 0;
    for (std::uint64_t start = 0; start < rounds; start += tree.leaves) {
      const std::uint64_t made = std::min(tree.leaves, rounds - start);
      const bool completed = made == tree.leaves && tree.completes_at(start + made - 1);
      const std::uint64_t shift = start % tree.epoch;
      const std::uint64_t first = (position + tree.epoch - shift) % tree.epoch;
      sum += squared_counts(first, tree.epoch, made, completed ? std::bit_ceil(made) : made);
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace hearsay::models
