#pragma once
// Local differential privacy: every agent perturbs its points themselves, once, and learns from the perturbed points.
//
//   x <- x min(1, B/norm_1(x)) + w,  w_j ~ Laplace(0, 2 B/eps_x)    B = `clip`: replacing a point changes x by at most
//                                                                   2 B in norm_1
//   y <- -y with probability 1/(1 + e^eps_y)                        eps_y = `epsilon_label`; 0: y is kept and not
//                                                                   protected
//
// A point is one release of epsilon = eps_x + eps_y, and points belong to different people, so that an agent spends
// epsilon in all, whatever is learned afterwards:
//
//   alone      Theta_i = argmin L_i on the perturbed points
//   together   the minimiser of Q on them (problem/personal_problem.hpp)
//
// Computed at the start; ticks change nothing. Metrics are of Q on the original points.
//
// Source: Duchi, Jordan, Wainwright 2012; Bellet, Guerraoui, Taziki, Tommasi 2018, appendix D.1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/run/any_protocol.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

enum class LearnFromNoise { kAlone, kTogether };
constexpr auto choices_of(LearnFromNoise) {
  return std::to_array<sim::Choice>({{"alone", "Each agent learns from its own perturbed records."},
                                     {"together", "The minimiser of Q on the perturbed records."}});
}

class LocalDp : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    double clip = 1;
    double epsilon_label = 0;
    LearnFromNoise learn = LearnFromNoise::kAlone;
    void describe(sim::Visitor& v) {
      PersonalOptions::describe(v);
      v(clip, sim::positive("clip", "Bound B on norm_1 of a record's features, enforced by scaling."));
      v(epsilon_label,
        sim::non_negative("epsilon_label",
                          "Part of epsilon that protects the class label; 0: the label is not protected."));
      v(learn, {.name = "learn", .help = "Models learned from the perturbed records."});
    }
    static constexpr bool sends() { return false; }
    static std::vector<std::string> notes(const Study& study) { return notes_of_one_release(study); }
    void require(const Setting& setting) const {
      PersonalOptions::require(setting);
      const Budget& privacy = setting.privacy;
      if (!privacy.active()) return;
      if (!std::holds_alternative<Laplace>(privacy.mechanism))
        throw std::invalid_argument(
            "local_dp perturbs features with Laplace noise: use privacy.mechanism laplace");
      if (privacy.epsilon_warm)
        throw std::invalid_argument("local_dp makes one release: leave out privacy.epsilon_warm");
      if (epsilon_label > 0) require_cover_of_labels(*this, privacy, setting.model.loss);
    }
  };
  static constexpr Entry kEntry{.name = "local_dp",
                                .help =
                                    "Local differential privacy: each agent perturbs its records once and "
                                    "learns from the perturbed records.",
                                .gradients = false,
                                .joint = false};

  /// Throws std::invalid_argument unless the mechanism is laplace (or none), and where epsilon_label leaves
  /// nothing of epsilon, the target is no class, or the accountant does not take a release that is not of noise
  /// alone.
  LocalDp(const Params& params, const Study& study)
      : PersonalProtocol(params, study), params_(fitting(params, study)) {
    study.privacy.require_room(1);
    if (params.epsilon_label == 0) study.exact("protocol.epsilon_label 0: labels are not protected");
  }
  void on_start(Context& context) {
    DataSet data = personal_.problem().data();
    for (sim::AgentId i = 0; i < context.agents(); ++i) {
      if (context.records(i) == 0) continue;
      context.open_account(i, Timetable{.releases = 1});
      data.train[i] =
          *context.release_by(i, [&](const Problem& problem, std::size_t owner, ReleaseNoise& noise) {
            return perturb(problem.data().train[owner], params_, noise);
          });
    }
    data.bounds.reset();
    perturbed_ = std::make_unique<Problem>(std::move(data), personal_.problem().model(), Classes::kPerturbed);
    PersonalOptions options = params_;
    options.lipschitz = Lipschitz::kData;  // only steps follow from it, and there are none
    const PersonalProblem noisy(options, *perturbed_, personal_.topology());
    for (sim::AgentId i = 0; i < context.agents(); ++i) {
      context.model(i) = params_.learn == LearnFromNoise::kAlone ? noisy.local_minimisers().col(i)
                                                                 : noisy.optimum().models.col(i);
    }
    track(context.models());
  }
  auto state() { return PersonalProtocol::state(); }
  /// The perturbed points, once started.
  const Problem& perturbed() const { return *perturbed_; }

 private:
  static void require_cover_of_labels(const Params& params, const Budget& privacy, const Loss& loss) {
    if (!loss.is_classifier())
      throw std::invalid_argument(
          "protocol.epsilon_label flips classes, but the target is a number: leave it out");
    if (privacy.accountant == Accountant::kRdp || privacy.accountant == Accountant::kPld) {
      throw std::invalid_argument(
          fmt::format("{} covers the Laplace noise of features, not flipped classes: use accountant basic",
                      name_of(privacy.accountant)));
    }
    if (privacy.epsilon.empty()) return;
    const double smallest = *std::min_element(privacy.epsilon.begin(), privacy.epsilon.end());
    if (params.epsilon_label >= smallest) {
      throw std::invalid_argument(
          fmt::format("protocol.epsilon_label: expected a part of privacy.epsilon, below {}, found {}",
                      smallest, params.epsilon_label));
    }
  }
  // The records themselves with noise, as the header says; without privacy as they are.
  static Shard perturb(Shard shard, const Params& params, ReleaseNoise& noise) {
    if (noise.step == nullptr) return shard;
    const double epsilon = noise.step->epsilon - params.epsilon_label;
    sim::check(epsilon > 0, "the label takes all of the epsilon of a record");
    for (Eigen::Index k = 0; k < shard.features.rows(); ++k) {
      const double length = shard.features.row(k).lpNorm<1>();
      if (length > params.clip) shard.features.row(k) *= params.clip / length;
    }
    Laplace::add_noise({shard.features.data(), static_cast<std::size_t>(shard.features.size())},
                       noise.factor() * 2 * params.clip / epsilon, noise.stream);
    const double flip = params.epsilon_label > 0 ? 1 / (1 + std::exp(params.epsilon_label)) : 0;
    sim::Stream coins = noise.own();
    for (double& label : shard.target) {
      if (sim::bernoulli(coins, flip)) label = -label;
    }
    return shard;
  }

  Params params_;
  std::unique_ptr<Problem> perturbed_;
};

}  // namespace hearsay::models
