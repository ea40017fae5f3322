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
#include <memory>
#include <string>
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class LearnFromNoise { kAlone, kTogether };

class LocalDp : public PersonalProtocol {
 public:
  struct Params {
    PersonalOptions personal;
    double clip = 1;
    double epsilon_label = 0;
    LearnFromNoise learn = LearnFromNoise::kAlone;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    std::vector<std::string> notes(const Study& study) const { return PersonalOptions::notes(study); }
  };
  static constexpr Entry kEntry{.name = "local_dp",
                                .help =
                                    "Local differential privacy: each agent perturbs its records once and "
                                    "learns from the perturbed records.",
                                .joint = false};

  /// Throws std::invalid_argument unless the mechanism is laplace (or none), and where epsilon_label leaves
  /// nothing of epsilon, the target is no class, or the accountant does not take a release that is not of noise
  /// alone.
  LocalDp(const Params& params, const Study& study);
  void on_start(Context& context);
  /// The perturbed points, once started.
  const Problem& perturbed() const { return *perturbed_; }

 private:
  Params params_;
  std::unique_ptr<Problem> perturbed_;
};

ProtocolRow local_dp_row();

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::LearnFromNoise> {
  static constexpr std::array kValues{Choice{"alone", "Each agent learns from its own perturbed records."},
                                      Choice{"together", "The minimiser of Q on the perturbed records."}};
};
