#include "models/protocols/federated/local_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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
  std::vector<std::string> all;
  if (study.privacy.trust == Trust::kOwner)  // else no step is charged
    all = full_charge_note("protocol.batch: steps on random batches", sampling_of(batch), study.privacy);
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

double LocalTraining::Params::release_sensitivity(const Budget& privacy, Eigen::Index n) const {
  return n == 0 ? 0 : privacy.sensitivity_of_sum(smallest_divisor(batch, n), sampling_of(batch));
}

LocalTraining::LocalTraining(const Params& params, const Study& study)
    : params_(fitting(params, study)),
      made_(study.topology.agents()),
      work_{VectorXd(study.problem.p()), VectorXd::Zero(study.problem.p()), {}},
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

LocalTraining::Trained LocalTraining::train(sim::AgentId i, const Eigen::Ref<const VectorXd>& x,
                                            Context& context, const LocalTerms& terms) {
  return make(i, x, context, terms, false);
}

void LocalTraining::train_inside(sim::AgentId i, const Eigen::Ref<const VectorXd>& x, Context& context,
                                 LocalVector& update, const LocalTerms& terms) {
  const VectorXd& trained = make(i, x, context, terms, true).model;
  context.keep_local(context.sensitive(trained - x, std::numeric_limits<double>::infinity()), update);
}

LocalTraining::Trained LocalTraining::make(sim::AgentId i, const Eigen::Ref<const VectorXd>& x,
                                           Context& context, const LocalTerms& terms, bool inside) {
  const std::uint64_t count = steps(i, context);
  if (const Room* const room = foreseen(i, x, context, terms, inside)) {
    context.random(kBatches, i);
    context.use_foreseen(i, room->moved, room->releases, inside ? 0 : room->made);
    made_[i] += room->made;
    work_.x = ahead_.col(context.foreseen(i)).tail(x.size());
    return {work_.x, room->made};
  }
  work_.x = x;
  if (count == 0) return {work_.x, 0};
  work_.batches.begin(params_.batch, context.records(i), context.random(kBatches, i));
  const auto gradient = [&](std::uint64_t) -> std::optional<Vector> {
    if (!inside && !context.may_release(i)) return std::nullopt;
    const auto batch = next_batch(work_, context);
    Sensitive exact = batch ? context.gradient(i, work_.x, batch->sensitivity, batch->records, batch->divisor)
                            : context.gradient(i, work_.x);
    if (!inside) return context.release(i, std::move(exact));
    context.keep_local(std::move(exact), exact_);
    return Vector(exact_.inside_owner().data(), work_.x.size());
  };
  const std::uint64_t made = make_steps(work_, count, terms.first_step.value_or(made_[i]), terms, gradient,
                                        [&](VectorXd& moved) { context.project(moved); });
  made_[i] += made;
  return {work_.x, made};
}

sim::Preparation LocalTraining::cost(const Context& context) const {
  if (!context.foresees()) return {};
  constexpr double kFeature = 1, kNoise = 20, kStep = 100;  // ns: of a record, of a number of a release, else
  const auto p = static_cast<double>(context.p());
  const double records = static_cast<double>(context.records()) / static_cast<double>(context.owners());
  const auto n = static_cast<Eigen::Index>(std::max(1.0, records));
  const double batch = records * sampling_rate(params_.batch, n);
  const double noise = context.privacy().active() ? kNoise * p : 0;
  const auto count = static_cast<double>(steps_of_call(params_.batch, params_.local_steps, n));
  return {count * (kFeature * batch * p + noise + kStep),
          sizeof(Room) + 8 * sizeof(double) * static_cast<std::size_t>(context.p())};
}

void LocalTraining::make_rooms(std::uint32_t count, Context& context) const {
  context.keep_draws(kBatches);
  rooms_.assign(count, {});
  ahead_.resize(2 * context.p(), count);
}

LocalTraining::Inputs LocalTraining::inputs_of(sim::AgentId i, const Context& context,
                                               const LocalTerms& terms, bool inside) const {
  return {.agent = i,
          .draws = context.draws(kBatches, i),
          .first = terms.first_step.value_or(made_[i]),
          .releases = inside ? 0 : context.releases(i),
          .mu = terms.mu,
          .inside = inside,
          .open_end = terms.open_end};
}

const LocalTraining::Room* LocalTraining::foreseen(sim::AgentId i, const Eigen::Ref<const VectorXd>& x,
                                                   const Context& context, const LocalTerms& terms,
                                                   bool inside) const {
  const std::uint32_t place = context.foreseen(i);
  if (place == sim::Speculation::kNone) return nullptr;
  const Room& room = rooms_[place];
  const auto same = [](const double* had, std::span<const double> has) {
    return has.empty() || std::memcmp(had, has.data(), has.size_bytes()) == 0;
  };
  const auto same_term = [&](const VectorXd& had, std::span<const double> has) {
    return static_cast<std::size_t>(had.size()) == has.size() && same(had.data(), has);
  };
  const bool fits = room.inputs == inputs_of(i, context, terms, inside) &&
                    same(ahead_.col(place).data(), {x.data(), static_cast<std::size_t>(x.size())}) &&
                    same_term(room.tilt, terms.tilt) && same_term(room.anchor, terms.anchor);
  return fits ? &room : nullptr;
}

void LocalTraining::foresee(sim::AgentId i, const Eigen::Ref<const VectorXd>& x, const Context& context,
                            const LocalTerms& terms, std::uint32_t place, bool inside) const {
  Room& room = rooms_[place];
  room.inputs.agent = sim::kNoAgent;  // until it is complete
  const std::uint64_t count = steps(i, context);
  if (count == 0) return;
  ahead_.col(place).head(x.size()) = x;
  room.tilt = vector_of(terms.tilt);
  room.anchor = vector_of(terms.anchor);
  room.work.x = x;
  room.work.batches.begin(params_.batch, context.records(i), context.next_random(kBatches, i));
  room.moved = {};
  room.releases.clear();
  const bool counts = context.privacy().active() || context.privacy().clips();
  const auto gradient = [&](std::uint64_t k) -> std::optional<Vector> {
    const auto batch = next_batch(room.work, context);
    room.release.tally_ = {};
    if (!context.foresee_release(i, k, room.work.x, batch ? &*batch : nullptr, inside, room.release))
      return std::nullopt;
    if (counts) room.releases.push_back(room.release.tally_);
    return Vector(room.release.noisy_.data(), room.release.noisy_.size());
  };
  room.made = make_steps(room.work, count, terms.first_step.value_or(made_[i]), terms, gradient,
                         [&](VectorXd& moved) { context.foresee_projection(moved, room.moved); });
  ahead_.col(place).tail(x.size()) = room.work.x;
  room.inputs = inputs_of(i, context, terms, inside);
}

// Moves the model by up to `count` steps, until there is no gradient.
template <class Gradient, class Project>
std::uint64_t LocalTraining::make_steps(Work& work, std::uint64_t count, std::uint64_t first,
                                        const LocalTerms& terms, Gradient&& gradient,
                                        Project&& project) const {
  if (params_.momentum > 0) work.velocity.setZero(work.x.size());
  for (std::uint64_t k = 0; k < count; ++k) {
    project(work.x);
    const std::optional<Vector> given = gradient(k);
    if (!given) return k;
    move(work, step_size(first + k), *given, terms);
  }
  if (!terms.open_end) project(work.x);
  return count;
}

std::optional<Context::Batch> LocalTraining::next_batch(Work& work, const Context& context) const {
  BatchDraws& batches = work.batches;
  if (batches.full()) return std::nullopt;
  batches.next();
  const double m = batches.divisor();
  return Context::Batch{context.privacy().sensitivity_of_sum(m, sampling_of(params_.batch)),
                        batches.records(), m};
}

template <class Direction>
void LocalTraining::descend(Work& work, double eta, const Direction& direction) const {
  if (params_.momentum == 0) {
    work.x -= eta * direction;
  } else {
    work.velocity = params_.momentum * work.velocity + direction;
    work.x -= eta * work.velocity;
  }
}

// The terms that there are, in one pass; grad g = sigma x.
void LocalTraining::move(Work& work, double eta, const Vector& gradient, const LocalTerms& terms) const {
  const auto with_tilt = [&](const auto& direction) {
    terms.tilt.empty() ? descend(work, eta, direction)
                       : descend(work, eta, direction + vector_of(terms.tilt));
  };
  if (terms.mu == 0) {
    with_tilt(gradient + sigma_ * work.x);
  } else {
    with_tilt(gradient + sigma_ * work.x + terms.mu * (work.x - vector_of(terms.anchor)));
  }
}

}  // namespace hearsay::models
