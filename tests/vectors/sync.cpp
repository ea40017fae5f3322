// The synchronous central learner on a worked example, by both of its algorithms: the noise is prescribed,
// links take no time; the protocol is the one that scenarios run.
#include <fmt/format.h>

#include "models/protocols/central/central_sync.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {

namespace {

// Runs the protocol; f(k, protocol, world) at every iteration k from 2.
template <class F>
void run(const test::StudyFixture& fixture, const models::CentralSync::Params& params,
         const std::vector<Eigen::VectorXd>& noise, F&& f) {
  const auto world = fixture.world(fixture.engine());
  world->prescribed_noise = &noise;
  models::CentralSync protocol(params, fixture.study());
  test::Watch watch([&](const models::World& w) {
    if (w.iterations > 1) f(w.iterations, protocol, w);
  });
  models::Driver<models::CentralSync>(protocol, *world, watch).run();
}

}  // namespace

void compare_sync(const nlohmann::json& section, Comparison& comparison) {
  const std::uint64_t horizon = section["T"];
  std::vector<Eigen::VectorXd> noise;
  for (const auto& round : section["w"]) {
    for (const auto& w : round) noise.push_back(to_vector(w));
  }
  models::ModelOptions model;
  model.l2 = section.value("reg", 0.0);

  std::uint64_t last = 0;
  models::CentralSync::Params params;
  params.rho = models::GivenStep{section["rho_alg1"]};
  params.algorithm = models::SyncAlgorithm::kStronglyConvex;
  const test::StudyFixture free(data_set(section), model, {}, horizon);
  run(free, params, noise, [&](std::uint64_t k, const models::CentralSync&, const models::World& w) {
    comparison.vector(fmt::format("sync.theta_alg1[{}]", k), w.models.col(0), section["theta_alg1"][k - 2]);
    last = k;
  });
  comparison.number("sync: rounds of strongly_convex", static_cast<double>(last),
                    static_cast<double>(horizon));

  model.theta_max = section["theta_max"].get<double>();
  params.c1 = models::GivenStep{section["c1"]};
  params.algorithm = models::SyncAlgorithm::kAveraged;
  const test::StudyFixture boxed(data_set(section), model, {}, horizon);
  run(boxed, params, noise,
      [&](std::uint64_t k, const models::CentralSync& protocol, const models::World& w) {
        comparison.vector(fmt::format("sync.theta[{}]", k), protocol.theta(), section["theta"][k - 2]);
        comparison.vector(fmt::format("sync.thetabar[{}]", k), w.models.col(0), section["thetabar"][k - 2]);
        last = k;
      });
  comparison.number("sync: rounds of averaged", static_cast<double>(last), static_cast<double>(horizon));
}

}  // namespace hearsay::vectors
