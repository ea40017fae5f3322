#pragma once
// Runs of the protocols with a central learner that hold one number.
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

namespace hearsay::test {

/// A run with what the learner held at the start and after every iteration, and when.
template <class P>
struct CentralRun {
  std::unique_ptr<models::World> world;
  P protocol;
  std::vector<std::uint64_t> iteration{};
  std::vector<double> learner{}, time{};
  std::vector<double> theta{};  ///< of central_sync
  sim::End end{};

  CentralRun(const StudyFixture& fixture, const typename P::Params& params,
             const sim::Engine::Options& options, const std::vector<Eigen::VectorXd>* noise = nullptr)
      : world(fixture.world(options)), protocol(params, fixture.study()) {
    world->prescribed_noise = noise;
    Watch watch([&](const models::World& w) {
      iteration.push_back(w.iterations);
      learner.push_back(w.models(0, 0));
      time.push_back(w.engine.now());
      if constexpr (requires { protocol.theta(); }) theta.push_back(protocol.theta()[0]);
    });
    end = models::Driver<P>(protocol, *world, watch).run();
  }
};

inline void check_all(const std::vector<double>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == Approx(expected[i]).epsilon(1e-14).margin(1e-15));
}

}  // namespace hearsay::test
