#include "models/protocols/multitask/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/check.hpp"

namespace hearsay::models {

namespace {

// Bounds on a record's gradient: where q_t moves, and at the released point.
struct GradientBounds {
  double own = 0, sent = 0;
};

bool declares_norm(const std::optional<DeclaredBounds>& bounds) {
  return bounds && std::isfinite(bounds->norm_2());
}

// Of a regression: the declared one, which the data keep, or 1, which is checked.
double bound_of_targets(const Study& study) {
  if (std::isfinite(study.problem.bounds()->target)) return study.problem.bounds()->target;
  const Problem& problem = study.exact("data: targets of a regression compared with [-1, 1]");
  for (const Shard& shard : problem.data().train) {
    if (shard.target.cwiseAbs().maxCoeff() > 1 + 1e-12)
      throw std::invalid_argument("regression needs targets within [-1, 1]: use data.target_transform");
  }
  return 1;
}

GradientBounds gradient_bounds(const MultitaskOptions& options, const Study& study) {
  const Budget& privacy = study.privacy;
  const bool fixed = options.sensitivity == TurnSensitivity::kReleased;
  if (privacy.source != BoundSource::kProtocol || fixed) return {privacy.bound, privacy.bound};
  const double y = bound_of_targets(study);
  const double c_1 = study.problem.bounds()->norm_2();
  return {2 * c_1 * (c_1 * *options.c_3 + y), 2 * c_1 * (c_1 * *options.c_4 + y)};
}

}  // namespace

void require_turn_bounds(const MultitaskOptions& options, const Setting& setting) {
  const Budget& privacy = setting.privacy;
  const bool fixed = options.sensitivity == TurnSensitivity::kReleased;
  if (fixed && (privacy.clips() || privacy.source == BoundSource::kGiven))
    throw sim::OptionError("sensitivity",
                           "released uses fixed constants, not a bound on gradients: leave out "
                           "privacy.clip and privacy.gradient_bound");
  const bool minimises =
      options.q_update == OwnUpdate::kExact ||
      (options.sensitivity == TurnSensitivity::kAccumulated && options.start == TaskStart::kSingleTask);
  if (privacy.clips() && minimises)
    throw sim::OptionError(
        options.q_update == OwnUpdate::kExact ? "q_update" : "start",
        "privacy.clip bounds the gradients of steps, not the sensitivity of a minimiser: use "
        "q_update step, and start zero with sensitivity accumulated");
  if (privacy.source != BoundSource::kProtocol || fixed) return;
  if (!declares_norm(setting.bounds))
    throw std::invalid_argument(
        "noise needs a bound on a record's gradient: features in the unit ball (data.unit_ball), "
        "data.bounds, or privacy.gradient_bound, or privacy.clip");
  if (!setting.model.loss.quadratic() || !options.c_3 || !options.c_4)
    throw std::invalid_argument(
        "gradients of a regression are bounded only if the model is: declare c_3 and c_4, or give "
        "privacy.clip");
}

TurnSensitivities::TurnSensitivities(const MultitaskOptions& options, const Study& study)
    : follows_(options.sensitivity == TurnSensitivity::kAccumulated ||
               (options.sensitivity == TurnSensitivity::kPaper && options.q_update == OwnUpdate::kExact)),
      before_(options.gradient_at == GradientAt::kOldQ),
      tasks_(study.problem.owners()) {
  const GradientBounds bounds = gradient_bounds(options, study);
  const bool exact = options.q_update == OwnUpdate::kExact;
  if (follows_ && !exact && !(options.alpha_1 * (smoothness_for("alpha_1", study) + 2 * options.tau) <= 2))
    throw std::invalid_argument("sensitivity accumulated needs alpha_1 (L + 2 tau) <= 2");
  keeps_ = exact ? 0 : 1 - options.alpha_1 * options.tau;
  const double ends = study.privacy.adjacency == Adjacency::kReplaceOne ? 2 : 1;
  double largest = 0;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    const double divisor = options.batch_fraction * static_cast<double>(study.problem.n(t));
    if (options.sensitivity == TurnSensitivity::kReleased) {
      task.step = options.released_1;
      task.s_2 = options.released_2;
    } else {
      task.step = ends * bounds.own / divisor * (exact ? 1 / options.tau : options.alpha_1);
      task.s_2 = ends * bounds.sent / divisor;
    }
    if (options.start == TaskStart::kSingleTask)
      task.start = ends * bounds.own / (divisor * options.ridge_of_start());
    task.apart = task.start;
    largest = std::max(largest, task.s_2);
  }
  column_ = options.alpha_2 * largest;
}

double TurnSensitivities::s_1(std::size_t t) const {
  if (tasks_.empty()) return 0;
  const Task& task = tasks_[t];
  if (!follows_) return task.step;
  return before_ ? std::max(task.apart, after_turn(task)) : after_turn(task);
}

void TurnSensitivities::count_turn(std::size_t t) {
  if (!tasks_.empty()) tasks_[t].apart = after_turn(tasks_[t]);
}

void TurnSensitivities::reset(std::size_t t) {
  if (!tasks_.empty()) tasks_[t].apart = tasks_[t].start;
}

double released_shortfall(const MultitaskOptions& options, const Study& study) {
  if (study.privacy.source == BoundSource::kProtocol) return 0;
  MultitaskOptions proof = options;
  proof.sensitivity = TurnSensitivity::kPaper;
  const TurnSensitivities needed(proof, study);
  double largest = 0;
  for (std::size_t t = 0; t < study.problem.owners(); ++t) {
    if (options.releases_q()) largest = std::max(largest, needed.s_1(t) / options.released_1);
    largest = std::max(largest, needed.s_2(t) / options.released_2);
  }
  return largest;
}

// A bound of norm_1 alone would be far above the norms that there are, and steps far shorter than they can be.
bool declares_norm_2(const std::optional<DeclaredBounds>& bounds) {
  return bounds && std::isfinite(bounds->features_l2);
}

double smoothness(const Study& study) {
  const Problem& problem = study.diagnosed();
  double c_1 = 0;
  if (study.privacy.active() && declares_norm_2(problem.bounds())) {
    c_1 = problem.bounds()->features_l2;
  } else {
    for (const Shard& shard : problem.data().train)
      c_1 = std::max(c_1, shard.features.rowwise().norm().maxCoeff());
  }
  return problem.loss().require_smooth() * c_1 * c_1;
}

double smoothness_for(std::string_view option, const Study& study) {
  if (!declares_norm_2(study.problem.bounds()))
    study.exact(fmt::format(
        "protocol.{}: limited by the largest norm_2 of a record, as no bound of it is declared", option));
  return smoothness(study);
}

}  // namespace hearsay::models
