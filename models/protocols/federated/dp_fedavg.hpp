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
#include "sim/random/random.hpp"

namespace hearsay::models {

class DpFedAvg : public TrustedRounds {
 public:
  struct Params : TrustedOptions {
    double participation = 0.1;
    void describe(sim::Visitor& v) {
      v(participation,
        {.name = "participation",
         .help = "Probability q with which an owner takes part in a round, independently of all others.",
         .source = "McMahan, Ramage, Talwar, Zhang 2018, Algorithm 1",
         .min = 0,
         .max = 1,
         .open_min = true});
      TrustedOptions::describe(v);
    }
    void require(const Setting& setting) const {
      TrustedOptions::require(setting);
      if (setting.privacy.active() && !setting.privacy.amplifies(Sampling::kPoisson))
        setting.privacy.require_room(planned_rounds(setting));
    }
    std::vector<std::string> notes(const Study& study) const {
      std::vector<std::string> all = TrustedOptions::notes(study);
      if (participation == 1) return all;
      for (auto& note : full_charge_note("protocol.participation: rounds of random owners",
                                         Sampling::kPoisson, study.privacy))
        all.push_back(std::move(note));
      return all;
    }
  };
  static constexpr Entry kEntry =
      trusted_entry("dp_fedavg",
                    "DP-FedAvg: federated averaging of a random part of the owners, with "
                    "user-level privacy by a trusted server.");
  DpFedAvg(const Params& params, const Study& study)
      : TrustedRounds(
            params, study,
            {.releases = params.planned_rounds(setting_of(study)),
             .sampling_rate = study.privacy.accounted_rate(Sampling::kPoisson, params.participation)},
            EntrustedSum(study.problem.p(), study.problem.owners()),
            params.participation * static_cast<double>(study.problem.owners())),
        q_(params.participation) {}
  auto state() { return TrustedRounds::state(); }

 private:
  bool takes_part(std::size_t, std::uint64_t, sim::Stream& stream) override {
    return sim::bernoulli(stream, q_);
  }
  void apply(const Vector& released, std::uint64_t, Context& context) override {
    context.model(0) += server_step() * released;
    context.project(context.model(0));
  }

  double q_;
};

}  // namespace hearsay::models
