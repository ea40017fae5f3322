// Asynchronous multi-task learning on a worked example: fixed latencies towards the server, no noise; the protocol is
// the one that scenarios run.
#include <fmt/format.h>

#include "models/learning/solvers/singular_shrinkage.hpp"
#include "models/protocols/multitask/async_mtl.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {
namespace {

Eigen::MatrixXd to_matrix(const nlohmann::json& rows) {
  Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows[0].size()));
  for (std::size_t j = 0; j < rows.size(); ++j) m.row(static_cast<Eigen::Index>(j)) = to_vector(rows[j]);
  return m;
}

void compare_matrix(Comparison& comparison, const std::string& what, const Eigen::MatrixXd& got,
                    const nlohmann::json& expected) {
  for (std::size_t j = 0; j < expected.size(); ++j)
    comparison.vector(fmt::format("{}[{}]", what, j), got.row(static_cast<Eigen::Index>(j)), expected[j]);
}

void compare_form(const nlohmann::json& section, models::ColumnUpdate form, const std::string& name,
                  const nlohmann::json& expected, Comparison& comparison) {
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  model.l2 = 1;  // of no concern to the protocol
  const test::StudyFixture fixture(data_set(section), model, {}, section["order"].size());
  models::AsyncMtl::Params params;
  params.alpha_1 = section["a1"];
  params.alpha_2 = section["a2"];
  params.tau = section["lam"];
  params.threshold = section["prox_threshold"].get<double>();
  params.start = models::TaskStart::kZero;
  params.column_update = form;

  // The latency of a task is constant, one for each: the ticks of a trace stand for arrivals, links take no time.
  // A turn begun at a tick is at the server at once, and uses the p_t that came back at the tick before.
  sim::ClockTrace clock;
  for (const auto& arrival : section["order"]) {
    clock.times.push_back(arrival[0]);
    clock.agents.push_back(arrival[1].get<sim::AgentId>() + 1);
  }
  params.activation = models::Activation::kPoisson;
  const auto done = test::run<models::AsyncMtl>(fixture, params, fixture.engine({}, clock));
  comparison.number("mtl." + name + ": updates", static_cast<double>(done.world->iterations),
                    static_cast<double>(section["order"].size()));
  compare_matrix(comparison, "mtl." + name + ".P", done.protocol->p(), expected["P"]);
  compare_matrix(comparison, "mtl." + name + ".Q", done.protocol->q(), expected["Q"]);
}

}  // namespace

void compare_mtl(const nlohmann::json& section, Comparison& comparison) {
  compare_form(section, models::ColumnUpdate::kAll, "all", section, comparison);
  compare_form(section, models::ColumnUpdate::kArrived, "arrived", section["variants"]["arrived"],
               comparison);
  compare_form(section, models::ColumnUpdate::kBlock, "block", section["variants"]["block"], comparison);

  const auto& prox = section["prox"];
  const Eigen::MatrixXd m = to_matrix(prox["M"]);
  models::SingularShrinkage shrinkage(m.rows(), m.cols());
  shrinkage.decompose(m, prox["threshold"]);
  Eigen::MatrixXd out(m.rows(), m.cols());
  shrinkage.matrix(out);
  compare_matrix(comparison, "mtl.prox.out", out, prox["out"]);
  comparison.number("mtl.prox.rank", static_cast<double>(shrinkage.rank()), prox["rank"]);
}

}  // namespace hearsay::vectors
