#pragma once
// FedProx: FedAvg (fedavg.hpp) whose owners stay near the server's model x. Each local step of owner i descends on
//
//   f_i(y) + g(y) + (mu/2) norm_2(y - x)^2
//
// so that for quadratics, with the symbols of FedAvg, the limit is that of FedAvg with
//
//   M_i = (I - (I - eta (H_i + mu I))^K) (H_i + mu I)^-1 H_i
//
// mu = 0 is FedAvg. The owners make K steps each; the paper lets them make different numbers, and draws owner i with
// probability n_i/n for a plain mean, where we draw the cohort as FedAvg does and weight by n_i.
//
// Source: Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020, "Federated Optimization in Heterogeneous Networks",
// Algorithm 2.
#include "models/protocols/federated/rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class FedProx : public FederatedRounds {
 public:
  struct Params : RoundOptions {
    double mu = 0.1;
    void describe(sim::Visitor& v) {
      v(mu, {.name = "mu",
             .help = "Weight of the term (mu/2) norm_2(y - x)^2 of local training; 0: FedAvg.",
             .source = "Li et al. 2020, Algorithm 2",
             .min = 0,
             .in_run = true});
      RoundOptions::describe(v);
    }
  };
  static constexpr Entry kEntry =
      federated_entry("fedprox", "FedProx: FedAvg with a term that keeps local models near the server's.");
  FedProx(const Params& params, const Study& study) : FederatedRounds(params, study), mu_(params.mu) {}
  auto state() { return FederatedRounds::state(); }

 protected:
  LocalTerms terms(const Asked& asked, Eigen::VectorXd& tilt, const Context& context) const override {
    LocalTerms terms = FederatedRounds::terms(asked, tilt, context);
    terms.mu = mu_;
    terms.anchor = {asked.numbers.data(), static_cast<std::size_t>(asked.numbers.size())};
    return terms;
  }

 private:
  double mu_;
};

}  // namespace hearsay::models
