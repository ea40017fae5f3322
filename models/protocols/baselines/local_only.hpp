#pragma once
// The two extremes of collaboration: none, and all data in one place. Both are computed at the start; ticks are
// counted and change nothing, so that they can be compared with other protocols.
//
//   local_only   Theta_i = argmin L_i                             nothing leaves an agent, so nothing is spent
//   pooled       Theta_i = argmin over theta of the mean loss     not private; lambda = 1/(number of points) where
//                over all points + lambda norm_2(theta)^2         protocol.lambda is not given
//
// L_i and Q as in problem/personal_problem.hpp.
#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/protocols/peer_to_peer/start_models.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class LocalOnly : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    static constexpr bool sends() { return false; }
  };
  static constexpr Entry kEntry{
      .name = "local_only",
      .help = "Each agent learns from its own data only. Linear models, also of several classes.",
      .gradients = false,
      .joint = false,
      .any_linear = true};

  LocalOnly(const Params& params, const Study& study) : PersonalProtocol(params, study) {}
  void on_start(Context& context) {
    for (sim::AgentId i = 0; i < context.agents(); ++i)
      context.model(i) = local_minimiser(i, personal_, context);
    track(context.models());
  }
  auto state() { return PersonalProtocol::state(); }
};

class Pooled : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    void require(const Setting& setting) const {
      PersonalOptions::require(setting);
      if (setting.privacy.active())
        throw std::invalid_argument(
            "pooled puts all data in one place, which is not private: use privacy.mechanism none");
      if (setting.flips_labels)
        throw std::invalid_argument(
            "pooled learns from all records as they are: adversaries would change nothing");
    }
    static constexpr bool sends() { return false; }
  };
  static constexpr Entry kEntry{
      .name = "pooled",
      .help =
          "One model for all agents, learned from the pooled data: not private. A linear model, also of several "
          "classes.",
      .joint = false,
      .any_linear = true};

  /// Throws std::invalid_argument with privacy.
  Pooled(const Params& params, const Study& study) : PersonalProtocol(fitting(params, study), study) {}
  void on_start(Context& context) {
    const double lambda =
        personal_.options().lambda.value_or(1 / static_cast<double>(personal_.problem().n()));
    const auto theta = personal_.problem().memo().get<Eigen::VectorXd>(
        fmt::format("pooled minimiser, lambda {:a}", lambda), [&] {
          return minimise_records(personal_.problem(), personal_.problem().everyone(), {.ridge = 2 * lambda});
        });
    for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = *theta;
    track(context.models());
  }
  auto state() { return PersonalProtocol::state(); }
};

}  // namespace hearsay::models
