#pragma once
// The weighted mean: sum_k w_k x_k / sum_k w_k.
#include <string_view>

#include "models/aggregation/gathered.hpp"

namespace hearsay::models {

struct MeanRule {
  static constexpr std::string_view kName = "mean";
  static constexpr std::string_view kHelp = "The protocol's weighted mean.";
  void describe(sim::Visitor&) {}
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    out = in.columns() * in.weights() / in.weights().sum();
    return true;
  }
};

}  // namespace hearsay::models
