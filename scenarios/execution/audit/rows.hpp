#pragma once
// The rows B of an audit (audit.hpp): coefficients of releases in what an adversary sees, times the standard deviations of
// their noise. A release has `block` columns, and a payload as many rows.
#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <vector>

#include "models/views/views.hpp"
#include "scenarios/execution/audit/watch.hpp"

namespace hearsay::scenarios {

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
