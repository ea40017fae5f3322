#pragma once
// The "privacy" of a scenario, and what it comes to for a given problem.
#include <optional>
#include <string>
#include <vector>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/mechanism.hpp"
#include "models/problem.hpp"
#include "sim/describe.hpp"
#include "sim/per_agent.hpp"

namespace hearsay::models {

struct PrivacyOptions {
  Mechanism mechanism;
  sim::PerAgent epsilon = 1;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  std::optional<double> gradient_bound, clip;
  bool bound_from_data = false;
  void describe(sim::Visitor& v);
};

/// Where the bound on a record's gradient comes from.
enum class BoundSource { kNone, kGiven, kDerived, kClip, kFromData };

/// Privacy of one problem: the bound in force and each owner's budget.
struct PrivacyPlan {
  Mechanism mechanism;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  BoundSource source = BoundSource::kNone;
  double bound = 0;               ///< norm_1 of a record's gradient is at most this (Xi)
  std::vector<double> epsilon{};  ///< total budget, by owner

  bool active() const { return is_private(mechanism); }
  bool clips() const { return source == BoundSource::kClip; }
  /// L1 sensitivity of the mean of n gradients, each bounded by `bound`: 2 bound/n, or bound/n where a record
  /// is added or removed (n is public and the same on both neighbours).
  double sensitivity(Eigen::Index n) const {
    return (adjacency == Adjacency::kReplaceOne ? 2 : 1) * bound / static_cast<double>(n);
  }
  /// One sentence for the manifest.
  std::string describe_bound() const;
};

/// Works the options out for a problem. `optimum` is theta*, where the data themselves may give the bound:
/// the largest norm_1 of a record's gradient at 0 and at theta*. Agents of owners are numbered from
/// `first_agent`. Throws std::invalid_argument if no bound is given, derivable or enforced.
PrivacyPlan make_plan(const PrivacyOptions& options, const Problem& problem, const Eigen::VectorXd& optimum,
                      sim::AgentId first_agent, const sim::Streams& streams);

}  // namespace hearsay::models
