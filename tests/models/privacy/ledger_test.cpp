// For all events on the network, an owner never spends more than its budget, and the amount in the ledger is
// the composition of its releases in the trace.
#include <map>
#include <numeric>

#include "models/privacy/accountants/accountant.hpp"
#include "models/protocols/central/central_async.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;
namespace fixtures = hearsay::test;

namespace {

class CountReleases final : public sim::TraceSink {
 public:
  void record(const sim::TraceRecord& record) override {
    if (record.kind != sim::TraceKind::kRelease) return;
    ++releases[record.agent];
    last[record.agent] = std::string(record.detail);
  }
  std::map<sim::AgentId, std::int64_t> releases;
  std::map<sim::AgentId, std::string> last;
};

DataSet small_owners(std::size_t owners, Random& random) {
  DataSet data;
  data.feature_names = {"a", "b"};
  for (std::size_t k = 0; k < owners; ++k) {
    const Eigen::Index records = random.whole(1, 3);
    Shard shard{Records(records, 2), Eigen::VectorXd(records)};
    for (Eigen::Index r = 0; r < records; ++r) {
      shard.features.row(r) << random.uniform(-1, 1), random.uniform(-1, 1);
      shard.target[r] = random.uniform(-1, 1);
    }
    data.train.push_back(shard);
    data.test.push_back({Records(0, 2), Eigen::VectorXd(0)});
    data.owner_names.emplace_back("owner");
  }
  return data;
}

PrivacyOptions random_privacy(Random& random) {
  PrivacyOptions privacy;
  constexpr Accountant kClosed[] = {Accountant::kBasic, Accountant::kKairouz, Accountant::kKairouzExact,
                                    Accountant::kZcdp};
  privacy.accountant = kClosed[random.whole(0, 3)];
  privacy.mechanism = random.whole(0, 1) == 0 ? Mechanism(Laplace{}) : Mechanism(ExponentialNorm{});
  if (privacy.accountant != Accountant::kKairouzExact && random.whole(0, 2) == 0)
    privacy.mechanism = Gaussian{};
  privacy.epsilon = random.log_uniform(0.01, 10);
  privacy.delta = random.log_uniform(1e-8, 1e-2);
  privacy.clip = 1;
  return privacy;
}

sim::NetworkOptions random_network(Random& random) {
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, random.log_uniform(1e-3, 3)});
  if (random.whole(0, 1) == 0) network.links.loss = sim::BernoulliLoss{random.uniform(0, 0.6)};
  if (random.whole(0, 1) == 0) {
    sim::OnOff down;
    down.up = sim::Distribution(sim::Exponential{random.log_uniform(0.3, 10)});
    down.down = sim::Distribution(sim::Exponential{random.log_uniform(0.1, 5)});
    network.availability = down;
  }
  return network;
}

CentralAsync::Params random_params(Random& random) {
  CentralAsync::Params params;
  params.rho = GivenStep{1};
  params.when_busy = random.whole(0, 1) == 0 ? WhenBusy::kQueue : WhenBusy::kRefuse;
  params.timeout = random.log_uniform(0.05, 5);
  return params;
}

struct Score {
  std::uint64_t runs = 0, releases = 0, exhausted = 0;
};

// One run, and checks of the ledger afterwards.
void run_and_check(const fixtures::StudyFixture& fixture, const AccountantOptions& accountant, double budget,
                   std::uint32_t repetition, Random& random, Score& score) {
  CountReleases trace;
  sim::Engine::Options options = fixture.engine(random_network(random));
  options.time_limit = random.log_uniform(1, 60);
  const auto world = fixtures::run<CentralAsync>(fixture, random_params(random), options,
                                                 {.repetition = repetition, .trace = &trace, .every = 0})
                         .world;
  bool right = true;
  for (std::size_t owner = 0; owner < fixture.problem().owners(); ++owner) {
    const sim::AgentId agent = world->agent(owner);
    const Account& account = world->ledger.account(agent);
    const std::int64_t traced = trace.releases[agent];
    const Guarantee total = total_guarantee(Releases(account.schedule->step(0), traced), accountant);
    right = right && static_cast<std::int64_t>(account.releases) == traced;
    right = right && total.epsilon <= budget * (1 + 1e-12) && total.delta <= accountant.delta * (1 + 1e-12);
    right = right && account.spent().epsilon <= budget * (1 + 1e-12);
    right = right && std::abs(account.spent().epsilon - total.epsilon) <= 1e-12 * total.epsilon;
    score.releases += account.releases;
    score.exhausted += account.releases == account.release_limit ? 1 : 0;
  }
  ++score.runs;
  if (right) return;
  INFO("seed " << random.seed() << ", run " << score.runs);
  CHECK(right);
}

}  // namespace

TEST_CASE("ledger: in 1e5 random schedules of ticks, losses and down times no budget is exceeded") {
  Random random(50);
  Score score;
  for (std::size_t study = 0; study < 1000 / test::kOneOf; ++study) {
    const PrivacyOptions privacy = random_privacy(random);
    const auto horizon = static_cast<std::uint64_t>(random.log_whole(1, 12));
    const fixtures::StudyFixture fixture(small_owners(static_cast<std::size_t>(random.whole(1, 3)), random),
                                         {}, privacy, horizon, sim::Star{}, true, random.engine()());
    const Budget& set = fixture.study().privacy;
    for (std::uint32_t repetition = 0; repetition < 100; ++repetition) {
      run_and_check(fixture, {set.accountant, set.delta, set.adjacency}, set.epsilon[0], repetition, random,
                    score);
    }
  }
  CHECK(score.runs == 100'000 / test::kOneOf);
  // The test is not vacuous: some owners exhausted their budgets.
  CHECK(score.releases > 100'000 / test::kOneOf);
  CHECK(score.exhausted > 1000 / test::kOneOf);
}

TEST_CASE("ledger: a release in the trace states its epsilon and the composition of all so far") {
  Random random(51);
  PrivacyOptions privacy;
  privacy.mechanism = Laplace{};
  privacy.clip = 1;
  privacy.epsilon = 1;
  privacy.delta = std::exp(-5);
  privacy.accountant = Accountant::kKairouz;
  const fixtures::StudyFixture fixture(small_owners(1, random), {}, privacy, 10);
  CountReleases trace;
  fixtures::run<CentralAsync>(fixture, random_params(random), fixture.engine(), {.trace = &trace});
  REQUIRE(trace.releases[1] == 10);
  double epsilon = 0, spent = 0, delta = 0;
  int number = 0;
  REQUIRE(std::sscanf(trace.last[1].c_str(), "release=%d epsilon=%lf spent=%lf delta=%lf", &number, &epsilon,
                      &spent, &delta) == 4);
  CHECK(number == 10);
  CHECK(epsilon == Approx(0.106046).margin(5e-7));
  CHECK(spent == near(1, 1e-12));
  CHECK(delta == std::exp(-5));
}

TEST_CASE("ledger: composed spending is monotone under every accountant and ends at the budget") {
  for (const Accountant accountant : {Accountant::kBasic, Accountant::kKairouz, Accountant::kKairouzExact,
                                      Accountant::kZcdp, Accountant::kRdp, Accountant::kPld}) {
    const auto schedule = plan_releases(Laplace{}, 1, {accountant, 1e-5}, 2, {.releases = 40});
    INFO(name_of(accountant));
    double before = 0;
    for (std::uint64_t n = 0; n <= 40; ++n) {
      CHECK(schedule->after(n).epsilon >= before);
      before = schedule->after(n).epsilon;
    }
    CHECK(before <= 2);
    CHECK(before >= 2 * (1 - 1e-6));
  }
}

TEST_CASE("schedule: the steps of every schedule keep the budget under accountants that take unequal steps") {
  const std::vector<double> ticks{0, 70, 130, 400, 900};
  const Timetable timetable{.releases = 5,
                            .contraction = 0.999,
                            .ticks = ticks,
                            .total_ticks = 1000,
                            .all_rates = 10,
                            .own_rate = 1};
  for (const Mechanism& mechanism : {Mechanism(Laplace{}), Mechanism(Gaussian{})}) {
    for (const Accountant accountant : {Accountant::kBasic, Accountant::kKairouz, Accountant::kZcdp}) {
      for (std::size_t s = 1; s < sim::kChoices<Schedule>.size(); ++s) {
        const auto schedule = static_cast<Schedule>(s);
        const auto releases = plan_releases(mechanism, 2, {accountant, 1e-4}, 1, timetable, schedule);
        INFO(name_of(mechanism) << ", " << name_of(accountant) << ", " << sim::kChoices<Schedule>[s].name);
        CHECK(releases->releases() == 5);
        CHECK(releases->after(5).epsilon <= 1);
        // lemma_3 reserves a part for ticks that are not the agent's.
        if (schedule == Schedule::kLemma3) {
          CHECK(releases->after(5).epsilon < 0.2);
        } else {
          CHECK(releases->after(5).epsilon == near(1, 1e-9));
        }
        const auto noise = [&](std::uint64_t n) { return noise_scale(1, releases->step(n)); };
        const bool falls =
            schedule == Schedule::kProposition2Corrected || schedule == Schedule::kExpectedScheduleCorrected;
        CHECK((noise(4) < noise(0)) == falls);
      }
    }
  }
}

TEST_CASE("schedule: almost all releases of lemma_3 keep the budget under an accountant with a grid") {
  std::vector<double> ticks(500);
  std::iota(ticks.begin(), ticks.end(), 0);
  const Timetable timetable{.releases = 500, .contraction = 0.99, .ticks = ticks, .total_ticks = 501};
  for (const double epsilon : {0.3, 1.0, 3.0}) {
    const auto releases =
        plan_releases(Gaussian{}, 2, {Accountant::kPld, 1e-5}, epsilon, timetable, Schedule::kLemma3);
    CHECK(releases->after(500).epsilon <= epsilon);
    CHECK(releases->after(500).epsilon > 0.99 * epsilon);
  }
}
