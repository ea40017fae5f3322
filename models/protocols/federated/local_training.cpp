#include "models/protocols/federated/local_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "sim/check.hpp"

namespace hearsay::models {

using Eigen::VectorXd;

void LocalTraining::Params::describe(sim::Visitor& v) {
  v(local_steps,
    {.name = "local_steps", .help = "Number K of gradient steps in each local training.", .min = 1});
  v(step, {.name = "step", .help = "Step size of local steps.", .in_run = true});
  v(momentum, {.name = "momentum",
               .help = "Momentum of local steps: the share of the previous direction that is added.",
               .min = 0,
               .max = 1,
               .open_max = true,
               .in_run = true});
  v(batch,
    {.name = "batch", .help = "Records that a local step uses; a number is the size of a random subset."});
}

namespace {

// Of gradient steps with momentum beta on a quadratic f: they diverge if eta h_max exceeds 2 (1 + beta) (Polyak 1964, "Some
// methods of speeding up the convergence of iteration methods").
std::optional<std::string> step_note(double step, double momentum, const Problem& problem) {
  const std::optional<double> curvature = problem.largest_curvature();
  if (!curvature) return std::nullopt;
  const double largest = 2 * (1 + momentum) / (*curvature + problem.sigma());
  if (!(step > largest)) return std::nullopt;
  return fmt::format(
      "warning: protocol.step is {:g}, above 2{}/h_max = {:.3g} of the largest eigenvalue of the Hessian, so "
      "that the models can oscillate or diverge; reduce protocol.step, or standardise the features",
      step, momentum > 0 ? " (1 + momentum)" : "", largest);
}

// That no owner has as many records as a batch is to have.
std::optional<std::string> batch_note(const Batch& batch, const PublicProblem& problem) {
  double size = 0;
  if (const auto* poisson = std::get_if<PoissonBatch>(&batch)) size = poisson->size.value_or(0);
  if (const auto* subset = std::get_if<SubsetBatch>(&batch)) size = subset->size;
  if (const auto* epochs = std::get_if<EpochBatch>(&batch)) size = epochs->size;
  Eigen::Index most = 0;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) most = std::max(most, problem.n(owner));
  if (!(size > static_cast<double>(most))) return std::nullopt;
  return fmt::format(
      "warning: protocol.batch: no owner has {:g} records, the most are {}: every batch is all of them", size,
      most);
}

}  // namespace

std::vector<std::string> LocalTraining::Params::notes(const Study& study) const {
  std::vector<std::string> all =
      full_charge_note("protocol.batch: steps on random batches", sampling_of(batch), study.privacy);
  for (auto& note :
       {batch_note(batch, study.problem), step_note(step_at(step, 0), momentum, study.diagnosed())}) {
    if (note) all.push_back(*note);
  }
  return all;
}

void LocalTraining::Params::require(const Setting& setting) const {
  const Budget& privacy = setting.privacy;
  if (!privacy.active() || privacy.trust == Trust::kAggregator) return;
  if (std::holds_alternative<IndependentBatch>(batch)) {
    throw sim::OptionError(
        "batch",
        "expected full, poisson, without_replacement or epochs with privacy, found with_replacement: "
        "a record that is drawn twice would exceed the sensitivity");
  }
  if (privacy.epsilon_warm)
    throw std::invalid_argument("local training makes no release up front: leave out privacy.epsilon_warm");
  privacy.require_steps();
  if (!privacy.amplifies(sampling_of(batch))) privacy.require_room_for_steps();
}

LocalTraining::LocalTraining(const Params& params, const Study& study)
    : params_(fitting(params, study)),
      made_(study.topology.agents()),
      x_(study.problem.p()),
      velocity_(VectorXd::Zero(study.problem.p())),
      sigma_(study.problem.sigma()) {
  const Budget& privacy = study.privacy;
  if (!privacy.active() || privacy.trust == Trust::kAggregator) return;
  std::vector<double> rates;
  for (std::size_t owner = 0; owner < study.problem.owners(); ++owner)
    rates.push_back(accounted_rate(study.problem.n(owner), privacy));
  privacy.require_room_for_steps({}, rates);
}

double LocalTraining::accounted_rate(Eigen::Index n, const Budget& privacy) const {
  if (n == 0 || !privacy.active()) return 1;
  return privacy.accounted_rate(sampling_of(params_.batch), sampling_rate(params_.batch, n));
}

void LocalTraining::open_account(sim::AgentId i, Context& context) const {
  const Budget& privacy = context.privacy();
  if (context.records(i) == 0) return;
  if (!privacy.active()) return context.open_account(i);
  context.open_account(i, Timetable{.releases = privacy.steps[context.owner(i)],
                                    .sampling_rate = accounted_rate(context.records(i), privacy)});
}

std::uint64_t LocalTraining::steps(sim::AgentId i, const Context& context) const {
  return steps_of_call(params_.batch, params_.local_steps, context.records(i));
}

Sensitive LocalTraining::batch_gradient(sim::AgentId i, Context& context) {
  if (batches_.full()) return context.gradient(i, x_);
  batches_.next();
  const double m = batches_.divisor();
  const double sensitivity = context.privacy().sensitivity_of_sum(m, sampling_of(params_.batch));
  return context.gradient(i, x_, sensitivity, batches_.records(), m);
}

LocalTraining::Trained LocalTraining::train(sim::AgentId i, const Eigen::Ref<const VectorXd>& x,
                                            Context& context, const LocalTerms& terms) {
  x_ = x;
  const std::uint64_t steps = make_steps(i, context, terms, false);
  return {x_, steps};
}

void LocalTraining::train_inside(sim::AgentId i, const Eigen::Ref<const VectorXd>& x, Context& context,
                                 LocalVector& update, const LocalTerms& terms) {
  x_ = x;
  make_steps(i, context, terms, true);
  context.keep_local(context.sensitive(x_ - x, std::numeric_limits<double>::infinity()), update);
}

// Moves x_.
std::uint64_t LocalTraining::make_steps(sim::AgentId i, Context& context, const LocalTerms& terms,
                                        bool inside) {
  const std::uint64_t count = steps(i, context), first = terms.first_step.value_or(made_[i]);
  if (count == 0) return 0;
  batches_.begin(params_.batch, context.records(i), context.random(kBatches, i));
  context.project(x_);
  if (params_.momentum > 0) velocity_.setZero();
  std::uint64_t k = 0;
  for (; k < count && (inside || context.may_release(i)); ++k) {
    if (inside) {
      context.keep_local(batch_gradient(i, context), exact_);
      move(step_size(first + k), Vector(exact_.inside_owner().data(), x_.size()), terms);
    } else {
      move(step_size(first + k), *context.release(i, batch_gradient(i, context)), terms);
    }
    context.project(x_);
  }
  made_[i] += k;
  return k;
}

template <class Direction>
void LocalTraining::descend(double eta, const Direction& direction) {
  if (params_.momentum == 0) {
    x_ -= eta * direction;
  } else {
    velocity_ = params_.momentum * velocity_ + direction;
    x_ -= eta * velocity_;
  }
}

// The terms that there are, in one pass; grad g = sigma x.
void LocalTraining::move(double eta, const Vector& gradient, const LocalTerms& terms) {
  const auto with_tilt = [&](const auto& direction) {
    terms.tilt.empty() ? descend(eta, direction) : descend(eta, direction + vector_of(terms.tilt));
  };
  if (terms.mu == 0) {
    with_tilt(gradient + sigma_ * x_);
  } else {
    with_tilt(gradient + sigma_ * x_ + terms.mu * (x_ - vector_of(terms.anchor)));
  }
}

}  // namespace hearsay::models
