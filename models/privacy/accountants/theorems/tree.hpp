#pragma once
// Running sums by a binary tree (DP-FTRL).
//
// A tree sums the contributions of its rounds, its leaves: node j of height h is the sum over the leaves
// j 2^h .. (j + 1) 2^h - 1, and every node that lies within the rounds made is released with independent Gaussian noise of
// standard deviation z S per coordinate, S the bound of one contribution. Running sums, and better estimates of them, are
// computed from the noisy nodes. After `leaves` rounds a new tree begins. `complete`: a tree before the last one is
// completed to a power of two by leaves without contributions, so that its sum is that of its root.
//
// A record, or a user, contributes once in `epoch` rounds, always at the same position b: in the rounds b, b + epoch, ....
// All nodes together are one Gaussian release, also when contributions depend on earlier releases, with
//   noise multiplier z/D,  D^2 = max_b sum over the nodes of (number of rounds of b in the node)^2.
// A user that misses rounds contributes to fewer nodes, so that D is an upper bound. It is for a contribution that is
// absent; one that is replaced by another doubles S.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021, "Practical and Private (Deep) Learning without Sampling or
// Shuffling", Theorem 4.1, Appendix D.2. Adaptive contributions: Denisov, McMahan, Rush, Smith, Thakurta 2022, Theorem 2.1.
#include <compare>
#include <cstdint>

namespace hearsay::models {

struct Tree {
  std::uint64_t rounds = 0;  ///< in all
  std::uint64_t leaves = 0;  ///< rounds until a restart
  std::uint64_t epoch = 1;   ///< rounds between two contributions of the same user
  bool complete = true;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const Tree&) const = default;

  /// Whether round t, from 0, is the last of a tree that is completed.
  bool completes_at(std::uint64_t t) const { return complete && (t + 1) % leaves == 0 && t + 1 < rounds; }
};

/// D^2 of the first `rounds` rounds. O(rounds log leaves). Throws std::invalid_argument unless leaves and epoch are
/// positive and rounds is at most tree.rounds.
double tree_sensitivity_squared(const Tree& tree, std::uint64_t rounds);

}  // namespace hearsay::models
