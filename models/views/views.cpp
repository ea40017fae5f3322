#include "models/views/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kLinearReleases = 200;

// What an account's releases cost whoever knows which of them an owner takes part in.
double unamplified(const Account& account, double local_mu_squared) {
  double epsilon = 0;
  for (std::uint64_t n = 0; n < account.releases; ++n) {
    const Step& step = account.schedule->step(n);
    if (!step.law().pure) return gaussian_epsilon(account.spent().delta, std::sqrt(local_mu_squared));
    epsilon += step.epsilon;
  }
  return epsilon;
}

}  // namespace

bool may_react_linearly(const Problem& problem, const Budget& privacy) {
  constexpr Index kMostParameters = 8;
  return problem.quadratic() && !problem.model().theta_max && !privacy.clips() &&
         privacy.trust == Trust::kOwner && problem.parameters() <= kMostParameters;
}

Views follow(const AnyProtocol& protocol, const Study& study, const sim::Engine::Options& engine,
             const sim::Streams& streams, const std::vector<Adversary>& adversaries,
             const Observer& observing, double memory, const std::atomic<bool>* interrupted, SeenRows* keep) {
  std::vector<Sight> sights;
  for (const Adversary& one : adversaries) sights.emplace_back(one, study.topology.agents(), study.hostile);
  const auto study_on = [&](const PublicProblem& problem) {
    Study other{problem, study.topology, study.privacy, study.reference, study.stop};
    other.own_models = study.own_models;
    other.messages = study.messages;
    other.mixing = study.mixing;
    other.round_trips = study.round_trips;
    other.hostile = study.hostile;
    return other;
  };
  Counting count(sights, interrupted);
  std::uint64_t events = 0, payloads = 0, not_finite = 0;
  {
    const Study counted = study_on(study.problem);
    World world(counted, engine, streams, &count);
    world.stand_in = &count;
    protocol.run(world, count);
    events = world.engine.fingerprint().value();
    payloads = world.engine.payload_capacity();
    not_finite = world.engine.traffic().lost_as(sim::LossReason::kNotFinite);
  }
  if (count.should_abort()) return {};

  const std::size_t owners = study.problem.owners();
  const std::size_t vectors = engine.payload_width / engine.vector_length;
  const auto columns = static_cast<Index>(std::max<std::uint64_t>(count.releases + count.transforms, 16));
  bool overflowed = false;  // some coefficients
  const auto run = [&](Index reactions, const auto& use) {
    const Index block = std::max<Index>(reactions, 1), width = columns * block * block;
    // At each observation, else at the end.
    const bool looks = reactions == 0 && study.asks_for("epsilon_seen");
    // Models, their starts and what protocols keep for each agent and payload; rows that are seen, as they are and
    // orthonormal.
    constexpr double kPerAgent = 8, kPerRow = 3;
    const double rows = static_cast<double>(count.rows) * static_cast<double>(block);
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
    if (looks) {
      follower.every_iterations = observing.every_iterations;
      follower.every_vectors = observing.every_vectors;
      follower.every_bytes = observing.every_bytes;
    }
    World world(followed, options, streams, &follower);
    world.stand_in = &follower;
    follower.world = &world;
    const bool keeps = keep != nullptr && (reactions == 0 || keep->wants_reactions);
    if (keeps) {
      *keep = {.wants_reactions = keep->wants_reactions, .block = block};
      follower.keep = keep;
    }
    if (looks) follower.look = [&] { use(follower, world); };
    protocol.run(world, follower);
    if (follower.should_abort()) return;
    overflowed = world.overflowed != sim::kNoAgent;
    if (overflowed) return;
    sim::check(world.engine.fingerprint().value() == events, "a run that is followed has other events");
    if (!looks) use(follower, world);
    if (keeps) follower.finish(*keep);
  };

  Views views;
  views.events_ = events;
  views.not_finite_ = not_finite;
  for (std::size_t a = 0; a < sights.size(); ++a)
    views.adversaries_.push_back({.name = name_of(adversaries[a]),
                                  .hops = sights[a].hops(study.topology),
                                  .owners = std::vector<Seen>(owners)});
  run(0, [&](Follower& follower, const World& world) {
    Views::Sample sample{world.iterations, world.engine.now()};
    for (std::size_t a = 0; a < sights.size(); ++a) {
      Views::OfAdversary& all = views.adversaries_[a];
      all.label = follower.reacts(a) ? ViewLabel::kFixedGradients : ViewLabel::kExact;
      all.certain = follower.certain(a);
      for (std::size_t owner = 0; owner < owners; ++owner) {
        Seen& seen = all.owners[owner];
        if (sights[a].has(world.agent(owner))) {
          seen = {kNaN, kNaN, kNaN, kNaN};
        } else {
          const Account& account = world.ledger.account(world.agent(owner));
          const Follower::MuSquared mu = follower.mu_squared(a, owner);
          const Guarantee spent = account.spent();
          seen = {.mu_squared = mu.seen, .local_mu_squared = mu.local, .ledger = spent.epsilon};
          // Rounds that a trusted server draws owners for are no secret to whoever taps its links.
          const bool known_rounds = study.privacy.trust == Trust::kAggregator && sights[a].taps() &&
                                    account.schedule && account.schedule->amplified();
          seen.epsilon = known_rounds ? unamplified(account, mu.local) : seen.ledger;
          if (mu.seen == 0) {
            seen.epsilon = 0;
          } else if (!std::isnan(mu.seen) && spent.delta > 0) {  // at the delta of the ledger's epsilon
            seen.epsilon = std::min(seen.epsilon, gaussian_epsilon(spent.delta, std::sqrt(mu.seen)));
          }
        }
        sample.epsilon.push_back(seen.epsilon);
        sample.delta.push_back(world.ledger.account(world.agent(owner)).spent().delta);
      }
    }
    views.samples_.push_back(std::move(sample));
    views.firsts_ = follower.firsts();
  });
  for (const FirstSight& first : views.firsts_)
    views.adversaries_[first.adversary].owners[first.owner].first = first.time;
  // What is seen later holds what was seen before; at a larger delta than before it says less.
  for (std::size_t k = views.samples_.size(); k-- > 1;) {
    Views::Sample &earlier = views.samples_[k - 1], &later = views.samples_[k];
    for (std::size_t c = 0; c < earlier.epsilon.size(); ++c) {
      if (later.delta[c] > earlier.delta[c]) continue;
      earlier.epsilon[c] = std::min(earlier.epsilon[c], later.epsilon[c]);
    }
  }
  if (may_react_linearly(study.diagnosed(), study.privacy) && count.releases <= kLinearReleases &&
      !count.parts && count.transforms == 0) {
    run(study.problem.parameters(), [&](Follower& follower, const World& world) {
      for (std::size_t a = 0; a < sights.size(); ++a) {
        for (std::size_t owner = 0; owner < owners; ++owner) {
          Seen& seen = views.adversaries_[a].owners[owner];
          if (sights[a].has(world.agent(owner)) || std::isnan(seen.mu_squared)) continue;
          const Follower::MuSquared mu = follower.mu_squared(a, owner);
          seen.linear = mu.seen;
          seen.one_label = mu.one_label;
        }
      }
    });
  }
  if (overflowed || (interrupted != nullptr && interrupted->load())) return {};
  return views;
}

void Views::epsilon_at(std::uint64_t iteration, sim::Time time, std::span<double> out) const {
  // The last one: there may be several at one time.
  const auto sample = std::find_if(samples_.rbegin(), samples_.rend(), [&](const Sample& s) {
    return s.iteration == iteration && s.time == time;
  });
  std::ranges::fill(out, kNaN);
  if (sample == samples_.rend()) return;
  for (std::size_t c = 0; c < sample->epsilon.size(); ++c)
    out[c % out.size()] = std::fmax(out[c % out.size()], sample->epsilon[c]);
}

void Views::first_until(sim::Time time, std::span<double> out) const {
  std::ranges::fill(out, kNaN);
  for (const FirstSight& first : firsts_)
    if (first.time <= time) out[first.owner] = std::fmin(out[first.owner], first.time);
}

void ViewMarks::pass(sim::Time until) {
  for (; next_ < views_.firsts().size() && views_.firsts()[next_].time < until; ++next_) {
    const FirstSight& first = views_.firsts()[next_];
    sink_.record({.time = first.time,
                  .kind = sim::TraceKind::kView,
                  .agent = static_cast<sim::AgentId>(first.owner) + first_owner_,
                  .cause = first.cause,
                  .iteration = iteration_,
                  .detail = views_.adversaries()[first.adversary].name});
  }
}

}  // namespace hearsay::models
