#include "tests/machines/fuzz/graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearsay;
  return fuzz::read_graph(fuzz::text_of(data, size), sim::GraphFormat::kEdgeList);
}
