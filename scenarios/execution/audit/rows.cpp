#include "scenarios/execution/audit/rows.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/execution/memory.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<const VectorXd*> matched_rows(const models::SeenRows& rows, const AuditWatch& base,
                                          const AuditWatch& other, Index p, bool sealed,
                                          std::vector<std::size_t>& taken) {
  std::vector<const VectorXd*> matched;
  // Rows of equal vectors cancel; their numbers may leave what rounding does.
  double largest = 0;
  for (const double x : base.seen) largest = std::max(largest, std::abs(x));
  const auto same = [rounding = 1e-9 * largest](double a, double b) { return std::abs(a - b) <= rounding; };
  std::size_t r = 0;
  for (const AuditWatch::Payload& payload : base.payloads) {
    const bool release = payload.kind == sim::TraceKind::kRelease;
    bool any = false;
    std::size_t count = 0;
    for (; r < rows.rows.size() && !(release && count > 0); ++r, ++count) {
      const models::SeenRows::Row& row = rows.rows[r];
      if (row.kind != payload.kind || row.agent != payload.agent ||
          !(release || (row.peer == payload.peer && row.message == payload.message)))
        break;
      any = any || !row.row.isZero(0);
    }
    const std::size_t numbers = count * static_cast<std::size_t>(p);
    sim::check(numbers <= payload.size, "a payload has fewer numbers than its rows");
    for (std::size_t k = r - count; any && k < r; ++k) matched.push_back(&rows.rows[k].row);
    taken.push_back(any ? numbers : 0);
    const auto begin = base.seen.begin() + static_cast<std::ptrdiff_t>(payload.begin);
    // What is sealed is private, and looks like random numbers.
    sim::check(any || sealed ||
                   std::equal(begin, begin + static_cast<std::ptrdiff_t>(numbers),
                              other.seen.begin() + static_cast<std::ptrdiff_t>(payload.begin), same),
               "a payload without any release differs between neighbouring data sets");
  }
  sim::check(r == rows.rows.size(), "a view has rows that are not in the trace");
  return matched;
}

AuditRows::AuditRows(const models::SeenRows& rows, const std::vector<const VectorXd*>& matched,
                     std::vector<double> deviations)
    : block_(rows.block), deviations_(std::move(deviations)) {
  const auto count = static_cast<Index>(matched.size()), releases = static_cast<Index>(deviations_.size());
  constexpr double kMatrices = 5;  // B, its transpose and decompositions
  const double bytes =
      8 * kMatrices * static_cast<double>(count * block_) * static_cast<double>(releases * block_);
  if (bytes > static_cast<double>(memory_left()) / 2)
    throw sim::Error(sim::Error::Kind::kOutOfMemory, {},
                     fmt::format("hearsay: scores of {} payloads with {} releases take about {}", count,
                                 releases, byte_text(bytes)));
  b_ = MatrixXd::Zero(count * block_, releases * block_);
  for (Index k = 0; k < count; ++k) {
    const VectorXd& all = *matched[static_cast<std::size_t>(k)];
    const Eigen::Map<const MatrixXd> row(all.data(), block_, all.size() / block_);
    double rest = rows.transforms ? row.cwiseAbs().sum() : 0;
    for (Index j = 0; j < releases; ++j) {
      const auto part = row.middleCols(rows.releases[static_cast<std::size_t>(j)].column * block_, block_);
      rest -= part.cwiseAbs().sum();
      b_.block(k * block_, j * block_, block_, block_) = deviations_[static_cast<std::size_t>(j)] * part;
    }
    if (rest <= 1e-12 * row.cwiseAbs().sum()) continue;
    b_.middleRows(k * block_, block_).setZero();
    for (Index r = k * block_; r < (k + 1) * block_; ++r) left_out_.push_back(r);
  }
}

std::string AuditRows::note() const {
  if (left_out_.empty()) return {};
  return fmt::format(
      "in the score {} of {} payloads have the weight of independent ones: steps that are not linear made them",
      left_out_.size() / static_cast<std::size_t>(block_), size() / block_);
}

MatrixXd AuditRows::whitened(const MatrixXd& d, const MatrixXd& noise) const {
  if (d.size() == 0) return d;
  VectorXd scale = b_.rowwise().norm();
  for (double& s : scale) s = s > 0 ? 1 / s : 0;
  constexpr double kNoRank = 1e-10;  // of the largest pivot
  const MatrixXd b = scale.asDiagonal() * b_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> first(b.rows(), b.cols()), second(b.cols(), b.rows());
  first.setThreshold(kNoRank).compute(b);
  second.setThreshold(kNoRank).compute(b.transpose());
  const MatrixXd scaled = scale.asDiagonal() * d;
  MatrixXd w = scale.asDiagonal() * second.solve(first.solve(scaled));
  for (const Index r : left_out_) {
    const double square = noise.row(r).squaredNorm() / static_cast<double>(noise.cols());
    if (square > 0) w.row(r) = d.row(r) / square;
  }
  return w;
}

void AuditRows::require_noise(MatrixXd d, double magnitude) const {
  MatrixXd o = b_;
  for (std::size_t j = 0; j < deviations_.size(); ++j)
    o.middleCols(static_cast<Index>(j) * block_, block_) /= deviations_[j];
  for (Index r = 0; r < o.rows(); ++r)
    if (o.row(r).isZero(0)) d.row(r).setZero();
  const double missing = (d - o * Eigen::CompleteOrthogonalDecomposition<MatrixXd>(o).solve(d)).norm();
  if (missing > 1e-6 * d.norm() + 1e-10 * magnitude)
    throw sim::InvariantError(fmt::format(
        "what the adversary sees of neighbouring data sets differs by more than releases do: {:g} of {:g}",
        missing, d.norm()));
}

}  // namespace hearsay::scenarios
