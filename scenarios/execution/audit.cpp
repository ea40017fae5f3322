#include "scenarios/execution/audit.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>

#include "analysis/audit/auroc.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "models/run/canary.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/workers/parallel_for.hpp"
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
// A guarantee is refuted only where it would be by accident once in 1e9 audits: no user is to see a false alarm. One run
// adds a multiple of delta to its p-value.
constexpr double kSureFailure = 1e-9, kSureRunFailure = 1e-6;

// What an adversary sees of a run, number by number, in the order of the trace.
class AuditWatch final : public sim::TraceSink, public models::Observer {
 public:
  struct Payload {
    sim::TraceKind kind;
    sim::AgentId agent, peer;
    sim::Cause message;
    std::size_t begin, size;
  };
  // `sight`: null: sees nothing. `taken`: how many numbers of each payload are kept; null: all, and payloads and releases
  // one by one.
  AuditWatch(const models::Sight* sight, const std::vector<std::size_t>* taken,
             const std::atomic<bool>* interrupted)
      : sight_(sight), taken_(taken), interrupted_(interrupted) {}

  void record(const sim::TraceRecord& r) override {
    const bool release = r.kind == sim::TraceKind::kRelease;
    if (release && taken_ == nullptr) {
      const double energy = world->tally.expected_noise;
      const double deviation = std::sqrt((energy - energy_) / static_cast<double>(r.payload.size()));
      deviations.push_back(deviation > 0 && std::isfinite(deviation) ? deviation : 1);
      energy_ = energy;
    }
    if (sight_ == nullptr || !(release ? sight_->everybody() || sight_->has(r.agent) : sight_->sees(r)))
      return;
    std::size_t size = r.payload.size();
    if (taken_ == nullptr) {
      payloads.push_back({r.kind, r.agent, r.peer, r.message, seen.size(), size});
    } else {
      size = std::min(size, next_ < taken_->size() ? (*taken_)[next_] : 0);
      ++next_;
    }
    seen.insert(seen.end(), r.payload.begin(), r.payload.begin() + static_cast<std::ptrdiff_t>(size));
  }
  void observe(const models::World&) override {}
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

  const models::World* world = nullptr;
  std::vector<double> seen{};
  std::vector<Payload> payloads{};
  std::vector<double> deviations{};  // of the noise in a number of each release; 1 where it is not known

 private:
  const models::Sight* sight_;
  const std::vector<std::size_t>* taken_;
  const std::atomic<bool>* interrupted_;
  std::size_t next_ = 0;
  double energy_ = 0;  // of the noise of all releases so far
};

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
    if (options_.adversary) see_as(*options_.adversary);
    // Who sees all releases needs no rows, but where gradients may react linearly.
    constexpr Index kMostReacting = 8;  // parameters
    const models::Problem& problem = plain_->problem();
    follows_ = entry().linear &&
               (!everybody_ || (!one_run() && problem.quadratic() && !budget().clips() &&
                                budget().trust == models::Trust::kOwner && problem.p() <= kMostReacting));
  }

  AuditResult make() {
    choose_canaries();
    out_ = with(std::vector<bool>(canaries_.size(), false));
    in_ = with(std::vector<bool>(canaries_.size(), true));
    for (const std::size_t u : owners_) result_.owners.push_back(plain_->agent_names()[agent(u)]);
    models::SeenRows rows{.wants_reactions = !one_run()};
    if (follows_) {
      AuditWatch observer = watch(nullptr);
      views_ = out_->follow(repetition_, {options_.adversary.value_or(models::EverybodyAdversary{})},
                            observer, options_.interrupted, &rows);
      if (observer.should_abort()) throw Interrupted();
    }
    AuditWatch noisy = watch(nullptr), base = watch(nullptr), other = watch(nullptr);
    run(*out_, kFirstNoise, 1, noisy, [&](const models::World& world) { state(world); });
    run(*out_, kFirstNoise, 0, base, [](const models::World&) {});
    run(*in_, kFirstNoise, 0, other, [](const models::World&) {});
    result_.fingerprint = *events_;
    deviations_ = noisy.deviations;
    if (follows_) match(rows, base, other);
    const auto taken = [&](const AuditWatch& all) {
      std::vector<double> some;
      for (std::size_t k = 0; k < all.payloads.size(); ++k) {
        const auto begin = all.seen.begin() + static_cast<std::ptrdiff_t>(all.payloads[k].begin);
        some.insert(some.end(), begin, begin + static_cast<std::ptrdiff_t>(taken_[k]));
      }
      return some;
    };
    if (taken_.empty())
      for (const AuditWatch::Payload& payload : base.payloads) taken_.push_back(payload.size);
    base_ = sight_ ? taken(base) : base.seen;
    difference_ = sight_ ? taken(other) : other.seen;
    sim::check(base_.size() == difference_.size(), "runs with equal events have other payloads");
    for (std::size_t k = 0; k < base_.size(); ++k) difference_[k] -= base_[k];
    if (by_loss())
      result_.notes.emplace_back(
          "the score is the loss of the canary: how models follow from releases is not known");
    one_run() ? score_canaries() : score_runs();
    result_.auroc = analysis::auroc(result_.scores[1], result_.scores[0]);
    one_run() ? certify_canaries() : certify_runs();
    return std::move(result_);
  }

 private:
  bool one_run() const { return options_.canaries > 0; }
  // Nothing is known of how final models follow from releases.
  bool by_loss() const { return !sight_ && !follows_; }
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

  void see_as(const models::Adversary& adversary) {
    everybody_ = std::holds_alternative<models::EverybodyAdversary>(adversary);
    if (!everybody_ && !entry().linear)
      throw sim::UserError(
          "hearsay: --adversary: the models of protocol {} cannot be followed: use everybody, or --final",
          entry().name);
    try {
      models::PrivacyOptions privacy = scenario_.privacy;
      privacy.adversaries = {adversary};
      if (!everybody_) models::require_views(entry(), privacy);
      models::require_members({adversary}, plain_->agents());
      models::require_links({adversary}, plain_->topology());
    } catch (const sim::OptionError& e) {
      throw sim::UserError("hearsay: --adversary: {}", e.what());
    }
    sight_.emplace(adversary, plain_->agents());
  }

  void choose_canaries() {
    const models::Problem& problem = plain_->problem();
    for (std::size_t u = 0; u < problem.owners(); ++u)
      if (problem.n(u) > 0 && !(sight_ && sight_->has(agent(u)))) owners_.push_back(u);
    if (options_.owner) {
      const sim::AgentId i = options_.owner(plain_->agent_names());
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
      const auto hops = options_.adversary ? models::hops_from(*options_.adversary, plain_->topology())
                                           : std::vector<std::uint32_t>();
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

  // A run; at_end(world) looks at its end. `noise`: whose noise it has, of the repetitions; nothing: its own.
  template <class F>
  void run(const Experiment& experiment, std::optional<std::uint32_t> noise, double factor, AuditWatch& watch,
           F&& at_end) {
    models::World world =
        noise ? experiment.prepare(repetition_, &watch, *noise) : experiment.prepare(repetition_, &watch);
    world.noise_factor = factor;
    watch.world = &world;
    experiment.protocol().run(world, watch);
    if (watch.should_abort()) throw Interrupted();
    if (!sight_ && follows_)
      watch.seen.assign(world.models.data(), world.models.data() + world.models.size());
    const std::uint64_t events = world.engine.fingerprint().value();
    if (!events_) events_ = events;
    if (*events_ != events)
      throw sim::UserError("hearsay: the order of events depends on values, which an audit does not follow");
    at_end(world);
  }

  // What ledger and view state.
  void state(const models::World& world) {
    AuditClaim ledger{.name = "ledger"}, view{.name = "view"}, linear{.name = "linear"};
    const auto grow = [](double& most, double value) {
      most = std::isnan(value) || std::isnan(most) ? kUnknownClaim : std::max(most, value);
    };
    for (const std::size_t owner : owners_) {
      const models::Account& account = world.ledger.account(agent(owner));
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
      grow(result_.one_label, std::sqrt(seen.one_label));
    }
    const auto epsilon_of = [&](double mu) {
      return std::isnan(mu) || result_.delta == 0 ? kUnknownClaim
             : mu > 0                             ? models::gaussian_epsilon(result_.delta, mu)
                                                  : 0;
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
    view.guarantee = label == models::ViewLabel::kExact;
    result_.claims.push_back(view);
    linear.epsilon = epsilon_of(linear.mu);
    // It covers changed labels.
    if (!everybody_ && !std::isnan(linear.mu) && directed_ &&
        budget().adjacency == models::Adjacency::kReplaceOne) {
      result_.claims.push_back(linear);
    } else {
      result_.one_label = kUnknownClaim;
    }
  }

  // Matches payloads with the rows of the view. Those without a release are not looked at.
  void match(const models::SeenRows& rows, const AuditWatch& base, const AuditWatch& other) {
    sim::check(rows.releases.size() == deviations_.size(), "an audited run has other releases than its view");
    for (std::size_t j = 0; j < deviations_.size(); ++j)
      if (rows.releases[j].sigma > 0) deviations_[j] = rows.releases[j].sigma;
    std::vector<const VectorXd*> matched;
    for (std::size_t k = 0; !sight_ && k < rows.models.size(); ++k) matched.push_back(&rows.models[k]);
    std::size_t r = 0;
    for (const AuditWatch::Payload& payload : base.payloads) {
      const bool release = payload.kind == sim::TraceKind::kRelease;
      bool any = false;
      std::size_t count = 0;
      for (; r < rows.rows.size() && !(release && count > 0); ++r, ++count) {
        const models::SeenRows::Row& row = rows.rows[r];
        if (row.kind != payload.kind || row.agent != payload.agent ||
            !(release || (row.peer == payload.peer && row.message == payload.message)))
          break;
        any = any || !row.row.isZero(0);
      }
      const std::size_t numbers = count * static_cast<std::size_t>(plain_->problem().p());
      sim::check(numbers <= payload.size, "a payload has fewer numbers than its rows");
      for (std::size_t k = r - count; any && k < r; ++k) matched.push_back(&rows.rows[k].row);
      taken_.push_back(any ? numbers : 0);
      const auto begin = base.seen.begin() + static_cast<std::ptrdiff_t>(payload.begin);
      // What is sealed is private, and looks like random numbers.
      if (!any && budget().trust == models::Trust::kOwner &&
          !std::equal(begin, begin + static_cast<std::ptrdiff_t>(numbers),
                      other.seen.begin() + static_cast<std::ptrdiff_t>(payload.begin)))
        throw sim::InvariantError("a payload without any release differs between neighbouring data sets");
    }
    sim::check(!sight_ || r == rows.rows.size(), "a view has rows that are not in the trace");
    block_ = rows.block;
    const auto count = static_cast<Index>(matched.size()), releases = static_cast<Index>(deviations_.size());
    constexpr double kMatrices = 5;  // B, its transpose and decompositions
    const double bytes =
        8 * kMatrices * static_cast<double>(count * block_) * static_cast<double>(releases * block_);
    if (bytes > static_cast<double>(memory_left()) / 2)
      throw sim::Error(sim::Error::Kind::kOutOfMemory, {},
                       fmt::format("hearsay: scores of {} payloads with {} releases take about {}", count,
                                   releases, byte_text(bytes)));
    rows_ = MatrixXd::Zero(count * block_, releases * block_);
    std::size_t left_out = 0;
    for (Index k = 0; k < count; ++k) {
      const VectorXd& all = *matched[static_cast<std::size_t>(k)];
      const Eigen::Map<const MatrixXd> row(all.data(), block_, all.size() / block_);
      double rest = rows.transforms ? row.cwiseAbs().sum() : 0;
      for (Index j = 0; j < releases; ++j) {
        const auto part = row.middleCols(rows.releases[static_cast<std::size_t>(j)].column * block_, block_);
        rest -= part.cwiseAbs().sum();
        rows_.block(k * block_, j * block_, block_, block_) = deviations_[static_cast<std::size_t>(j)] * part;
      }
      if (rest <= 1e-12 * row.cwiseAbs().sum()) continue;
      rows_.middleRows(k * block_, block_).setZero();
      ++left_out;
    }
    if (left_out > 0)
      result_.notes.push_back(
          fmt::format("{} of {} payloads are left out of the score: steps that are not linear made them",
                      left_out, count));
  }

  // S^+ d, S = B B^T. Rows of B are made 1 long first; those that are 0 have no part in it.
  MatrixXd whitened(const MatrixXd& d) const {
    if (d.size() == 0) return d;
    VectorXd scale = rows_.rowwise().norm();
    for (double& s : scale) s = s > 0 ? 1 / s : 0;
    constexpr double kNoRank = 1e-10;  // of the largest pivot
    const MatrixXd b = scale.asDiagonal() * rows_;
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> first(b.rows(), b.cols()), second(b.cols(), b.rows());
    first.setThreshold(kNoRank).compute(b);
    second.setThreshold(kNoRank).compute(b.transpose());
    const MatrixXd scaled = scale.asDiagonal() * d, w = second.solve(first.solve(scaled));
    return scale.asDiagonal() * w;
  }

  // The difference of what is seen is that of releases: whatever else reaches the adversary has no noise.
  void require_noise(MatrixXd d) const {
    MatrixXd o = rows_;
    for (std::size_t j = 0; j < deviations_.size(); ++j)
      o.middleCols(static_cast<Index>(j) * block_, block_) /= deviations_[j];
    for (Index r = 0; r < o.rows(); ++r)
      if (o.row(r).isZero(0)) d.row(r).setZero();
    const double missing = (d - o * Eigen::CompleteOrthogonalDecomposition<MatrixXd>(o).solve(d)).norm();
    const double size =
        Eigen::Map<const VectorXd>(base_.data(), static_cast<Index>(base_.size())).cwiseAbs().maxCoeff();
    if (missing > 1e-6 * d.norm() + 1e-10 * size)
      throw sim::InvariantError(fmt::format(
          "what the adversary sees of neighbouring data sets differs by more than releases do: {:g} of {:g}",
          missing, d.norm()));
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
    if (follows_ && size > 0) {
      const RowMajor d = Eigen::Map<const RowMajor>(weights.data(), rows_.rows(), size / rows_.rows());
      require_noise(d);
      const RowMajor w = whitened(d);
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
    std::vector<bool> present;
    std::vector<VectorXd> directions, sums(owners_.size(), VectorXd::Zero(p)), weights, scores;
    for (std::uint32_t k = 0; k < canaries_.size(); ++k) {
      present.push_back((streams(sim::Purpose::kAudit, 0, 0, k)() & 1) != 0);
      directions.push_back(direction_of(canaries_[k], start));
      sums[k % owners_.size()] += directions.back();
    }
    for (const VectorXd& sum : sums) {
      VectorXd part = change.transpose() * sum / std::max(sum.squaredNorm(), 1e-300);
      for (Index j = 0; everybody_ && j < rows; ++j)
        part[j] /= deviations_[static_cast<std::size_t>(j)] * deviations_[static_cast<std::size_t>(j)];
      weights.emplace_back(everybody_ || by_loss() ? part : VectorXd(whitened(part)));
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

  // More is certified than is stated. `sure`: also where an accident is next to impossible.
  void exceed(const AuditClaim& claim, const std::string& what, bool sure) {
    const std::string text = fmt::format("certified {} is above that of the {}", what,
                                         claim.name == "linear" ? "linear reactions" : claim.name);
    if (!claim.guarantee) {
      result_.findings.push_back(text + ", which is no guarantee: gradients that react reveal more");
    } else if (sure) {
      result_.refuted.push_back(text + ", where an accident is next to impossible");
    } else {
      result_.notes.push_back("warning: " + text + ", which can be an accident: repeat it with more --runs");
    }
  }

  void certify_canaries() {
    result_.level = options_.level;
    result_.epsilon = analysis::one_run_epsilon(*result_.guesses, result_.delta, result_.level);
    for (const AuditClaim& claim : result_.claims)
      if (result_.epsilon > claim.epsilon)
        exceed(claim, fmt::format("epsilon {:.4g}", result_.epsilon),
               analysis::one_run_p_value(*result_.guesses, claim.epsilon, result_.delta) < kSureRunFailure);
  }

  void certify_runs() {
    using analysis::TradeOff;
    // All releases of the owner are Gaussian, and their noise is independent.
    const bool gaussian = result_.delta > 0 && !std::isnan(result_.claims.front().mu);
    result_.level = options_.level / (gaussian ? 2 : 1);
    const auto certify = [&](TradeOff trade_off, double failure) {
      return analysis::certify_by_runs(result_.scores[0], result_.scores[1],
                                       {.delta = result_.delta, .failure = failure, .trade_off = trade_off});
    };
    result_.any = certify(TradeOff::kAny, result_.level);
    if (gaussian) result_.gaussian = certify(TradeOff::kGaussian, result_.level);
    for (const AuditClaim& claim : result_.claims) {
      if (result_.any->epsilon > claim.epsilon)
        exceed(claim, fmt::format("epsilon {:.4g}", result_.any->epsilon),
               certify(TradeOff::kAny, kSureFailure).epsilon > claim.epsilon);
      if (gaussian && result_.gaussian->mu > claim.mu)
        exceed(claim, fmt::format("mu {:.4g}", result_.gaussian->mu),
               certify(TradeOff::kGaussian, kSureFailure).mu > claim.mu);
    }
  }

  Scenario scenario_;
  std::uint32_t repetition_;
  const AuditOptions& options_;
  std::shared_ptr<const models::ReleaseCache> schedules_ = std::make_shared<const models::ReleaseCache>();
  std::unique_ptr<const Experiment> plain_{}, out_{}, in_{};  // data as they are, without canaries, with them
  bool everybody_ = false, follows_ = false, directed_ = false;
  std::optional<models::Sight> sight_{};  // nothing: final models
  std::vector<models::Canary> canaries_{};
  std::vector<std::size_t> owners_{};  // of canaries
  models::Views views_{};
  std::vector<double> deviations_{};           // of the noise of every release
  std::vector<std::size_t> taken_{};           // numbers of every payload that are seen
  std::vector<double> base_{}, difference_{};  // x_0, x_1 - x_0
  MatrixXd rows_{};                            // B
  Index block_ = 1;                            // numbers of a payload that have rows of B of their own
  std::optional<std::uint64_t> events_{};      // fingerprint of all runs
  AuditResult result_{};
};

}  // namespace

AuditResult audit(const Scenario& scenario, std::uint32_t repetition, const AuditOptions& options) {
  return Auditor(scenario, repetition, options).make();
}

}  // namespace hearsay::scenarios
