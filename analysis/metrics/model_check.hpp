#pragma once
// Whether the models of a run diverge, whatever metrics it records.
//
// With f the objective of the learner's model, or the mean over owners of (1/n_i) sum loss + g at their own models, a run
// has diverged when f exceeds 1e6 (v + z): v is the largest of f at the start, f of models that are 0, and 1; z
// the squared norm of all noise added so far, which raises an objective in proportion.
#include <limits>
#include <optional>
#include <string>

#include "analysis/store/study.hpp"
#include "models/run/world.hpp"

namespace hearsay::analysis {

inline constexpr double kDivergence = 1e6;

class ModelCheck {
 public:
  /// At each observation; the first is the start. O(p agents), and O(n p) whenever the norm of the models has doubled.
  void look(const models::World& world, const Sample& at);
  /// What is wrong with the models so far, or as they are at the end; nothing if they have not diverged. O(n p).
  std::optional<std::string> verdict(const models::World& world) const;
  auto state() { return std::tie(start_, scale_, judged_, found_); }

 private:
  std::optional<std::string> judge(const models::World& world, const Sample& at) const;

  double start_ = std::numeric_limits<double>::quiet_NaN(), scale_ = start_;
  double judged_ = 0;  // squared norm of the models when f was last evaluated
  std::optional<std::string> found_;
};

}  // namespace hearsay::analysis
