#pragma once
// DP-FedAvg: federated averaging with user-level privacy by a trusted server.
//
//   each of the N owners takes part in a round independently with probability q
//   u_i = y_i - x, scaled down to norm_2 at most S                              trusted_rounds.hpp
//   x  <- Pi[ x + server_step (sum_i u_i + S z N(0, I))/(q N) ]
//
// q N is the fixed denominator, f~_f with equal weights: the mean is unbiased, and moves by at most S/(q N) if an owner is
// added or removed. Of T rounds, each is a release whose epsilon is amplified by the sampling of owners: under add_remove
// with gaussian noise and rdp (the moments accountant) or pld. z is such that T rounds use up the budget.
//
// Source: McMahan, Ramage, Talwar, Zhang 2018, "Learning Differentially Private Recurrent Language Models", Algorithm 1.
#include "models/protocols/federated/trusted_rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class DpFedAvg : public TrustedRounds {
 public:
  struct Params : TrustedOptions {
    double participation = 0.1;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    std::vector<std::string> notes(const Study& study) const {
      if (participation == 1) return {};
      return full_charge_note("protocol.participation: rounds of random owners", Sampling::kPoisson,
                              study.privacy);
    }
  };
  static constexpr Entry kEntry{.name = "dp_fedavg",
                                .help =
                                    "DP-FedAvg: federated averaging of a random part of the owners, with "
                                    "user-level privacy by a trusted server.",
                                .hub = true,
                                .any_model = true,
                                .aggregates = true,
                                .step = "protocol.step or protocol.server_step"};
  DpFedAvg(const Params& params, const Study& study);

 private:
  bool takes_part(std::size_t owner, std::uint64_t t, sim::Stream& stream) override;
  void apply(const Vector& released, std::uint64_t t, Context& context) override;

  double q_;
};

ProtocolRow dp_fedavg_row();

}  // namespace hearsay::models
