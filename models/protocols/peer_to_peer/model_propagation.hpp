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
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/protocols/peer_to_peer/problem/private_local_models.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class LocalModelKind { kExact, kNoisyGradient, kOutput, kObjective };
enum class Propagation { kExact, kNetwork };

class ModelPropagation : public PersonalProtocol {
 public:
  struct Params {
    PersonalOptions personal;
    LocalModelKind local = LocalModelKind::kExact;
    Propagation propagation = Propagation::kNetwork;

    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    std::vector<std::string> notes(const Study& study) const { return PersonalOptions::notes(study); }
  };

  static constexpr Entry kEntry{
      .name = "model_propagation",
      .help =
          "Personalised models: each agent learns once from its own data; the models "
          "are then smoothed over the network.",
      .broadcasts = true,
      .joint = false};
  static constexpr std::array kOwn{ProtocolMetric{
      "propagation_distance", "Mean squared distance of the models from the limit of model propagation."}};
  static constexpr std::array kMetrics = with_personal_metrics(kOwn);

  /// Throws std::invalid_argument where privacy is asked for and `local` is exact, or its noise is not that of
  /// privacy.mechanism: output and objective use exponential_norm.
  ModelPropagation(const Params& params, const Study& study);
  void on_start(Context& context);
  void on_tick(sim::AgentId i, Context& context);
  /// Agent i is back from a crash: it still has the model it learned alone.
  void reset(sim::AgentId i, Context&) { changed(i); }
  void measure(std::size_t metric, const World& world, std::span<double> out) const;

  /// Theta^loc (p x n), once started.
  const Eigen::MatrixXd& local() const { return local_; }

 private:
  Params params_;
  Eigen::MatrixXd local_;
  mutable std::optional<Eigen::MatrixXd> end_;  // limit of propagation, once asked for
  std::vector<std::uint32_t> published_;        // publications so far, by agent
  Eigen::VectorXd mix_;
};

ProtocolRow model_propagation_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::LocalModelKind> {
  static constexpr std::array kValues{
      Choice{"exact", "The local minimisers, without noise."},
      Choice{"noisy_gradient", "One step from 0 along a noisy gradient."},
      Choice{"output", "The local minimiser plus noise."},
      Choice{"objective",
             "The minimiser of a randomly perturbed objective; requires logistic loss and norm_2(x) <= 1."}};
};
template <>
struct Choices<models::Propagation> {
  static constexpr std::array kValues{
      Choice{"exact", "The linear system is solved at the start; no messages."},
      Choice{"network", "Agents publish at their ticks."}};
};
}  // namespace hearsay::sim
