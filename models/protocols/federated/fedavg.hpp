#pragma once
// FedAvg: owners train locally from the server's model, and the server averages what they return.
//
//   y_i = x after K local steps on owner i's records, i in the cohort    local_training.hpp
//   x  <- x + server_step D( sum_i w_i (y_i - x)/sum_i w_i )             rounds.hpp; D: aggregator.hpp
//
// With server_step 1 and no optimiser x is the weighted mean of the y_i. With K = 1, full batches and the whole
// cohort this is gradient descent on f. With K > 1 the limit is not theta*: for quadratics f_i with Hessians H_i and
// minimisers theta_i* (the regulariser counted in), full batches, weights p_i and a step eta it is
//
//   (sum_i p_i M_i)^-1 sum_i p_i M_i theta_i*,   M_i = I - (I - eta H_i)^K
//
// Source: McMahan, Moore, Ramage, Hampson, Aguera y Arcas 2017, "Communication-Efficient Learning of Deep Networks
// from Decentralized Data", Algorithm 1; the weights of the version of 2023, which divides by the records of the
// cohort.
#include "models/protocols/federated/rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class FedAvg : public FederatedRounds {
 public:
  using Params = RoundOptions;
  static constexpr Entry kEntry =
      federated_entry("fedavg",
                      "FedAvg: in each round a cohort of owners trains locally and the server "
                      "averages their models.");
  FedAvg(const Params& params, const Study& study) : FederatedRounds(params, study) {}
  auto state() { return FederatedRounds::state(); }
};

}  // namespace hearsay::models
