#include "models/multitask/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/solvers/own_minimum.hpp"
#include "sim/random.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::VectorXd;

double greatest_feature_norm(const Problem& problem) {
  const auto& declared = problem.data().bounds;
  if (declared && std::isfinite(declared->features_l2)) return declared->features_l2;
  double greatest = 0;
  for (const Shard& shard : problem.data().train)
    greatest = std::max(greatest, shard.features.rowwise().norm().maxCoeff());
  return greatest;
}

double smoothness(const Problem& problem) {
  const double c_1 = greatest_feature_norm(problem);
  if (problem.loss().is<SquaredLoss>()) return 2 * c_1 * c_1;
  if (problem.loss().is<LogisticLoss>()) return c_1 * c_1 / 4;
  return problem.loss().visit([&](const auto& loss) -> double {
    if constexpr (requires { loss.width; }) return c_1 * c_1 / loss.width;
    throw std::invalid_argument(
        fmt::format("multi-task learning needs a smooth loss, not {}: use logistic, squared or smoothed_hinge",
                    problem.loss().name()));
  });
}

MultitaskNodes::MultitaskNodes(const MultitaskOptions& options, const Study& study)
    : options_(options),
      step_s_1_(study.problem.owners()),
      s_1_(step_s_1_),
      s_2_(step_s_1_),
      plans_(step_s_1_.size()),
      turns_(step_s_1_.size()),
      q_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Index>(step_s_1_.size()))),
      base_(study.problem.p()),
      at_(base_),
      point_(base_),
      work_(base_),
      gradient_(base_) {
  const double own = options.own_regulariser == OwnPenalty::kRidge ? options.tau : 0;
  const double l = smoothness(study.problem) + own;
  if (options.q_update == OwnUpdate::kStep && !(options.alpha_1 < 1 / l)) {
    throw std::invalid_argument(
        fmt::format("alpha_1 must be below 1/L = {:.6g}, the gradient of a task's loss having Lipschitz constant "
                    "L = {:.6g}, got {:g}",
                    1 / l, l, options.alpha_1));
  }
  if (options.start == TaskStart::kSingleTask) {  // to fail before a run, if it does
    for (std::size_t t = 0; t < plans_.size(); ++t) minimise_alone(study.problem, t, options.ridge_of_start());
  }
  const bool first = options.q_noise && !options.trusted_server;
  if (first) epsilons_.push_back(study.privacy.epsilon_1);
  epsilons_.push_back(study.privacy.epsilon_2);
  if (!study.privacy.active()) return;
  study.privacy.spending->turns(epsilons_, options.batch_fraction, options.turns);
  work_out_sensitivities(study);
}

void MultitaskNodes::work_out_sensitivities(const Study& study) {
  const PrivacyPlan& privacy = study.privacy;
  double b_1 = privacy.bound, b_2 = privacy.bound;
  if (privacy.source == BoundSource::kProtocol && options_.sensitivity != TurnSensitivity::kReleased) {
    const auto& declared = study.problem.data().bounds;
    if (!declared || !std::isfinite(declared->features_l2))
      throw std::invalid_argument(
          "noise needs a bound on a record's gradient: features in the unit ball (data.unit_ball), or "
          "privacy.gradient_bound, or privacy.clip");
    if (!study.problem.loss().is<SquaredLoss>() || !options_.c_3 || !options_.c_4)
      throw std::invalid_argument(
          "a regression's gradients are bounded only where the model is: declare c_3 and c_4, or give privacy.clip");
    const double y = std::isfinite(declared->target) ? declared->target : 1;
    for (const Shard& shard : study.problem.data().train) {
      if (shard.target.cwiseAbs().maxCoeff() > y * (1 + 1e-12))
        throw std::invalid_argument(
            fmt::format("regression needs targets within [-{0:g}, {0:g}]: see data.target_transform", y));
    }
    const double c_1 = declared->features_l2;
    b_1 = 2 * c_1 * (c_1 * *options_.c_3 + y);
    b_2 = 2 * c_1 * (c_1 * *options_.c_4 + y);
  }
  const double l = smoothness(study.problem);
  if (options_.sensitivity == TurnSensitivity::kAccumulated && options_.q_update == OwnUpdate::kStep &&
      !(options_.alpha_1 * (l + 2 * options_.tau) <= 2))
    throw std::invalid_argument("sensitivity accumulated needs alpha_1 (L + 2 tau) <= 2");
  const double ends = privacy.adjacency == Adjacency::kReplaceOne ? 2 : 1;
  for (std::size_t t = 0; t < s_1_.size(); ++t) {
    const double divisor = options_.batch_fraction * static_cast<double>(study.problem.n(t));
    const double rate = options_.q_update == OwnUpdate::kExact ? 1 / options_.tau : options_.alpha_1;
    step_s_1_[t] = ends * rate * b_1 / divisor;
    s_2_[t] = ends * b_2 / divisor;
    if (options_.sensitivity == TurnSensitivity::kReleased) {
      step_s_1_[t] = options_.released_1;
      s_2_[t] = options_.released_2;
    }
    s_1_[t] = step_s_1_[t];
    if (options_.sensitivity == TurnSensitivity::kAccumulated && options_.q_update == OwnUpdate::kStep) {
      const double fit = options_.start == TaskStart::kZero ? 0 : ends * b_1 / (divisor * options_.ridge_of_start());
      s_1_[t] = (1 - options_.alpha_1 * options_.tau) * fit + step_s_1_[t];
    }
  }
  first_s_1_ = s_1_;
  column_sensitivity_ = options_.alpha_2 * *std::max_element(s_2_.begin(), s_2_.end());
}

void MultitaskNodes::open(Context& context) {
  for (std::size_t t = 0; t < plans_.size(); ++t) {
    const sim::AgentId agent = context.agent_of(t);
    plans_[t] = context.plan_turns(agent, epsilons_, options_.batch_fraction, options_.turns);
    if (options_.start == TaskStart::kSingleTask)
      q_.col(static_cast<Index>(t)) = context.alone(agent, options_.ridge_of_start());
  }
  start_ = q_;
}

void MultitaskNodes::reset(std::size_t t) {
  q_.col(static_cast<Index>(t)) = start_.col(static_cast<Index>(t));
  if (!first_s_1_.empty()) s_1_[t] = first_s_1_[t];
}

bool MultitaskNodes::may_turn(std::size_t t, const Context& context) const {
  return turns_[t] < options_.turns && context.may_release(context.agent_of(t), plans_[t]);
}

void MultitaskNodes::draw_batch(sim::AgentId agent, Context& context) {
  batch_.clear();
  sim::Stream stream = context.random(0, agent);
  for (Index k = 0; k < context.records(agent); ++k) {
    if (sim::bernoulli(stream, options_.batch_fraction)) batch_.push_back(k);
  }
}

Sensitive MultitaskNodes::gradient(sim::AgentId agent, double sensitivity, Context& context) {
  if (options_.batch_fraction == 1) return context.gradient(agent, point_, sensitivity);
  return context.gradient(agent, point_, sensitivity, batch_,
                          options_.batch_fraction * static_cast<double>(context.records(agent)));
}

void MultitaskNodes::move_own(std::size_t t, sim::AgentId agent, Context& context) {
  auto q = q_.col(static_cast<Index>(t));
  if (options_.q_update == OwnUpdate::kExact) {
    q = context.keep_local(context.fit(agent, base_, options_.tau));
    return;
  }
  point_ = base_ + q;
  context.keep_local(gradient(agent, 0, context), work_);
  if (options_.own_regulariser == OwnPenalty::kRidge) work_ += options_.tau * q;
  q -= options_.alpha_1 * work_;
  shrink_own(options_.own_regulariser, options_.alpha_1 * options_.tau, q);
}

const VectorXd* MultitaskNodes::turn(std::size_t t, const Eigen::Ref<const VectorXd>& p, Context& context) {
  if (!may_turn(t, context)) return nullptr;
  const sim::AgentId agent = context.agent_of(t);
  const auto q = q_.col(static_cast<Index>(t));
  if (options_.batch_fraction < 1) draw_batch(agent, context);
  base_ = p;
  at_ = q;
  bool broken = options_.c_3 && (base_ + q).norm() > *options_.c_3;
  move_own(t, agent, context);
  if (options_.gradient_at == GradientAt::kNewQ) at_ = q;
  if (options_.q_noise && !options_.trusted_server) {
    point_ = base_ + *context.release(agent, context.local(at_, s_1_[t]), plans_[t]);
  } else {
    point_ = base_ + at_;
  }
  broken = broken || (options_.c_4 && point_.norm() > *options_.c_4);
  if (options_.trusted_server) {
    context.keep_local(gradient(agent, 0, context), gradient_);
  } else {
    gradient_ = *context.release(agent, gradient(agent, s_2_[t], context), plans_[t]);
  }
  ++turns_[t];
  ++all_;
  violations_ += broken ? 1 : 0;
  if (options_.sensitivity == TurnSensitivity::kAccumulated && options_.q_update == OwnUpdate::kStep)
    s_1_[t] = (1 - options_.alpha_1 * options_.tau) * s_1_[t] + step_s_1_[t];
  return &gradient_;
}

Vector MultitaskNodes::noisy_column(std::size_t t, const Eigen::Ref<const VectorXd>& p, Context& context) {
  return *context.release(context.agent_of(t), context.local(p, column_sensitivity_), plans_[t]);
}

}  // namespace hearsay::models
