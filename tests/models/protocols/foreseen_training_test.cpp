// Protocols with local training are the same run, to the bit, when trainings are made on other threads before their turn.
#include <catch2/catch.hpp>

#include <span>
#include <type_traits>
#include <vector>

#include "models/protocols/federated/dp_fedavg.hpp"
#include "models/protocols/federated/dp_ftrl.hpp"
#include "models/protocols/federated/fedasync.hpp"
#include "models/protocols/federated/fedavg.hpp"
#include "models/protocols/federated/fedbuff.hpp"
#include "models/protocols/federated/fedprox.hpp"
#include "models/protocols/federated/scaffold.hpp"
#include "models/protocols/gossip/ad_psgd.hpp"
#include "models/protocols/gossip/epidemic.hpp"
#include "models/protocols/gossip/gossip_learning.hpp"
#include "models/protocols/gossip/push_sum.hpp"
#include "tests/models/protocols/gossip/gossip_run.hpp"
#include "tests/support/crew.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tally.hpp"

using namespace hearsay;
using namespace hearsay::models;

namespace {

struct ForeseenRun {
  std::uint64_t fingerprint = 0, releases = 0, iterations = 0, events = 0, foreseen = 0;
  Eigen::MatrixXd models;
  Tally tally;
  std::vector<double> path;  // of a number of the models, every 20 iterations
};

// Lets others do what has been offered before a message is received.
template <class P>
class Patient : public P {
 public:
  using P::P;
  void on_message(const sim::Message& message, Context& context) {
    test::wait_for_help(turns_++);
    P::on_message(message, context);
  }
  auto state() { return P::state(); }

 private:
  std::uint64_t turns_ = 0;
};

template <class P>
ForeseenRun foreseen_run(const test::StudyFixture& fixture, const typename P::Params& params,
                         sim::Engine::Options options) {
  options.payload_width = P::kEntry.vectors * options.vector_length;
  std::vector<double> path;
  const auto look = [&](const World& w) { path.push_back(w.models(0, w.models.cols() / 2)); };
  const auto world = test::run<Patient<P>>(fixture, params, options, {.every = 20}, look).world;
  return {world->fingerprint(), world->releases(), world->iterations, world->engine.events(),
          world->foreseen,      world->models,     world->tally,      path};
}

// Adds the trainings that there were before their turn.
template <class P>
void compare_foreseen(const test::StudyFixture& fixture, const typename P::Params& params,
                      const sim::Engine::Options& options, std::uint64_t& foreseen,
                      std::uint64_t& iterations) {
  const ForeseenRun one = foreseen_run<P>(fixture, params, options);
  CHECK(one.foreseen == 0);
  for (const unsigned threads : {2U, 4U}) {
    const test::HelpedThread helped(threads);
    const ForeseenRun several = foreseen_run<P>(fixture, params, options);
    foreseen += several.foreseen;
    iterations += several.iterations;
    CHECK(several.fingerprint == one.fingerprint);
    CHECK(several.models == one.models);
    CHECK(several.iterations == one.iterations);
    CHECK(several.events == one.events);
    CHECK(several.releases == one.releases);
    CHECK(several.path == one.path);
    test::check_same(several.tally, one.tally);
  }
}

// Draws one of everything that local training depends on, and a network.
struct ForeseenDraw {
  explicit ForeseenDraw(std::uint64_t number)
      : stream(sim::Streams(number, 0)(sim::Purpose::kData, 556)), seed(number + 1) {}

  std::uint64_t operator()(std::uint64_t count) { return sim::uniform_index(stream, count); }

  LocalTraining::Params training(bool private_steps) {
    const std::vector<Batch> batches{FullBatch{}, PoissonBatch{.size = 3}, SubsetBatch{4},
                                     EpochBatch{.size = 3}, IndependentBatch{5}};
    LocalTraining::Params params;
    params.local_steps = 1 + static_cast<std::uint32_t>((*this)(4));
    if ((*this)(2) == 0) params.step = DecreasingStep{.first = 0.2, .decay = 0.1};
    if ((*this)(3) == 0) params.momentum = 0.5;
    params.batch = batches[(*this)(private_steps ? batches.size() - 1 : batches.size())];
    return params;
  }
  PrivacyOptions privacy() {
    if ((*this)(2) == 0) return {};
    PrivacyOptions privacy = test::laplace_for(2, 3 + static_cast<double>((*this)(30)), 0.5);
    if ((*this)(2) == 0) {
      privacy.gradient_bound = {};
      privacy.clip = 0.3;
    }
    return privacy;
  }
  test::StudyFixture fixture(const PrivacyOptions& privacy, bool hub, std::uint64_t iterations,
                             bool boxed = false) {
    ModelOptions model;
    model.loss = LogisticLoss{};
    model.l2 = 0.05;
    if (boxed) model.theta_max = 0.2;
    const sim::TopologyOptions graph = hub ? sim::TopologyOptions(sim::Star{}) : sim::RandomRegular{4};
    return {test::random_agents({.agents = 40 + (*this)(100), .reach = 0, .seed = seed}),
            model,
            privacy,
            iterations,
            graph,
            hub};
  }
  sim::NetworkOptions network() {
    const std::vector<sim::LatencyOptions> latencies{0.0, 0.01, sim::Uniform{0, 0.015}, sim::Uniform{0, 2}};
    sim::NetworkOptions network;
    network.links.latency = latencies[(*this)(latencies.size())];
    if ((*this)(3) == 0) network.links.loss = sim::BernoulliLoss{0.1};
    if ((*this)(3) == 0) network.compute_time = sim::ComputeOptions(sim::Uniform{0, 0.2});
    const std::uint64_t availability = (*this)(4);
    if (availability == 0)
      network.availability = sim::Crash{.up = sim::Exponential{10}, .down = sim::Exponential{2}};
    if (availability == 1)
      network.availability = sim::OnOff{.up = sim::Exponential{10}, .down = sim::Exponential{2}};
    return network;
  }

  sim::Stream stream;
  std::uint64_t seed;
};

template <class P>
void compare_gossip(ForeseenDraw& draw, std::uint64_t& foreseen, std::uint64_t& iterations) {
  const PrivacyOptions privacy = draw.privacy();
  const test::StudyFixture fixture = draw.fixture(privacy, false, 300 + draw(1500), draw(3) == 0);
  typename P::Params params;
  static_cast<LocalTraining::Params&>(params) = draw.training(fixture.study().privacy.active());
  if constexpr (std::is_same_v<P, GossipLearning>) {
    params.merge = static_cast<MergeRule>(draw(3));
    params.merge_weights = static_cast<MergeWeights>(draw(2));
  }
  const sim::ClockOptions clocks = draw(4) == 0 ? sim::ClockOptions(sim::Periodic{}) : sim::Poisson{};
  compare_foreseen<P>(fixture, params, fixture.engine(draw.network(), clocks), foreseen, iterations);
}

template <class P>
void compare_federated(ForeseenDraw& draw, std::uint64_t& foreseen, std::uint64_t& iterations) {
  const PrivacyOptions privacy = draw.privacy();
  const test::StudyFixture fixture = draw.fixture(privacy, true, 40 + draw(100));
  typename P::Params params;
  params.local = draw.training(fixture.study().privacy.active());
  if constexpr (std::is_same_v<P, Scaffold>) {
    params.local.momentum = 0;
    if (draw(2) == 0 && std::holds_alternative<FullBatch>(params.local.batch))
      params.option = ControlVariate::kGradient;
  }
  if constexpr (std::is_base_of_v<FederatedRounds, P>) {
    params.over_selection = 1.2;
    params.round_timeout = 5;
  } else {
    params.timeout = 5;
  }
  compare_foreseen<P>(fixture, params, fixture.engine(draw.network()), foreseen, iterations);
}

template <class P>
void compare_trusted(ForeseenDraw& draw, std::uint64_t& foreseen, std::uint64_t& iterations) {
  PrivacyOptions privacy;
  if (draw(2) == 0) {
    privacy.mechanism = Gaussian{};
    privacy.accountant = Accountant::kRdp;
    privacy.adjacency = Adjacency::kAddRemove;
    privacy.unit = PrivacyUnit::kOwner;
    privacy.trust = Trust::kAggregator;
    privacy.epsilon = 2;
    privacy.delta = 1e-5;
    privacy.clip = 0.5;
  }
  const test::StudyFixture fixture = draw.fixture(privacy, true, 30);
  typename P::Params params;
  params.local = draw.training(false);
  params.round_timeout = 5;
  compare_foreseen<P>(fixture, params, fixture.engine(draw.network()), foreseen, iterations);
}

// What a training is a function of.
enum class Input { kNone, kModel, kStep, kMu, kAnchor, kTilt, kOpenEnd, kDraws, kReleases };

// An agent that receives a model trains from it, and foresees the same training but for one input.
class Misled : RandomPeers {
 public:
  struct Params : RandomPeerOptions {
    Input wrong = Input::kNone;
  };
  static constexpr Entry kEntry = gossip_entry("misled", "Foresees other trainings than it makes.");

  Misled(const Params& params, const Study& study)
      : RandomPeers(params, study), wrong_(params.wrong), ones_(Eigen::VectorXd::Ones(study.problem.p())) {}
  void on_start(Context& context) { open_accounts(context); }
  void on_tick(sim::AgentId i, Context& context) {
    context.send(i, random_neighbour(i, context), 0, 0, context.model(i));
    context.count_iteration();
  }
  void on_message(const sim::Message& message, Context& context) {
    const sim::AgentId j = message.to;
    if (wrong_ == Input::kDraws) context.random(0, j);  // of the batches
    if (wrong_ == Input::kReleases) context.release(j, context.gradient(j, vector_of(message)));
    context.model(j) = training_.train(j, vector_of(message), context, terms(Input::kNone)).model;
  }
  void foresee_message(const sim::Message& message, const Context& context, std::uint32_t room) const {
    const Eigen::VectorXd x = wrong_ == Input::kModel ? ones_ : Eigen::VectorXd(vector_of(message));
    training_.foresee(message.to, x, context, terms(wrong_), room);
  }
  using RandomPeers::foresight;
  auto state() { return RandomPeers::state(); }

 private:
  LocalTerms terms(Input wrong) const {
    const std::span<const double> one(ones_.data(), static_cast<std::size_t>(ones_.size()));
    LocalTerms terms{.anchor = one, .mu = 0.1, .first_step = 3};
    if (wrong == Input::kStep) terms.first_step = 4;
    if (wrong == Input::kMu) terms.mu = 0.2;
    if (wrong == Input::kTilt) terms.tilt = one;
    if (wrong == Input::kOpenEnd) terms.open_end = true;
    if (wrong == Input::kAnchor) terms.anchor = {zeros_.data(), one.size()};
    return terms;
  }

  Input wrong_;
  Eigen::VectorXd ones_, zeros_ = Eigen::VectorXd::Zero(ones_.size());
};

}  // namespace

TEST_CASE("foreseen training: one of other inputs is not used") {
  for (const Input wrong : {Input::kNone, Input::kModel, Input::kStep, Input::kMu, Input::kAnchor,
                            Input::kTilt, Input::kOpenEnd, Input::kDraws, Input::kReleases}) {
    INFO("input " << static_cast<int>(wrong));
    ForeseenDraw draw(3000);
    const test::StudyFixture fixture = draw.fixture(test::laplace_for(50, 200, 0.5), false, 3000);
    Misled::Params params;
    params.wrong = wrong;
    params.local_steps = 2;
    params.step = DecreasingStep{.first = 0.2, .decay = 0.1};
    params.batch = SubsetBatch{2};
    std::uint64_t foreseen = 0, iterations = 0;
    sim::NetworkOptions network;
    network.links.latency = sim::Uniform{0.001, 0.016};
    compare_foreseen<Misled>(fixture, params, fixture.engine(network, sim::Poisson{}), foreseen, iterations);
    CHECK((foreseen > 0) == (wrong == Input::kNone));
  }
}

TEST_CASE("foreseen training: 60 random gossip runs are the same to the bit on 1, 2 and 4 threads") {
  std::uint64_t foreseen = 0, iterations = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    ForeseenDraw draw(number);
    INFO("draw " << number);
    switch (number % 4) {
      case 0:
        compare_gossip<AdPsgd>(draw, foreseen, iterations);
        break;
      case 1:
        compare_gossip<PushSum>(draw, foreseen, iterations);
        break;
      case 2:
        compare_gossip<Epidemic>(draw, foreseen, iterations);
        break;
      default:
        compare_gossip<GossipLearning>(draw, foreseen, iterations);
    }
  }
  CHECK(foreseen > iterations / 100);
}

TEST_CASE("foreseen training: 50 random federated runs are the same to the bit on 1, 2 and 4 threads") {
  std::uint64_t foreseen = 0, iterations = 0;
  for (std::uint64_t number = 0; number < 50; ++number) {
    ForeseenDraw draw(1000 + number);
    INFO("draw " << number);
    switch (number % 5) {
      case 0:
        compare_federated<FedAvg>(draw, foreseen, iterations);
        break;
      case 1:
        compare_federated<FedProx>(draw, foreseen, iterations);
        break;
      case 2:
        compare_federated<Scaffold>(draw, foreseen, iterations);
        break;
      case 3:
        compare_federated<FedBuff>(draw, foreseen, iterations);
        break;
      default:
        compare_federated<FedAsync>(draw, foreseen, iterations);
    }
  }
  CHECK(foreseen > iterations / 100);
}

TEST_CASE("foreseen training: 10 random runs with a trusted aggregator are the same to the bit") {
  std::uint64_t foreseen = 0, iterations = 0;
  for (std::uint64_t number = 0; number < 10; ++number) {
    ForeseenDraw draw(2000 + number);
    INFO("draw " << number);
    if (number % 2 == 0) {
      compare_trusted<DpFedAvg>(draw, foreseen, iterations);
    } else {
      compare_trusted<DpFtrl>(draw, foreseen, iterations);
    }
  }
  CHECK(foreseen > iterations / 100);
}
