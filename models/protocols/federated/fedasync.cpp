#include "models/protocols/federated/fedasync.hpp"

namespace hearsay::models {

namespace {
constexpr std::string_view kFedAsyncPaper = "Xie, Koyejo, Gupta 2019, Algorithm 1";
}

void FedAsync::Params::describe(sim::Visitor& v) {
  v(alpha, {.name = "alpha",
            .help = "Share of an owner's model that is not stale in the server's new model.",
            .source = kFedAsyncPaper,
            .min = 0,
            .max = 1,
            .open_min = true});
  v(staleness,
    {.name = "staleness", .help = "Factor of alpha for an owner's model.", .source = kFedAsyncPaper});
  v(rho, {.name = "rho",
          .help = "Weight of the term (rho/2) norm_2(y - x)^2 of local training.",
          .source = kFedAsyncPaper,
          .min = 0});
  AsynchronousOptions::describe(v);
}

bool FedAsync::use(const sim::Message& answer, double staleness, Context& context) {
  const double share = params_.alpha * weight_of(params_.staleness, staleness);
  context.model(0) = (1 - share) * context.model(0) + share * vector_of(answer);
  return true;
}

ProtocolRow fedasync_row() {
  return row<FedAsync>();
}

}  // namespace hearsay::models
