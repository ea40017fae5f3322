#include "sim/engine/engine_memory.hpp"

#include "sim/engine/payload_pool.hpp"
#include "sim/events/event.hpp"
#include "sim/files/text_shape.hpp"

namespace hearsay::sim {

namespace {

// Every kind with a file says what its contents take. A kind without one has no member `path`.
Memory contents(const MatrixLatency&, const TextShape& text, double) {
  return grown(text.fields, sizeof(double));
}
Memory contents(const EdgeLoss&, const TextShape& text, double) {
  return grown(text.rows, sizeof(EdgeList::Row) + 32);
}
Memory contents(const AvailabilityTrace&, const TextShape& text, double agents) {
  // A session has two changes, a state one; rows of sessions have as many fields as rows of states.
  const double changes = 2 * text.rows / std::max(1.0, agents);
  return {agents * (sizeof(Sessions::Agent) + heap_block(grown(changes, sizeof(Time)).peak())), 0};
}
Memory contents(const ClockTrace&, const TextShape& text, double agents) {
  const Memory list = grown(text.rows, sizeof(Time) + sizeof(AgentId));
  return {list.held + agents * 24 + 2 * text.rows * sizeof(Time), list.making};
}

template <class Law>
Memory memory_of_file(const Law& law, double agents) {
  if constexpr (requires { law.path; }) {
    const auto* file = [&]() -> const InputFile* {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(law.path)>, InputFile>) {
        return &law.path;
      } else {
        return law.path ? &*law.path : nullptr;
      }
    }();
    if (file == nullptr) return {};
    const TextShape text = text_shape(*file);
    const Memory held = contents(law, text, agents);
    return {held.held, held.making + text.table().peak()};
  } else {
    return {};
  }
}

template <class Options>
Memory memory_of_law(const Options& options, double agents) {
  return std::visit([&](const auto& law) { return memory_of_file(law, agents); }, options);
}

}  // namespace

Memory memory_of_files(const NetworkOptions& network, const ClockOptions& clocks, double agents) {
  Memory all = in_order({memory_of_law(network.links.latency.law, agents), memory_of_law(clocks, agents)});
  for (const auto& law : losses(network.links.loss)) all = in_order({all, memory_of_law(law, agents)});
  for (const auto& law : laws(network.availability)) all = in_order({all, memory_of_law(law, agents)});
  return all;
}

// The mean of min(latency, end), from as many draws of the random part as a heavy tail needs.
double messages_in_flight(const LatencyOptions& latency, double rate, Time end) {
  constexpr std::uint32_t kDraws = 1000;
  const Distribution law = latency.random_part();
  const Streams streams(0, 0);
  double sum = 0;
  for (std::uint32_t n = 0; n < kDraws; ++n) {
    Stream stream = streams(Purpose::kLatency, 0, 0, n);
    sum += std::min(law.sample(stream), end);
  }
  return rate * sum / kDraws;
}

bool publications_are_lazy(const NetworkOptions& network) {
  const bool lossless = std::holds_alternative<BernoulliLoss>(network.links.loss) &&
                        std::get<BernoulliLoss>(network.links.loss).probability == 0;
  return std::holds_alternative<Always>(network.availability) && lossless &&
         network.links.latency.bound_per_message() &&
         std::holds_alternative<UnlimitedBandwidth>(network.links.bandwidth);
}

double memory_of_engine(const NetworkOptions& network, double agents, double links, bool publishes) {
  // In the ladder of the queue a chunk is partly filled, and an agent has its next tick in it.
  constexpr double kPending = 2 * sizeof(Event);
  constexpr double kCounters = 40;  // messages, timers, computations and rates of an agent
  const bool down = !std::holds_alternative<Always>(network.availability);
  double by_agent = kPending + kCounters, by_position = sizeof(std::uint32_t);
  if (down) by_agent += kPending * static_cast<double>(laws(network.availability).size()) + 24;
  if (publishes && !publications_are_lazy(network)) by_position += 2 * sizeof(std::uint32_t);
  if (network.links.latency.known()) by_position += sizeof(Time);
  if (network.links.order == PublicationOrder::kFifo || network.links.send_order == MessageOrder::kFifo)
    by_position += sizeof(Time);
  return agents * by_agent + 2 * links * by_position;
}

double memory_of_message(double numbers) {
  return std::ceil((numbers * sizeof(double) + sizeof(PayloadPool::Header)) / 64) * 64 + sizeof(Event);
}

}  // namespace hearsay::sim
