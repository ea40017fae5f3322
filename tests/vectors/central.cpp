// The asynchronous central learner on a worked example: the schedule becomes a clock trace, the noise is
// prescribed, links take no time; the protocol is the one that scenarios run.
#include <fmt/format.h>

#include "analysis/theory/central_moments.hpp"
#include "models/protocols/central/central_async.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {

void compare_central(const nlohmann::json& section, Comparison& comparison) {
  const std::uint64_t horizon = section["T"];
  models::ModelOptions model;
  model.l2 = section["reg"];
  model.theta_max = section["theta_max"].get<double>();
  const test::StudyFixture fixture(data_set(section), model, {}, horizon);

  sim::ClockTrace clock;
  for (std::size_t k = 0; k < section["schedule"].size(); ++k) {
    clock.times.push_back(static_cast<double>(k + 1));
    clock.agents.push_back(section["schedule"][k].get<sim::AgentId>() + 1);
  }
  std::vector<Eigen::VectorXd> noise;
  for (const auto& w : section["w"]) noise.push_back(to_vector(w));

  models::CentralAsync::Params params;
  params.rho = models::GivenStep{section["rho"]};
  const auto done = test::run<models::CentralAsync>(
      fixture, params, fixture.engine({}, clock), {.noise = &noise}, [&](const models::World& w) {
        if (w.iterations == 0) return;
        comparison.vector(fmt::format("central.thetaL[{}]", w.iterations - 1), w.models.col(0),
                          section["thetaL"][w.iterations - 1]);
      });
  comparison.number("central: iterations", static_cast<double>(done.world->iterations),
                    static_cast<double>(horizon));
  for (std::size_t i = 0; i < section["theta_i"].size(); ++i) {
    comparison.vector(fmt::format("central.theta_i[{}]", i), done.protocol->copy(i), section["theta_i"][i]);
  }
  comparison.number("central.f_end", fixture.problem().objective(done.world->models.col(0)),
                    section["f_end"]);

  const auto& scale = section["laplace_scale"];
  models::Budget privacy;
  privacy.bound = scale["Xi"];
  for (std::size_t i = 0; i < scale["n_i"].size(); ++i) {
    const double step = scale["eps"].get<double>() / scale["T"].get<double>();
    comparison.number(fmt::format("central.laplace_scale[{}]", i),
                      privacy.sensitivity(scale["n_i"][i].get<Eigen::Index>()) / step, scale["scale"][i]);
  }
}

void compare_psi_recursion(const nlohmann::json& section, Comparison& comparison) {
  for (std::size_t c = 0; c < section["cases"].size(); ++c) {
    const auto& given = section["cases"][c];
    const std::size_t owners = given["N"];
    const analysis::CentralSetting setting{
        .epsilon = std::vector<double>(owners, given["eps"]),
        .records = static_cast<double>(owners) * given["n_i"].get<double>(),
        .dimension = given["p"],
        .horizon = given["T"],
        .rho = given["rho"],
        .sigma = given["sigma"],
        .bound = given["Xi"],
        .hessian_min = given["h"],
        .hessian_max = given["h"],
        .f_star = given["f_star"],
        .psi_start = given["psi0"]};
    for (const auto& [k, psi] : given["psi"].items()) {
      comparison.number(fmt::format("psi_recursion[{}].psi[{}]", c, k),
                        analysis::expected_psi(setting, std::stoull(k)), psi);
    }
    comparison.number(fmt::format("psi_recursion[{}].stationary_noise", c),
                      analysis::stationary_noise(setting), given["stationary_noise"]);
  }
}

}  // namespace hearsay::vectors
