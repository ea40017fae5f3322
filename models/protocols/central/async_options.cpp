#include "models/protocols/central/async_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/protocols/central/horizon.hpp"
#include "models/protocols/central/learner_owner.hpp"

namespace hearsay::models {

namespace {

constexpr std::string_view kAsyncPaper = "Farokhi, Wu, Smith, Kaafar, Algorithm 1";

}  // namespace

void CentralAsyncOptions::describe(sim::Visitor& v) {
  v(rho, {.name = "rho",
          .help = "Step: the learner moves by rho/(T^2 sigma). A number, or \"auto\".",
          .source = kAsyncPaper,
          .required = true});
  v(horizon, {.name = "horizon",
              .help = "T: answers the privacy budget is spread over; by default stop.iterations.",
              .source = kAsyncPaper,
              .min = 1});
  v(sigma, {.name = "sigma",
            .help = "Strong convexity of the regulariser in the step; by default that of model.l2.",
            .source = kAsyncPaper,
            .min = 0,
            .open_min = true});
  v(learner_step, {.name = "learner_step", .help = "Factor of the learner's own step, equation (7)."});
  v(initiative, {.name = "initiative",
                 .help = "Who begins a conversation.",
                 .source = "Farokhi, Wu, Smith, Kaafar, section III"});
  v(interval, {.name = "interval",
               .help = "Time from one query of the learner's to the next, where it has the initiative.",
               .unit = "s",
               .min = 0,
               .open_min = true});
  v(when_busy,
    {.name = "when_busy", .help = "What becomes of a request while the learner talks to another owner."});
  v(interleave,
    {.name = "interleave", .help = "Talk to any number of owners at a time: the learner is never busy."});
  v(stale_base, {.name = "stale_base",
                 .help = "What an answer is added to where others have answered since it was asked."});
  v(timeout, {.name = "timeout",
              .help = "How long the learner waits for an answer; a later one is discarded and stays spent.",
              .unit = "s",
              .min = 0,
              .open_min = true});
  v(groups, {.name = "groups",
             .help = "Sets of owners, by number from 1, that answer together as one; others answer alone.",
             .source = "Farokhi, Wu, Smith, Kaafar, Remark 2",
             .min = 1});
  v(reweight_by_frequency,
    {.name = "reweight_by_frequency",
     .help = "Multiply an answer by k/(N times its owner's visits so far), between 0.1 and 10.",
     .source = "Farokhi, Wu, Smith, Kaafar, Remark 4"});
  v(budget_for, {.name = "budget_for", .help = "How many answers an owner's budget is spread over."});
  describe_owners(v, overlap, learner_is_owner);
}

std::vector<std::string> CentralAsyncOptions::fitted_on_private_data(const Study&) const {
  std::vector<std::string> all;
  if (std::holds_alternative<AutoRho>(rho)) all.emplace_back("protocol.rho: step from private data");
  if (learner_is_owner) all.push_back(unaccounted_learner_owner(*learner_is_owner));
  return all;
}

sim::Time CentralAsyncOptions::queried_every() const {
  if (initiative == Initiative::kLearner && !interval) {
    throw std::invalid_argument(
        "protocol.interval is the time between the learner's queries: give it with initiative learner");
  }
  return interval.value_or(sim::kNever);
}

double CentralAsyncOptions::step(std::size_t parties, const Study& study) const {
  const auto t = static_cast<double>(horizon_of("central_async", horizon, study));
  const double convexity = sigma.value_or(study.problem.sigma());
  if (!(convexity > 0))
    throw std::invalid_argument("central_async needs strong convexity: model.l2 above 0 or protocol.sigma");
  if (const auto* given = std::get_if<GivenRho>(&rho)) return given->value / (t * t * convexity);
  if (!study.problem.loss().quadratic()) {
    throw std::invalid_argument("protocol.rho \"auto\" needs the squared loss; give a number");
  }
  const double least = study.problem.hessian_extremes().first;
  if (!(least > 0))
    throw std::invalid_argument("protocol.rho \"auto\" needs a Hessian of full rank; give a number");
  return AutoRho::value(static_cast<double>(parties), t, convexity, least) / (t * t * convexity);
}

std::uint64_t CentralAsyncOptions::planned_answers(std::uint64_t t, std::size_t parties) const {
  if (budget_for == BudgetFor::kHorizon) return t;
  const double share = static_cast<double>(t) / static_cast<double>(parties);
  return std::min(t, static_cast<std::uint64_t>(std::ceil(share + 3 * std::sqrt(share))));
}

}  // namespace hearsay::models
