#include "models/protocols/federated/fedbuff.hpp"

namespace hearsay::models {

namespace {
constexpr std::string_view kFedBuffPaper = "Nguyen et al. 2022, Algorithm 1";
}

void FedBuff::Params::describe(sim::Visitor& v) {
  v(buffer, {.name = "buffer",
             .help = "Number B of updates in a step of the server.",
             .source = kFedBuffPaper,
             .min = 1});
  v(staleness,
    {.name = "staleness", .help = "Weight of an update by its staleness.", .source = kFedBuffPaper});
  server.describe(v);
  AsynchronousOptions::describe(v);
}

bool FedBuff::use(const sim::Message& answer, double staleness, Context& context) {
  aggregator_.add(weight_of(params_.staleness, staleness), vector_of(answer));
  if (aggregator_.updates() < params_.buffer) return false;
  aggregator_.apply(params_.buffer, context);
  return true;
}

ProtocolRow fedbuff_row() {
  return row<FedBuff>();
}

}  // namespace hearsay::models
