#include "models/protocols/gossip/random_peers.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "models/protocols/gossip/ad_psgd.hpp"
#include "models/protocols/gossip/epidemic.hpp"
#include "models/protocols/gossip/gossip_learning.hpp"
#include "models/protocols/gossip/push_sum.hpp"
#include "tests/models/protocols/gossip/gossip_run.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using models::AgingView;

namespace {

struct PeerSent {
  sim::Time at;
  sim::AgentId from, to;
};

// What n agents on a complete graph that tick every second send in so many rounds.
template <class P>
std::vector<PeerSent> sent_to_peers(std::size_t n, std::uint64_t rounds, const AgingView& view,
                                    typename P::Params params = {}) {
  params = test::mixing_only<P>(params);
  params.peers = view;
  const auto fixture = test::targets(std::vector<double>(n, 1.0), sim::Complete{}, n * rounds);
  test::TraceLog trace;
  test::run<P>(fixture, params, fixture.engine({}, sim::Periodic{}, P::kEntry.vectors), {.trace = &trace});
  std::vector<PeerSent> sent;
  for (const auto& [record, detail] : trace.entries)
    if (record.kind == sim::TraceKind::kSend) sent.push_back({record.time, record.agent, record.peer});
  return sent;
}

std::set<sim::AgentId> receivers(const std::vector<PeerSent>& sent, sim::AgentId from, sim::Time begin,
                                 sim::Time end) {
  std::set<sim::AgentId> all;
  for (const PeerSent& one : sent)
    if (one.from == from && one.at >= begin && one.at < end) all.insert(one.to);
  return all;
}

}  // namespace

TEST_CASE("random peers: an entry of a view is replaced when its time has come") {
  // One entry, replaced at 10, 20, ...
  const auto one = sent_to_peers<models::GossipLearning>(50, 40, {.size = 1, .renewal = 10});
  std::set<std::pair<sim::AgentId, sim::AgentId>> pairs;
  for (sim::AgentId i = 0; i < 50; ++i) {
    for (const sim::Time begin : {0.0, 10.0, 20.0, 30.0}) {
      const auto peers = receivers(one, i, begin, begin + 10);
      REQUIRE(peers.size() == 1);
      CHECK(*peers.begin() != i);
      pairs.insert({i, *peers.begin()});
    }
  }
  // 200 entries; an entry is one of the agent's three others with probability 3/49 at most.
  CHECK(pairs.size() > 150);
  // Two entries, replaced at 5, 15, ... and at 10, 20, ...: in two spans of five seconds, one after the other, three agents at
  // most, all of which a third of the draws of an entry misses with probability (1/2)^5.
  const auto two = sent_to_peers<models::GossipLearning>(50, 40, {.size = 2, .renewal = 10});
  std::size_t threes = 0;
  for (sim::AgentId i = 0; i < 50; ++i) {
    for (sim::Time begin = 0; begin < 30; begin += 5) {
      CHECK(receivers(two, i, begin, begin + 5).size() <= 2);
      const std::size_t both = receivers(two, i, begin, begin + 10).size();
      CHECK(both <= 3);
      threes += both == 3 ? 1 : 0;
    }
  }
  CHECK(threes > 200);  // of 300
}

TEST_CASE("random peers: entries are uniform over all neighbours") {
  // A fresh entry for each of 11 000 draws. Chi-squared with 9 degrees of freedom exceeds 60.8 with probability 1e-9.
  const auto sent = sent_to_peers<models::GossipLearning>(11, 1000, {.size = 1, .renewal = 0.5});
  REQUIRE(sent.size() == 11'000);
  std::vector<double> counts(11);
  for (const PeerSent& one : sent) ++counts[(one.to + 11 - one.from) % 11];
  CHECK(counts[0] == 0);
  double chi = 0;
  for (std::size_t k = 1; k < 11; ++k) chi += (counts[k] - 1100) * (counts[k] - 1100) / 1100;
  CHECK(chi < 60.8);
}

TEST_CASE("random peers: several at a time are different, and of the view") {
  models::Epidemic::Params epidemic;
  epidemic.fan_out = 3;
  const auto sent = sent_to_peers<models::Epidemic>(30, 9, {.size = 4, .renewal = 1000}, epidemic);
  for (sim::AgentId i = 0; i < 30; ++i) {
    CHECK(receivers(sent, i, 0, 10).size() <= 4);
    for (sim::Time t = 1; t < 9; ++t) CHECK(receivers(sent, i, t, t + 1).size() >= 1);
  }
  // Entries are the same agent now and then: each two with probability 1/29. Without that 30 * 9 * 3 messages.
  CHECK(sent.size() <= 810);
  CHECK(sent.size() > 700);
  models::PushSum::Params push;
  push.fan_out = 2;
  CHECK(sent_to_peers<models::PushSum>(30, 9, {.size = 2, .renewal = 1000}, push).size() <= 540);
  push.fan_out = 3;
  CHECK_THROWS_WITH(sent_to_peers<models::PushSum>(30, 9, {.size = 2, .renewal = 1000}, push),
                    Catch::Contains("expected at most peers.size = 2, found 3"));
  CHECK(sent_to_peers<models::AdPsgd>(30, 9, {.size = 2, .renewal = 1000}).size() >= 270);
}
