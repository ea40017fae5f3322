#pragma once
// Local training: what an owner does with a model between messages. K steps of mini-batch gradient descent with
// momentum on its own mean loss f_i plus the regulariser g, from x_0:
//
//   d_k     = Q_k + grad g(x_k) + tilt + mu (x_k - anchor)     Q_k: gradient over the k-th mini-batch at x_k (batches.hpp)
//   v_k     = d_k + momentum v_{k-1}
//   x_{k+1} = Pi[ x_k - eta_t v_k ],   k = 0, ..., K-1         Pi: projection onto the box, if there is one; x_0 is projected
//
// `tilt` and `anchor` are terms of the protocol (SCAFFOLD's c - c_i; the model that FedProx stays near), absent by
// default. v_{-1} = 0 at the start of every training. t counts steps as the protocol says, by default all that the owner
// has made.
//
// Privacy: each Q_k is released, that is, its records' gradients are bounded, noise is added and the owner's account
// is charged. This is DP-SGD at each owner (Abadi et al. 2016); what is computed from the Q_k and sent costs nothing
// more. An owner plans privacy.steps releases in all, of equal noise, and makes no steps once they are used up.
// Without privacy the Q_k are exact.
//
// An owner without records makes no steps.
//
// A training is a function of its owner, x_0, the protocol's terms, t and how many draws and releases the owner has made. So
// it can be made on another thread before its turn (sim/engine/speculation.hpp): foresee(). At its turn it is used if all
// of these are the same.
#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/learning/columns.hpp"
#include "models/protocols/federated/batches.hpp"
#include "models/run/context.hpp"
#include "models/run/setting.hpp"
#include "sim/options/describe.hpp"
#include "sim/parallel/cache_line.hpp"
#include "sim/prefetch.hpp"

namespace hearsay::models {

// Step sizes of local steps. eta_t, t = 0, 1, ...: the number of the step, as the protocol counts.

/// eta_t = value.
struct ConstantStep {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "The same step size for every step.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 0.1;
  void describe(sim::Visitor& v) { v(value, sim::positive("value", "Step size.")); }
  double at(std::uint64_t) const { return value; }
};

/// eta_t = first/(1 + decay t)^power.
struct DecreasingStep {
  static constexpr std::string_view kName = "decreasing";
  static constexpr std::string_view kHelp = "Step size first/(1 + decay t)^power in step t = 0, 1, ...";
  double first = 0.1, decay = 1, power = 1;
  void describe(sim::Visitor& v) {
    v(first, sim::positive("first", "Step size of step 0."));
    v(decay, sim::non_negative("decay", "Decrease per step; 1/decay steps divide the step size by 2^power."));
    v(power, sim::non_negative("power", "Exponent; 0.5 and 1 are usual."));
  }
  double at(std::uint64_t t) const { return first / std::pow(1 + decay * static_cast<double>(t), power); }
};

using StepSchedule = std::variant<ConstantStep, DecreasingStep>;

inline double step_at(const StepSchedule& schedule, std::uint64_t t) {
  return std::visit([t](const auto& s) { return s.at(t); }, schedule);
}

/// What a protocol adds to a call; vectors have p numbers, or none.
struct LocalTerms {
  std::span<const double> tilt = {}, anchor = {};
  double mu = 0;
  std::optional<std::uint64_t> first_step = {};  ///< t of the call's first step
  bool open_end = false;  ///< x_K is not projected: the protocol projects what it makes of it
};

class LocalTraining {
 public:
  struct Params {
    std::uint32_t local_steps = 1;
    StepSchedule step;
    double momentum = 0;
    Batch batch;
    void describe(sim::Visitor& v);
    /// Throws OptionError for a batch that does not go with the privacy, std::invalid_argument without privacy.steps.
    void require(const Setting& setting) const;
    /// A warning where sampling is charged in full.
    std::vector<std::string> notes(const Study& study) const;
    /// The largest of a step of an owner with n records.
    double release_sensitivity(const Budget& privacy, Eigen::Index n) const;
  };
  /// The first number that a protocol may use for a purpose of draws.
  static constexpr std::uint32_t kFreePurpose = 1;

  /// Throws as Params::require, and BudgetError where a budget has no room for the steps.
  LocalTraining(const Params& params, const Study& study);

  /// Opens agent i's account, if it has records.
  void open_account(sim::AgentId i, Context& context) const;
  /// K of agent i.
  std::uint64_t steps(sim::AgentId i, const Context& context) const;
  /// The step size of step t.
  double step_size(std::uint64_t t) const { return step_at(params_.step, t); }
  /// x_K, valid until the next call, and the number of steps made: fewer than K if the budget is exhausted.
  struct Trained {
    const Eigen::VectorXd& model;
    std::uint64_t steps;
  };
  /// Trains from x.
  Trained train(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& x, Context& context,
                const LocalTerms& terms = {});
  /// Trains from x within the owner, for an aggregator that it trusts: all K steps are exact, and nothing is released or
  /// charged. `update`: what the training adds to x.
  void train_inside(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& x, Context& context,
                    LocalVector& update, const LocalTerms& terms = {});
  /// What it takes one thread; nothing where it cannot be made before its turn.
  sim::Preparation cost(const Context& context) const;
  /// Places for so many trainings that are made before their turn.
  void make_rooms(std::uint32_t count, Context& context) const;
  HEARSAY_PREFETCH void prefetch_room(std::uint32_t room) const {
    sim::fetch_lines(&rooms_[room], 2 * sim::kCacheLine);
    sim::fetch_lines(ahead_.col(room).data(), static_cast<std::size_t>(ahead_.rows()) * sizeof(double));
  }
  /// Makes the training that agent i is expected to make at its next event: train(), or if it is `inside` train_inside(), with
  /// these arguments. Changes nothing but room `room`, and may be called on other threads.
  void foresee(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& x, const Context& context,
               const LocalTerms& terms, std::uint32_t room, bool inside = false) const;
  /// Agent i has lost its state.
  void reset(sim::AgentId i) { made_[i] = 0; }
  auto state() { return std::tie(made_); }

 private:
  // What a training works on.
  struct Work {
    Eigen::VectorXd x, velocity;
    BatchDraws batches;
  };
  // What it is a function of.
  struct Inputs {
    sim::AgentId agent = sim::kNoAgent;
    std::uint32_t draws = 0;
    std::uint64_t first = 0, releases = 0;  // t of the first step; that the agent has made
    double mu = 0;
    bool inside = false, open_end = false;
    bool operator==(const Inputs&) const = default;
  };
  // A training that has been made before its turn. Its first lines are read then, and its column of ahead_.
  struct alignas(sim::kCacheLine) Room {
    Inputs inputs;
    std::uint64_t made = 0;        // steps
    Tally moved;                   // projections
    std::vector<Tally> releases;   // of the steps; none where releases count nothing
    Eigen::VectorXd tilt, anchor;  // inputs too
    Work work;
    Foreseen release;
  };

  double accounted_rate(Eigen::Index n, const Budget& privacy) const;
  std::optional<Context::Batch> next_batch(Work& work, const Context& context) const;
  Inputs inputs_of(sim::AgentId i, const Context& context, const LocalTerms& terms, bool inside) const;
  const Room* foreseen(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& x, const Context& context,
                       const LocalTerms& terms, bool inside) const;
  Trained make(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& x, Context& context,
               const LocalTerms& terms, bool inside);
  template <class Gradient, class Project>
  std::uint64_t make_steps(Work& work, std::uint64_t count, std::uint64_t first, const LocalTerms& terms,
                           Gradient&& gradient, Project&& project) const;
  void move(Work& work, double eta, const Vector& gradient, const LocalTerms& terms) const;
  template <class Direction>
  void descend(Work& work, double eta, const Direction& direction) const;

  static constexpr std::uint32_t kBatches = 0;  // purpose of the draws

  Params params_;
  std::vector<std::uint64_t> made_;  // steps by agent
  Work work_;                        // of a training at its turn
  double sigma_;                     // of the regulariser
  LocalVector exact_;                // gradient of a step within the owner
  // Each room is used by one thread at a time.
  mutable std::vector<Room> rooms_;
  mutable Eigen::MatrixXd ahead_;  // x_0 above x_K, by room
};

}  // namespace hearsay::models
