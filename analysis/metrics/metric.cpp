#include "analysis/metrics/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/metrics/measured_models.hpp"
#include "models/registry.hpp"
#include "models/views/sight.hpp"
#include "models/views/views.hpp"
#include "sim/check.hpp"
#include "sim/parallel/crew.hpp"

namespace hearsay::analysis {

namespace {

using models::World;
using Out = std::span<double>;

// The model that an owner uses.
auto model_of(const World& w, std::size_t owner) {
  return w.models.col(static_cast<Eigen::Index>(w.study.own_models ? w.agent(owner) : w.hub ? 0 : owner));
}

// The mean of f over models; one takes one thread about `ns` ns.
template <class F>
double over_models(const Metric::Models& models, double ns, F&& f) {
  const auto count = static_cast<double>(models.cols());
  double sum = 0;
  sim::Crew::sum_in_order(static_cast<std::size_t>(models.cols()), 1, ns * count, &sum,
                          [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                            for (std::size_t i = begin; i < end; ++i, to += stride)
                              *to += f(models.col(static_cast<Eigen::Index>(i)));
                          });
  return sum / count;
}

double ratio(double part, std::uint64_t whole) {
  return whole == 0 ? 0 : part / static_cast<double>(whole);
}

// A metric of one number.
template <auto f>
void one(const World& w, Out out) {
  out[0] = static_cast<double>(f(w));
}
// A number of the account of each owner, and the largest over all agents.
template <auto f>
void by_owner(const World& w, Out out) {
  for (std::size_t owner = 0; owner < out.size(); ++owner) out[owner] = f(w.ledger.account(w.agent(owner)));
}
template <auto f>
void largest(const World& w, Out out) {
  out[0] = 0;
  for (sim::AgentId i = 0; i < w.ledger.agents(); ++i) out[0] = std::max(out[0], f(w.ledger.account(i)));
}
constexpr auto kEpsilon = [](const auto& account) { return account.spent().epsilon; };
constexpr auto kDelta = [](const auto& account) { return account.spent().delta; };
constexpr auto kBudget = [](const auto& account) { return account.epsilon_budget(); };
constexpr auto kStep = [](const auto& account) { return account.epsilon_step(); };
constexpr auto kReleases = [](const auto& account) { return static_cast<double>(account.releases); };

// Where the end of a run depends on values no view is worked out: towards adversaries that an owner is not part of the
// ledger's value holds.
void epsilon_seen(const World& w, Out out) {
  if (w.views != nullptr) return w.views->epsilon_at(w.iterations, w.engine.now(), out);
  by_owner<kEpsilon>(w, out);
  std::vector<models::Sight> sights;
  for (const models::Adversary& one : w.study.adversaries)
    sights.emplace_back(one, w.engine.agents(), w.study.hostile);
  for (std::size_t owner = 0; owner < out.size(); ++owner) {
    const auto has = [&](const models::Sight& sight) { return sight.has(w.agent(owner)); };
    if (std::ranges::all_of(sights, has)) out[owner] = std::nan("");
  }
}
void first_seen(const World& w, Out out) {
  std::ranges::fill(out, std::nan(""));
  if (w.views != nullptr) w.views->first_until(w.engine.now(), out);
}

double objective(const World& w, const Metric::Models& models) {
  return over_models(models, w.problem().time_of_objective(),
                     [&](const auto& theta) { return w.problem().objective(theta); });
}
double relative_fitness(const World& w, const Metric::Models& models) {
  const double best = w.optimum().value;
  return over_models(models, w.problem().time_of_objective(), [&](const auto& theta) {
    return models::relative_excess(w.problem().objective(theta), best);
  });
}
double cost_of_privacy(const World& w, const Metric::Models& models) {
  const double best = w.optimum().value;
  return over_models(models, w.problem().time_of_objective(),
                     [&](const auto& theta) { return w.problem().objective(theta) - best; });
}
double distance(const World& w, const Metric::Models& models) {
  const Eigen::VectorXd& best = w.optimum().theta;
  return over_models(models, static_cast<double>(models.rows()),
                     [&](const auto& theta) { return (theta - best).squaredNorm(); });
}
double test_error(const World& w, const Metric::Models& models) {
  return over_models(models, w.problem().time_of_test(),
                     [&](const auto& theta) { return w.problem().test_error(theta); });
}
void test_error_by_owner(const World& w, Out out) {
  for (std::size_t owner = 0; owner < out.size(); ++owner)
    out[owner] = w.problem().test_error(owner, model_of(w, owner));
}
// For whom the models in use are good, be they one or many.
void test_error_on_owner(const World& w, Out out) {
  for (std::size_t owner = 0; owner < out.size(); ++owner)
    out[owner] = over_models(MeasuredModels(w).columns(), 0,
                             [&](const auto& theta) { return w.problem().test_error(owner, theta); });
}
// Mean of f(test error of an owner's own model) over those owners that have test records.
template <class F = std::identity>
double mean_own_test(const World& w, F&& f = {}) {
  double sum = 0;
  std::size_t tested = 0;
  for (std::size_t owner = 0; owner < w.problem().owners(); ++owner) {
    if (w.problem().data().test[owner].target.size() == 0) continue;
    sum += f(w.problem().test_error(owner, model_of(w, owner)));
    ++tested;
  }
  return sum / static_cast<double>(tested);
}
double train_loss(const World& w, const Metric::Models& models) {
  return over_models(models, w.problem().time_of_objective(), [&](const auto& theta) {
    return w.problem().objective(theta) - w.problem().regulariser(theta);
  });
}
double test_loss(const World& w, const Metric::Models& models) {
  return over_models(models, w.problem().time_of_test(),
                     [&](const auto& theta) { return w.problem().test_loss(theta); });
}
double own_test_error(const World& w) {
  return mean_own_test(w);
}
double own_test_rmse(const World& w) {
  return mean_own_test(w, [](double error) { return std::sqrt(error); });
}
double accuracy(const World& w, const Metric::Models& models) {
  return 1 - test_error(w, models);
}
void accuracy_by_owner(const World& w, Out out) {
  test_error_by_owner(w, out);
  for (double& value : out) value = 1 - value;
}
void accuracy_on_owner(const World& w, Out out) {
  test_error_on_owner(w, out);
  for (double& value : out) value = 1 - value;
}
double own_test_accuracy(const World& w) {
  return 1 - own_test_error(w);
}
double consensus_distance(const World&, const Metric::Models& models) {
  const Eigen::VectorXd mean = models.rowwise().mean();
  return (models.colwise() - mean).colwise().squaredNorm().mean();
}
constexpr Metric of_models(std::string_view name, std::string_view help,
                           double (*f)(const World&, const Metric::Models&)) {
  Metric m{name, help};
  m.of_models = f;
  return m;
}
constexpr Metric per_agent(Metric m) {
  m.per_agent = true;
  return m;
}
constexpr Metric tested(Metric m) {
  m.needs_test = true;
  return m;
}
constexpr Metric of_views(Metric m) {
  m.per_agent = m.needs_adversaries = true;
  return m;
}
constexpr Metric from_optimum(Metric m) {
  m.needs_optimum = true;
  return m;
}
constexpr Metric of_classes(Metric m) {
  m.needs_test = m.needs_classes = true;
  m.better = Better::kHigher;
  return m;
}
constexpr Metric neutral(Metric m) {
  m.better = Better::kNone;
  return m;
}
double unit_scale(const World&) {
  return 1;
}
constexpr Metric diverges(Metric m, double (*scale)(const World&) = unit_scale) {
  m.scale = scale;
  return m;
}
double optimal_value(const World& w) {
  return w.optimum().value;
}
double optimal_norm(const World& w) {
  return w.optimum().theta.squaredNorm();
}

// Of models and records: exact.
constexpr Metric kOfModels[] = {
    diverges(of_models("objective", "Objective f of the model.", objective)),
    diverges(
        from_optimum(of_models("relative_fitness",
                               "psi = f/f* - 1: relative excess of the objective over its optimum; infinite "
                               "where f* is 0 and f is not.",
                               relative_fitness))),
    diverges(from_optimum(of_models("cost_of_privacy", "f - f*: excess of the objective over its optimum.",
                                    cost_of_privacy)),
             optimal_value),
    diverges(from_optimum(of_models(
                 "distance", "Squared distance of the model from the optimum, norm_2(theta - theta*)^2.",
                 distance)),
             optimal_norm),
    diverges(of_models("train_loss",
                       "Mean loss over the training records of all owners, without the regulariser.",
                       train_loss)),
    diverges(tested(of_models("test_loss", "Mean loss over the test records of all owners.", test_loss))),
    diverges(tested(of_models(
        "test_error", "Mean squared error, or fraction misclassified, on the test records of all owners.",
        test_error))),
    diverges(per_agent(tested(
        {"test_error_by_owner",
         "test_error on each owner's own test records, of the model that it uses: the learner's, or its own.",
         test_error_by_owner}))),
    diverges(per_agent(tested({"test_error_on_owner",
                               "test_error on each owner's test records, mean over the models of all agents.",
                               test_error_on_owner}))),
    diverges(tested({"own_test_error", "Mean of test_error_by_owner over the owners that have test records.",
                     one<own_test_error>})),
    diverges(
        tested({"own_test_rmse",
                "Mean of sqrt(test_error_by_owner) over the owners that have test records; for squared loss.",
                one<own_test_rmse>})),
    of_classes(of_models(
        "accuracy", "Fraction of the test records of all owners that are classified correctly.", accuracy)),
    of_classes(per_agent(
        {"accuracy_by_owner",
         "accuracy on each owner's own test records, of the model that it uses: the learner's, or its own.",
         accuracy_by_owner})),
    of_classes(per_agent({"accuracy_on_owner",
                          "accuracy on each owner's test records, mean over the models of all agents.",
                          accuracy_on_owner})),
    of_classes({"own_test_accuracy", "Mean of accuracy_by_owner over the owners that have test records.",
                one<own_test_accuracy>}),
    of_models(
        "consensus_distance",
        "Mean squared distance of the agents' models from their mean; 0 where only a learner has a model.",
        consensus_distance),
    neutral({"clipped_share",
             "Fraction of projected coordinates that lay outside the box, since the start of the run.",
             one<[](const World& w) {
               return ratio(static_cast<double>(w.tally.clipped), w.tally.projections);
             }>}),
    neutral({"clipped_records",
             "Mean fraction of records whose gradient was clipped, since the start of the run.",
             one<[](const World& w) { return ratio(w.tally.clipped_records, w.tally.gradients); }>}),
};

// Of the run: traffic, times, budgets. They depend on nothing private.
constexpr Metric kOfRun[] = {
    {"messages", "Number of messages sent, including lost ones.",
     one<[](const World& w) { return w.engine.traffic().messages; }>},
    {"messages_lost",
     "Number of messages lost on the link, sent to a receiver that is down, or discarded as stale.",
     one<[](const World& w) {
       return std::accumulate(std::begin(w.engine.traffic().lost), std::end(w.engine.traffic().lost),
                              std::uint64_t{0});
     }>},
    {"vectors", "Number of vectors of p numbers sent on links, including lost ones.",
     one<[](const World& w) { return w.engine.traffic().vectors; }>},
    {"bytes", "Bytes sent on links, including headers.",
     one<[](const World& w) { return w.engine.traffic().bytes; }>, "B"},
    {"staleness", "Mean number of updates made between a query and the update that answers it.",
     one<[](const World& w) { return ratio(w.tally.staleness_steps, w.tally.updates); }>},
    {"staleness_time", "Mean age of the values that an update used, in s.",
     one<[](const World& w) { return ratio(w.tally.staleness_time, w.tally.updates); }>, "s"},
    {"epsilon_spent", "Largest epsilon spent by any owner, composed by the accountant.", largest<kEpsilon>},
    per_agent({"epsilon_spent_by_owner", "Epsilon spent by each owner, composed by the accountant.",
               by_owner<kEpsilon>}),
    neutral(per_agent({"epsilon_budget_by_owner", "Total epsilon budget of each owner; 0 without privacy.",
                       by_owner<kBudget>})),
    neutral(per_agent(
        {"epsilon_step_by_owner",
         "Epsilon of each owner's next release alone: of a sampled batch with its amplification, of a "
         "multi-task turn without; 0 without privacy.",
         by_owner<kStep>})),
    {"delta_spent", "Largest delta of any owner's spent budget.", largest<kDelta>},
    per_agent({"delta_spent_by_owner", "Delta of each owner's spent budget.", by_owner<kDelta>}),
    neutral(
        {"budget_used",
         "Share of the releases that an owner's budget is planned for which it has made, median over owners; 0 without "
         "privacy.",
         one<[](const World& w) { return w.ledger.median_used(); }>}),
    neutral(per_agent({"releases_by_owner", "Number of releases made by each owner.", by_owner<kReleases>})),
    of_views(
        {"epsilon_seen",
         "Epsilon of each owner towards the adversary that has seen most of it; NaN for an owner that is part of "
         "all of them.",
         epsilon_seen}),
    neutral(
        of_views({"first_seen", "When an adversary first saw anything of an owner's data, in s; NaN before.",
                  first_seen, "s"})),
    neutral({"time", "Simulated time, in s.", one<[](const World& w) { return w.engine.now(); }>, "s"}),
    {.name = "fraction_up",
     .help = "Fraction of agents that are up.",
     .of_world = one<[](const World& w) {
       return ratio(static_cast<double>(w.engine.up_count()), w.engine.agents());
     }>,
     .better = Better::kHigher},
};

// The metrics above and those that protocols declare.
std::vector<Metric> gather() {
  std::vector<Metric> all(std::begin(kOfModels), std::end(kOfModels));
  for (Metric m : kOfRun) {
    m.exact = false;
    all.push_back(m);
  }
  for (const models::ProtocolRow& row : models::protocols()) {
    for (const models::ProtocolMetric& m : row.metrics) {
      const auto same = std::ranges::find(all, m.name, &Metric::name);
      if (same == all.end()) {
        all.push_back(
            {.name = m.name,
             .help = m.help,
             .unit = m.unit,
             .per_agent = m.per_agent,
             .needs_test = m.needs_test,
             .exact = m.exact,
             .better = m.lower_is_better || m.diverges || m.needs_test ? Better::kLower : Better::kNone,
             .scale = m.diverges ? unit_scale : nullptr});
      } else {
        const bool one = !same->is_general() && same->per_agent == m.per_agent &&
                         same->needs_test == m.needs_test && same->exact == m.exact &&
                         (same->scale != nullptr) == m.diverges;
        if (!one) throw sim::InvariantError(fmt::format("two metrics of the name {} differ", m.name));
      }
    }
  }
  return all;
}

// Metrics stay where they are: whoever records one points to it.
constexpr std::size_t kMost = 4096;

std::vector<Metric>& table() {
  static std::vector<Metric> all = [] {
    std::vector<Metric> gathered = gather();
    gathered.reserve(kMost);
    return gathered;
  }();
  return all;
}

}  // namespace

std::span<const Metric> metrics() {
  return table();
}

void declare(std::span<const models::ProtocolMetric> metrics) {
  static std::deque<std::string> texts;
  const auto better_of = [](const models::ProtocolMetric& m) {
    return m.higher_is_better ? Better::kHigher : m.lower_is_better ? Better::kLower : Better::kNone;
  };
  for (const models::ProtocolMetric& m : metrics) {
    const auto same = std::ranges::find(table(), m.name, &Metric::name);
    if (same != table().end()) {
      if (same->is_general() || same->per_agent != m.per_agent || same->scale != nullptr) {
        throw std::invalid_argument(
            fmt::format("metric {}: another metric has this name: choose another name", m.name));
      }
      if (better_of(m) != Better::kNone) same->better = better_of(m);  // as code in a notebook changes
      continue;
    }
    sim::check(table().size() < kMost, "too many metrics");
    const auto kept = [](std::string_view text) -> std::string_view { return texts.emplace_back(text); };
    table().push_back({.name = kept(m.name),
                       .help = kept(m.help),
                       .unit = kept(m.unit),
                       .per_agent = m.per_agent,
                       .exact = m.exact,
                       .better = better_of(m)});
  }
}

}  // namespace hearsay::analysis
