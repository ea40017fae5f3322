// DP-FedAvg and DP-FTRL: rounds worked by hand, the scale of their noise, what they charge, and how far an owner can move
// what is given out.
#include <bit>

#include "models/protocols/federated/dp_fedavg.hpp"
#include "models/protocols/federated/dp_ftrl.hpp"
#include "models/registry.hpp"
#include "tests/models/protocols/central_run.hpp"

using namespace hearsay;
using models::DpFedAvg;
using models::DpFtrl;
using models::Trust;
using namespace hearsay::test;

namespace {

// An owner with one record y, a step of 1/4 on (theta - y)^2: its update is (y - x)/2.
template <class Params>
Params quarter_steps() {
  Params params;
  params.local.step = models::ConstantStep{0.25};
  return params;
}

DpFedAvg::Params averaging(double participation) {
  auto params = quarter_steps<DpFedAvg::Params>();
  params.participation = participation;
  return params;
}

DpFtrl::Params running_sums(std::uint64_t epoch_rounds) {
  auto params = quarter_steps<DpFtrl::Params>();
  params.epoch_rounds = epoch_rounds;
  return params;
}

models::PrivacyOptions user_level(double epsilon, double clip) {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Gaussian{};
  privacy.accountant = models::Accountant::kRdp;
  privacy.adjacency = models::Adjacency::kAddRemove;
  privacy.unit = models::PrivacyUnit::kOwner;
  privacy.trust = Trust::kAggregator;
  privacy.epsilon = epsilon;
  privacy.delta = 1e-5;
  privacy.clip = clip;
  return privacy;
}

// Owners with two records of p features each, for a loss without moments.
StudyFixture long_vectors(std::size_t owners, Eigen::Index p, const models::PrivacyOptions& privacy,
                          std::uint64_t rounds) {
  models::DataSet data;
  for (Eigen::Index j = 0; j < p; ++j) data.feature_names.push_back("x");
  for (std::size_t owner = 0; owner < owners; ++owner) {
    data.train.push_back({models::Records::Ones(2, p), Eigen::Vector2d(1, -1)});
    data.test.push_back({models::Records(0, p), Eigen::VectorXd(0)});
    data.owner_names.emplace_back("owner");
  }
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  return {std::move(data), model, privacy, rounds};
}

// A run with the server's model after every round.
template <class P>
struct Path {
  std::unique_ptr<models::World> world;
  std::vector<Eigen::VectorXd> model;

  Path(const StudyFixture& fixture, const typename P::Params& params, const sim::NetworkOptions& network,
       const test::RunInputs& inputs = {}) {
    const auto look = [this](const models::World& w) { model.emplace_back(w.models.col(0)); };
    world = test::run<P>(fixture, params, fixture.engine(network), inputs, look).world;
  }
};

// All messages are lost.
sim::NetworkOptions nobody_answers() {
  return test::latency(sim::Distribution(0), 1);
}

double variance(const Eigen::VectorXd& x) {
  return x.squaredNorm() / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("dp_fedavg: rounds by hand, with everyone and no privacy") {
  // x <- x + ((1 - x)/2 + (3 - x)/2)/2
  const StudyFixture fixture(one_record_each({1, 3}), ridge(0), {}, 3);
  const CentralRun<DpFedAvg> run(fixture, averaging(1), fixture.engine());
  check_all(run.learner, {0, 1, 1.5, 1.75});
}

TEST_CASE("dp_fedavg: updates are bounded, summed with the noise and divided by q N") {
  // Updates 0.5 and 1.5 of norm at most 0.75 from 0: 0.5 + 0.75. Then from 1: 0 and 1, bounded to 0.75.
  const StudyFixture fixture(one_record_each({1, 3}), ridge(0), user_level(1, 0.75), 2);
  const std::vector<Eigen::VectorXd> noise{Eigen::VectorXd::Constant(1, 0.75),
                                           Eigen::VectorXd::Constant(1, -0.25)};
  const CentralRun<DpFedAvg> run(fixture, averaging(1), fixture.engine(), &noise);
  check_all(run.learner, {0, 1, 1.25});
  CHECK(run.world->tally.gradients == 4);
  CHECK(run.world->tally.clipped_records == 2);
}

TEST_CASE(
    "trusted aggregator: an update that is not finite ends the run, and does not take the sum with it") {
  // Each of 200 steps multiplies the first owner's distance from its record y = 1 by 1 - 2 eta 30^2/1: beyond 1e308. The
  // second has x = 0, so that its update is 0.
  models::DataSet data = one_record_each({1, 3});
  data.train[0].features *= 30;
  data.train[1].features.setZero();
  const StudyFixture fixture(std::move(data), ridge(0), user_level(1, 0.75), 1);
  auto params = averaging(1);
  params.local.step = models::ConstantStep{0.1};
  params.local.local_steps = 200;
  const CentralRun<DpFedAvg> run(fixture, params, fixture.engine());
  CHECK(run.world->overflowed == 1);
  check_all(run.learner, {0, 0});
  CHECK(run.world->tally.clipped_records == 1);
}

TEST_CASE("trusted aggregator: notes are of what is released, which steps within owners are not") {
  auto privacy = user_level(1, 1);
  privacy.adjacency = models::Adjacency::kReplaceOne;
  const StudyFixture fixture(equal_records({1, 3}, {3, 3}), ridge(0), privacy, 10);
  auto sums = running_sums(2);
  sums.local.batch = models::SubsetBatch{.size = 2};
  CHECK(sums.notes(fixture.study()).empty());
  // h_max = 2.
  auto params = averaging(0.5);
  params.local.step = models::ConstantStep{5};
  const std::vector<std::string> notes = params.notes(fixture.study());
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], Catch::Contains("protocol.step is 5, above 2/h_max = 1 "));
  CHECK_THAT(notes[1], Catch::Contains("rounds of random owners are charged as if they used everything"));
}

TEST_CASE("dp_fedavg: the noise of a published setting, when nobody answers, and epsilon of every owner") {
  // q = 0.01, 1000 rounds, z = 2: epsilon 0.686185336394316 at delta 1e-5 (dp_accounting 0.6.0, rdp).
  constexpr double kClip = 3, kOwners = 20, kRate = 0.01;
  const StudyFixture fixture = long_vectors(20, 60, user_level(0.686185336394316, kClip), 1000);
  auto params = averaging(kRate);
  params.round_timeout = 1;
  const Path<DpFedAvg> path(fixture, params, nobody_answers());
  const models::Ledger& ledger = path.world->ledger;
  CHECK(ledger.all_spent());
  for (sim::AgentId i = 1; i <= 20; ++i) {
    CHECK(ledger.account(i).releases == 1000);
    CHECK(ledger.account(i).spent().epsilon == Approx(0.686185336394316).epsilon(1e-9));
    CHECK(ledger.account(i).spent().delta == 1e-5);
  }
  CHECK_NOTHROW(ledger.verify());
  REQUIRE(path.model.size() == 1001);
  double sum = 0;
  for (std::size_t t = 0; t < 1000; ++t) sum += (path.model[t + 1] - path.model[t]).squaredNorm();
  // 60 000 independent normal numbers: relative standard deviation sqrt(2/60000) = 0.58 %; six of them.
  const double scale = 2 * kClip / (kRate * kOwners);
  CHECK(sum / 60'000 == Approx(scale * scale).epsilon(0.035));
  CHECK(path.world->tally.noise == Approx(sum).epsilon(1e-9));
}

TEST_CASE("dp_fedavg: an owner that is absent moves a round by at most S/(q N), whoever answers") {
  constexpr double kClip = 0.5, kRate = 0.5;
  const std::vector<double> targets{4, -2, 1e6, 3, 0.1, -7};
  const auto network = test::latency(sim::Distribution(sim::Uniform{0, 2}), 0.3);
  auto params = averaging(kRate);
  params.round_timeout = 1.5;
  double most = 0;
  int moved = 0;
  for (const std::size_t absent : {0U, 2U, 4U}) {
    std::vector<Eigen::Index> without(targets.size(), 1);
    without[absent] = 0;
    const StudyFixture one(one_record_each(targets), ridge(0), user_level(1, kClip), 1);
    const StudyFixture other(test::equal_records(targets, without), ridge(0), user_level(1, kClip), 1);
    for (std::uint32_t repetition = 0; repetition < 200; ++repetition) {
      const auto given_out = [&](const StudyFixture& fixture) {
        return Path<DpFedAvg>(fixture, params, network, {.repetition = repetition}).model.back()[0];
      };
      const double difference = std::abs(given_out(one) - given_out(other));
      most = std::max(most, difference);
      moved += difference > 0 ? 1 : 0;
    }
  }
  const double sensitivity = kClip / (kRate * static_cast<double>(targets.size()));
  CHECK(most <= sensitivity * (1 + 1e-9));  // rounding of the noise
  CHECK(most >= sensitivity * (1 - 1e-9));
  // An owner is asked with probability 0.5, no message is lost with 0.49, and two latencies are below 1.5 s with 0.28: 41
  // of 600, standard deviation 6.2.
  CHECK(moved > 10);
  CHECK(moved < 75);
}

TEST_CASE("dp_ftrl: rounds by hand without privacy: owners in turn, momentum, a restart") {
  const StudyFixture fixture(one_record_each({1, 3}), ridge(0), {}, 3);
  auto params = running_sums(2);
  // Updates 0.5 of owner 1 from 0, 1.25 of owner 2 from 0.5, -0.375 of owner 1 from 1.75; w = 1.
  check_all(CentralRun<DpFtrl>(fixture, params, fixture.engine()).learner, {0, 0.5, 1.75, 1.375});
  // v = 0.5; then 0.25 + (0.5 + 1.25); then 1 + (1.75 - 0.5).
  params.server_momentum = 0.5;
  check_all(CentralRun<DpFtrl>(fixture, params, fixture.engine()).learner, {0, 0.5, 2, 2.25});
  // The third round begins at 2 with v = 0.
  params.restart_epochs = 1;
  check_all(CentralRun<DpFtrl>(fixture, params, fixture.engine()).learner, {0, 0.5, 2, 1.5});
  // Epochs of 2^64 rounds are longer than any run: there is no restart.
  params = running_sums(std::uint64_t{1} << 32);
  const auto without = CentralRun<DpFtrl>(fixture, params, fixture.engine()).learner;
  params.restart_epochs = std::uint64_t{1} << 32;
  check_all(CentralRun<DpFtrl>(fixture, params, fixture.engine()).learner, without);
}

TEST_CASE("dp_ftrl: the noise of running sums is that of the tree, and one budget covers all of them") {
  constexpr Eigen::Index kFeatures = 20'000;
  constexpr double kClip = 3;
  const StudyFixture fixture = long_vectors(4, kFeatures, user_level(5, kClip), 7);
  auto params = running_sums(2);  // w = 2
  params.round_timeout = 1;
  params.estimate = models::TreeEstimate::kPlain;
  const Path<DpFtrl> path(fixture, params, nobody_answers());
  REQUIRE(path.model.size() == 8);
  const models::Account& account = path.world->ledger.account(3);
  CHECK(account.releases == 7);
  CHECK(account.spent().epsilon == Approx(5).epsilon(1e-9));
  // One tree of 7 rounds, an owner in the rounds 0, 2, 4, 6: 4 leaves, 3 pairs, twice in the node of four.
  const double z = account.schedule->step(0).noise_multiplier;
  const models::Guarantee whole = models::total_guarantee(
      models::Releases(models::gaussian_step(z / std::sqrt(11.0)), 1), {models::Accountant::kRdp, 1e-5});
  CHECK(whole.epsilon == Approx(5).epsilon(1e-9));
  // Relative standard deviation of a variance of 20 000 numbers: 1 %; six of them.
  const double node = z * kClip / 2;
  for (std::size_t t = 1; t <= 7; ++t)
    CHECK(variance(path.model[t]) == Approx(std::popcount(t) * node * node).epsilon(0.06));
  CHECK(variance(path.model[7] - path.model[6]) == Approx(node * node).epsilon(0.06));
}

TEST_CASE("dp_ftrl: an absent owner moves the running sums by S for each of its rounds since the restart") {
  // Updates of an owner with a target of 1e6 are S whatever the model is; the others' do not depend on it either.
  constexpr double kClip = 0.5;
  const std::vector<double> targets{1e6, 1e6, -1e6, 1e6};
  auto params = running_sums(2);  // w = 2
  params.restart_epochs = 2;
  const StudyFixture one(one_record_each(targets), ridge(0), user_level(3, kClip), 8);
  const StudyFixture other(test::equal_records(targets, {0, 1, 1, 1}), ridge(0), user_level(3, kClip), 8);
  const Path<DpFtrl> with(one, params, {}), without(other, params, {});
  // Its rounds are 0, 2, 4, 6, with a restart before 4: contributions to the present sum, and to those before.
  const std::vector<double> expected{0, 1, 1, 2, 2, 3, 3, 4, 4};
  REQUIRE(with.model.size() == expected.size());
  for (std::size_t t = 0; t < expected.size(); ++t)
    CHECK(with.model[t][0] - without.model[t][0] == Approx(expected[t] * kClip / 2).margin(1e-9));
}

TEST_CASE("trusted aggregator: a server that crashes keeps its sums, and no round is lost") {
  sim::NetworkOptions network = test::latency(sim::Distribution(sim::Uniform{0, 0.5}), 0.1);
  sim::Crash crashes;
  crashes.up = sim::Distribution(sim::Exponential{5});
  crashes.down = sim::Distribution(sim::Exponential{2});
  crashes.hub = true;
  network.availability = crashes;
  auto params = running_sums(2);
  params.round_timeout = 2;
  const StudyFixture fixture(one_record_each({1, 2, 3, 4}), ridge(0), user_level(5, 1), 200);
  for (std::uint32_t repetition = 0; repetition < 5; ++repetition) {
    const Path<DpFtrl> path(fixture, params, network, {.repetition = repetition});
    CHECK(path.world->ledger.account(0).releases == 200);
    CHECK(path.model.size() == 201);
    CHECK_NOTHROW(path.world->ledger.verify());
  }
}

TEST_CASE("trusted aggregator: what is entrusted travels sealed, and counts once") {
  class Answers final : public sim::TraceSink {
   public:
    void record(const sim::TraceRecord& record) override {
      if (record.kind == sim::TraceKind::kDeliver && record.agent == 0) sealed.push_back(record.payload[0]);
    }
    std::vector<double> sealed;
  } answers;
  const StudyFixture fixture(one_record_each({1, 3}), ridge(0), {}, 1);
  const Path<DpFedAvg> path(fixture, averaging(1), {}, {.trace = &answers});
  REQUIRE(answers.sealed.size() == 2);
  for (const double x : answers.sealed) CHECK((x != 0.5 && x != 1.5));
  CHECK(path.model.back()[0] == 1);  // the sum of 0.5 and 1.5, halved

  models::Context context(*path.world);
  models::EntrustedSum sum(1, 2);
  models::EntrustedSum turns(1, 2, {.rounds = 4, .leaves = 4, .epoch = 2}, models::TreeEstimate::kPlain);
  const std::vector<double> payload{1};
  const sim::Message message{
      .from = 1, .to = 0, .tag = 0, .conversation = 1, .sent = 0, .payload = payload, .id = {}};
  context.collect(message, sum);
  CHECK(sum.contributions() == 1);
  CHECK_THROWS_AS(context.collect(message, sum), sim::InvariantError);
  context.collect(message, turns);
  context.release(turns, 1);
  CHECK_THROWS_AS(context.collect(message, turns), sim::InvariantError);  // a round after its position
}

TEST_CASE("trusted aggregator: options and protocols that do not go together are refused") {
  CHECK_THROWS_WITH(models::require_trust(DpFedAvg::kEntry, true, Trust::kOwner),
                    Catch::Contains("set privacy.trust to aggregator"));
  CHECK_THROWS_WITH(models::require_trust({"fedavg", ""}, true, Trust::kAggregator),
                    Catch::Contains("fedavg has no trusted aggregator"));
  CHECK_NOTHROW(models::require_trust(DpFedAvg::kEntry, false, Trust::kOwner));
  const auto resolved = [](const models::PrivacyOptions& options) {
    return StudyFixture(one_record_each({1, 2}), ridge(0), options, 10).study().privacy.epsilon;
  };
  auto options = user_level(1, 1);
  options.epsilon = sim::PerAgent(sim::ValueList{{1, 2}});
  CHECK_THROWS_WITH(resolved(options), Catch::Contains("expected one value for all owners"));
  constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
  const StudyFixture endless(one_record_each({1, 2}), ridge(0), user_level(1, 1), kForever);
  CHECK_THROWS_WITH(DpFedAvg(averaging(1), endless.study()), Catch::Contains("protocol.rounds"));
}
