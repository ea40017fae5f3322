#pragma once
// Krum: the vector whose nearest others are nearest. The score of a vector is the sum of its squared distances to
//
//   blanchard    the n - f - 2 nearest others
//   with_itself  the n - f nearest, one of which is the vector itself: n - f - 1 others
//
// at least one; krum returns the vector with the least score, multi_krum the mean of the n - f best. O(n^2 p).
//
// Source: Blanchard, El Mhamdi, Guerraoui, Stainer 2017, "Machine Learning with Adversaries: Byzantine Tolerant Gradient
// Descent". The second convention is that of other programs.
#include <array>
#include <string_view>

#include "models/aggregation/gathered.hpp"

namespace hearsay::models {

enum class KrumScore { kBlanchard, kWithItself };
constexpr auto choices_of(KrumScore) {
  return std::to_array<sim::Choice>({{"blanchard", "over the n - f - 2 nearest other vectors"},
                                     {"with_itself", "over the n - f - 1 nearest other vectors"}});
}

struct KrumOptions : RuleTolerance {
  KrumScore score = KrumScore::kBlanchard;
  void describe(sim::Visitor& v) {
    RuleTolerance::describe(v);
    v(score, {.name = "score", .help = "Which squared distances are added up; at least one."});
  }
  /// The vectors by ascending score.
  std::vector<Eigen::Index> ranked(const Gathered& in) const {
    const Eigen::MatrixXd distances = in.squared_distances();
    const Eigen::Index others = std::clamp<Eigen::Index>(
        honest(in) - (score == KrumScore::kBlanchard ? 2 : 1), 1, std::max<Eigen::Index>(in.size - 1, 1));
    Eigen::VectorXd scores(in.size), sorted;
    for (Eigen::Index k = 0; k < in.size; ++k) {
      sorted = distances.col(k);
      sorted[k] = -1;  // the vector itself is first
      std::ranges::sort(sorted);
      scores[k] = in.size == 1 ? 0 : sorted.segment(1, others).sum();
    }
    return in.by(scores);
  }
};

struct KrumRule : KrumOptions {
  static constexpr std::string_view kName = "krum";
  static constexpr std::string_view kHelp =
      "The vector with the least sum of squared distances to its nearest others.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    if (!enough(in)) return false;
    out = in.mean_of(ranked(in), 1);
    return true;
  }
};

struct MultiKrumRule : KrumOptions {
  static constexpr std::string_view kName = "multi_krum";
  static constexpr std::string_view kHelp = "The mean of those n - f vectors that krum ranks first.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    if (!enough(in)) return false;
    out = in.mean_of(ranked(in), honest(in));
    return true;
  }
};

}  // namespace hearsay::models
