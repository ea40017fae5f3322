#pragma once
// FedAsync: the server mixes each owner's model into its own as soon as it comes (asynchronous.hpp).
//
//   y_i = x_old after K local steps on owner i's records, with the term (rho/2) norm_2(y - x_old)^2
//   x  <- Pi[ (1 - alpha w(s)) x + alpha w(s) y_i ]      Pi: projection onto the box, if there is one
//
// x_old: the model that was sent to owner i; s: its staleness; w: asynchronous.hpp.
// With `aggregate` centered_clipping y_i - x is scaled down to a norm of at most tau before.
// alpha = 1 with constant staleness: the last writer wins. Iteration: an answer that is used. A crash of the server
// loses x.
//
// Source: Xie, Koyejo, Gupta 2019, "Asynchronous Federated Optimization", Algorithm 1. Its t - tau is s + 1: there an
// answer to the newest model has the weight w(1), here w(0) = 1. The paper's scheduler is `trigger`.
#include "models/aggregation/aggregation.hpp"
#include "models/protocols/federated/asynchronous.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class FedAsync : public AsynchronousServer {
 public:
  struct Params : AsynchronousOptions {
    static constexpr std::string_view kPaper = "Xie, Koyejo, Gupta 2019, Algorithm 1";
    double alpha = 0.6, rho = 0;
    Staleness staleness;
    AggregateOptions<PairRules> rule;
    void describe(sim::Visitor& v) {
      v(alpha, {.name = "alpha",
                .help = "Share of an owner's model that is not stale in the server's new model.",
                .source = kPaper,
                .min = 0,
                .max = 1,
                .open_min = true,
                .in_run = true});
      v(staleness, {.name = "staleness", .help = "Factor of alpha for an owner's model.", .source = kPaper});
      rule.describe(v);
      v(rho, {.name = "rho",
              .help = "Weight of the term (rho/2) norm_2(y - x)^2 of local training.",
              .source = kPaper,
              .min = 0,
              .in_run = true});
      AsynchronousOptions::describe(v);
    }
  };
  static constexpr Entry kEntry =
      federated_entry("fedasync",
                      "FedAsync: the server mixes each owner's locally trained model into its own "
                      "when it comes, weighted by its staleness.",
                      1, "protocol.step or protocol.alpha");
  FedAsync(const Params& params, const Study& study)
      : AsynchronousServer(params, study, Answer::kModel), params_(params) {}
  auto state() { return AsynchronousServer::state(); }

 protected:
  LocalTerms terms(const Asked& asked, Eigen::VectorXd&, const Context&) const override {
    return {.anchor = {asked.numbers.data(), static_cast<std::size_t>(asked.numbers.size())},
            .mu = params_.rho};
  }
  bool use(const sim::Message& answer, double staleness, Context& context) override {
    const double share = params_.alpha * weight_of(params_.staleness, staleness);
    if (params_.rule.plain()) {
      context.model(0) = (1 - share) * context.model(0) + share * vector_of(answer);
    } else {
      const Eigen::VectorXd clipped =
          context.aggregate(params_.rule, 0, context.model(0), {vector_of(answer)});
      context.model(0) = (1 - share) * context.model(0) + share * clipped;
    }
    context.project(context.model(0));
    return true;
  }

 private:
  Params params_;
};

}  // namespace hearsay::models
