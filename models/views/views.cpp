#include "models/views/views.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "models/views/view.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kAllOwners = std::numeric_limits<std::size_t>::max();
constexpr Index kLinearParameters = 8;
constexpr std::uint64_t kLinearReleases = 200;

struct Release {
  std::size_t owner = 0;              // kAllOwners: the hub's
  double sigma = 0, sensitivity = 0;  // sigma 0: not Gaussian, or shared noise
};

double epsilon_of(double mu_squared, double delta) {
  return mu_squared > 0 ? gaussian_epsilon(delta, std::sqrt(mu_squared)) : 0;
}

Release release_of(const World& world, sim::AgentId i, const Step* step, double sensitivity) {
  const bool shared = world.study.privacy.trust == Trust::kAggregator;
  Release r{.owner = shared ? kAllOwners : world.owner(i)};
  if (step != nullptr && step->kind == StepKind::kGaussian && std::isfinite(sensitivity) && sensitivity > 0) {
    r.sensitivity = sensitivity;
    r.sigma = noise_scale(sensitivity, *step);
  }
  return r;
}

// The first run: how much there is to follow.
class Counting final : public StandIn, public sim::TraceSink, public Observer {
 public:
  Counting(std::vector<Sight> sights, const std::atomic<bool>* interrupted)
      : sights_(std::move(sights)), interrupted_(interrupted) {}
  bool follows() const override { return true; }
  void release(sim::AgentId, const Step*, double, Out) override { ++releases; }
  void transform(Out, const In&) override { ++transforms; }
  void gradient(sim::AgentId, const In&, bool whole, Out out) override {
    parts = parts || !whole;
    out.setZero();
  }
  void record(const sim::TraceRecord& record) override {
    for (const Sight& sight : sights_) rows += sight.sees(record) ? 1 : 0;
  }
  void observe(const World&) override { ++observations; }
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

  std::uint64_t releases = 0, transforms = 0, rows = 0, observations = 0;
  bool parts = false;  // some gradient is of a part of the records

 private:
  std::vector<Sight> sights_;
  const std::atomic<bool>* interrupted_;
};

// The second run: rows instead of vectors.
class Follower final : public StandIn, public sim::TraceSink, public Observer {
 public:
  // `reactions`: of p parameters: p rows of p columns for each release; else a row with a column for each release and
  // transform.
  Follower(const std::vector<Sight>& sights, std::size_t owners, Index columns, Index reactions,
           const std::atomic<bool>* interrupted)
      : columns_(columns),
        block_(std::max<Index>(reactions, 1)),
        reacts_(reactions > 0),
        owners_(owners),
        interrupted_(interrupted) {
    for (const Sight& sight : sights) {
      states_.push_back({.sight = sight, .view = View(columns * block_)});
      states_.back().seen.resize(owners);
      states_.back().opened.resize(static_cast<std::size_t>(columns));
    }
  }

  struct State {
    Sight sight;
    View view;
    std::vector<Index> reacting{};  // columns of releases at something that was not in view
    bool reacts = false;            // one of them is
    std::vector<char> seen{};       // by owner: whether anything was
    std::vector<char> opened{};     // by column of a transform: whether what was put in is in view
  };

  bool follows() const override { return true; }
  void gradient(sim::AgentId i, const In& theta, bool, Out out) override {
    if (reacts_) {
      const auto rows = Eigen::Map<const MatrixXd>(theta.data(), block_, columns_ * block_);
      Eigen::Map<MatrixXd>(out.data(), block_, columns_ * block_) =
          2 * world->problem().moments(world->owner(i)).a * rows;
      return;
    }
    out.setZero();
    const sim::AgentId releases = world->study.privacy.trust == Trust::kAggregator ? 0 : i;
    if (!theta.isZero(0) && world->ledger.affords(releases)) read_[releases].emplace_back(theta);
  }
  void release(sim::AgentId i, const Step* step, double sensitivity, Out out) override {
    const Index column = next_++;
    sim::check(column < columns_, "a run that is followed has other releases than before");
    const Release r = release_of(*world, i, step, sensitivity);
    releases_.push_back(r);
    release_columns_.push_back(column);
    if (!reacts_) {
      out.setZero();
      out[column] = 1;
      judge_label(i, column);
    } else {
      for (Index a = 0; a < block_; ++a) out[a + block_ * (block_ * column + a)] += 1;
    }
    for (State& s : states_) {
      for (Index b = 0; r.sigma > 0 && b < block_; ++b) s.view.scale(block_ * column + b, r.sigma);
      if (s.sight.everybody()) {
        note(s, r.owner);
      } else if (s.sight.has(i)) {
        add(s, out);
      }
      if (keep != nullptr && &s == &states_.front() && (s.sight.has(i) || s.sight.everybody())) {
        keep->rows.push_back(
            {sim::TraceKind::kRelease, i, sim::kNoAgent, static_cast<sim::Cause>(column), VectorXd(out)});
      }
    }
  }
  void transform(Out x, const In& input) override {
    if (input.isZero(0)) {
      x.setZero();
      return;
    }
    const Index column = next_++;
    sim::check(column < columns_, "a run that is followed has other transforms than before");
    Eigen::SparseVector<double> kept = VectorXd(input).sparseView(0, 0);
    inputs_.resize(static_cast<std::size_t>(column) + 1);
    inputs_[static_cast<std::size_t>(column)] = std::move(kept);
    x.setZero();
    x[column] = 1;
  }
  void record(const sim::TraceRecord& record) override {
    cause_ = record.cause;
    const auto width = static_cast<std::size_t>(columns_ * block_ * block_);
    for (State& s : states_) {
      if (!s.sight.sees(record)) continue;
      for (std::size_t at = 0; at + width <= record.payload.size(); at += width) {
        const Eigen::Map<const VectorXd> row(record.payload.data() + at, static_cast<Index>(width));
        add(s, row);
        if (keep != nullptr && &s == &states_.front())
          keep->rows.push_back({record.kind, record.agent, record.peer, record.message, row});
      }
    }
  }
  void observe(const World&) override {
    if (!std::exchange(started_, true)) open_starts();
    if (look) look();
  }
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

  const World* world = nullptr;
  SeenRows* keep = nullptr;  // of the first adversary
  std::function<void()> look;
  std::vector<State>& states() { return states_; }
  std::vector<Views::First> firsts{};

  // mu^2 of an owner towards an adversary, now; its local value in `local`. NaN where a release is not Gaussian.
  double mu_squared(State& s, std::size_t owner, double& local, double* one_label = nullptr) {
    std::vector<Index> first;
    std::vector<double> q;
    local = 0;
    bool gaussian = true;
    for (std::size_t k = 0; k < releases_.size(); ++k) {
      const Release& r = releases_[k];
      if (r.owner != owner && r.owner != kAllOwners) continue;
      gaussian = gaussian && r.sigma > 0;
      first.push_back(block_ * release_columns_[k]);
      q.push_back(r.sigma > 0 ? r.sensitivity / r.sigma : 0);
      local += q.back() * q.back();
    }
    if (!gaussian) local = kNaN;
    if (s.seen[owner] == 0) return 0;
    if (!gaussian) return kNaN;
    if (one_label != nullptr) *one_label = kNaN;
    if (s.sight.everybody() || !s.view.certain()) return local;
    if (one_label != nullptr) {
      const MatrixXd sum = s.view.sum_of_blocks(first, q, block_);
      *one_label = Eigen::SelfAdjointEigenSolver<MatrixXd>(sum).eigenvalues()[block_ - 1];
    }
    return std::min(local, s.view.mu_squared(first, q, block_));
  }

  void finish(SeenRows& rows) const {
    for (std::size_t k = 0; k < releases_.size(); ++k) {
      const Release& r = releases_[k];
      rows.releases.push_back(
          {r.owner == kAllOwners ? owners_ : r.owner, r.sigma, r.sensitivity, release_columns_[k]});
    }
    for (Index i = 0; i < world->models.cols(); ++i) rows.models.emplace_back(world->models.col(i));
    rows.transforms = !inputs_.empty();
  }

 private:
  template <class Row>
  void add(State& s, const Row& row) {
    if (s.sight.everybody()) return;
    if (reacts_) {
      const auto rows = Eigen::Map<const MatrixXd>(row.data(), block_, columns_ * block_);
      for (Index a = 0; a < block_; ++a) add_row(s, rows.row(a));
    } else {
      add_row(s, row);
    }
  }
  void add_row(State& s, VectorXd first) {
    std::vector<VectorXd> rows{std::move(first)};
    while (!rows.empty()) {
      VectorXd row = std::move(rows.back());
      rows.pop_back();
      take_out_transforms(row, [&](std::size_t c) {
        if (std::exchange(s.opened[c], char{1}) == 0) rows.emplace_back(inputs_[c]);
      });
      add_releases(s, row);
    }
  }
  // What stands for a transform is known to who knows what was put in: it leaves the row, and `use` is called.
  template <class F>
  void take_out_transforms(VectorXd& row, F&& use) const {
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      if (inputs_[c].nonZeros() == 0 || row[static_cast<Index>(c)] == 0) continue;
      row[static_cast<Index>(c)] = 0;
      use(c);
    }
  }
  void add_releases(State& s, const VectorXd& row) {
    if (row.isZero(0)) return;
    for (std::size_t k = 0; k < releases_.size(); ++k) {
      bool any = false;
      for (Index b = 0; b < block_; ++b) any = any || row[block_ * release_columns_[k] + b] != 0;
      if (any) note(s, releases_[k].owner);
    }
    s.reacts = s.reacts || std::ranges::any_of(s.reacting, [&](Index c) { return row[c] != 0; });
    s.view.add({row.data(), static_cast<std::size_t>(row.size())});
  }
  void note(State& s, std::size_t owner) {
    const std::size_t begin = owner == kAllOwners ? 0 : owner,
                      end = owner == kAllOwners ? owners_ : owner + 1;
    for (std::size_t u = begin; u < end; ++u) {
      if (std::exchange(s.seen[u], char{1}) != 0 || s.sight.has(world->agent(u))) continue;
      firsts.push_back({world->engine.now(), cause_, static_cast<std::size_t>(&s - states_.data()), u});
    }
  }
  // Models at the start are known to neighbours, or published; where they are made of several owners' releases, as the limit
  // of an exchange that is not simulated, all these releases are taken to be known to everybody.
  void open_starts() {
    const sim::AgentId agents = world->engine.agents();
    bool mixed = false;
    for (sim::AgentId i = 0; i < agents; ++i) {
      for (std::size_t k = 0; k < releases_.size(); ++k) {
        const Index column = block_ * release_columns_[k];
        mixed = mixed || (releases_[k].owner != world->owner(i) &&
                          !world->start(i).segment(block_ * column, block_ * block_).isZero(0));
      }
    }
    for (State& s : states_) {
      for (std::size_t k = 0; mixed && k < releases_.size(); ++k) {
        for (Index b = 0; b < block_; ++b) s.view.know(block_ * release_columns_[k] + b);
        note(s, releases_[k].owner);
      }
      for (sim::AgentId i = 0; !mixed && i < agents; ++i)
        if (!world->start(i).isZero(0) && s.sight.hears(i, world->engine.topology())) add(s, world->start(i));
    }
  }
  // Whether a vector is a function of what an adversary has seen.
  bool knows(State& s, const VectorXd& vector) const {
    std::vector<VectorXd> rows{vector};
    std::vector<char> asked(inputs_.size());
    while (!rows.empty()) {
      VectorXd row = std::move(rows.back());
      rows.pop_back();
      take_out_transforms(row, [&](std::size_t c) {
        if (s.opened[c] == 0 && std::exchange(asked[c], char{1}) == 0) rows.emplace_back(inputs_[c]);
      });
      if (!row.isZero(0) && !s.view.contains({row.data(), static_cast<std::size_t>(row.size())}))
        return false;
    }
    return true;
  }
  // Whether the release was computed at what each adversary has seen.
  void judge_label(sim::AgentId i, Index column) {
    const std::vector<VectorXd> read = std::exchange(read_[i], {});
    for (State& s : states_) {
      if (s.sight.everybody() || s.reacts) continue;
      const bool known = std::ranges::all_of(read, [&](const VectorXd& theta) { return knows(s, theta); });
      if (!known) s.reacting.push_back(column);
    }
  }

  Index columns_, block_, next_ = 0;
  bool reacts_, started_ = false;
  std::size_t owners_;
  sim::Cause cause_ = 0;  // of the last record of the trace
  const std::atomic<bool>* interrupted_;
  std::vector<State> states_;
  std::vector<Release> releases_;
  std::vector<Index> release_columns_;
  std::vector<Eigen::SparseVector<double>> inputs_;     // by column; empty: a release's
  std::map<sim::AgentId, std::vector<VectorXd>> read_;  // at which it has computed since its last release
};

// Whether reactions are linear, as far as the run without values shows.
bool reacts_linearly(const Study& study, const Counting& count) {
  return study.problem.quadratic() && !study.problem.model().theta_max && !study.privacy.clips() &&
         study.privacy.trust == Trust::kOwner && study.problem.parameters() <= kLinearParameters &&
         count.releases <= kLinearReleases && !count.parts && count.transforms == 0;
}

}  // namespace

void require_views(const Entry& entry, const PrivacyOptions& privacy) {
  if (!entry.linear) {
    throw std::invalid_argument(fmt::format(
        "the releases of protocol {} can not be followed: its models are not sums of them with public factors",
        entry.name));
  }
  for (std::size_t k = 0; k < privacy.adversaries.size(); ++k) {
    const Adversary& one = privacy.adversaries[k];
    const auto* some = std::get_if<AgentsAdversary>(&one);
    const bool hub = std::holds_alternative<HubAdversary>(one);
    if (hub && !entry.hub)
      throw sim::OptionError(fmt::format("{}", k), fmt::format("protocol {} has no hub", entry.name));
    const bool has_hub =
        hub || (some != nullptr && std::ranges::find(some->agents, 0u) != some->agents.end());
    if (has_hub && privacy.trust == Trust::kAggregator) {
      throw sim::OptionError(
          fmt::format("{}", k),
          "the hub is trusted (privacy.trust aggregator): it receives updates without noise");
    }
  }
}

void require_members(const std::vector<Adversary>& adversaries, sim::AgentId agents) {
  const auto require = [&](sim::AgentId i, const std::string& path) {
    if (i >= agents) {
      throw sim::OptionError(path, fmt::format("expected an agent from 0 to {}, found {}", agents - 1, i));
    }
  };
  for (std::size_t k = 0; k < adversaries.size(); ++k) {
    if (const auto* some = std::get_if<AgentsAdversary>(&adversaries[k]))
      for (std::size_t m = 0; m < some->agents.size(); ++m)
        require(some->agents[m], fmt::format("{}/agents/{}", k, m));
    if (const auto* taps = std::get_if<LinksAdversary>(&adversaries[k]))
      for (std::size_t m = 0; m < taps->links.size(); ++m)
        for (const sim::AgentId i : taps->links[m]) require(i, fmt::format("{}/links/{}", k, m));
  }
}

void require_links(const std::vector<Adversary>& adversaries, const sim::Topology& topology) {
  for (std::size_t k = 0; k < adversaries.size(); ++k) {
    const auto* taps = std::get_if<LinksAdversary>(&adversaries[k]);
    for (std::size_t m = 0; taps != nullptr && m < taps->links.size(); ++m) {
      const auto& link = taps->links[m];
      if (topology.edge(link[0], link[1]) == 2 * topology.edges()) {
        throw sim::OptionError(fmt::format("{}/links/{}", k, m),
                               fmt::format("there is no link from agent {} to agent {}", link[0], link[1]));
      }
    }
  }
}

Sight::Sight(const Adversary& adversary, sim::AgentId agents) : member_(agents) {
  if (const auto* some = std::get_if<AgentsAdversary>(&adversary)) {
    for (const sim::AgentId i : some->agents) member_.at(i) = 1;
  } else if (const auto* taps = std::get_if<LinksAdversary>(&adversary)) {
    for (const auto& link : taps->links) links_.emplace_back(link.at(0), link.at(1));
  } else if (std::holds_alternative<HubAdversary>(adversary)) {
    member_.at(0) = 1;
  } else {
    everybody_ = true;
  }
}

bool Sight::hears(sim::AgentId agent, const sim::Topology& topology) const {
  return has(agent) ||
         std::ranges::any_of(topology.neighbours(agent), [&](sim::AgentId j) { return has(j); }) ||
         std::ranges::find(links_, agent, &std::pair<sim::AgentId, sim::AgentId>::first) != links_.end();
}

bool Sight::sees(const sim::TraceRecord& record) const {
  const bool sent = record.kind == sim::TraceKind::kSend || record.kind == sim::TraceKind::kPublish;
  if (!sent && record.kind != sim::TraceKind::kDeliver) return false;
  if (member_[record.agent] != 0) return true;
  return sent && std::ranges::find(links_, std::pair(record.agent, record.peer)) != links_.end();
}

Views follow(const AnyProtocol& protocol, const Study& study, const sim::Engine::Options& engine,
             const sim::Streams& streams, const std::vector<Adversary>& adversaries,
             const Observer& observing, double memory, const std::atomic<bool>* interrupted, SeenRows* keep) {
  std::vector<Sight> sights;
  for (const Adversary& one : adversaries) sights.emplace_back(one, study.topology.agents());
  const auto study_on = [&](const PublicProblem& problem) {
    Study other{problem, study.topology, study.privacy, study.reference, study.stop};
    other.own_models = study.own_models;
    other.round_trips = study.round_trips;
    return other;
  };
  const auto watch = [&](Observer& observer) {
    observer.every_iterations = observing.every_iterations;
    observer.every_vectors = observing.every_vectors;
    observer.every_bytes = observing.every_bytes;
  };
  Counting count(sights, interrupted);
  watch(count);
  std::uint64_t events = 0, payloads = 0;
  {
    const Study counted = study_on(study.problem);
    World world(counted, engine, streams, &count);
    world.stand_in = &count;
    protocol.run(world, count);
    events = world.engine.fingerprint().value();
    payloads = world.engine.payload_capacity();
  }
  if (count.should_abort()) return {};

  const std::size_t owners = study.problem.owners();
  const std::size_t vectors = engine.payload_width / engine.vector_length;
  const auto columns = static_cast<Index>(std::max<std::uint64_t>(count.releases + count.transforms, 16));
  const auto run = [&](Index reactions, const auto& use) {
    const Index block = std::max<Index>(reactions, 1), width = columns * block * block;
    const bool looks = reactions == 0;  // at each observation, else at the end
    // Models, their starts and what protocols keep for each agent and payload; rows that are seen, as they are and
    // orthonormal; the vectors that a release was computed at.
    constexpr double kPerAgent = 8, kPerRow = 3;
    const double rows = static_cast<double>(count.rows + count.releases) * static_cast<double>(block);
    const double numbers =
        kPerAgent * study.topology.agents() + static_cast<double>(payloads * vectors) + kPerRow * rows;
    if (const double bytes = 8 * static_cast<double>(width) * numbers; bytes > memory) {
      throw sim::Error(
          sim::Error::Kind::kOutOfMemory, "/privacy/adversaries",
          fmt::format("following {} releases in {} payloads takes about {:.1f} GB, more than the {:.1f} "
                      "GB that this process can use",
                      count.releases, count.rows, bytes / 1e9, memory / 1e9));
    }
    const Problem wide = study.diagnosed().of_width(width);
    const Study followed = study_on(wide);
    sim::Engine::Options options = engine;
    options.stand_in = static_cast<std::size_t>(width);
    options.payload_width = options.stand_in * vectors;
    Follower follower(sights, owners, columns, reactions, interrupted);
    if (looks) watch(follower);
    World world(followed, options, streams, &follower);
    world.stand_in = &follower;
    follower.world = &world;
    const bool keeps = keep != nullptr && (looks || keep->wants_reactions);
    if (keeps) {
      *keep = {.wants_reactions = keep->wants_reactions, .block = block};
      follower.keep = keep;
    }
    if (looks) follower.look = [&] { use(follower, world); };
    protocol.run(world, follower);
    if (follower.should_abort()) return;
    sim::check(world.engine.fingerprint().value() == events, "a run that is followed has other events");
    if (!looks) use(follower, world);
    if (keeps) follower.finish(*keep);
  };

  Views views;
  views.events_ = events;
  for (const Adversary& one : adversaries)
    views.adversaries_.push_back({.name = name_of(one), .owners = std::vector<Seen>(owners)});
  run(0, [&](Follower& follower, const World& world) {
    Views::Sample sample{world.iterations, world.engine.now(), {}};
    for (std::size_t a = 0; a < sights.size(); ++a) {
      Follower::State& state = follower.states()[a];
      Views::OfAdversary& all = views.adversaries_[a];
      all.label = state.reacts ? ViewLabel::kFixedGradients : ViewLabel::kExact;
      all.certain = all.certain && state.view.certain();
      for (std::size_t owner = 0; owner < owners; ++owner) {
        Seen& seen = all.owners[owner];
        if (sights[a].has(world.agent(owner))) {
          seen = {kNaN, kNaN, kNaN, kNaN};
        } else {
          const Account& account = world.ledger.account(world.agent(owner));
          seen.ledger = account.spent().epsilon;
          // Rounds that a trusted server draws owners for are no secret to who taps its links.
          const bool amplified = study.privacy.trust == Trust::kAggregator && sights[a].taps();
          const double cap = amplified ? std::numeric_limits<double>::infinity() : seen.ledger;
          seen.mu_squared = follower.mu_squared(state, owner, seen.local_mu_squared);
          seen.epsilon = std::isnan(seen.mu_squared)
                             ? seen.ledger
                             : std::min(cap, epsilon_of(seen.mu_squared, account.delta_budget()));
        }
        sample.epsilon.push_back(seen.epsilon);
      }
    }
    views.samples_.push_back(std::move(sample));
    views.firsts_ = follower.firsts;
  });
  for (const Views::First& first : views.firsts_)
    views.adversaries_[first.adversary].owners[first.owner].first = first.time;
  // What is seen later holds what was seen before.
  for (std::size_t k = views.samples_.size(); k-- > 1;) {
    std::vector<double>& earlier = views.samples_[k - 1].epsilon;
    for (std::size_t c = 0; c < earlier.size(); ++c)
      earlier[c] = std::min(earlier[c], views.samples_[k].epsilon[c]);
  }
  if (reacts_linearly(study, count)) {
    run(study.problem.parameters(), [&](Follower& follower, const World& world) {
      for (std::size_t a = 0; a < sights.size(); ++a) {
        for (std::size_t owner = 0; owner < owners; ++owner) {
          Seen& seen = views.adversaries_[a].owners[owner];
          if (sights[a].has(world.agent(owner)) || std::isnan(seen.mu_squared)) continue;
          double local = 0;
          seen.one_label = 0;
          seen.linear = follower.mu_squared(follower.states()[a], owner, local, &seen.one_label);
          if (sights[a].everybody()) seen.one_label = seen.linear;
        }
      }
    });
  }
  if (interrupted != nullptr && interrupted->load()) return {};
  return views;
}

void Views::epsilon_at(std::uint64_t iteration, sim::Time time, std::span<double> out) const {
  // The last one: there may be several at one time.
  const auto sample = std::find_if(samples_.rbegin(), samples_.rend(), [&](const Sample& s) {
    return s.iteration == iteration && s.time == time;
  });
  sim::check(sample != samples_.rend(), "an observation that the views of the run do not have");
  std::ranges::fill(out, kNaN);
  for (std::size_t c = 0; c < sample->epsilon.size(); ++c)
    out[c % out.size()] = std::fmax(out[c % out.size()], sample->epsilon[c]);
}

void Views::first_until(sim::Time time, std::span<double> out) const {
  std::ranges::fill(out, kNaN);
  for (const First& first : firsts_)
    if (first.time <= time) out[first.owner] = std::fmin(out[first.owner], first.time);
}

std::vector<std::uint32_t> hops_from(const Adversary& adversary, const sim::Topology& topology) {
  std::vector<sim::AgentId> reached;
  if (const auto* some = std::get_if<AgentsAdversary>(&adversary)) reached = some->agents;
  if (std::holds_alternative<HubAdversary>(adversary)) reached = {0};
  if (reached.empty()) return {};
  std::vector<std::uint32_t> hops(topology.agents(), std::numeric_limits<std::uint32_t>::max());
  for (const sim::AgentId i : reached) hops[i] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const sim::AgentId j : topology.neighbours(reached[k])) {
      if (hops[j] <= hops[reached[k]] + 1) continue;
      hops[j] = hops[reached[k]] + 1;
      reached.push_back(j);
    }
  }
  return hops;
}

void ViewMarks::pass(sim::Time until) {
  for (; next_ < views_.firsts().size() && views_.firsts()[next_].time < until; ++next_) {
    const Views::First& first = views_.firsts()[next_];
    sink_.record({.time = first.time,
                  .kind = sim::TraceKind::kView,
                  .agent = static_cast<sim::AgentId>(first.owner) + first_owner_,
                  .cause = first.cause,
                  .iteration = iteration_,
                  .detail = views_.adversaries()[first.adversary].name});
  }
}

}  // namespace hearsay::models
