// Latency matrices: read, and used on the links of a ring of three agents.
#include <stdexcept>

#include "sim/files/csv_table.hpp"
#include "sim/network/latency.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [letters, text] = fuzz::split(fuzz::text_of(data, size), "\n");
  sim::MatrixLatency law{.path = fuzz::memory_file(text, "matrix")};
  if (letters.find('r') != letters.npos) law.nodes = sim::NodeChoice::kRandom;
  static const std::vector<sim::Edge> edges{{0, 1}, {0, 2}, {1, 2}};
  static const sim::Topology ring = sim::Topology::from_edges(3, edges);
  fuzz::accepted<sim::FileError, std::invalid_argument>([&] {
    const auto matrix = sim::SquareMatrix::read(law.path, law.unit / 2);
    const sim::Latency latency({law}, ring, sim::kNoAgent, sim::Streams(1, 0), matrix);
    for (sim::AgentId i = 0; i < 3; ++i) {
      for (std::uint32_t k = 0; k < ring.degree(i); ++k)
        fuzz::require(latency.of(i, ring.neighbours(i)[k], ring.first_edge(i) + k, 0) >= 0,
                      "latencies are not negative");
    }
  });
  return 0;
}
