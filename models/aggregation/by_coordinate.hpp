#pragma once
// Rules that take each coordinate by itself: of its values z_1 <= ... <= z_n
//
//   median               the middle one, or the mean of the two in the middle        Yin, Chen, Ramchandran, Bartlett 2018
//   trimmed_mean         the mean of z_{f+1}, ..., z_{n-f}                             the same, with f = beta n
//   mean_around_median   the mean of the n - f values closest to the median    Xie, Koyejo, Gupta 2018, "Generalized Byzantine-tolerant SGD"
#include <string_view>
#include <utility>

#include "models/aggregation/gathered.hpp"

namespace hearsay::models {

/// Brings the values of kLanes coordinates at a time into order, by Batcher's merge exchange (Knuth, The Art of Computer
/// Programming 3, Algorithm 5.2.2M): which values it compares does not depend on them, so that a processor does so for all
/// lanes at once. O(n log(n)^2) comparisons a coordinate.
class OrderedCoordinates {
 public:
  static constexpr Eigen::Index kLanes = 16;
  using Block = Eigen::Array<double, kLanes, Eigen::Dynamic>;

  /// Of n values: all in ascending order.
  explicit OrderedCoordinates(Eigen::Index n);
  /// The places from `first` on have, in any order, the `count` values that they have in ascending order.
  OrderedCoordinates(Eigen::Index n, Eigen::Index first, Eigen::Index count);

  /// use(block, first, lanes): the values of the coordinates from `first` on, row by row.
  template <class F>
  void each(const Gathered& in, F&& use) const {
    Block block(kLanes, in.size);
    const Eigen::Index p = in.x.rows();
    for (Eigen::Index first = 0; first < p; first += kLanes) {
      const Eigen::Index lanes = std::min(kLanes, p - first);
      if (lanes < kLanes) block.setZero();
      block.topRows(lanes) = in.columns().middleRows(first, lanes).array();
      order(block);
      use(std::as_const(block), first, lanes);
    }
  }

 private:
  void order(Block& block) const;

  std::vector<std::pair<Eigen::Index, Eigen::Index>>
      compared_;  // places: the smaller value goes to the first
};

struct MedianRule {
  static constexpr std::string_view kName = "median";
  static constexpr std::string_view kHelp =
      "The median of each coordinate; of an even number of values the mean of the two in the middle.";
  void describe(sim::Visitor&) {}
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const;
};

struct TrimmedMeanRule : RuleTolerance {
  static constexpr std::string_view kName = "trimmed_mean";
  static constexpr std::string_view kHelp =
      "The mean of each coordinate without its f smallest and f largest values.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const;
};

struct MeanAroundMedianRule : RuleTolerance {
  static constexpr std::string_view kName = "mean_around_median";
  static constexpr std::string_view kHelp =
      "The mean of those n - f values of each coordinate that are closest to its median.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const;
};

}  // namespace hearsay::models
