#pragma once
// Centred clipping: v <- v + (1/n) sum_k (x_k - v) min(1, tau/norm_2(x_k - v)), a number of times. v is at first the last
// aggregate of a server, or an agent's own model.
//
// Source: Karimireddy, He, Jaggi 2021, "Learning from History for Byzantine Robust Optimization", Algorithm 2.
#include <string_view>

#include "models/aggregation/gathered.hpp"
#include "models/algebra/norm.hpp"

namespace hearsay::models {

struct CenteredClippingRule {
  static constexpr std::string_view kName = "centered_clipping";
  static constexpr std::string_view kHelp =
      "The mean of the vectors' differences from the last aggregate (of gossip: from the agent's own model), each "
      "scaled down to a norm of at most tau.";
  double tau = 1;
  std::uint32_t passes = 1;
  void describe(sim::Visitor& v) {
    v(tau, sim::positive("tau", "Largest norm of a difference."));
    v(passes, {.name = "passes", .help = "Number of times that this is done.", .min = 1});
  }
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    out = in.centre;
    Eigen::VectorXd sum(out.size());
    for (std::uint32_t step = 0; step < passes; ++step) {
      sum.setZero();
      for (Eigen::Index k = 0; k < in.size; ++k)
        sum += shortening(length_of(in.x.col(k) - out), tau) * (in.x.col(k) - out);
      out += sum / static_cast<double>(in.size);
    }
    return true;
  }
};

}  // namespace hearsay::models
