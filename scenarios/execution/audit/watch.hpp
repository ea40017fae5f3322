#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#include "models/run/observer.hpp"
#include "models/views/sight.hpp"

namespace hearsay::scenarios {

/// What an adversary sees of a run, number by number, in the order of the trace.
class AuditWatch final : public sim::TraceSink, public models::Observer {
 public:
  struct Payload {
    sim::TraceKind kind;
    sim::AgentId agent, peer;
    sim::Cause message;
    std::size_t begin, size;
  };
  /// `sight`: null: sees nothing. `taken`: how many numbers of each payload are kept; null: all, and payloads and releases
  /// one by one.
  AuditWatch(const models::Sight* sight, const std::vector<std::size_t>* taken,
             const std::atomic<bool>* interrupted)
      : sight_(sight), taken_(taken), interrupted_(interrupted) {}

  void record(const sim::TraceRecord& r) override {
    const bool release = r.kind == sim::TraceKind::kRelease;
    if (release && taken_ == nullptr) {
      const double energy = world->tally.expected_noise;
      const double deviation = std::sqrt((energy - energy_) / static_cast<double>(r.payload.size()));
      deviations.push_back(deviation > 0 && std::isfinite(deviation) ? deviation : 1);
      energy_ = energy;
    }
    if (sight_ == nullptr || !sight_->sees(r)) return;
    std::size_t size = r.payload.size();
    if (taken_ == nullptr) {
      payloads.push_back({r.kind, r.agent, r.peer, r.message, seen.size(), size});
    } else {
      size = std::min(size, next_ < taken_->size() ? (*taken_)[next_] : 0);
      ++next_;
    }
    seen.insert(seen.end(), r.payload.begin(), r.payload.begin() + static_cast<std::ptrdiff_t>(size));
  }
  void observe(const models::World&) override {}
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

  const models::World* world = nullptr;
  std::vector<double> seen{};
  std::vector<Payload> payloads{};
  std::vector<double> deviations{};  // of the noise in a number of each release; 1 where it is not known

 private:
  const models::Sight* sight_;
  const std::vector<std::size_t>* taken_;
  const std::atomic<bool>* interrupted_;
  std::size_t next_ = 0;
  double energy_ = 0;  // of the noise of all releases so far
};

}  // namespace hearsay::scenarios
