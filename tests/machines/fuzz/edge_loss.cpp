// Losses of links: read, and used on the links of a ring of three agents.
#include <stdexcept>

#include "sim/files/csv_table.hpp"
#include "sim/network/loss.hpp"
#include "sim/topology/topology.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [letters, text] = fuzz::split(fuzz::text_of(data, size), "\n");
  const sim::EdgeLoss law{.path = fuzz::memory_file(text, "loss"),
                          .both_ways = letters.find('o') == letters.npos};
  static const std::vector<sim::Edge> edges{{0, 1}, {0, 2}, {1, 2}};
  static const sim::Topology ring = sim::Topology::from_edges(3, edges);
  fuzz::accepted<sim::FileError, std::invalid_argument>([&] {
    sim::Loss loss({law}, ring, sim::kNoAgent, sim::Streams(1, 0), {sim::EdgeList::read(law.path)});
    for (sim::AgentId i = 0; i < 3; ++i) {
      for (std::uint32_t k = 0; k < ring.degree(i); ++k)
        loss.of(i, ring.neighbours(i)[k], ring.first_edge(i) + k, 0, 0);
    }
  });
  return 0;
}
