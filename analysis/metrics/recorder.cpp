#include "analysis/metrics/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hearsay::analysis {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Sample sample_of(const models::World& world) {
  const sim::Traffic& traffic = world.engine.traffic();
  return {world.iterations, world.engine.now(), traffic.vectors, traffic.bytes, traffic.messages};
}

std::vector<MetricInfo> infos(const std::vector<const Metric*>& metrics) {
  std::vector<MetricInfo> all;
  all.reserve(metrics.size());
  for (const Metric* m : metrics) all.push_back(m->info());
  return all;
}

}  // namespace

Recorder::Recorder(std::vector<const Metric*> metrics, std::size_t owners, std::optional<Target> target,
                   const std::atomic<bool>* interrupted, double wall)
    : metrics_(std::move(metrics)),
      layout_(infos(metrics_), owners),
      target_(target),
      interrupted_(interrupted),
      wall_(wall) {
  if (target_) target_values_.resize(target_->metric->size(owners));
}

void Recorder::observe(const models::World& world) {
  series_.samples.push_back(sample_of(world));
  const std::size_t first = series_.values.size();
  series_.values.resize(first + width());
  const std::span<double> out = std::span(series_.values).subspan(first);
  for (std::size_t m = 0; m < metrics_.size(); ++m) metrics_[m]->measure(world, layout_.values_of(m, out));
  // 0/0 has a sign on some processors, which tables would show.
  std::ranges::replace_if(
      out, [](double x) { return std::isnan(x); }, std::numeric_limits<double>::quiet_NaN());
  judge(world, out);
  models_.look(world, series_.samples.back());
}

void Recorder::judge(const models::World& world, std::span<const double> values) {
  if (series_.samples.size() == 1) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      const Metric& metric = *metrics_[layout_.column(c).metric];
      const double smallest =
          metric.scale == nullptr ? kInfinite : std::max(std::abs(values[c]), metric.scale(world));
      ordinary_.push_back(std::isfinite(values[c]) ? smallest : std::nan(""));
    }
  }
  for (std::size_t c = 0; c < values.size() && !divergence_; ++c) {
    const double limit = kDivergence * (ordinary_[c] + world.tally.noise);
    if (std::isnan(limit) || (std::isfinite(values[c]) && std::abs(values[c]) <= limit)) continue;
    const auto [metric, agent] = layout_.column(c);
    std::string name(metrics_[metric]->name);
    if (agent) name += fmt::format(" of agent {}", world.agent(*agent));
    divergence_ = {std::move(name), series_.values[c], values[c], series_.samples.back()};
  }
}

std::optional<std::string> Recorder::divergence(const models::World& world) const {
  if (divergence_) {
    const Divergence& d = *divergence_;
    return fmt::format("{} was {:.4g} at the start and {} at {:.6g} s (iteration {})", d.metric, d.start,
                       std::isfinite(d.value) ? fmt::format("{:.4g}", d.value) : "not finite", d.at.time,
                       d.at.iteration);
  }
  auto verdict = models_.verdict(world);
  if (!verdict && world.overflowed != sim::kNoAgent)
    verdict = fmt::format("a vector that agent {} sent was not finite at {:.6g} s (iteration {})",
                          world.overflowed, world.engine.now(), world.iterations);
  return verdict;
}

bool Recorder::reached(const models::World& world) {
  if (!target_ || reached_at_) return reached_at_.has_value();
  const double value = target_->metric->mean(world, target_values_);
  if (value < target_->below || value > target_->above) reached_at_ = sample_of(world);
  return reached_at_.has_value();
}

bool Recorder::should_abort() {
  if (interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed)) aborted_ = true;
  if (wall_ < std::numeric_limits<double>::infinity()) aborted_ = aborted_ || seconds() >= wall_;
  return aborted_;
}

}  // namespace hearsay::analysis
