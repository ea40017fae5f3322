#pragma once
// Model propagation: agents learn alone, once; their models are then smoothed over the network.
//
// Theta^loc (p x n) is learned alone: exactly (`local: exact`), or released once with the whole budget
// (problem/private_local_models.hpp); the rest is post-processing of public values and costs nothing. The minimiser
// of Q_MP (problem/propagation.hpp) is then computed at once (`propagation: exact`, no message), or approached over
// the network: on its tick agent i sets
//
//   Theta_i <- ( sum_j (W_ij/D_ii) Theta_j + mu c_i Theta_i^loc ) / (1 + mu c_i)                          (16)
//
// with the last Theta_j that have reached it, and publishes; all start at Theta^loc, known to their neighbours.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, appendix C; Vanhaesebrouck, Bellet, Tommasi 2017, Section 3.
#include <Eigen/Core>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/protocols/peer_to_peer/problem/private_local_models.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "models/protocols/peer_to_peer/start_models.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

enum class LocalModelKind { kExact, kNoisyGradient, kOutput, kObjective };
constexpr auto choices_of(LocalModelKind) {
  return std::to_array<sim::Choice>(
      {{"exact", "The local minimisers, without noise."},
       {"noisy_gradient", "One step from 0 along a noisy gradient."},
       {"output", "The local minimiser plus noise."},
       {"objective",
        "The minimiser of a randomly perturbed objective; requires logistic loss and norm_2(x) <= 1."}});
}

enum class Propagation { kExact, kNetwork };
constexpr auto choices_of(Propagation) {
  return std::to_array<sim::Choice>({{"exact", "The linear system is solved at the start; no messages."},
                                     {"network", "Agents publish at their ticks."}});
}

class ModelPropagation : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    LocalModelKind local = LocalModelKind::kExact;
    Propagation propagation = Propagation::kNetwork;

    void describe(sim::Visitor& v) {
      PersonalOptions::describe(v);
      v(local, {.name = "local", .help = "Method for learning an agent's local model."});
      v(propagation, {.name = "propagation", .help = "Method for smoothing the models."});
    }
    static std::vector<std::string> notes(const Study& study) { return notes_of_one_release(study); }
    void require(const Setting& setting) const {
      PersonalOptions::require(setting);
      if (setting.privacy.active()) require_private(local, setting);
      setting.privacy.require_room(1);
    }
    bool sends() const { return propagation == Propagation::kNetwork; }
  };

  static constexpr Entry kEntry{
      .name = "model_propagation",
      .help =
          "Personalised models: each agent learns once from its own data; the models "
          "are then smoothed over the network. Linear models, also of several classes.",
      .broadcasts = true,
      .joint = false,
      .any_linear = true,
      .linear = true};
  static constexpr std::array kOwn{
      ProtocolMetric{.name = "propagation_distance",
                     .help = "Mean squared distance of the models from the limit of model propagation.",
                     .lower_is_better = true}};
  static constexpr std::array kMetrics = with_personal_metrics(kOwn);

  /// Throws std::invalid_argument where privacy is asked for and `local` is exact, or its noise is not that of
  /// privacy.mechanism: output and objective use exponential_norm.
  ModelPropagation(const Params& params, const Study& study)
      : PersonalProtocol(params, study), params_(fitting(params, study)) {
    if (params.local == LocalModelKind::kExact) {
      study.exact("protocol.local: local models, published without noise");
    } else {
      list_steps(study);
    }
  }
  void on_start(Context& context) {
    for (sim::AgentId i = 0; i < context.agents(); ++i) {
      if (context.records(i) > 0) context.open_account(i, Timetable{.releases = 1});
    }
    if (const std::optional<LocalRelease> release = release_of(params_.local)) {
      release_local_models(*release, personal_, context, local_);
    } else {
      local_.resize(personal_.p(), personal_.agents());
      for (sim::AgentId i = 0; i < context.agents(); ++i)
        local_.col(i) = local_minimiser(i, personal_, context);
    }
    const bool exact = params_.propagation == Propagation::kExact;
    if (exact) end_ = propagate(personal_, local_);
    for (sim::AgentId i = 0; i < context.agents(); ++i)
      context.model(i) = exact ? end_->col(i) : local_.col(i);
    track(context.models());
  }
  void on_tick(sim::AgentId i, Context& context) {
    if (params_.propagation == Propagation::kNetwork) {
      const PersonalProblem::Agent& a = personal_.agent(i);
      const Prepared& ready = context.prepared(i, *this);
      context.compute(i);
      context.model(i) = (ready.mix + a.pull * local_.col(i)) / (1 + a.pull);
      changed(i);
      context.publish(i, context.model(i));
    }
    context.count_iteration();
  }
  void prepare(sim::AgentId i, sim::Moment at, const Context& context, Prepared& out) const {
    mix_neighbours(i, at, true, context, out);
  }
  /// Agent i is back from a crash: it still has the model it learned alone.
  void reset(sim::AgentId i, Context&) { changed(i); }
  void measure(std::size_t metric, const World& world, std::span<double> out) const {
    if (metric < kPersonalMetrics.size()) {
      PersonalProtocol::measure(metric, world, out);
      return;
    }
    if (!end_) end_ = propagate(personal_, local_);
    out[0] = (world.models - *end_).colwise().squaredNorm().mean();
  }
  auto state() { return PersonalProtocol::state(); }

  /// Theta^loc (p x n), once started.
  const Eigen::MatrixXd& local() const { return local_; }

 private:
  static std::optional<LocalRelease> release_of(LocalModelKind kind) {
    switch (kind) {
      case LocalModelKind::kExact:
        return std::nullopt;
      case LocalModelKind::kNoisyGradient:
        return LocalRelease::kNoisyGradient;
      case LocalModelKind::kOutput:
        return LocalRelease::kOutput;
      case LocalModelKind::kObjective:
        return LocalRelease::kObjective;
    }
    return std::nullopt;
  }
  static void require_private(LocalModelKind kind, const Setting& setting) {
    const Budget& privacy = setting.privacy;
    const std::optional<LocalRelease> release = release_of(kind);
    if (!release)
      throw std::invalid_argument(
          "protocol.local exact is not private: choose another, or privacy.mechanism none");
    if (privacy.epsilon_warm)
      throw std::invalid_argument(
          "model_propagation makes one release, with all of epsilon: leave out privacy.epsilon_warm");
    require_bound(*release, setting);
    if (*release != LocalRelease::kNoisyGradient &&
        !std::holds_alternative<ExponentialNorm>(privacy.mechanism)) {
      throw std::invalid_argument(
          "protocol.local output and objective need privacy.mechanism exponential_norm");
    }
  }

  Params params_;
  Eigen::MatrixXd local_;
  mutable std::optional<Eigen::MatrixXd> end_;  // limit of propagation, once asked for
};

}  // namespace hearsay::models
