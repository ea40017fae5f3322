// Peer-to-peer personalised learning on worked examples: schedules become clock traces, noise is prescribed, links
// take no time; the protocols are those that scenarios run.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "models/protocols/peer_to_peer/p2p_admm.hpp"
#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {

namespace {

using CD = models::P2pCoordinateDescent;

models::DataSet with_graph(const nlohmann::json& section) {
  models::DataSet data = data_set(section);
  sim::WeightedEdges graph;
  const auto& w = section["W"];
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = i + 1; j < w.size(); ++j) {
      if (w[i][j].get<double>() == 0) continue;
      graph.edges.push_back({static_cast<sim::AgentId>(i), static_cast<sim::AgentId>(j)});
      graph.weights.push_back(w[i][j]);
    }
  }
  data.similarity = std::move(graph);
  return data;
}

void compare_models(const std::string& what, const Eigen::MatrixXd& models, const nlohmann::json& expected,
                    Comparison& comparison, double tolerance = 1e-9) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    comparison.vector(fmt::format("{}[{}]", what, i), models.col(static_cast<Eigen::Index>(i)), expected[i],
                      tolerance);
  }
}

std::vector<Eigen::VectorXd> to_vectors(const nlohmann::json& rows) {
  std::vector<Eigen::VectorXd> vectors;
  for (const auto& row : rows) vectors.push_back(to_vector(row));
  return vectors;
}

CD::Params params_of(const nlohmann::json& section) {
  CD::Params params;
  params.mu = section["mu"];
  return params;
}

}  // namespace

void compare_p2p(const nlohmann::json& section, Comparison& comparison) {
  const auto ticks = section["schedule"].get<std::vector<sim::AgentId>>();
  const test::PersonalFixture fixture(with_graph(section), models::LogisticLoss{}, {}, ticks.size(),
                                      {"objective_q"});
  CD::Params params = params_of(section);
  params.initial = models::LocalModels{};
  const auto options = fixture.engine({}, test::ticks_of(ticks));
  const auto run = test::run<CD>(fixture, params, options, [&](const models::World& w, const CD& protocol) {
    double q = 0;
    protocol.measure(0, w, {&q, 1});
    comparison.number(fmt::format("p2p.Q[{}]", w.iterations), q, section["Q"][w.iterations]);
  });
  const models::PersonalProblem& problem = run.protocol->personal();
  for (sim::AgentId i = 0; i < problem.agents(); ++i) {
    comparison.number(fmt::format("p2p.Lloc[{}]", i), problem.agent(i).lipschitz, section["Lloc"][i]);
    comparison.number(fmt::format("p2p.alpha[{}]", i), problem.agent(i).step, section["alpha"][i]);
  }
  compare_models("p2p.local", problem.local_minimisers(), section["local"], comparison, 1e-6);
  compare_models("p2p.theta_cd", run.world->models, section["theta_cd"], comparison);
  comparison.number("p2p.vectors_on_edges", static_cast<double>(run.world->engine.traffic().vectors),
                    section["vectors_on_edges"]);
  compare_models("p2p.minimiser_of_Q", problem.optimum().models, section["minimiser_of_Q"], comparison, 1e-6);
  comparison.number("p2p.Q_min", problem.optimum().value, section["Q_min"], 1e-6);
  compare_models("p2p.model_propagation", models::propagate(problem, problem.local_minimisers()),
                 section["model_propagation"], comparison);

  const std::vector<Eigen::VectorXd> noise = to_vectors(section["eta"]);
  const auto noisy = test::run<CD>(fixture, params_of(section), options, {.noise = &noise});
  compare_models("p2p.theta_private", noisy.world->models, section["theta_private"], comparison);
}

void compare_warm_start(const nlohmann::json& section, Comparison& comparison) {
  const test::PersonalFixture fixture(with_graph(section.at("p2p")), models::LogisticLoss{}, {}, 1);
  CD::Params params = params_of(section.at("p2p"));
  params.initial = models::PrivateWarmStart{};
  const std::vector<Eigen::VectorXd> noise = to_vectors(section["w"]);
  const auto check = [&](const models::World& w) {
    if (w.iterations == 0) compare_models("warm_start.theta0", w.models, section["theta0"], comparison);
  };
  sim::ClockTrace never;
  test::run<CD>(fixture, params, fixture.engine({}, never), {.noise = &noise}, check);
  // So strong a pull that propagation leaves the local models where they are.
  params.mu = 1e14;
  test::run<CD>(fixture, params, fixture.engine({}, never), {.noise = &noise}, [&](const models::World& w) {
    if (w.iterations == 0) compare_models("warm_start.theta_loc", w.models, section["theta_loc"], comparison);
  });
}

void compare_admm(const nlohmann::json& section, Comparison& comparison) {
  using models::P2pAdmm;
  const auto& base = section.at("p2p");
  constexpr auto kNoLimit =
      std::numeric_limits<std::uint64_t>::max();  // the last exchange is to be completed
  const test::PersonalFixture fixture(with_graph(base), models::LogisticLoss{}, {}, kNoLimit,
                                      {"objective_q"});
  P2pAdmm::Params params;
  params.mu = base["mu"];
  params.initial = models::LocalModels{};
  params.rho = section["rho"];
  params.local_steps = section["inner"];
  std::vector<sim::AgentId> ticks;
  for (const auto& pair : section["schedule"]) ticks.push_back(pair[0]);
  auto options = fixture.engine({}, test::ticks_of(ticks), 4);
  options.observe_every = 0.5;  // between ticks every exchange is complete
  const auto world = fixture.world(options);
  P2pAdmm protocol(params, fixture.study());
  std::vector<sim::AgentId> partners;
  for (const auto& pair : section["schedule"]) partners.push_back(pair[1]);
  protocol.prescribed_partners = &partners;
  const auto check = [&](const models::World& w) {
    if (w.engine.now() != std::floor(w.engine.now()) + 0.5) return;
    const auto exchange = static_cast<std::size_t>(w.engine.now());
    double q = 0;
    protocol.measure(0, w, {&q, 1});
    comparison.number(fmt::format("admm.Q[{}]", exchange), q, section["Q"][exchange]);
  };
  test::Watch watch(check, 0);
  watch.every_time = 0.5;
  models::Driver<P2pAdmm>(protocol, *world, watch).run();
  compare_models("admm.theta", world->models, section["theta"], comparison);
  comparison.number("admm.vectors_on_edges", static_cast<double>(world->engine.traffic().vectors),
                    section["vectors_on_edges"]);
}

void compare_budget(const nlohmann::json& section, Comparison& comparison) {
  for (const auto& row : section["rows"]) {
    const models::AccountantOptions accountant{models::Accountant::kKairouz, row["delta"]};
    const auto privacy =
        models::plan_releases(models::Laplace{}, 1, accountant, row["eps_total"], {.releases = row["T_i"]});
    comparison.number(fmt::format("budget.eps_t at {} over {}", row["eps_total"].get<double>(),
                                  row["T_i"].get<std::uint64_t>()),
                      privacy->step(0).epsilon, row["eps_t"]);
  }
  const auto& prop2 = section["prop2"];
  const auto times = prop2["times"].get<std::vector<double>>();
  const models::Timetable timetable{.releases = times.size(), .contraction = prop2["C"], .ticks = times};
  const auto privacy = models::plan_releases(models::Laplace{}, 1, {}, prop2["eps_total"], timetable,
                                             models::Schedule::kProposition2);
  for (std::size_t k = 0; k < times.size(); ++k) {
    comparison.number(fmt::format("budget.prop2.eps_t[{}]", k), privacy->step(k).epsilon, prop2["eps_t"][k]);
  }
}

}  // namespace hearsay::vectors
