#pragma once
// The two extremes of collaboration: none, and all data in one place. Both are computed at the start; ticks are
// counted and change nothing, so that they can be compared with other protocols.
//
//   local_only   Theta_i = argmin L_i                             nothing leaves an agent, so nothing is spent
//   pooled       Theta_i = argmin over theta of the mean loss     not private; lambda = 1/(number of points) where
//                over all points + lambda norm_2(theta)^2         protocol.lambda is not given
//
// L_i and Q as in problem/personal_problem.hpp.
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

class LocalOnly : public PersonalProtocol {
 public:
  struct Params {
    PersonalOptions personal;
    void describe(sim::Visitor& v) { personal.describe(v); }
    void require(const Setting& setting) const { personal.require(setting); }
    std::vector<std::string> notes(const Study& study) const { return PersonalOptions::notes(study); }
  };
  static constexpr Entry kEntry{
      .name = "local_only", .help = "Each agent learns from its own data only.", .joint = false};

  LocalOnly(const Params& params, const Study& study) : PersonalProtocol(params.personal, study) {}
  void on_start(Context& context);
};

class Pooled : public PersonalProtocol {
 public:
  struct Params : LocalOnly::Params {
    void require(const Setting& setting) const;
  };
  static constexpr Entry kEntry{
      .name = "pooled",
      .help = "One model for all agents, learned from the pooled data: not private.",
      .joint = false};

  /// Throws std::invalid_argument with privacy.
  Pooled(const Params& params, const Study& study);
  void on_start(Context& context);
};

ProtocolRow local_only_row();
ProtocolRow pooled_row();

}  // namespace hearsay::models
