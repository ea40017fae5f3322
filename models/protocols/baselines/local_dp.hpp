#pragma once
// Local differential privacy: every agent perturbs its points themselves, once, and learns from what comes out.
//
// Features are scaled to norm_1(x) <= B (`clip`), then + Laplace(0, 2 B/eps_x) on each: replacing a point changes
// its features by at most 2 B in norm_1. A class is kept (then it is not protected), or flipped with probability
// 1/(1 + e^eps_y), eps_y = `epsilon_label`. A point is one release of epsilon = eps_x + eps_y, and points are
// different people's, so an agent spends epsilon in all, whatever is learned afterwards:
//
//   alone     Theta_i = argmin L_i on the perturbed points
//   together  the minimiser of Q on them: collaboration carried to its end
//
// (models/protocols/peer_to_peer/problem/personal_problem.hpp). Worked out at the start; ticks change nothing.
//
// Source: Duchi, Jordan, Wainwright 2012; Bellet, Guerraoui, Taziki, Tommasi 2018, appendix D.1.
#include <memory>
#include <string>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/peer_to_peer/personal_metrics.hpp"

namespace hearsay::models {

enum class LearnFromNoise { kAlone, kTogether };

class LocalDp {
 public:
  struct Params {
    PersonalOptions personal;
    double clip = 1;
    double epsilon_label = 0;
    LearnFromNoise learn = LearnFromNoise::kAlone;
    void describe(sim::Visitor& v);
    std::vector<std::string> fitted_on_private_data(const Study& study) const;
  };
  static constexpr Entry kEntry{.name = "local_dp",
                                .help = "Each agent perturbs its points and learns from what comes out.",
                                .joint = false};
  static constexpr std::array kMetrics = kPersonalMetrics;  ///< Q on the points as they are

  /// Throws std::invalid_argument unless the mechanism is laplace (or none), and where epsilon_label leaves
  /// nothing of epsilon, the target is no class, or the accountant does not take a release that is not of noise
  /// alone.
  LocalDp(const Params& params, const Study& study);
  LocalDp(const LocalDp&) = delete;
  LocalDp& operator=(const LocalDp&) = delete;

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context& context) { context.count_iteration(); }
  void measure(std::size_t metric, const World& world, std::span<double> out) const {
    out[0] = probe_.measure(metric, world);
  }
  /// The perturbed points, once started.
  const Problem& perturbed() const { return *perturbed_; }

 private:
  Params params_;
  PersonalProblem personal_;
  PersonalProbe probe_;
  std::unique_ptr<Problem> perturbed_;
};

ProtocolRow local_dp_row();

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::LearnFromNoise> {
  static constexpr std::array kValues{Choice{"alone", "Each from its own perturbed points."},
                                      Choice{"together", "The minimiser of Q on the perturbed points."}};
};
