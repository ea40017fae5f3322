#include "models/protocols/federated/local_training.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "sim/check.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using Eigen::Index;
using Eigen::VectorXd;
using models::Batch;
using models::LocalTraining;

namespace {

/// Local training of agents without a hub, outside a protocol.
struct Trainees {
  Trainees(const test::StudyFixture& fixture, const LocalTraining::Params& params)
      : world(fixture.world(fixture.engine())), context(*world), training(params, fixture.study()) {
    for (sim::AgentId i = 0; i < context.agents(); ++i) training.open_account(i, context);
  }
  /// The model after a training from x, of one number.
  double from(double x, sim::AgentId i = 0, const models::LocalTerms& terms = {}) {
    const auto [model, steps] = training.train(i, VectorXd::Constant(1, x), context, terms);
    made = steps;
    return model[0];
  }
  std::uint64_t releases(sim::AgentId i = 0) const { return world->ledger.account(i).releases; }

  std::unique_ptr<models::World> world;
  models::Context context;
  LocalTraining training;
  std::uint64_t made = 0;
};

test::StudyFixture alone(models::DataSet data, const models::ModelOptions& model = test::ridge(0),
                         const models::PrivacyOptions& privacy = {}) {
  return {std::move(data), model, privacy, 1, sim::Complete{}, false};
}

LocalTraining::Params steps_of_size(std::uint32_t k, double eta, Batch batch = models::FullBatch{},
                                    double momentum = 0) {
  return {.local_steps = k, .step = models::ConstantStep{eta}, .momentum = momentum, .batch = batch};
}

/// Owner 0 holds records x = 1, y = 0, 1, ..., n - 1: the gradient over a batch is 2 (x - the mean of its y).
models::DataSet numbered(Index n) {
  models::DataSet data = test::equal_records({0}, {n});
  for (Index k = 0; k < n; ++k) data.train[0].target[k] = static_cast<double>(k);
  return data;
}

using Drawn = std::vector<Index>;

/// How often each batch, as `see` sees it, is drawn in so many draws of a first step.
std::map<Drawn, std::uint64_t> first_batches(const Batch& batch, Index n, std::uint32_t draws, bool sorted) {
  std::map<Drawn, std::uint64_t> counts;
  models::BatchDraws drawn;
  const sim::Streams streams(11, 0);
  for (std::uint32_t k = 0; k < draws; ++k) {
    drawn.begin(batch, n, streams.protocol(0, 0, 0, k));
    drawn.next();
    Drawn records(drawn.records().begin(), drawn.records().end());
    if (sorted) std::sort(records.begin(), records.end());
    ++counts[records];
  }
  return counts;
}

}  // namespace

TEST_CASE("local training: steps, momentum, tilt and the proximal term by hand") {
  // y = 1: gradient 2 (x - 1), eta = 1/4: x halves its distance from 1.
  const auto fixture = alone(test::one_record_each({1}));
  CHECK(Trainees(fixture, steps_of_size(3, 0.25)).from(0) == 0.875);
  // Momentum 1/2: d = -2, -1, 0; v = -2, -2, -1; x = 1/2, 1, 5/4.
  Trainees heavy(fixture, steps_of_size(3, 0.25, models::FullBatch{}, 0.5));
  CHECK(heavy.from(0) == 1.25);
  CHECK(heavy.from(0) == 1.25);  // v begins at 0 in every training
  // tilt 1: d = 2 (x - 1) + 1, minimiser 1/2. 0 -> 1/4 -> 3/8.
  const std::vector<double> tilt{1}, anchor{3};
  CHECK(Trainees(fixture, steps_of_size(2, 0.25)).from(0, 0, {.tilt = tilt}) == 0.375);
  // mu = 2 and anchor 3: d = 2 (x - 1) + 2 (x - 3) = 4 x - 8, reached in one step.
  CHECK(Trainees(fixture, steps_of_size(2, 0.25)).from(0, 0, {.anchor = anchor, .mu = 2}) == 2);
  CHECK(Trainees(fixture, steps_of_size(1, 0.25)).from(0, 0, {.tilt = tilt, .anchor = anchor, .mu = 2}) ==
        1.75);
  // The regulariser x^2 with sigma = 2: d = 4 x - 2.
  CHECK(Trainees(alone(test::one_record_each({1}), test::ridge(2)), steps_of_size(1, 0.25)).from(0) == 0.5);
}

TEST_CASE("local training: step schedules count the owner's steps, or those that the protocol states") {
  // eta_t = 1/(2 (1 + t)): the distance from 1 is multiplied by 1 - 1/(1 + t) = t/(1 + t) at t >= 1, and vanishes at
  // t = 0.
  const auto fixture = alone(test::one_record_each({1, 1}));
  auto params = steps_of_size(2, 0);
  params.step = models::DecreasingStep{.first = 0.5, .decay = 1, .power = 1};
  Trainees owners(fixture, params);
  CHECK(owners.from(0) == 1);
  CHECK(owners.from(0) == Approx(1 - 2.0 / 3 * 3 / 4).epsilon(1e-15));  // t = 2, 3
  CHECK(owners.from(0, 0, {.first_step = 8}) == Approx(1 - 8.0 / 9 * 9 / 10).epsilon(1e-15));
  CHECK(owners.from(0, 1) == 1);  // another owner begins at t = 0
  owners.training.reset(0);
  CHECK(owners.from(0) == 1);
  CHECK(models::DecreasingStep{.first = 3, .decay = 0.5, .power = 0.5}.at(6) == 1.5);
}

TEST_CASE("local training: a model is projected before and after every step") {
  // Box 1/2, y = 1, eta = 1/8: from 4 to the box at 1/2, where the steps lead out of it again.
  const auto fixture = alone(test::one_record_each({1}), test::ridge(0, 0.5));
  CHECK(Trainees(fixture, steps_of_size(1, 0.125)).from(4) == 0.5);
  // From 0, 2 steps of 1/4: 1/2, then 3/4 if it were not projected. From -4: -1/2 -> 1/4.
  CHECK(Trainees(fixture, steps_of_size(2, 0.25)).from(0) == 0.5);
  CHECK(Trainees(fixture, steps_of_size(1, 0.25)).from(-4) == 0.25);
}

TEST_CASE("local training: a batch's gradient is the sum over its records divided by its public size") {
  // eta = 1/2 from 0: the model is the mean of the batch's y, or for poisson sum y/(q n) (with x = 0, the same).
  const auto fixture = alone(numbered(6));
  Trainees subset(fixture, steps_of_size(1, 0.5, models::SubsetBatch{.size = 2}));
  std::set<double> sums;
  for (int k = 0; k < 200; ++k) sums.insert(2 * subset.from(0));
  // The sums of two different numbers of 0..5; 0 + 0 and 5 + 5 are not among them. P(one is missed) < 9 (14/15)^200 <
  // 1e-5.
  CHECK(sums == std::set<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(Trainees(fixture, steps_of_size(1, 0.5, models::SubsetBatch{.size = 60})).from(0) == 2.5);
  CHECK(Trainees(fixture, steps_of_size(1, 0.5, models::PoissonBatch{.rate = 1.0})).from(0) == 2.5);
  Trainees poisson(fixture, steps_of_size(1, 0.5, models::PoissonBatch{.size = 3.0}));
  double largest = 0;
  for (int k = 0; k < 1000; ++k) largest = std::max(largest, poisson.from(0));
  CHECK(largest == 5);  // all six, 15/3; P(never) = (1 - 1/32)^1000 < 1e-13 (y = 0 does not matter)
  // Two passes of batches of 4 and 2: four steps, each to the mean of its batch, whatever was before.
  Trainees epochs(fixture, steps_of_size(7, 0.5, models::EpochBatch{.size = 4, .passes = 2}));
  const double last = 2 * epochs.from(0);
  CHECK(epochs.made == 4);
  CHECK((last == std::round(last) && last >= 1 && last <= 9));
  CHECK(models::steps_of_call(models::EpochBatch{.size = 4}, 7, 6) == 7);
  CHECK(models::steps_of_call(models::FullBatch{}, 7, 0) == 0);
}

TEST_CASE("batches: the law of each kind") {
  constexpr std::uint32_t kDraws = 20000;
  const auto check_uniform = [](const std::map<Drawn, std::uint64_t>& counts, std::size_t outcomes) {
    CHECK(counts.size() == outcomes);
    for (const auto& [records, count] : counts)
      CHECK(test::binomial_plausible(count, kDraws, 1 / static_cast<double>(outcomes)));
  };
  check_uniform(first_batches(models::SubsetBatch{.size = 2}, 5, kDraws, true), 10);
  check_uniform(first_batches(models::IndependentBatch{.size = 2}, 3, kDraws, false), 9);
  check_uniform(first_batches(models::EpochBatch{.size = 3}, 3, kDraws, false), 6);
  const auto poisson = first_batches(models::PoissonBatch{.rate = 0.3}, 4, kDraws, false);
  CHECK(poisson.size() == 16);
  for (const auto& [records, count] : poisson) {
    CHECK(std::is_sorted(records.begin(), records.end()));
    CHECK(test::binomial_plausible(
        count, kDraws,
        std::pow(0.3, records.size()) * std::pow(0.7, 4 - static_cast<double>(records.size()))));
  }
}

TEST_CASE("batches: a pass contains every record once, and the next one another order, subsets begin anew") {
  models::BatchDraws draws;
  const sim::Streams streams(12, 0);
  std::map<std::pair<Index, Index>, std::uint64_t>
      ends;  // the last record of a pass and the first of the next
  constexpr std::uint32_t kCalls = 9000;
  for (std::uint32_t call = 0; call < kCalls; ++call) {
    draws.begin(models::EpochBatch{.size = 2}, 3, streams.protocol(0, 0, 0, call));
    std::multiset<Index> seen;
    for (const std::size_t size : {2u, 1u}) {
      draws.next();
      REQUIRE(draws.records().size() == size);
      CHECK(draws.divisor() == static_cast<double>(size));
      seen.insert(draws.records().begin(), draws.records().end());
    }
    REQUIRE(seen == std::multiset<Index>{0, 1, 2});
    const Index last = draws.records().back();
    draws.next();
    ++ends[{last, draws.records().front()}];
  }
  CHECK(ends.size() == 9);
  for (const auto& [pair, count] : ends) CHECK(test::binomial_plausible(count, kCalls, 1.0 / 9));
  // The second of two subsets does not depend on the first: all four pairs of two singletons.
  std::map<std::pair<Index, Index>, std::uint64_t> pairs;
  for (std::uint32_t call = 0; call < kCalls; ++call) {
    draws.begin(models::SubsetBatch{.size = 1}, 2, streams.protocol(0, 1, 0, call));
    draws.next();
    const Index first = draws.records().front();
    draws.next();
    ++pairs[{first, draws.records().front()}];
  }
  for (const auto& [pair, count] : pairs) CHECK(test::binomial_plausible(count, kCalls, 0.25));
}

TEST_CASE("local training: with privacy every step is released with the noise of its batch, and charged") {
  // Four records y = 0..3. Bound 5, Laplace, basic: each of T = 6 releases costs epsilon 3/6, and the noise scale is
  // Delta/epsilon_0. Delta = a 5/m, a = 2 where a record can be replaced by another; where it can only be absent 1.
  // epsilon_0 = 1/2 without amplification; with a rate q of 1/2, ln(1 + (e^(1/2) - 1)/q).
  auto privacy = test::laplace(3, 5);
  privacy.steps = models::Steps(6);
  const auto check_noise = [&](const Batch& batch, double a, double m, double epsilon) {
    const auto fixture = alone(numbered(4), test::ridge(0), privacy);
    Trainees owners(fixture, steps_of_size(4, 0.5, batch));
    const VectorXd x = owners.training.train(0, VectorXd::Zero(1), owners.context).model;
    CHECK(owners.releases() == 4);
    double squares = 0;
    for (std::uint32_t n = 0; n < 4; ++n) {
      sim::Stream stream = owners.world->streams(sim::Purpose::kNoise, 0, 0, n);
      double w = 0;
      models::Laplace::add_noise({&w, 1}, a * 5 / m / epsilon, stream);
      squares += w * w;
    }
    CHECK(owners.world->tally.noise == Approx(squares).epsilon(1e-9));
    // Two steps are left of the budget; then no training takes any.
    CHECK(owners.training.train(0, x, owners.context).steps == 2);
    CHECK(owners.training.train(0, x, owners.context).steps == 0);
    CHECK(owners.releases() == 6);
    CHECK(owners.world->ledger.account(0).spent().epsilon == Approx(3).epsilon(1e-9));
  };
  const double amplified = std::log1p(std::expm1(0.5) / 0.5);
  const models::PoissonBatch poisson{.size = 2.0};
  const models::SubsetBatch subset{.size = 2};
  check_noise(models::FullBatch{}, 2, 4, 0.5);
  check_noise(models::EpochBatch{.size = 2}, 2, 2, 0.5);
  check_noise(poisson, 2, 2, amplified);
  check_noise(subset, 2, 2, amplified);
  privacy.adjacency = models::Adjacency::kAddRemove;
  check_noise(models::FullBatch{}, 1, 4, 0.5);
  check_noise(models::EpochBatch{.size = 2}, 2, 2, 0.5);
  check_noise(poisson, 1, 2, amplified);
  check_noise(subset, 2, 2, 0.5);
}

TEST_CASE("local training: the sensitivity that is reported is the largest in force") {
  // Bound 5: 2 * 5/m, or 5/m where a record can only be absent.
  auto options = test::laplace(3, 5);
  const auto of = [&](const Batch& batch, Eigen::Index n) {
    const auto fixture = alone(numbered(4), test::ridge(0), options);
    return steps_of_size(1, 0.5, batch).release_sensitivity(fixture.study().privacy, n);
  };
  for (const Eigen::Index n : {2, 3, 4}) {
    CHECK(of(models::FullBatch{}, n) == 10.0 / static_cast<double>(n));
    CHECK(of(models::SubsetBatch{.size = 1}, n) == 10);
  }
  CHECK(of(models::SubsetBatch{.size = 4}, 2) == 5);
  CHECK(of(models::PoissonBatch{.rate = 0.5}, 4) == 5);
  // The last batch of a pass has 1 of 7 records, 3 of 6, both of 2.
  CHECK(of(models::EpochBatch{.size = 3}, 7) == 10);
  CHECK(of(models::EpochBatch{.size = 3}, 6) == 10.0 / 3);
  CHECK(of(models::EpochBatch{.size = 3}, 2) == 5);
  CHECK(of(models::FullBatch{}, 0) == 0);
  options.adjacency = models::Adjacency::kAddRemove;
  CHECK(of(models::PoissonBatch{.rate = 0.5}, 4) == 2.5);
}

TEST_CASE("batches: which records take part, as accounts see it") {
  using models::Sampling;
  const models::PoissonBatch rate{.rate = 0.25}, size{.size = 4.0};
  const models::SubsetBatch subset{.size = 2};
  CHECK(models::sampling_of(rate) == Sampling::kPoisson);
  CHECK(models::sampling_of(subset) == Sampling::kWithoutReplacement);
  CHECK(models::sampling_of(models::EpochBatch{}) == Sampling::kShuffled);
  CHECK(models::sampling_of(models::FullBatch{}) == Sampling::kAll);
  CHECK(models::sampling_rate(rate, 8) == 0.25);
  CHECK(models::sampling_rate(size, 8) == 0.5);
  CHECK(models::sampling_rate(size, 3) == 1);
  CHECK(models::sampling_rate(subset, 8) == 0.25);
  CHECK(models::sampling_rate(subset, 1) == 1);
  CHECK(models::sampling_rate(models::EpochBatch{.size = 2}, 8) == 1);
}

TEST_CASE("local training: what does not go with privacy is refused before a run") {
  auto privacy = test::laplace(1, 1);
  const auto construct = [](const test::StudyFixture& fixture, const Batch& batch) {
    LocalTraining training(steps_of_size(1, 0.5, batch), fixture.study());
  };
  CHECK_THROWS_AS(construct(alone(numbered(4), test::ridge(0), privacy), models::FullBatch{}),
                  std::invalid_argument);
  privacy.steps = models::Steps(6);
  CHECK_NOTHROW(construct(alone(numbered(4), test::ridge(0), privacy), models::SubsetBatch{}));
  CHECK_THROWS_AS(construct(alone(numbered(4), test::ridge(0), privacy), models::IndependentBatch{}),
                  sim::OptionError);
}

TEST_CASE("local training: an owner without records makes no steps") {
  const auto fixture = alone(test::equal_records({1, 1}, {1, 0}));
  Trainees owners(fixture, steps_of_size(3, 0.25, models::SubsetBatch{.size = 2}));
  CHECK(owners.from(0.5, 1) == 0.5);
  CHECK(owners.made == 0);
}
