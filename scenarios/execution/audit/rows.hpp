#pragma once
// What an adversary sees of a run, and the rows B of an audit (audit.hpp): coefficients of releases in it, times the
// standard deviations of their noise. A release has `block` columns, and a payload as many rows.
#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "models/run/observer.hpp"
#include "models/views/sight.hpp"
#include "models/views/views.hpp"

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
  void begins_to_wait(const sim::TraceRecord& r) override { record(r); }
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

/// The rows of a view for the payloads of a run without noise, in their order. `taken`: gets how many numbers of each payload
/// have rows; none of a payload without any release. Of payloads of p numbers; `other`: of a run of the neighbouring
/// data set. `sealed`: some are sealed. Throws sim::InvariantError if payloads and rows do not match, or a payload without any
/// release differs between data sets.
std::vector<const Eigen::VectorXd*> matched_rows(const models::SeenRows& rows, const AuditWatch& base,
                                                 const AuditWatch& other, Eigen::Index p, bool sealed,
                                                 std::vector<std::size_t>& taken);

class AuditRows {
 public:
  AuditRows() = default;
  /// `deviations`: of the noise of each release. Throws sim::Error (kOutOfMemory).
  AuditRows(const models::SeenRows& rows, const std::vector<const Eigen::VectorXd*>& matched,
            std::vector<double> deviations);

  Eigen::Index size() const { return b_.rows(); }
  /// Whether steps that are not linear made all of them.
  bool unknown() const { return left_out_.size() == static_cast<std::size_t>(size()); }
  /// That steps that are not linear made some of them; empty if not.
  std::string note() const;
  /// S^+ d, S = B B^T. Rows of B are made 1 long first; those that are 0 have no part in it. A row that a step which is not
  /// linear made is d over its mean square in `noise`, the noise of a run.
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& d, const Eigen::MatrixXd& noise) const;
  /// The difference d of what is seen, of this magnitude, is that of releases: whatever else reaches the adversary has no
  /// noise. Throws sim::InvariantError.
  void require_noise(Eigen::MatrixXd d, double magnitude) const;

 private:
  Eigen::MatrixXd b_;
  Eigen::Index block_ = 1;
  std::vector<double> deviations_;
  std::vector<Eigen::Index> left_out_;
};

}  // namespace hearsay::scenarios
