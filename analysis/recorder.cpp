#include "analysis/recorder.hpp"

#include <cmath>

namespace hearsay::analysis {

Recorder::Recorder(std::vector<const Metric*> metrics, std::size_t owners)
    : metrics_(std::move(metrics)), owners_(owners) {
  for (const Metric* m : metrics_) width_ += m->size(owners_);
}

void Recorder::observe(const models::World& world) {
  const sim::Traffic& traffic = world.engine.traffic();
  series_.marks.push_back({world.iterations, world.engine.now(), traffic.vectors, traffic.bytes});
  const std::size_t first = series_.values.size();
  series_.values.resize(first + width_);
  std::span<double> out(series_.values.data() + first, width_);
  for (const Metric* m : metrics_) {
    const std::size_t size = m->size(owners_);
    m->measure(world, out.first(size));
    for (const double value : out.first(size)) finite_ = finite_ && std::isfinite(value);
    out = out.subspan(size);
  }
}

}  // namespace hearsay::analysis
