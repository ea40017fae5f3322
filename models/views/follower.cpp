#include "models/views/follower.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/check.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Follower::Follower(const std::vector<Sight>& sights, std::size_t owners, Index columns, Index reactions,
                   const std::atomic<bool>* interrupted)
    : FollowedRun(interrupted),
      columns_(columns),
      block_(std::max<Index>(reactions, 1)),
      reacts_(reactions > 0) {
  for (const Sight& sight : sights) {
    states_.push_back({.sight = sight, .view = View(columns * block_)});
    states_.back().seen.resize(owners);
    states_.back().opened.resize(static_cast<std::size_t>(columns));
  }
}

void Follower::gradient(sim::AgentId i, const In& theta, bool, Out out) {
  if (reacts_) {
    const auto rows = Eigen::Map<const MatrixXd>(theta.data(), block_, columns_ * block_);
    Eigen::Map<MatrixXd>(out.data(), block_, columns_ * block_) =
        2 * world->problem().moments(world->owner(i)).a * rows;
    return;
  }
  out.setZero();
  const sim::AgentId releases = world->study.privacy.trust == Trust::kAggregator ? 0 : i;
  if (!theta.isZero(0) && world->ledger.affords(releases)) read_[releases].emplace_back(theta);
}

void Follower::release(sim::AgentId i, const Step* step, double sensitivity, Out out) {
  const Index column = next_++;
  sim::check(column < columns_, "a run that is followed has other releases than before");
  const bool shared = world->study.privacy.trust == Trust::kAggregator;
  SeenRows::Release r{
      .owner = shared ? everyone() : world->owner(i), .sigma = 0, .sensitivity = 0, .column = column};
  if (step != nullptr && step->kind == StepKind::kGaussian && std::isfinite(sensitivity) && sensitivity > 0) {
    r.sensitivity = sensitivity;
    r.sigma = noise_scale(sensitivity, *step);
  }
  releases_.push_back(r);
  for (State& s : states_)
    for (Index b = 0; r.sigma > 0 && b < block_; ++b) s.view.scale(block_ * column + b, r.sigma);
  if (!reacts_) {
    out.setZero();
    out[column] = 1;
    judge_label(i, column);
  } else {
    for (Index a = 0; a < block_; ++a) out[a + block_ * (block_ * column + a)] += 1;
  }
}

void Follower::transform(Out x, const In& input) {
  if (input.isZero(0)) {
    x.setZero();
    return;
  }
  const Index column = next_++;
  sim::check(column < columns_, "a run that is followed has other transforms than before");
  Eigen::SparseVector<double> kept = VectorXd(input).sparseView(0, 0);
  inputs_.resize(static_cast<std::size_t>(column) + 1);
  inputs_[static_cast<std::size_t>(column)] = std::move(kept);
  x.setZero();
  x[column] = 1;
}

void Follower::record(const sim::TraceRecord& record) {
  cause_ = record.cause;
  const auto size = static_cast<std::size_t>(width());
  for (State& s : states_) {
    if (!s.sight.sees(record)) continue;
    if (s.sight.everybody()) note(s, releases_.back().owner);
    for (std::size_t at = 0; at + size <= record.payload.size(); at += size) {
      const Eigen::Map<const VectorXd> row(record.payload.data() + at, width());
      if (!row.allFinite()) continue;  // nobody uses it, and no release is in it
      add(s, row);
      if (keep != nullptr && &s == &states_.front())
        keep->rows.push_back({record.kind, record.agent, record.peer, record.message, row});
    }
  }
}

void Follower::observe(const World&) {
  if (!std::exchange(started_, true)) open_starts();
  if (look) look();
}

Follower::MuSquared Follower::mu_squared(std::size_t a, std::size_t owner) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  State& s = states_[a];
  std::vector<Index> first;
  std::vector<double> q;
  MuSquared mu{.one_label = 0};
  for (const SeenRows::Release& r : releases_) {
    if (r.owner != owner && r.owner != everyone()) continue;
    first.push_back(block_ * r.column);
    q.push_back(r.sigma > 0 ? r.sensitivity / r.sigma : kNaN);
    mu.local += q.back() * q.back();
  }
  if (s.seen[owner] == 0) return mu;
  if (std::isnan(mu.local) || s.sight.everybody() || !s.view.certain())
    return {mu.local, mu.local, s.sight.everybody() ? mu.local : kNaN};
  if (reacts_) {
    const MatrixXd sum = s.view.sum_of_blocks(first, q, block_);
    mu.one_label = Eigen::SelfAdjointEigenSolver<MatrixXd>(sum).eigenvalues()[block_ - 1];
  }
  mu.seen = std::min(mu.local, s.view.mu_squared(first, q, block_));
  return mu;
}

void Follower::finish(SeenRows& rows) const {
  rows.releases = releases_;
  for (Index i = 0; i < world->models.cols(); ++i) rows.models.emplace_back(world->models.col(i));
  rows.transforms = !inputs_.empty();
}

template <class Row>
void Follower::add(State& s, const Row& row) {
  if (s.sight.everybody()) return;
  if (reacts_) {
    const auto rows = Eigen::Map<const MatrixXd>(row.data(), block_, columns_ * block_);
    for (Index a = 0; a < block_; ++a) add_row(s, rows.row(a));
  } else {
    add_row(s, row);
  }
}

void Follower::add_row(State& s, VectorXd first) {
  std::vector<VectorXd> rows{std::move(first)};
  while (!rows.empty()) {
    VectorXd row = std::move(rows.back());
    rows.pop_back();
    take_out_transforms(row, [&](std::size_t c) {
      if (std::exchange(s.opened[c], char{1}) == 0) rows.emplace_back(inputs_[c]);
    });
    add_releases(s, row);
  }
}

// The column of a transform is known to whoever knows its input: it leaves the row, and `use` is called.
template <class F>
void Follower::take_out_transforms(VectorXd& row, F&& use) const {
  for (std::size_t c = 0; c < inputs_.size(); ++c) {
    if (inputs_[c].nonZeros() == 0 || row[static_cast<Index>(c)] == 0) continue;
    row[static_cast<Index>(c)] = 0;
    use(c);
  }
}

void Follower::add_releases(State& s, const VectorXd& row) {
  if (row.isZero(0)) return;
  for (const SeenRows::Release& r : releases_)
    if (!row.segment(block_ * r.column, block_).isZero(0)) note(s, r.owner);
  s.reacts = s.reacts || std::ranges::any_of(s.reacting, [&](Index c) { return row[c] != 0; });
  s.view.add({row.data(), static_cast<std::size_t>(row.size())});
}

void Follower::note(State& s, std::size_t owner) {
  const bool all = owner == everyone();
  for (std::size_t u = all ? 0 : owner; u < (all ? everyone() : owner + 1); ++u) {
    if (std::exchange(s.seen[u], char{1}) != 0 || s.sight.has(world->agent(u))) continue;
    firsts_.push_back({world->engine.now(), cause_, static_cast<std::size_t>(&s - states_.data()), u});
  }
}

// Models at the start are known to neighbours, or published; where they are made of several owners' releases, as the limit
// of an exchange that is not simulated, all these releases are taken to be known to everybody.
void Follower::open_starts() {
  const sim::AgentId agents = world->engine.agents();
  bool mixed = false;
  for (sim::AgentId i = 0; i < agents; ++i)
    for (const SeenRows::Release& r : releases_)
      mixed = mixed || (r.owner != world->owner(i) &&
                        !world->start(i).segment(block_ * block_ * r.column, block_ * block_).isZero(0));
  for (State& s : states_) {
    for (const SeenRows::Release& r : releases_) {
      for (Index b = 0; mixed && b < block_; ++b) s.view.know(block_ * r.column + b);
      if (mixed) note(s, r.owner);
    }
    for (sim::AgentId i = 0; !mixed && i < agents; ++i)
      if (!world->start(i).isZero(0) && s.sight.hears(i, world->engine.topology())) add(s, world->start(i));
  }
}

// Whether a vector is a function of what an adversary has seen.
bool Follower::knows(State& s, const VectorXd& vector) const {
  std::vector<VectorXd> rows{vector};
  std::vector<char> asked(inputs_.size());
  while (!rows.empty()) {
    VectorXd row = std::move(rows.back());
    rows.pop_back();
    take_out_transforms(row, [&](std::size_t c) {
      if (s.opened[c] == 0 && std::exchange(asked[c], char{1}) == 0) rows.emplace_back(inputs_[c]);
    });
    if (!row.isZero(0) && !s.view.contains({row.data(), static_cast<std::size_t>(row.size())})) return false;
  }
  return true;
}

// Whether the release was computed at what each adversary has seen.
void Follower::judge_label(sim::AgentId i, Index column) {
  const std::vector<VectorXd> read = std::exchange(read_[i], {});
  for (State& s : states_) {
    if (s.sight.everybody() || s.reacts) continue;
    const bool known = std::ranges::all_of(read, [&](const VectorXd& theta) { return knows(s, theta); });
    if (!known) s.reacting.push_back(column);
  }
}

}  // namespace hearsay::models
