#include "sim/network/compute_time.hpp"

#include <algorithm>

namespace hearsay::sim {

void ComputeOptions::describe_as(Visitor& v, const About& about) {
  describe_drawn(v, about, law, drawn);
}

ComputeTime::ComputeTime(const ComputeOptions& options, AgentId agents, AgentId first, const Streams& streams)
    : laws_(std::visit([&](const auto& law) { return PerAgent(law).laws(first, agents - first); },
                       options.law)),
      drawn_(options.drawn),
      streams_(streams) {
  if (laws_.size() > 1) laws_.insert(laws_.begin(), first, 0.0);
  none_ = std::ranges::all_of(laws_, [](const Distribution& law) { return law.upper() <= 0; });
}

Time ComputeTime::of(AgentId i, std::uint32_t n) const {
  Stream s = drawn_ == ComputeDrawn::kPerAgent ? streams_(Purpose::kPerAgent, i, 0, kComputeOption)
                                               : streams_(Purpose::kCompute, i, 0, n);
  return laws_[laws_.size() == 1 ? 0 : i].sample(s);
}

}  // namespace hearsay::sim
