// The synchronous central learner on a worked example, by both of its algorithms: the noise is prescribed,
// links take no time; the protocol is the one that scenarios run.
#include <fmt/format.h>

#include "models/protocols/central/central_sync.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {

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
  test::run<models::CentralSync>(free, params, free.engine(), {.noise = &noise}, [&](const models::World& w) {
    last = w.iterations;
    if (last < 2) return;
    comparison.vector(fmt::format("sync.theta_alg1[{}]", last), w.models.col(0),
                      section["theta_alg1"][last - 2]);
  });
  comparison.number("sync: rounds of strongly_convex", static_cast<double>(last),
                    static_cast<double>(horizon));

  model.theta_max = section["theta_max"].get<double>();
  params.c1 = models::GivenStep{section["c1"]};
  params.algorithm = models::SyncAlgorithm::kAveraged;
  const test::StudyFixture boxed(data_set(section), model, {}, horizon);
  test::run<models::CentralSync>(boxed, params, boxed.engine(), {.noise = &noise},
                                 [&](const models::World& w, const models::CentralSync& protocol) {
                                   last = w.iterations;
                                   if (last < 2) return;
                                   comparison.vector(fmt::format("sync.theta[{}]", last), protocol.theta(),
                                                     section["theta"][last - 2]);
                                   comparison.vector(fmt::format("sync.thetabar[{}]", last), w.models.col(0),
                                                     section["thetabar"][last - 2]);
                                 });
  comparison.number("sync: rounds of averaged", static_cast<double>(last), static_cast<double>(horizon));
}

}  // namespace hearsay::vectors
