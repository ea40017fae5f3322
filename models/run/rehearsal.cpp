#include "models/run/rehearsal.hpp"

#include <algorithm>
#include <limits>

namespace hearsay::models {

namespace {

class Unseen final : public Observer {
 public:
  explicit Unseen(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}
  void observe(const World&) override {}
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

 private:
  const std::atomic<bool>* interrupted_;
};

}  // namespace

std::vector<std::uint64_t> expected_releases(const AnyProtocol& protocol, const Study& study,
                                             sim::Engine::Options engine, std::uint64_t seed,
                                             const std::atomic<bool>* interrupted) {
  constexpr std::uint32_t kMost = 16, kLast = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t enough = protocol.entry().open ? 100'000 : 4'000'000;
  const Budget free{.unit = study.privacy.unit, .trust = study.privacy.trust};
  Study rehearsed{study.problem, study.topology, free, study.reference, study.stop};
  rehearsed.stop.budgets_spent = false;
  rehearsed.own_models = study.own_models;
  rehearsed.messages = study.messages;
  rehearsed.mixing = study.mixing;
  rehearsed.round_trips = study.round_trips;
  rehearsed.hostile = study.hostile;
  engine.observe_every = sim::kNever;
  const std::uint64_t upfront = study.privacy.epsilon_warm ? 1 : 0;
  std::vector<std::vector<std::uint64_t>> made(study.problem.owners());  // by owner and rehearsal
  std::uint64_t events = 0;
  for (std::uint32_t k = 0; k < kMost && events < enough; ++k) {
    World world(rehearsed, engine, sim::Streams(seed, kLast - k));
    StandIn nothing;
    world.stand_in = &nothing;
    Unseen unseen(interrupted);
    protocol.run(world, unseen);
    if (unseen.should_abort()) return {};
    events += world.engine.events();
    for (std::size_t owner = 0; owner < made.size(); ++owner) {
      const std::uint64_t releases = world.ledger.account(world.agent(owner)).releases;
      made[owner].push_back(releases - std::min(releases, upfront));
    }
  }
  std::vector<std::uint64_t> planned;
  planned.reserve(made.size());
  for (std::vector<std::uint64_t>& counts : made) {
    const auto plan = counts.begin() + static_cast<std::ptrdiff_t>(3 * (counts.size() - 1) / 8);
    std::nth_element(counts.begin(), plan, counts.end());
    planned.push_back(std::max<std::uint64_t>(1, *plan));
  }
  return planned;
}

}  // namespace hearsay::models
