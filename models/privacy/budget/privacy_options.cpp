#include "models/privacy/budget/privacy_options.hpp"

namespace hearsay::models {

std::optional<sim::PerAgent> Steps::given() const {
  return std::visit(
      []<class L>(const L& law) -> std::optional<sim::PerAgent> {
        if constexpr (std::is_same_v<L, ExpectedSteps>)
          return std::nullopt;
        else
          return sim::PerAgent(sim::PerAgent::Law(law));
      },
      law_);
}

void Steps::describe_as(sim::Visitor& v, const sim::About& about) {
  v.variant(law_, about);
  sim::check_range(v, about, law_);
}

bool PrivacyOptions::needs_delta() const {
  return is_private(mechanism) && (accountant != Accountant::kBasic || !law_of(mechanism).pure);
}

void PrivacyOptions::describe(sim::Visitor& v) {
  v(mechanism, {.name = "mechanism",
                .help = "Noise added to the releases of an owner; \"none\" for no privacy.",
                .required = true});
  v(epsilon, {.name = "epsilon",
              .help = "Total budget of an owner over the whole run: a number, a list, or a distribution "
                      "drawn once per owner.",
              .source = "Farokhi, Wu, Smith, Kaafar, Definition 1",
              .min = 0,
              .open_min = true});
  v(delta,
    {.name = "delta",
     .help = "Delta of the total budget; required with gaussian and with every accountant except basic.",
     .min = 0,
     .max = 1,
     .open_max = true});
  v(accountant, {.name = "accountant", .help = "Method that composes the releases of an owner."});
  v(adjacency, {.name = "adjacency", .help = "Definition of neighbouring data sets."});
  v(unit, {.name = "unit", .help = "What neighbouring data sets differ in; owner with trust aggregator."});
  v(trust,
    {.name = "trust",
     .help = "Who adds the noise; aggregator with protocols whose hub collects updates, and unit owner."});
  v(schedule, {.name = "schedule",
               .help = "Distribution of the budget over the releases.",
               .source = "Bellet, Guerraoui, Taziki, Tommasi, Proposition 2"});
  v(steps,
    {.name = "steps",
     .help = "Number of releases T_i over which an owner's budget is spread; without it as many as the "
             "protocol plans. A whole number, a list, a distribution drawn once per owner and rounded, or "
             "\"expected\".",
     .source = "Bellet, Guerraoui, Taziki, Tommasi, Theorem 1",
     .min = 1});
  const auto positive = [&](std::optional<double>& value, std::string_view name, std::string_view help,
                            std::string_view source = {}) {
    v(value, {.name = name, .help = help, .source = source, .min = 0, .open_min = true});
  };
  positive(epsilon_warm, "epsilon_warm",
           "Part of epsilon spent by a private warm start; the remainder is spread over the steps.",
           "Bellet, Guerraoui, Taziki, Tommasi, Section 5");
  positive(
      gradient_bound, "gradient_bound",
      "Public bound Xi on the norm of a record's loss gradient, L1 for laplace, otherwise L2; not enforced.",
      "Farokhi, Wu, Smith, Kaafar, Assumption 2");
  positive(clip, "clip",
           "Enforced bound: each record's loss gradient is scaled down to at most this norm, L1 for laplace, "
           "otherwise L2; with unit owner, each owner's update.");
  v(bound_from_data,
    {.name = "bound_from_data",
     .help =
         "Take the bound from the private data (largest gradient at 0 and at the optimum): not private."});
  positive(epsilon_1, "epsilon_1",
           "Epsilon of a turn's first release, the task's own part; multi-task protocols only.",
           "Xie, Baytas, Lin, Zhou, Lemma 1");
  positive(epsilon_2, "epsilon_2",
           "Epsilon of a turn's second release, the gradient; multi-task protocols only.",
           "Xie, Baytas, Lin, Zhou, Lemma 2");
  v(adversaries,
    {.name = "adversaries",
     .help =
         "Who sees what: for each of these, what it learns of every owner (metrics epsilon_seen and first_seen)."});
  v.check(adversaries.empty() || is_private(mechanism), "adversaries",
          "requires releases that have noise: set privacy.mechanism");
  v.check(gradient_bound.has_value() + clip.has_value() + bound_from_data <= 1, "gradient_bound",
          "give only one of gradient_bound, clip and bound_from_data");
  v.check(!needs_delta() || delta > 0, "delta",
          "expected a delta above 0 with {} and {}, found 0; choose one well below 1/records of every owner",
          name_of(mechanism), name_of(accountant));
  v.check(!epsilon_1 || epsilon_2, "epsilon_2", "required with epsilon_1: a turn also releases its gradient");
  v.check(!epsilon_warm || !epsilon.constant() || *epsilon_warm < epsilon.mean(), "epsilon_warm",
          "expected a part of epsilon ({}), found {}", epsilon.mean(), epsilon_warm.value_or(0));
  const bool aggregator = trust == Trust::kAggregator;
  v.check(aggregator == (unit == PrivacyUnit::kOwner), "unit",
          aggregator ? "expected owner with trust aggregator, found record"
                     : "unit owner requires trust aggregator, the hub that adds the noise");
  v.check(!aggregator || !is_private(mechanism) || clip, "clip",
          "required with trust aggregator: the bound of an owner's update");
  v.check(
      !aggregator || !steps || steps->expected(), "steps",
      "expected \"expected\" or nothing with trust aggregator: the rounds of the protocol are the releases");
  v.check(!aggregator || !epsilon_warm, "epsilon_warm",
          "leave out with trust aggregator: there is no release up front");
  v.check(accountant != Accountant::kKairouzExact || schedule == Schedule::kUniform, "accountant",
          "kairouz_exact composes equal steps only: use schedule uniform, or accountant kairouz");
}

}  // namespace hearsay::models
