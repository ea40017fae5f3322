#pragma once
// FedAsync: the server mixes each owner's model into its own as soon as it comes (asynchronous.hpp).
//
//   y_i = x_old after K local steps on owner i's records, with the term (rho/2) norm_2(y - x_old)^2
//   x  <- (1 - alpha w(s)) x + alpha w(s) y_i
//
// x_old: the model that was sent to owner i; s: its staleness; w: staleness.hpp.
// alpha = 1 with constant staleness: the last writer wins. Iteration: an answer that is used. A crash of the server
// loses x.
//
// Source: Xie, Koyejo, Gupta 2019, "Asynchronous Federated Optimization", Algorithm 1. Its t - tau is s + 1: there an
// answer to the newest model has the weight w(1), here w(0) = 1. The paper's scheduler is `trigger`.
#include "models/protocols/federated/asynchronous.hpp"
#include "models/protocols/federated/staleness.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class FedAsync : public AsynchronousServer {
 public:
  struct Params : AsynchronousOptions {
    double alpha = 0.6, rho = 0;
    Staleness staleness;
    void describe(sim::Visitor& v);
  };
  static constexpr Entry kEntry{
      .name = "fedasync",
      .help =
          "FedAsync: the server mixes each owner's locally trained model into its own "
          "when it comes, weighted by its staleness.",
      .hub = true,
      .any_model = true,
      .step = "protocol.step or protocol.alpha"};
  FedAsync(const Params& params, const Study& study)
      : AsynchronousServer(params, study, Answer::kModel), params_(params) {}

 protected:
  LocalTerms terms(const Query& query, Context&) override {
    return {.anchor = query.payload.numbers(), .mu = params_.rho};
  }
  bool use(const sim::Message& answer, double staleness, Context& context) override;

 private:
  Params params_;
};

ProtocolRow fedasync_row();

}  // namespace hearsay::models
