// Counts what the engine allocates, in an executable of its own because it replaces operator new.
#include <catch2/catch.hpp>

#include <array>

#include "sim/engine/engine.hpp"
#include "tests/support/counting_new.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

// Requests, answers, publications, readings and timers; looks at the allocations at every event.
class Watched {
 public:
  Watched(Engine& engine, const Topology& graph) : engine_(engine), graph_(graph) {}

  std::uint64_t warm_up = 0;
  std::size_t allocations = 0, rises = 0, events = 0;  // after the warm-up

  void on_start() { watch(); }
  void on_tick(AgentId i) {
    watch();
    payload_.fill(engine_.now());
    const std::uint32_t k = static_cast<std::uint32_t>(engine_.events() % graph_.degree(i));
    sum_ += static_cast<double>(engine_.latest(i, k).version);
    engine_.send(i, graph_.neighbours(i)[k], 1, 0, payload_);
    engine_.publish(i, payload_);
    engine_.after(i, 1, 0, 0);
  }
  void on_message(const Message& m) {
    watch();
    if (m.tag == 1) engine_.send(m.to, m.from, 2, 0, m.payload);
    if (m.tag == 2 && m.to % 2 == 0) engine_.discard(m);
  }
  void on_timer(AgentId, std::uint16_t, std::uint32_t) { watch(); }
  void on_up(AgentId) { watch(); }
  void on_down(AgentId) { watch(); }
  void on_observation() { watch(); }
  bool finished() const { return false; }

 private:
  void watch() {
    const std::size_t made = test::allocations.made, capacity = engine_.capacity();
    if (engine_.events() > warm_up) {
      ++events;
      if (capacity != capacity_) {
        ++rises;
      } else {
        allocations += made - made_;
      }
    }
    made_ = made;
    capacity_ = capacity;
  }

  Engine& engine_;
  const Topology& graph_;
  std::array<double, 10> payload_{};
  std::size_t made_ = 0, capacity_ = 0;
  double sum_ = 0;
};

}  // namespace

TEST_CASE("allocations are counted") {
  const std::size_t before = test::allocations.made;
  const auto* one = new std::array<double, 100>();
  CHECK(test::allocations.made == before + 1);
  delete one;
}

TEST_CASE("engine: a million events allocate nothing after the warm-up but when a high-water mark rises") {
  for (const AgentId agents : {100u, 5000u}) {  // the queue a heap, and a ladder
    const Streams streams(1, 0);
    const Topology graph = make_topology(RandomRegular{10}, agents, streams);
    Engine::Options options;
    options.payload_width = 10;
    options.network.links = {.latency = Uniform{0, 0.015}, .loss = BernoulliLoss{0.01}};
    options.network.availability = OnOff{.up = Exponential{60}, .down = Exponential{5}};
    options.observe_every = 0.1;
    // A tick brings 14 events: every agent has ticked a dozen times.
    const std::uint64_t warm_up = std::max<std::uint64_t>(100'000, 200 * agents);
    options.event_limit = warm_up + 1'000'000;
    Engine engine(options, graph, streams);
    INFO(agents << " agents");
    Watched watched(engine, graph);
    watched.warm_up = warm_up;
    CHECK(engine.run(watched) == End::kEvents);
    CHECK(watched.events > 100'000);
    CHECK(watched.allocations == 0);
    CHECK(watched.rises < 50);
  }
}
