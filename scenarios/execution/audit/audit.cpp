#include "scenarios/execution/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "analysis/audit/auroc.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "models/run/canary.hpp"
#include "scenarios/execution/audit/rows.hpp"
#include "scenarios/execution/audit/verdict.hpp"
#include "scenarios/execution/workers/parallel_for.hpp"
#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/code.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUnknownClaim = std::numeric_limits<double>::quiet_NaN();
// Runs have the noise of these repetitions, which no study has, nor the rehearsals that count down from the last one.
constexpr std::uint32_t kFirstNoise = std::uint32_t{1} << 31;

// Nothing is measured: an audit looks at what is sent.
Scenario without_results(Scenario s) {
  s.record = {};
  s.record.metrics.clear();
  s.baselines.clear();
  s.analysis = {};
  s.privacy.adversaries.clear();
  s.audited = true;
  return s;
}

class Auditor {
 public:
  Auditor(const Scenario& scenario, std::uint32_t repetition, const AuditOptions& options)
      : scenario_(without_results(scenario)), repetition_(repetition), options_(options) {
    if (!models::is_private(scenario_.privacy.mechanism))
      throw sim::OptionError("/privacy", "an audit requires a scenario with noise: set privacy.mechanism");
    if (scenario_.stop.target || scenario_.stop.wall)
      throw sim::OptionError("/stop",
                             "an audit requires that all runs have the same events: remove target and wall");
    plain_ = with({});
    const std::vector<std::string> unaccounted = plain_->describe_point({}).unaccounted;
    if (!unaccounted.empty())
      throw sim::OptionError("/privacy", "no guarantee covers all that is used, and none can be audited: " +
                                             unaccounted.front());
    directed_ = !options_.record && models::plants_directions(scenario_.model, budget());
    assemble("/privacy", [&] { models::require_plantable(scenario_.model, budget(), directed_); });
    if (!options_.adversary.empty())
      see_as(named("adversary", [this](const models::AgentOf& agent) {
        return models::adversary_of(options_.adversary, agent);
      }));
    // Who sees all releases needs no rows, but where gradients may react linearly.
    follows_ = entry().linear &&
               (!everybody_ || (!one_run() && models::may_react_linearly(plain_->problem(), budget())));
  }

  AuditResult make() {
    choose_canaries();
    out_ = with(std::vector<bool>(canaries_.size(), false));
    in_ = with(std::vector<bool>(canaries_.size(), true));
    for (const std::size_t u : owners_) result_.owners.push_back(plain_->agent_names()[agent(u)]);
    models::SeenRows rows{.wants_reactions = !one_run()};
    if (follows_) {
      AuditWatch observer = watch(nullptr);
      views_ = out_->follow(repetition_, {adversary_.value_or(models::EverybodyAdversary{})}, observer,
                            options_.interrupted, &rows);
      if (observer.should_abort()) throw Interrupted();
      if (views_.adversaries().empty()) refuse_diverged();
    }
    AuditWatch noisy = watch(nullptr), base = watch(nullptr), other = watch(nullptr);
    run(*out_, kFirstNoise + 2 * static_cast<std::uint32_t>(options_.runs), 1, noisy,
        [&](const models::World& world) { state(world); });
    run(*out_, kFirstNoise, 0, base, [](const models::World&) {});
    run(*in_, kFirstNoise, 0, other, [](const models::World&) {});
    result_.fingerprint = *events_;
    deviations_ = noisy.deviations;
    if (follows_) {
      sim::check(rows.releases.size() == deviations_.size(),
                 "an audited run has other releases than its view");
      for (std::size_t j = 0; j < deviations_.size(); ++j)
        if (rows.releases[j].sigma > 0) deviations_[j] = rows.releases[j].sigma;
      std::vector<const VectorXd*> matched;
      if (sight_) {
        matched = matched_rows(rows, base, other, plain_->problem().p(),
                               budget().trust != models::Trust::kOwner, taken_);
      } else {
        for (const VectorXd& model : rows.models) matched.push_back(&model);
      }
      rows_ = AuditRows(rows, matched, deviations_);
      whitens_ = sight_ || !rows_.unknown();
      if (const std::string note = rows_.note(); whitens_ && !note.empty()) result_.notes.push_back(note);
    }
    const auto taken = [&](const AuditWatch& all) {
      std::vector<double> some;
      for (std::size_t k = 0; k < all.payloads.size(); ++k) {
        const auto begin = all.seen.begin() + static_cast<std::ptrdiff_t>(all.payloads[k].begin);
        some.insert(some.end(), begin, begin + static_cast<std::ptrdiff_t>(taken_[k]));
      }
      return some;
    };
    for (const AuditWatch::Payload& payload : base.payloads) releasers_.push_back(payload.agent);
    if (taken_.empty())
      for (const AuditWatch::Payload& payload : base.payloads) taken_.push_back(payload.size);
    base_ = sight_ ? taken(base) : base.seen;
    difference_ = sight_ ? taken(other) : other.seen;
    sim::check(base_.size() == difference_.size(), "runs with equal events have other payloads");
    for (std::size_t k = 0; k < base_.size(); ++k) difference_[k] -= base_[k];
    noise_ = sight_ ? taken(noisy) : noisy.seen;
    for (std::size_t k = 0; k < base_.size(); ++k) noise_[k] -= base_[k];
    if (by_loss())
      result_.notes.emplace_back(
          "the score is the loss of the canary: how models follow from releases is not known");
    one_run() ? score_canaries() : score_runs();
    result_.auroc = analysis::auroc(result_.scores[1], result_.scores[0]);
    one_run() ? certify_canaries(result_, options_.level) : certify_runs(result_, options_.level);
    return std::move(result_);
  }

 private:
  bool one_run() const { return options_.canaries > 0; }
  // Nothing is known of how final models follow from releases.
  bool by_loss() const { return !sight_ && !whitens_; }
  const models::Budget& budget() const { return plain_->privacy(); }
  const models::Entry& entry() const { return plain_->protocol().entry(); }
  sim::AgentId agent(std::size_t owner) const {
    return static_cast<sim::AgentId>(owner) + (entry().hub ? 1 : 0);
  }
  AuditWatch watch(const std::vector<std::size_t>* taken) const {
    return {sight_ ? &*sight_ : nullptr, taken, options_.interrupted};
  }

  // The point with some of the canaries; without any, the data as they are.
  std::unique_ptr<const Experiment> with(const std::vector<bool>& present) const {
    const auto solved = solve(scenario_, repetition_, [&](models::DataSet& data) {
      for (std::size_t k = 0; k < present.size(); ++k)
        models::plant(data, scenario_.model, budget(), canaries_[k], present[k]);
    });
    auto made = std::make_unique<const Experiment>(
        scenario_, solved, scenario_.draws_anew() ? repetition_ : 0, schedules_, options_.interrupted);
    sim::check(
        !plain_ || (made->privacy().bound == budget().bound && made->privacy().epsilon == budget().epsilon &&
                    made->privacy().steps == budget().steps),
        "the budget depends on records");
    return made;
  }

  // f of the agent of a number or name, which an option has.
  template <class F>
  std::invoke_result_t<F, const models::AgentOf&> named(const char* option, F&& f) const {
    const Names names = plain_->agent_names();
    try {
      return f([&](std::string_view text) { return agent_of(text, names, plain_->topology().names()); });
    } catch (const std::invalid_argument& e) {
      throw sim::UserError("hearsay: --{}: {}", option, e.what());
    }
  }

  void see_as(const models::Adversary& adversary) {
    adversary_ = adversary;
    result_.adversary = models::name_of(adversary);
    everybody_ = std::holds_alternative<models::EverybodyAdversary>(adversary);
    if (!everybody_ && !entry().linear)
      throw sim::UserError(
          "hearsay: --adversary: the models of protocol {} cannot be followed: use everybody, or --final",
          entry().name);
    try {
      if (!everybody_)
        models::require_views(plain_->protocol(), scenario_.privacy.trust, scenario_.adversaries,
                              {adversary});
      models::require_links({adversary}, plain_->topology());
    } catch (const sim::OptionError& e) {
      throw sim::UserError("hearsay: --adversary: {}", e.what());
    } catch (const std::invalid_argument& e) {
      throw sim::UserError("hearsay: --adversary: {}", e.what());
    }
    sight_.emplace(adversary, plain_->agents(), plain_->hostile());
    everybody_ = sight_->everybody();
  }

  void choose_canaries() {
    const models::Problem& problem = plain_->problem();
    for (std::size_t u = 0; u < problem.owners(); ++u)
      if (problem.n(u) > 0 && !(sight_ && sight_->has(agent(u)))) owners_.push_back(u);
    if (!options_.owner.empty()) {
      const sim::AgentId i =
          named("owner", [this](const models::AgentOf& agent) { return agent(options_.owner); });
      std::erase_if(owners_, [&](std::size_t u) { return agent(u) != i; });
      if (owners_.empty())
        throw sim::UserError("hearsay: --owner: agent {} {}", i,
                             sight_ && sight_->has(i) ? "is part of the adversary" : "has no records");
    } else {
      AuditWatch nothing = watch(&taken_);
      run(*plain_, {}, 0, nothing, [&](const models::World& world) {
        std::erase_if(owners_, [&](std::size_t u) { return world.ledger.account(agent(u)).releases == 0; });
      });
      if (owners_.empty())
        throw sim::UserError("hearsay: no owner who is not part of the adversary releases anything");
      const auto hops = sight_ ? sight_->hops(plain_->topology()) : std::vector<std::uint32_t>();
      if (!one_run() && !hops.empty())
        owners_ = {*std::ranges::min_element(owners_, {}, [&](std::size_t u) { return hops[agent(u)]; })};
    }
    if (!one_run()) owners_.resize(1);
    const Index axes = problem.features() - (problem.data().bias ? 1 : 0);
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(options_.canaries, 1); ++k) {
      models::Canary canary{.owner = owners_[k % owners_.size()],
                            .record = static_cast<Index>(options_.record.value_or(k / owners_.size()))};
      const Index records = budget().unit == models::PrivacyUnit::kOwner ? 1 : problem.n(canary.owner);
      if (canary.record >= records)
        throw sim::UserError("hearsay: {}: agent {} has no record {} for a canary: its last one is {}",
                             one_run() ? "--canaries" : "--record", agent(canary.owner), canary.record,
                             records - 1);
      if (directed_) {
        VectorXd& v = canary.direction.emplace(VectorXd::Zero(problem.features()));
        sim::Stream stream =
            plain_->streams_of(repetition_)(sim::Purpose::kAudit, 1, 0, static_cast<std::uint32_t>(k));
        const auto axis = static_cast<Index>(k);
        if (axis < axes) v[axis] = 1;
        for (Index j = 0; axis >= axes && j < axes; ++j) v[j] = sim::normal(stream, 0);
        v.normalize();
      }
      canaries_.push_back(std::move(canary));
    }
  }

  [[noreturn]] static void refuse_diverged() {
    throw sim::UserError("hearsay: the run diverges: an audit is of runs whose messages are all finite");
  }

  // A run; at_end(world) looks at its end. `noise`: whose noise it has, of the repetitions; nothing: its own.
  template <class F>
  void run(const Experiment& experiment, std::optional<std::uint32_t> noise, double factor, AuditWatch& watch,
           F&& at_end) {
    models::World world = experiment.prepare(repetition_, &watch, noise);
    world.noise_factor = factor;
    watch.world = &world;
    experiment.protocol().run(world, watch);
    if (watch.should_abort()) throw Interrupted();
    if (world.overflowed != sim::kNoAgent) refuse_diverged();
    if (!sight_ && follows_)
      watch.seen.assign(world.models.data(), world.models.data() + world.models.size());
    const std::uint64_t events = world.engine.fingerprint().value();
    if (!events_) events_ = events;
    if (*events_ != events)
      throw sim::UserError("hearsay: the order of events depends on values, which an audit does not follow");
    at_end(world);
  }

  // Why ledger and views do not cover this audit; empty: they do.
  std::string not_covered() const {
    if (options_.adversary.empty() && !entry().joint)
      return fmt::format("final models of protocol {} can hold what has not been released", entry().name);
    if (!directed_ && budget().source == models::BoundSource::kGiven)
      return "privacy.gradient_bound is taken on trust, and this record can exceed it";
    if (budget().unit == models::PrivacyUnit::kOwner && budget().adjacency == models::Adjacency::kAddRemove &&
        plain_->problem().sigma() > 0)
      return "without its records an owner still makes steps of the regulariser (model.l2), which its update is to leave out";
    return {};
  }

  // What ledger and view state.
  void state(const models::World& world) {
    AuditClaim ledger{.name = "ledger", .but = not_covered()}, view{.name = "view", .but = ledger.but},
        linear{.name = "linear", .but = ledger.but};
    double one_label = 0;
    const auto grow = [](double& most, double value) {
      most = std::isnan(value) || std::isnan(most) ? kUnknownClaim : std::max(most, value);
    };
    for (const std::size_t owner : owners_) {
      const models::Account& account = world.ledger.account(agent(owner));
      if (account.schedule == nullptr)
        throw sim::UserError("hearsay: agent {} releases nothing", agent(owner));
      if (account.schedule->amplified())
        throw sim::UserError(
            "hearsay: releases of agent {} cost less because only random records or owners take part in each, and "
            "who knows which do is not covered: use another privacy.accountant, or all of them",
            agent(owner));
      const models::Guarantee spent = account.spent();
      result_.delta = std::max(result_.delta, spent.delta);
      double squares = account.schedule->independent() ? 0 : kUnknownClaim;
      for (std::uint64_t n = 0; n < account.releases; ++n) {
        const models::Step& step = account.schedule->step(n);
        squares +=
            step.kind == models::StepKind::kGaussian ? std::pow(step.noise_multiplier, -2) : kUnknownClaim;
      }
      grow(ledger.epsilon, spent.epsilon);
      grow(ledger.mu, std::sqrt(squares));
      if (!follows_) continue;
      const models::Seen& seen = views_.adversaries().front().owners[owner];
      grow(view.epsilon, seen.epsilon);
      grow(view.mu, std::sqrt(seen.mu_squared));
      grow(linear.mu, std::sqrt(seen.linear));
      grow(one_label, std::sqrt(seen.one_label));
    }
    const auto epsilon_of = [&](double mu) {
      return std::isnan(mu) || result_.delta == 0 ? kUnknownClaim
                                                  : models::gaussian_epsilon(result_.delta, mu);
    };
    result_.claims = {ledger};
    if (!sight_) return;
    if (everybody_) {
      view.mu = ledger.mu;
      view.epsilon = std::fmin(ledger.epsilon, epsilon_of(view.mu));
    }
    const models::ViewLabel label =
        everybody_ ? models::ViewLabel::kExact : views_.adversaries().front().label;
    result_.label = models::name_of(label);
    if (view.but.empty() && label != models::ViewLabel::kExact) view.but = "gradients that react reveal more";
    result_.claims.push_back(view);
    linear.epsilon = epsilon_of(linear.mu);
    // It covers changed labels.
    if (!everybody_ && !std::isnan(linear.mu) && directed_ &&
        budget().adjacency == models::Adjacency::kReplaceOne) {
      result_.claims.push_back(linear);
      result_.one_label = one_label;
    }
  }

  // How much more probable the final models make a canary's record than what is there without it.
  double loss_score(const models::Canary& c, const models::World& world) const {
    double sum = 0;
    for (const auto& theta : world.models.colwise())
      sum += models::loss_of(out_->problem(), c.owner, c.record, theta) -
             models::loss_of(in_->problem(), c.owner, c.record, theta);
    return sum / static_cast<double>(world.models.cols());
  }

  void score_runs() {
    const auto size = static_cast<Index>(base_.size());
    VectorXd weights = Eigen::Map<const VectorXd>(difference_.data(), size);
    if (whitens_ && size > 0) {
      const RowMajor d = Eigen::Map<const RowMajor>(weights.data(), rows_.size(), size / rows_.size());
      rows_.require_noise(d, Eigen::Map<const VectorXd>(base_.data(), size).cwiseAbs().maxCoeff());
      const RowMajor w =
          rows_.whitened(d, Eigen::Map<const RowMajor>(noise_.data(), rows_.size(), size / rows_.size()));
      weights = Eigen::Map<const VectorXd>(w.data(), size);
    } else if (everybody_) {
      Index at = 0;
      for (std::size_t j = 0; j < taken_.size(); at += static_cast<Index>(taken_[j++]))
        weights.segment(at, static_cast<Index>(taken_[j])) /= deviations_[j] * deviations_[j];
    }
    for (auto& scores : result_.scores) scores.resize(options_.runs);
    std::mutex mutex;
    parallel_for(2 * options_.runs, code_in_use() ? 1 : options_.threads, [&](std::size_t k) {
      AuditWatch seen = watch(&taken_);
      if (seen.should_abort()) throw Interrupted();  // a run may be too short to ask
      analysis::RunResult made;
      double& score = result_.scores[k % 2][k / 2];
      run(k % 2 == 0 ? *out_ : *in_, kFirstNoise + static_cast<std::uint32_t>(k), options_.noise_factor, seen,
          [&](const models::World& world) {
            sim::check(seen.seen.size() == base_.size(), "an audited run has other payloads");
            score = by_loss() ? loss_score(canaries_.front(), world)
                              : weights.dot(Eigen::Map<const VectorXd>(seen.seen.data(), size) -
                                            Eigen::Map<const VectorXd>(base_.data(), size));
            made.events = world.engine.events();
            made.time = world.engine.now();
          });
      if (!options_.finished) return;
      const std::lock_guard lock(mutex);
      options_.finished(made);
    });
  }

  // The change of a canary's gradient where learning starts.
  VectorXd direction_of(const models::Canary& canary, const VectorXd& start) const {
    const double bound = budget().clips() ? budget().bound : std::numeric_limits<double>::infinity();
    const auto gradient = [&](const models::Problem& problem) {
      VectorXd out(problem.p());
      if (budget().unit == models::PrivacyUnit::kOwner) {
        problem.mean_gradient(canary.owner, start, out);
      } else {
        problem.gradient_of_records(canary.owner, {&canary.record, 1}, start, 1, bound, budget().norm(), out);
      }
      return out;
    };
    return gradient(in_->problem()) - gradient(out_->problem());
  }

  void score_canaries() {
    const Index p = plain_->problem().p(), rows = static_cast<Index>(base_.size()) / p;
    if (everybody_ && std::ranges::any_of(taken_, [&](std::size_t n) { return static_cast<Index>(n) != p; }))
      throw sim::UserError("hearsay: --canaries: releases of protocol {} are no gradients: use --runs",
                           entry().name);
    const sim::Streams streams = plain_->streams_of(repetition_);
    const VectorXd start = plain_->problem().start(streams);
    const Eigen::Map<const MatrixXd> x0(base_.data(), p, rows), change(difference_.data(), p, rows);
    const Eigen::Map<const RowMajor> noise(noise_.data(), rows, p);
    std::vector<bool> present;
    std::vector<VectorXd> directions, sums(owners_.size(), VectorXd::Zero(p)), weights, scores;
    for (std::uint32_t k = 0; k < canaries_.size(); ++k) {
      present.push_back((streams(sim::Purpose::kAudit, 0, 0, k)() & 1) != 0);
      directions.push_back(direction_of(canaries_[k], start));
      sums[k % owners_.size()] += directions.back();
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const VectorXd& sum = sums[k];
      VectorXd part = change.transpose() * sum / std::max(sum.squaredNorm(), 1e-300);
      // Where a trusted hub releases, all records are in each release.
      for (std::size_t j = 0; everybody_ && j < releasers_.size(); ++j)
        part[static_cast<Index>(j)] *=
            budget().trust == models::Trust::kOwner && releasers_[j] != agent(owners_[k])
                ? 0
                : std::pow(deviations_[j], -2);
      weights.emplace_back(everybody_ || !whitens_ ? part : VectorXd(rows_.whitened(part, noise)));
    }
    AuditWatch seen = watch(&taken_);
    std::vector<double> all;
    run(*with(present), {}, options_.noise_factor, seen, [&](const models::World& world) {
      sim::check(seen.seen.size() == base_.size(), "an audited run has other payloads");
      const Eigen::Map<const MatrixXd> x(seen.seen.data(), p, rows);
      for (const VectorXd& w : weights) scores.emplace_back((x - x0) * w);
      for (std::size_t k = 0; k < canaries_.size(); ++k) {
        all.push_back(by_loss() ? loss_score(canaries_[k], world)
                                : scores[k % owners_.size()].dot(directions[k]));
        result_.scores[present[k] ? 1 : 0].push_back(all.back());
      }
    });
    const std::uint64_t most = options_.canaries,
                        usual = std::max(most / 10, std::min<std::uint64_t>(most, 10));
    result_.guesses = analysis::guess_extremes(all, present, options_.guesses > 0 ? options_.guesses : usual);
  }

  Scenario scenario_;
  std::uint32_t repetition_;
  const AuditOptions& options_;
  std::shared_ptr<const models::ReleaseCache> schedules_ = std::make_shared<const models::ReleaseCache>();
  std::unique_ptr<const Experiment> plain_{}, out_{}, in_{};  // data as they are, without canaries, with them
  bool everybody_ = false, follows_ = false, directed_ = false;
  bool whitens_ = false;  // the score, by the rows
  std::optional<models::Adversary> adversary_{};
  std::optional<models::Sight> sight_{};  // nothing: final models
  std::vector<models::Canary> canaries_{};
  std::vector<std::size_t> owners_{};  // of canaries
  models::Views views_{};
  std::vector<double> deviations_{};                     // of the noise of every release
  std::vector<sim::AgentId> releasers_{};                // of every payload
  std::vector<std::size_t> taken_{};                     // numbers of every payload that are seen
  std::vector<double> base_{}, difference_{}, noise_{};  // x_0, x_1 - x_0, the noise of a run
  AuditRows rows_{};                                     // B
  std::optional<std::uint64_t> events_{};                // fingerprint of all runs
  AuditResult result_{};
};

}  // namespace

AuditResult audit(const Scenario& scenario, std::uint32_t repetition, const AuditOptions& options) {
  return Auditor(scenario, repetition, options).make();
}

}  // namespace hearsay::scenarios
