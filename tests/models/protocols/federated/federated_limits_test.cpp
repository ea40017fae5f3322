// Where rounds of local training end on quadratics: FedAvg and FedProx not at theta*, SCAFFOLD there.
#include <catch2/catch.hpp>

#include "models/protocols/federated/fedavg.hpp"
#include "models/protocols/federated/fedprox.hpp"
#include "models/protocols/federated/scaffold.hpp"
#include "sim/check.hpp"
#include "tests/models/protocols/federated/federated_run.hpp"

using namespace hearsay;
using models::FedAvg;
using models::FedProx;
using models::Scaffold;
using namespace hearsay::test;

namespace {

constexpr double kLimitSigma = 0.25, kLimitEta = 0.1;
constexpr std::uint64_t kLimitRounds = 1500;  // the slowest mode contracts by less than 0.98 in a round

sim::Engine::Options two_vectors(const test::StudyFixture& fixture, sim::NetworkOptions network = {}) {
  return fixture.engine(std::move(network), {}, 2);
}

/// The model after kLimitRounds rounds.
template <class P>
Eigen::Vector2d limit_of(const typename P::Params& params) {
  const test::StudyFixture fixture(test::three_quadratics(), test::ridge(kLimitSigma), {}, kLimitRounds);
  return CentralRun<P>(fixture, params, two_vectors(fixture)).world->models.col(0);
}

/// The fixed point of x <- x - sum p_i M_i (x - theta_i*), M_i = (I - (I - eta A)^K) A^-1 H_i, A = H_i + mu I.
Eigen::Vector2d fixed_point(std::uint32_t k, double mu, bool equal = false) {
  const models::DataSet data = test::three_quadratics();
  Eigen::Matrix2d all = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [h, b] = test::quadratic_of(data, i, kLimitSigma);
    const Eigen::Matrix2d a = h + mu * Eigen::Matrix2d::Identity(), one = Eigen::Matrix2d::Identity();
    const Eigen::Matrix2d m = (one - test::power(one - kLimitEta * a, k)) * a.inverse() * h;
    const double p = equal ? 1.0 / 3 : static_cast<double>(data.train[i].target.size()) / 9;
    all += p * m;
    right += p * m * h.inverse() * b;
  }
  return all.inverse() * right;
}

Eigen::Vector2d pooled_minimiser() {
  return fixed_point(1, 0);
}

}  // namespace

TEST_CASE("fedavg: the limit on quadratics is that of the theorem, and not theta* but for K = 1") {
  const test::StudyFixture fixture(test::three_quadratics(), test::ridge(kLimitSigma), {}, 1);
  REQUIRE((pooled_minimiser() - fixture.optimum().theta).norm() < 1e-12);
  CHECK((limit_of<FedAvg>(jumping<FedAvg::Params>(1, kLimitEta)) - pooled_minimiser()).norm() < 1e-11);
  for (const std::uint32_t k : {2u, 10u}) {
    const Eigen::Vector2d x = limit_of<FedAvg>(jumping<FedAvg::Params>(k, kLimitEta));
    CHECK((x - fixed_point(k, 0)).norm() < 1e-11);
    CHECK((x - pooled_minimiser()).norm() > 1e-3);
  }
  // Neither the server's step nor its momentum moves it; the weights do.
  auto params = jumping<FedAvg::Params>(10, kLimitEta);
  params.server.server_step = 0.5;
  params.server.server_optimiser = models::MomentumOptimiser{0.5};
  CHECK((limit_of<FedAvg>(params) - fixed_point(10, 0)).norm() < 1e-11);
  params.weights = models::ClientWeights::kEqual;
  const Eigen::Vector2d equal = limit_of<FedAvg>(params);
  CHECK((equal - fixed_point(10, 0, true)).norm() < 1e-11);
  CHECK((equal - fixed_point(10, 0)).norm() > 1e-3);
}

TEST_CASE("fedprox: the limit on quadratics is that of the theorem, nearer to theta* than FedAvg's") {
  const auto with = [](double mu) {
    auto params = jumping<FedProx::Params>(10, kLimitEta);
    params.mu = mu;
    return params;
  };
  for (const double mu : {0.5, 2.0})
    CHECK((limit_of<FedProx>(with(mu)) - fixed_point(10, mu)).norm() < 1e-11);
  const Eigen::Vector2d fedavg = limit_of<FedProx>(with(0));
  CHECK((fedavg - fixed_point(10, 0)).norm() < 1e-11);
  CHECK((limit_of<FedProx>(with(2)) - pooled_minimiser()).norm() < (fedavg - pooled_minimiser()).norm());
}

TEST_CASE("scaffold: the limit on quadratics is theta* for every K, with both options") {
  for (const auto option : {models::ControlVariate::kGradient, models::ControlVariate::kMean}) {
    for (const std::uint32_t k : {1u, 2u, 10u}) {
      auto params = jumping<Scaffold::Params>(k, kLimitEta);
      params.option = option;
      CHECK((limit_of<Scaffold>(params) - pooled_minimiser()).norm() < 1e-10);
    }
  }
  // So it is with one owner a round, and where answers are late: of two asked, the first counts.
  auto params = jumping<Scaffold::Params>(5, 0.05);
  params.cohort = models::CohortNumber{1};
  params.server.server_step = 0.5;
  params.over_selection = 2;
  const test::StudyFixture fixture(test::three_quadratics(), test::ridge(kLimitSigma), {}, 6000);
  sim::NetworkOptions network = test::computing({0.5, 0.7, 0.75});
  network.links.latency = sim::Distribution(sim::Uniform{0, 1});
  const CentralRun<Scaffold> run(fixture, params, two_vectors(fixture, network));
  CHECK(test::lost(*run.world, sim::LossReason::kStale) > 1000);
  CHECK((run.world->models.col(0) - pooled_minimiser()).norm() < 1e-6);
}

TEST_CASE("scaffold: a round by hand, with each option") {
  // y = 1 and 3, gradient 2 (x - y), eta = 1/8, K = 2, equal records. Round 1 from x = 0, c = c_i = 0:
  //   owner 1: 0 -> 1/4 -> 7/16, owner 2: 3 times that. x = mean = 7/8.
  //   I: c_1 = -2, c_2 = -6, c = -4.   II: c_1 = (0 - 7/16)/(1/4) = -7/4, c_2 = -21/4, c = -7/2.
  // Round 2 from 7/8. I: owner 1 has c - c_1 = -2: d = 2 (x - 2), as has owner 2: x = 2 - (9/8)(9/16) = 175/128.
  //   II: owner 1 has -7/4: d = 2 (x - 1) - 7/4 = 2 (x - 15/8); owner 2 d = 2 (x - 3) + 7/4 = 2 (x - 17/8):
  //   distances -1 and -5/4 shrink by 9/16: 15/8 - 9/16 and 17/8 - 45/64, mean 2 - 81/128 = 175/128.
  for (const auto option : {models::ControlVariate::kGradient, models::ControlVariate::kMean}) {
    const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 2);
    auto params = jumping<Scaffold::Params>(2, 0.125);
    params.option = option;
    const CentralRun<Scaffold> run(fixture, params, two_vectors(fixture));
    test::check_all(run.learner, {0, 0.875, 175.0 / 128});
    // Messages of two numbers, p = 1.
    CHECK(run.world->engine.traffic().messages == 8);
    CHECK(run.world->engine.traffic().vectors == 16);
    const test::StudyFixture one(test::one_record_each({1, 3}), test::ridge(0), {}, 1);
    const CentralRun<Scaffold> first(one, params, two_vectors(one));
    const bool gradient = option == models::ControlVariate::kGradient;
    CHECK(first.protocol.server_variate()[0] == (gradient ? -4 : -3.5));
    CHECK(first.protocol.variates()(0, 1) == (gradient ? -6 : -5.25));
  }
}

TEST_CASE(
    "scaffold: the server's variate is the mean of those that it has received, whatever was late or lost") {
  // Owner 2 answers after the timeout, always: its variate changes, the server's share of it does not.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 3);
  auto params = jumping<Scaffold::Params>(1, 0.125);
  params.option = models::ControlVariate::kGradient;
  params.round_timeout = 1;
  const CentralRun<Scaffold> late(fixture, params, two_vectors(fixture, test::computing({0.5, 1.5})));
  // Owner 1 alone: round 1: x = 0 -> 1/4, c_1 = -2, c = -1. Round 2: d = 2 (1/4 - 1) - 1 + 2 = -1/2: x = 5/16,
  // c_1 = -3/2, c = -3/4.  Round 3: d = 2 (5/16 - 1) - 3/4 + 3/2 = -5/8: x = 25/64.
  test::check_all(late.learner, {0, 0.25, 0.3125, 0.390625});
  CHECK(late.protocol.variates()(0, 1) != 0);
  CHECK(late.protocol.server_variate()[0] == late.protocol.variates()(0, 0) / 2);
}

TEST_CASE("scaffold: where a step is no mean of gradients, option II is refused") {
  const test::StudyFixture boxed(test::one_record_each({1, 3}), test::ridge(0, 2), {}, 2);
  const test::StudyFixture free(test::one_record_each({1, 3}), test::ridge(0), {}, 2);
  auto params = jumping<Scaffold::Params>(2, 0.125);
  CHECK_NOTHROW(Scaffold(params, free.study()));
  CHECK_THROWS_AS(Scaffold(params, boxed.study()), sim::OptionError);
  params.local.momentum = 0.5;
  CHECK_THROWS_AS(Scaffold(params, free.study()), sim::OptionError);
  params.option = models::ControlVariate::kGradient;
  CHECK_NOTHROW(Scaffold(params, boxed.study()));
}
