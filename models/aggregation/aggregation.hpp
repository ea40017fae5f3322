#pragma once
// How a receiver makes one vector of several: `aggregate`, an option of all protocols that average.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "models/aggregation/before.hpp"
#include "models/aggregation/by_coordinate.hpp"
#include "models/aggregation/centered_clipping.hpp"
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

/// Where one or two vectors are averaged at a time: these do not show which of them is hostile, but an agent's own model, or a
/// server's, limits how far they move it.
using PairRules = std::variant<MeanRule, CenteredClippingRule>;

template <class Rules>
struct AggregateOptions {
  Rules aggregate;
  std::vector<BeforeAggregation> before;
  void describe(sim::Visitor& v) {
    v(aggregate,
      {.name = "aggregate",
       .help =
           "How vectors that arrive become one; all but mean and those for graphs count each of them once."});
    if constexpr (std::is_same_v<Rules, PairRules>) return;
    v(before, {.name = "before_aggregate", .help = "Steps that are made with the vectors before that."});
    v.check(
        before.empty() || !on_graph(), "before_aggregate",
        "the rules for graphs need the neighbours' own models: leave it out, or choose another aggregate");
  }
  /// Adds a note if even `most` vectors, of which there are never more, are too few.
  void note_too_few(std::size_t most, std::vector<std::string>& notes) const {
    Gathered vectors;
    vectors.size = static_cast<Gathered::Index>(most);
    bool enough = true;
    const auto take = [&](const auto& step) {
      if constexpr (requires { step.enough(vectors); }) enough = enough && step.enough(vectors);
      if constexpr (requires { step.buckets(vectors.size); }) vectors.size = step.buckets(vectors.size);
    };
    for (const BeforeAggregation& step : before) std::visit(take, step);
    std::visit(take, aggregate);
    if (!enough)
      notes.push_back(fmt::format(
          "warning: protocol.aggregate: never makes a vector, which takes 2 f + 1, also after steps of "
          "before_aggregate: there are at most {} at a time; choose a smaller f",
          most));
  }
  /// The weighted mean and nothing else.
  bool plain() const { return std::holds_alternative<MeanRule>(aggregate) && before.empty(); }
  /// The purpose of draws, in the numbers of protocols.
  static constexpr std::uint32_t kPurpose = 62;
  /// Makes one vector; changes `in`. Returns false, and `out` is as it was, if there are too few vectors. draw(): the next
  /// sim::Stream of kPurpose, asked for once if something is drawn.
  template <class Draw>
  bool operator()(Gathered& in, Eigen::VectorXd& out, Draw&& draw) const {
    if (in.size == 0) return false;
    std::optional<sim::Stream> stream;
    for (const BeforeAggregation& step : before) {
      if (const auto* bucketing = std::get_if<Bucketing>(&step)) {
        if (!stream) stream = draw();
        (*bucketing)(in, *stream);
      } else if (!std::visit(
                     [&](const auto& s) {
                       if constexpr (requires { s(in); }) return s(in);
                       return true;
                     },
                     step)) {
        return false;
      }
    }
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
