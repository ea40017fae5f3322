#pragma once
// How a receiver makes one vector of several: `aggregate`, an option of all protocols that average several vectors at a time.
#include <type_traits>
#include <variant>
#include <vector>

#include "models/aggregation/before.hpp"
#include "models/aggregation/by_coordinate.hpp"
#include "models/aggregation/geometric_median.hpp"
#include "models/aggregation/krum.hpp"
#include "models/aggregation/mean.hpp"
#include "models/aggregation/minimum_diameter.hpp"
#include "models/aggregation/on_graphs.hpp"

namespace hearsay::models {

/// Of a server.
using ServerRules =
    std::variant<MeanRule, MedianRule, TrimmedMeanRule, MeanAroundMedianRule, KrumRule, MultiKrumRule,
                 GeometricMedianRule, CenteredClippingRule, MinimumDiameterRule>;
/// Of an agent and its neighbours.
using NeighbourRules =
    std::variant<MeanRule, MedianRule, TrimmedMeanRule, MeanAroundMedianRule, KrumRule, MultiKrumRule,
                 GeometricMedianRule, CenteredClippingRule, MinimumDiameterRule, SelfCenteredClippingRule,
                 ClippedSumRule, RemoveFarthestRule>;

template <class Rules>
struct AggregateOptions {
  Rules aggregate;
  std::vector<BeforeAggregation> before;
  void describe(sim::Visitor& v) {
    v(aggregate, {.name = "aggregate",
                  .help = "How vectors that arrive become one; all but mean count each of them once."});
    v(before, {.name = "before_aggregate", .help = "Steps that are made with the vectors before that."});
    v.check(
        before.empty() || !on_graph(), "before_aggregate",
        "the rules for graphs need the neighbours' own models: leave it out, or choose another aggregate");
  }
  /// The weighted mean and nothing else.
  bool plain() const { return std::holds_alternative<MeanRule>(aggregate) && before.empty(); }
  /// Makes one vector; changes `in`. Returns false if there are too few vectors.
  bool operator()(Gathered& in, Eigen::VectorXd& out) const {
    if (in.size == 0) return false;
    for (const BeforeAggregation& step : before) std::visit([&](const auto& s) { s(in); }, step);
    return std::visit([&](const auto& rule) { return rule(in, out); }, aggregate);
  }

 private:
  bool on_graph() const {
    return std::visit(
        [](const auto& rule) { return std::is_base_of_v<NeighbourRule, std::decay_t<decltype(rule)>>; },
        aggregate);
  }
};

}  // namespace hearsay::models
