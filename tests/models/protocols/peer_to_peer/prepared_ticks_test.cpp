// Private and personalised protocols are the same run, to the bit, when their ticks are prepared on other threads.
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "models/protocols/peer_to_peer/model_propagation.hpp"
#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"
#include "tests/support/crew.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tally.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::PersonalFixture;

namespace {

struct PreparedRun {
  std::uint64_t fingerprint = 0, releases = 0, iterations = 0, prepared = 0;
  Eigen::MatrixXd models;
  Tally tally;
  std::vector<double> q;  // every 50 iterations
};

template <class P>
PreparedRun run_of(const PersonalFixture& fixture, const typename P::Params& params,
                   const sim::Engine::Options& options) {
  std::vector<double> q;
  const auto done = test::run<P>(fixture, params, options, [&](const World& w, const P& protocol) {
    if (w.iterations % 50 == 0) protocol.measure(0, w, {&q.emplace_back(), 1});
  });
  CHECK(done.world->engine.lazy());
  return {done.world->fingerprint(),
          done.world->releases(),
          done.world->iterations,
          done.world->engine.lookahead().prepared(),
          done.world->models,
          done.world->tally,
          q};
}

template <class P>
void compare(const PersonalFixture& fixture, const typename P::Params& params,
             const sim::Engine::Options& options) {
  const PreparedRun one = run_of<P>(fixture, params, options);
  for (const unsigned threads : {2U, 4U}) {
    const test::HelpedThread helped(threads);
    const PreparedRun several = run_of<P>(fixture, params, options);
    CHECK(one.prepared == 0);
    // Agents that tick at the same time do so in the order of their numbers, here along a ring: each is a neighbour of the last.
    if (std::holds_alternative<sim::Poisson>(options.clocks))
      CHECK(several.prepared > several.iterations / 2 - 64);
    CHECK(several.fingerprint == one.fingerprint);
    CHECK(several.models == one.models);
    CHECK(several.iterations == one.iterations);
    CHECK(several.releases == one.releases);
    CHECK(several.q == one.q);
    test::check_same(several.tally, one.tally);
  }
}

}  // namespace

TEST_CASE(
    "prepared ticks: 100 random runs with and without privacy are the same to the bit on 1, 2 and 4 threads") {
  for (std::uint64_t number = 0; number < 100; ++number) {
    sim::Stream s = sim::Streams(number, 0)(sim::Purpose::kData, 555);
    const auto draw = [&](std::uint64_t count) { return sim::uniform_index(s, count); };
    const bool noisy = draw(3) != 0, tracked = draw(2) == 0;
    PrivacyOptions privacy;
    if (noisy) {
      privacy = test::laplace_for(1, 1 + static_cast<double>(draw(20)));
      const std::uint64_t kind = draw(3);
      if (kind == 1) privacy.mechanism = ExponentialNorm{};
      if (draw(2) == 0) {
        privacy.gradient_bound = {};
        privacy.clip = 0.3;
      }
    }
    const PersonalFixture fixture(
        test::random_agents({.agents = 300 + draw(300), .reach = 0.004, .seed = number + 1}), LogisticLoss{},
        privacy, 200 + draw(1500),
        tracked ? std::vector<std::string_view>{"objective_q"} : std::vector<std::string_view>{});
    const std::vector<sim::LatencyOptions> latencies{0.0, sim::Uniform{0, 0.015}, sim::Uniform{0, 2}};
    sim::Engine::Options options =
        fixture.engine({}, draw(4) == 0 ? sim::ClockOptions(sim::Periodic{}) : sim::Poisson{});
    options.network.links.latency = latencies[draw(latencies.size())];
    options.delivery = sim::Delivery::kLazy;
    INFO("draw " << number);
    if (noisy || draw(2) == 0) {
      P2pCoordinateDescent::Params params;
      params.initial = ConstantModels{0.5};
      if (draw(2) == 0) params.initial_exchange = InitialExchange::kSent;
      if (draw(2) == 0) params.after_budget = AfterBudget::kLocal;
      compare<P2pCoordinateDescent>(fixture, params, options);
    } else {
      compare<ModelPropagation>(fixture, {}, options);
    }
  }
}
