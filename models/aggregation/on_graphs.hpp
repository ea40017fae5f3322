#pragma once
// Rules of an agent i that averages with its neighbours, with weights W_ij (mixing_weights.hpp) and d_j = norm_2(x_j - x_i):
//
//   x_i <- x_i + sum_j W_ij (x_j - x_i) min(1, tau_i/d_j)
//
//   self_centered_clipping   tau_i^2 = sum over honest j of W_ij d_j^2 / (sum over hostile j of W_ij); no clipping without
//                            hostile neighbours. It reads who is hostile, which no agent knows: for study
//                            He, Karimireddy, Jaggi 2022, "Byzantine-Robust Decentralized Learning via ClippedGossip"
//   clipped_sum              tau_i: the least d_j up to which neighbours have together the weight sum_j W_ij - 2 b; 0 if that is
//                            not positive                Gaucher, Dieuleveut, Hendrikx 2025, "Unified Breakdown Analysis for
//                            Byzantine Robust Gossip"
//   remove_farthest          no clipping, but W_ij is taken away from the farthest neighbours, a weight b together,
//                            and stays with the agent: as the nearest neighbour averaging of Farhadkhani, Guerraoui, Gupta,
//                            Hoang, Pinot, Stephan 2023, with weights
#include <cmath>
#include <limits>
#include <string_view>

#include "models/aggregation/gathered.hpp"
#include "models/algebra/norm.hpp"

namespace hearsay::models {

/// d_j of all columns, and what clipping to tau leaves.
struct NeighbourRule {
  static Eigen::VectorXd distances(const Gathered& in) { return in.distances_from(in.centre); }
  static void clipped(const Gathered& in, const Eigen::VectorXd& d, double tau, Eigen::VectorXd& out) {
    out = in.centre;
    for (Eigen::Index k = 0; k < in.size; ++k)
      out += in.weight[k] * shortening(d[k], tau) * (in.x.col(k) - in.centre);
  }
};

struct SelfCenteredClippingRule : NeighbourRule {
  static constexpr std::string_view kName = "self_centered_clipping";
  static constexpr std::string_view kHelp =
      "Differences from the agent's own model are clipped where that is best. It reads who is hostile, which no "
      "agent knows: for study.";
  void describe(sim::Visitor&) {}
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    const Eigen::VectorXd d = distances(in);
    double spread = 0, hostile = 0;
    for (Eigen::Index k = 0; k < in.size; ++k)
      (in.hostile[static_cast<std::size_t>(k)] != 0 ? hostile : spread) +=
          in.weight[k] * (in.hostile[static_cast<std::size_t>(k)] != 0 ? 1 : d[k] * d[k]);
    clipped(in, d, hostile > 0 ? std::sqrt(spread / hostile) : std::numeric_limits<double>::infinity(), out);
    return true;
  }
};

/// With the weight of hostile neighbours that a rule is meant for.
struct NeighbourTolerance : NeighbourRule {
  double b = 0.1;
  void describe(sim::Visitor& v) {
    v(b,
      {.name = "b", .help = "Weight W_ij of the hostile neighbours that it withstands.", .min = 0, .max = 1});
  }
};

struct ClippedSumRule : NeighbourTolerance {
  static constexpr std::string_view kName = "clipped_sum";
  static constexpr std::string_view kHelp =
      "Differences from the agent's own model are clipped to the distance up to which neighbours have all weight but "
      "2 b.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    const Eigen::VectorXd d = distances(in);
    // The agent itself, at distance 0, is no neighbour.
    double left = -2 * b, tau = 0;
    for (Eigen::Index k = 0; k < in.size; ++k) left += k == 0 ? 0 : in.weight[k];
    constexpr double kRounding = 1e-12;
    for (const Eigen::Index k : in.by(d)) {
      if (k == 0) continue;
      if (left <= kRounding) break;
      left -= in.weight[k];
      tau = d[k];
    }
    clipped(in, d, tau, out);
    return true;
  }
};

struct RemoveFarthestRule : NeighbourTolerance {
  static constexpr std::string_view kName = "remove_farthest";
  static constexpr std::string_view kHelp =
      "The farthest neighbours lose a weight of b together, which the agent's own model gets.";
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    const Eigen::VectorXd d = distances(in);
    const std::vector<Eigen::Index> order = in.by(d);
    double removed = 0;
    out = in.centre;
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
      if (*k == 0) continue;
      const double taken = std::min(in.weight[*k], b - removed);
      removed += taken;
      out += (in.weight[*k] - taken) * (in.x.col(*k) - in.centre);
    }
    return true;
  }
};

}  // namespace hearsay::models
