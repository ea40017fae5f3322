#pragma once
// The two runs that stand for one whose releases are followed (views.hpp): the first counts, in the second rows of
// coefficients take the place of vectors.
#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/run/observer.hpp"
#include "models/run/world.hpp"
#include "models/views/sight.hpp"
#include "models/views/view.hpp"

namespace hearsay::models {

/// Something of an owner is seen for the first time.
struct FirstSight {
  sim::Time time;
  sim::Cause cause;  ///< the event in which it happens
  std::size_t adversary, owner;
};

/// What an adversary sees, row by row, in the order of the trace, its own releases among it.
struct SeenRows {
  struct Row {
    sim::TraceKind kind;       ///< send, publish, deliver; release: by an agent that is part of it, or all
    sim::AgentId agent, peer;  ///< as in the trace
    sim::Cause message;        ///< its key; 0 of a release
    Eigen::VectorXd row;  ///< a column for each release and transform; with reactions block x block numbers
  };
  struct Release {
    std::size_t owner;          ///< the number of owners: of all of them, by a trusted hub
    double sigma, sensitivity;  ///< sigma 0: not Gaussian, or of noise that is shared
    Eigen::Index column;
  };
  std::vector<Row> rows{};
  std::vector<Release> releases{};
  std::vector<Eigen::VectorXd> models{};  ///< of every agent at the end
  bool transforms = false;  ///< some columns are not releases, but what is made by steps that are not linear
  bool wants_reactions = false;  ///< set by the caller: rows with reactions, where these are linear
  /// With reactions p: a row is a p x (columns p) matrix, column by column. Else 1.
  Eigen::Index block = 1;
};

class FollowedRun : public StandIn, public sim::TraceSink, public Observer {
 public:
  bool follows() const override { return true; }
  void begins_to_wait(const sim::TraceRecord& r) override { record(r); }
  void observe(const World&) override {}
  bool should_abort() override { return interrupted_ != nullptr && interrupted_->load(); }

 protected:
  explicit FollowedRun(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

 private:
  const std::atomic<bool>* interrupted_;
};

/// How much there is to follow.
class Counting final : public FollowedRun {
 public:
  Counting(const std::vector<Sight>& sights, const std::atomic<bool>* interrupted)
      : FollowedRun(interrupted), sights_(sights) {}
  void release(sim::AgentId, const Step*, double, Out) override { ++releases; }
  void transform(Out, const In&) override { ++transforms; }
  void gradient(sim::AgentId, const In&, bool whole, Out out) override {
    parts = parts || !whole;
    out.setZero();
  }
  void record(const sim::TraceRecord& record) override {
    for (const Sight& sight : sights_) rows += sight.sees(record) ? 1 : 0;
  }

  std::uint64_t releases = 0, transforms = 0, rows = 0;
  bool parts = false;  ///< some gradient is of a part of the records

 private:
  const std::vector<Sight>& sights_;
};

/// A vector is a row with a column for each release and transform; with `reactions`, the number p of parameters, a p x
/// (columns p) matrix, column by column: p rows, with p columns for each release.
class Follower final : public FollowedRun {
 public:
  Follower(const std::vector<Sight>& sights, std::size_t owners, Eigen::Index columns, Eigen::Index reactions,
           const std::atomic<bool>* interrupted);

  void gradient(sim::AgentId i, const In& theta, bool whole, Out out) override;
  void release(sim::AgentId i, const Step* step, double sensitivity, Out out) override;
  void transform(Out x, const In& input) override;
  void record(const sim::TraceRecord& record) override;
  void observe(const World&) override;

  /// mu^2 of an owner towards adversary a, now. NaN where a release is not Gaussian.
  struct MuSquared {
    double seen = 0, local = 0;
    double one_label;  ///< with reactions
  };
  MuSquared mu_squared(std::size_t a, std::size_t owner);
  /// Whether the rank of its view is beyond doubt; whether a release that it has anything of was computed at something that
  /// it had not seen.
  bool certain(std::size_t a) { return states_[a].view.certain(); }
  bool reacts(std::size_t a) const { return states_[a].reacts; }
  const std::vector<FirstSight>& firsts() const { return firsts_; }
  /// Completes what has been kept: the run has ended.
  void finish(SeenRows& rows) const;

  const World* world = nullptr;
  SeenRows* keep = nullptr;    ///< gets the rows of the first adversary
  std::function<void()> look;  ///< called at observations

 private:
  struct State {
    Sight sight;
    View view;
    std::vector<Eigen::Index> reacting{};  // columns of releases at something that was not in view
    bool reacts = false;                   // one of them is
    std::vector<char> seen{};              // by owner: whether anything was
    std::vector<char> opened{};            // by column of a transform: whether its input is in view
  };

  Eigen::Index width() const { return columns_ * block_ * block_; }
  std::size_t everyone() const { return states_.empty() ? 0 : states_.front().seen.size(); }
  template <class Row>
  void add(State& s, const Row& row);
  void add_row(State& s, Eigen::VectorXd first);
  template <class F>
  void take_out_transforms(Eigen::VectorXd& row, F&& use) const;
  void add_releases(State& s, const Eigen::VectorXd& row);
  void note(State& s, std::size_t owner);
  void open_starts();
  bool knows(State& s, const Eigen::VectorXd& vector) const;
  void judge_label(sim::AgentId i, Eigen::Index column);

  Eigen::Index columns_, block_, next_ = 0;
  bool reacts_, started_ = false;
  sim::Cause cause_ = 0;  // of the last record of the trace
  std::vector<State> states_;
  std::vector<SeenRows::Release> releases_;
  std::vector<Eigen::SparseVector<double>> inputs_;  // of transforms, by column; empty: a release's
  std::map<sim::AgentId, std::vector<Eigen::VectorXd>>
      read_;  // at which it has computed since its last release
  std::vector<FirstSight> firsts_;
};

}  // namespace hearsay::models
