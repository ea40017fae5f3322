#include "models/protocols/peer_to_peer/start_models.hpp"

namespace hearsay::models {

void ConstantModels::describe(sim::Visitor& v) {
  v(value, {.name = "value", .help = "Value of every coordinate.", .required = true});
}

void set_start(const ConstantModels& start, const PersonalProblem&, Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i).setConstant(start.value);
}

void set_start(const LocalModels&, const PersonalProblem& personal, Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = personal.local_minimisers().col(i);
}

}  // namespace hearsay::models
