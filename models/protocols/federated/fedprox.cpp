#include "models/protocols/federated/fedprox.hpp"

namespace hearsay::models {

void FedProx::Params::describe(sim::Visitor& v) {
  v(mu, {.name = "mu",
         .help = "Weight of the term (mu/2) norm_2(y - x)^2 of local training; 0: FedAvg.",
         .source = "Li et al. 2020, Algorithm 2",
         .min = 0});
  RoundOptions::describe(v);
}

LocalTerms FedProx::terms(const Query& query, Context& context) {
  LocalTerms terms = FederatedRounds::terms(query, context);
  terms.mu = mu_;
  terms.anchor = query.payload.numbers();
  return terms;
}

ProtocolRow fedprox_row() {
  return row<FedProx>();
}

}  // namespace hearsay::models
