#pragma once
// Where personal models start.
#include <string_view>

#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"
#include "models/run/context.hpp"

namespace hearsay::models {

struct ZeroModels {
  static constexpr std::string_view kName = "zeros";
  static constexpr std::string_view kHelp = "All models are 0.";
  void describe(sim::Visitor&) {}
};
struct ConstantModels {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "All coordinates of all models have the same value.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1;
  void describe(sim::Visitor& v) {
    v(value, {.name = "value", .help = "Value of every coordinate.", .required = true});
  }
};
struct LocalModels {
  static constexpr std::string_view kName = "local";
  static constexpr std::string_view kHelp = "Each agent's minimiser of its own loss: not private.";
  void describe(sim::Visitor&) {}
};

/// argmin L_i on the records that agent i learns from, whose labels may be flipped.
inline Eigen::VectorXd local_minimiser(sim::AgentId i, const PersonalProblem& personal, Context& context) {
  const auto minimise = [&](const Problem& problem, std::size_t owner) -> Eigen::VectorXd {
    if (&problem == &personal.problem()) return personal.local_minimisers().col(i);
    return minimise_records(problem, owner, {.ridge = 2 * personal.agent(i).lambda});
  };
  return context.keep_local(context.from_data(i, minimise)).inside_owner();
}

/// Sets the models of all agents to a start.
inline void set_start(const ZeroModels&, const PersonalProblem&, Context&) {}
inline void set_start(const ConstantModels& start, const PersonalProblem&, Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i)
    context.start(i, [&] { return Eigen::VectorXd::Constant(context.p(), start.value); });
}
inline void set_start(const LocalModels&, const PersonalProblem& personal, Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i)
    context.start(i, [&] { return local_minimiser(i, personal, context); });
}

/// Lists a start that is made of private data without noise.
template <class Start>
void list_start(const Start& start, const Study& study) {
  if (std::holds_alternative<LocalModels>(start))
    study.exact("protocol.initial: local models, known to neighbours without noise");
}

}  // namespace hearsay::models
