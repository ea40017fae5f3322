#include "sim/availability/compute_time.hpp"

#include "sim/options/per_agent.hpp"

namespace hearsay::sim {

void ComputeOptions::describe_as(Visitor& v, const About& about) {
  describe_drawn(v, about, law, drawn);
}

Time ComputeTime::of(AgentId i, std::uint32_t n) const {
  Stream s = drawn_ == ComputeDrawn::kPerAgent ? streams_(Purpose::kPerAgent, i, 0, kComputeOption)
                                               : streams_(Purpose::kCompute, i, 0, n);
  return law_.sample(s);
}

}  // namespace hearsay::sim
