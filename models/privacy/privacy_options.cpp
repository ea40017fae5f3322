#include "models/privacy/privacy_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace hearsay::models {

namespace {
constexpr std::uint32_t kEpsilonOption = 1;  // index of (kPerAgent, agent)
}

void PrivacyOptions::describe(sim::Visitor& v) {
  v(mechanism, {.name = "mechanism",
                .help = "Noise added to what leaves an owner; \"none\" has to be said.",
                .required = true});
  v(epsilon,
    {.name = "epsilon",
     .help = "Total budget of an owner over the whole run: a number, a list, or a law drawn once per owner.",
     .source = "Farokhi, Wu, Smith, Kaafar, Definition 1",
     .min = 0,
     .open_min = true});
  v(accountant, {.name = "accountant", .help = "How the releases of an owner compose."});
  v(adjacency, {.name = "adjacency", .help = "Which data sets are neighbours."});
  v(gradient_bound, {.name = "gradient_bound",
                     .help = "Public bound on the L1 norm of a record's loss gradient (Xi); not enforced.",
                     .source = "Farokhi, Wu, Smith, Kaafar, Assumption 2",
                     .min = 0,
                     .open_min = true});
  v(clip,
    {.name = "clip",
     .help = "Scale each record's loss gradient down to at most this L1 norm: a bound that is enforced.",
     .min = 0,
     .open_min = true});
  v(bound_from_data,
    {.name = "bound_from_data",
     .help =
         "Take the bound from the private data (largest gradient at 0 and at the optimum): not private."});
  const int sources = (gradient_bound ? 1 : 0) + (clip ? 1 : 0) + (bound_from_data ? 1 : 0);
  v.check(sources <= 1, "gradient_bound", "give only one of gradient_bound, clip and bound_from_data");
}

std::string PrivacyPlan::describe_bound() const {
  switch (source) {
    case BoundSource::kNone:
      return "none";
    case BoundSource::kGiven:
      return "given by the scenario, not enforced";
    case BoundSource::kDerived:
      return "derived from declared bounds of features, target and theta_max";
    case BoundSource::kClip:
      return "enforced: each record's gradient is clipped";
    case BoundSource::kFromData:
      return "taken from the private data: the stated epsilon does not hold";
  }
  return "";
}

PrivacyPlan make_plan(const PrivacyOptions& options, const Problem& problem, const Eigen::VectorXd& optimum,
                      sim::AgentId first_agent, const sim::Streams& streams) {
  PrivacyPlan plan{
      .mechanism = options.mechanism, .accountant = options.accountant, .adjacency = options.adjacency};
  if (!plan.active()) return plan;
  plan.epsilon = options.epsilon.values(first_agent, static_cast<sim::AgentId>(problem.owners()),
                                        kEpsilonOption, streams);
  if (options.clip) {
    plan.source = BoundSource::kClip;
    plan.bound = *options.clip;
  } else if (options.gradient_bound) {
    plan.source = BoundSource::kGiven;
    plan.bound = *options.gradient_bound;
  } else if (options.bound_from_data) {
    plan.source = BoundSource::kFromData;
    plan.bound = std::max(problem.largest_record_gradient(Eigen::VectorXd::Zero(problem.p()), Norm::kL1),
                          problem.largest_record_gradient(optimum, Norm::kL1));
  } else if (const auto derived = problem.derived_gradient_bound()) {
    plan.source = BoundSource::kDerived;
    plan.bound = *derived;
  } else {
    throw std::invalid_argument(
        "noise needs a bound on a record's gradient: give gradient_bound or clip, or declare bounds of the "
        "data and theta_max, "
        "or say bound_from_data");
  }
  return plan;
}

}  // namespace hearsay::models
