#include "analysis/metrics/recorder.hpp"

#include <cmath>
#include <numeric>

namespace hearsay::analysis {

namespace {

Mark mark_of(const models::World& world) {
  const sim::Traffic& traffic = world.engine.traffic();
  return {world.iterations, world.engine.now(), traffic.vectors, traffic.bytes};
}

}  // namespace

Recorder::Recorder(std::vector<const Metric*> metrics, std::size_t owners, std::optional<Target> target,
                   const std::atomic<bool>* interrupted, double wall)
    : metrics_(std::move(metrics)), owners_(owners), target_(target), interrupted_(interrupted), wall_(wall) {
  for (const Metric* m : metrics_) width_ += m->size(owners_);
  if (target_) target_values_.resize(target_->metric->size(owners_));
}

void Recorder::observe(const models::World& world) {
  series_.marks.push_back(mark_of(world));
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

bool Recorder::reached(const models::World& world) {
  if (!target_ || reached_at_) return reached_at_.has_value();
  target_->metric->measure(world, target_values_);
  const double value = std::accumulate(target_values_.begin(), target_values_.end(), 0.0) /
                       static_cast<double>(target_values_.size());
  if (value < target_->below || value > target_->above) reached_at_ = mark_of(world);
  return reached_at_.has_value();
}

bool Recorder::should_abort() {
  if (interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed)) broken_off_ = true;
  if (wall_ < std::numeric_limits<double>::infinity()) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
    broken_off_ = broken_off_ || gone.count() >= wall_;
  }
  return broken_off_;
}

}  // namespace hearsay::analysis
