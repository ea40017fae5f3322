#pragma once
// Minimum diameter averaging: the mean of those n - f vectors whose largest distance from each other is least. All subsets are
// looked at, but for those that hold a pair farther apart than the best so far: exponential in f. Of subsets with the same
// diameter the one that is lexicographically first.
//
// Source: Rousseeuw 1985; El Mhamdi, Guerraoui, Rouault 2018, "The Hidden Vulnerability of Distributed Learning in Byzantium".
#include <limits>
#include <string_view>

#include "models/aggregation/gathered.hpp"

namespace hearsay::models {

struct MinimumDiameterRule : RuleTolerance {
  static constexpr std::string_view kName = "minimum_diameter";
  static constexpr std::string_view kHelp =
      "The mean of those n - f vectors with the least largest distance; takes time exponential in f.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    if (!enough(in)) return false;
    Search search{in.squared_distances(), in.by(Eigen::VectorXd::Zero(in.size)), honest(in)};
    search.extend(0, 0);
    out = in.mean_of(search.best, search.count);
    return true;
  }

 private:
  struct Search {
    Eigen::MatrixXd distances;
    std::vector<Eigen::Index> order;
    Eigen::Index count;
    std::vector<Eigen::Index> chosen{}, best{};
    double least = std::numeric_limits<double>::infinity();

    void extend(std::size_t next, double diameter) {
      if (static_cast<Eigen::Index>(chosen.size()) == count) {
        least = diameter;
        best = chosen;
        return;
      }
      const std::size_t missing = static_cast<std::size_t>(count) - chosen.size();
      for (std::size_t k = next; k + missing <= order.size(); ++k) {
        double grown = diameter;
        for (const Eigen::Index other : chosen) grown = std::max(grown, distances(other, order[k]));
        if (!best.empty() && grown >= least) continue;  // distances of huge vectors are infinite
        chosen.push_back(order[k]);
        extend(k + 1, grown);
        chosen.pop_back();
      }
    }
  };
};

}  // namespace hearsay::models
