#include "sim/engine/unreachable.hpp"

#include <catch2/catch.hpp>

#include "tests/support/scratch.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

std::string reason(const Engine::Options& options, AgentId agents = 4) {
  return why_unreachable(options, make_topology(Star{}, agents, kStreams), kStreams).value_or("");
}

Engine::Options star() {
  Engine::Options options;
  options.hub = true;
  options.clocks = Poisson{};
  return options;
}

}  // namespace

TEST_CASE("unreachable: ordinary networks are reachable, however lossy and however rarely agents are up") {
  auto options = star();
  CHECK(reason(options).empty());
  CHECK(reason(star(), 1).empty());  // there is no receiver
  for (const LossOptions& loss : {LossOptions(BernoulliLoss{0.999}),
                                  LossOptions(GilbertElliott{.p_good_to_bad = 1, .p_bad_to_good = 0.001})}) {
    options.network.links.loss = loss;
    CHECK(reason(options).empty());
  }
  options.network.availability = OnOff{.up = 1e-6, .down = 1e6};
  CHECK(reason(options).empty());
  options.network.availability = Coin{.probability = 1e-9};
  CHECK(reason(options).empty());
}

TEST_CASE("unreachable: if every message is lost, none can arrive") {
  const auto is_lost = [](const LossOptions& loss, Time limit = kNever) {
    auto options = star();
    options.network.links.loss = loss;
    options.time_limit = limit;
    const std::string why = reason(options);
    CHECK((why.empty() || why == "no message can arrive: every message on every link is lost"));
    return !why.empty();
  };
  CHECK(is_lost(BernoulliLoss{1}));
  CHECK(is_lost(GilbertElliott{.loss_good = 1, .loss_bad = 1}));
  // Bad from the first message on, for ever.
  CHECK(is_lost(GilbertElliott{.p_good_to_bad = 0.5, .p_bad_to_good = 0}));
  CHECK(is_lost(GilbertElliott{.p_good_to_bad = 0, .p_bad_to_good = 0, .loss_good = 1, .loss_bad = 0}));
  CHECK(is_lost(AnyLoss{{BernoulliLoss{0.5}, PartitionLoss{.agents = {0}}}}));
  CHECK_FALSE(is_lost(PartitionLoss{.agents = {1, 2}}));  // agent 3 can
  CHECK_FALSE(is_lost(PartitionLoss{.agents = {0}, .to = 10.0}));
  CHECK(is_lost(PartitionLoss{.agents = {0}, .to = 10.0}, 10));
  // With probability 0.999^3 all owners are cut off in a repetition, which says nothing of the others.
  CHECK_FALSE(is_lost(PartitionLoss{.share = 0.999}));
  CHECK(is_lost(PartitionLoss{.share = 1}));
}

TEST_CASE(
    "unreachable: agents that are never up together cannot communicate, a message may reach one that comes "
    "up later") {
  auto options = star();
  options.network.availability = JoinLeave{.join = 10.0, .leave = 5.0};
  CHECK(reason(options) ==
        "no message can arrive: no agent is up before the last time that a neighbour is up");
  options.network.availability = JoinLeave{.join = 10.0};
  CHECK(reason(options).empty());
  options.time_limit = 10;
  CHECK_FALSE(reason(options).empty());
  // Agents that are drawn to leave before they join may be drawn otherwise in another repetition, if the laws overlap.
  options.time_limit = kNever;
  options.network.availability = JoinLeave{.join = Uniform{90, 100}, .leave = PerAgent(Uniform{0, 91})};
  CHECK(reason(options).empty());
  options.network.availability =
      AllOf{{JoinLeave{.join = ValueList{{91, 92, 93}}, .leave = PerAgent(Uniform{0, 91})}}};
  CHECK_FALSE(reason(options).empty());
  options.network.availability = JoinLeave{.join = Exponential{100}};
  options.time_limit = 1e-9;
  CHECK(reason(options).empty());

  const test::Scratch dir;
  const InputFile file{"t.csv", dir.write("t.csv", "agent,start,end\n0,5,6\n1,0,2\n2,7,8\n3,1,2\n")};
  options = star();
  options.network.availability = AvailabilityTrace{.path = file};
  CHECK(reason(options).empty());  // 1 may send at 1 what reaches the hub at 5
  options.network.links.loss = PartitionLoss{.agents = {1, 2, 3}};
  CHECK_FALSE(reason(options).empty());
}

TEST_CASE("unreachable: no agent ticks, or no message is in time") {
  auto options = star();
  options.clocks = ClockTrace{};
  CHECK(reason(options) == "no agent ever ticks: the clock trace is empty");
  options = star();
  options.time_limit = 3;
  options.network.links.latency = 3.0;
  CHECK(reason(options) == "no message can arrive: the smallest latency is as long as the run");
  // Messages to the hub take no time.
  options.network.links.delayed_direction = DelayedDirection::kFromHub;
  CHECK(reason(options).empty());
  options.network.links.delayed_direction = DelayedDirection::kBoth;
  options.network.links.latency = Uniform{2, 9};
  CHECK(reason(options).empty());
}
