#pragma once
// FedBuff: the server gathers the updates of owners that train asynchronously (asynchronous.hpp), and takes a step
// with every B of them.
//
//   u_i = y - x_old,  y: x_old after K local steps on owner i's records
//   x  <- Pi[ x + server_step D( (1/B) sum_i w(s_i) u_i ) ]    over the B updates in the buffer; D: aggregator.hpp
//
// x_old: the model that was sent to owner i.
// s_i: the server's steps between sending x_old and the arrival of u_i; w: asynchronous.hpp. The divisor is B, not the
// sum of the weights: stale updates make the step shorter. B = 1 with constant staleness is asynchronous descent with
// differences of models. Iteration: a step of the server. A crash of the server loses x, the buffer and the state of
// the optimiser.
//
// Source: Nguyen, Malik, Zhan, Yousefpour, Rabbat, Malek, Huba 2022, "Federated Learning with Buffered Asynchronous
// Aggregation", Algorithms 1 and 2: K is our B, Q our K. There w(s) = (1 + s)^(-1/2).
#include "models/protocols/federated/aggregator.hpp"
#include "models/protocols/federated/asynchronous.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class FedBuff : public AsynchronousServer {
 public:
  struct Params : AsynchronousOptions {
    static constexpr std::string_view kPaper = "Nguyen et al. 2022, Algorithm 1";
    std::uint32_t buffer = 10;
    Staleness staleness;
    Aggregator::Params server;
    void describe(sim::Visitor& v) {
      v(buffer, {.name = "buffer",
                 .help = "Number B of updates in a step of the server.",
                 .source = kPaper,
                 .min = 1});
      v(staleness, {.name = "staleness", .help = "Weight of an update by its staleness.", .source = kPaper});
      server.describe(v);
      AsynchronousOptions::describe(v);
    }
    std::vector<std::string> notes(const Study& study) const {
      std::vector<std::string> all = AsynchronousOptions::notes(study);
      server.rule.note_too_few(buffer, all);
      return all;
    }
  };
  static constexpr Entry kEntry =
      federated_entry("fedbuff",
                      "FedBuff: owners train asynchronously, and the server takes a step with every "
                      "few of their updates.");
  FedBuff(const Params& params, const Study& study)
      : AsynchronousServer(params, study, Answer::kUpdate),
        params_(params),
        aggregator_(params.server, study.problem.p(), Aggregator::Divisor::kFixed) {}
  auto state() { return std::tuple_cat(AsynchronousServer::state(), std::tie(aggregator_)); }

 protected:
  bool use(const sim::Message& answer, double staleness, Context& context) override {
    aggregator_.add(weight_of(params_.staleness, staleness), vector_of(answer));
    if (aggregator_.updates() < params_.buffer) return false;
    aggregator_.apply(params_.buffer, context);
    return true;
  }
  void lose() override { aggregator_.reset(); }

 private:
  Params params_;
  Aggregator aggregator_;
};

}  // namespace hearsay::models
