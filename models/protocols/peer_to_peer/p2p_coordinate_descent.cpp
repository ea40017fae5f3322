#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "models/protocols/peer_to_peer/tick_forecast.hpp"

namespace hearsay::models {

namespace {

const PrivateWarmStart* warm_start_of(const P2pCoordinateDescent::Params& params) {
  return std::get_if<PrivateWarmStart>(&params.initial);
}

std::optional<Step> upfront_of(const P2pCoordinateDescent::Params& params, const Study& study) {
  const PrivateWarmStart* warm = warm_start_of(params);
  if (warm == nullptr || !study.privacy.active()) return std::nullopt;
  return local_release_step(warm->method, *study.privacy.epsilon_warm, study);
}

}  // namespace

void PrivateWarmStart::describe(sim::Visitor& v) {
  v(method, {.name = "method",
             .help = "Mechanism that makes an agent's local model private.",
             .source = "Bellet, Guerraoui, Taziki, Tommasi, appendix C"});
}

void P2pCoordinateDescent::Params::describe(sim::Visitor& v) {
  PersonalOptions::describe(v);
  v(initial, {.name = "initial", .help = "Initial models."});
  v(initial_exchange,
    {.name = "initial_exchange", .help = "Exchange of the initial models: public, or published at time 0."});
  v(after_budget, {.name = "after_budget", .help = "Behaviour of an agent after its last release."});
  v(run_length, {.name = "run_length", .help = "End of a run, in addition to the limits of `stop`."});
}

void P2pCoordinateDescent::Params::require(const Setting& setting) const {
  PersonalOptions::require(setting);
  const Budget& privacy = setting.privacy;
  const PrivateWarmStart* warm = warm_start_of(*this);
  if (warm == nullptr && privacy.epsilon_warm)
    throw std::invalid_argument("privacy.epsilon_warm is spent by protocol.initial private_warm_start only");
  if (warm != nullptr && privacy.active()) {
    if (!privacy.epsilon_warm)
      throw std::invalid_argument(
          "protocol.initial private_warm_start needs privacy.epsilon_warm: the part of epsilon that it "
          "spends");
    require_bound(warm->method, setting);
  }
  privacy.require_steps();
  if (warm == nullptr) privacy.require_room_for_steps();
  if (run_length != RunLength::kStop && privacy.expected)
    throw std::invalid_argument(
        "protocol.run_length: expected stop with privacy.steps \"expected\", which is planned from `stop`");
  if (run_length == RunLength::kTicks && privacy.steps.empty())
    throw std::invalid_argument("protocol.run_length ticks needs the number of releases: give privacy.steps");
  if (run_length == RunLength::kUntilSpent && !privacy.active())
    throw std::invalid_argument(
        "protocol.run_length until_spent needs budgets, but no privacy.mechanism is given");
}

std::optional<std::string> P2pCoordinateDescent::Params::warning(const World& world) const {
  const auto asked = [&](const ProtocolMetric& m) { return world.study.asks_for(m.name); };
  const sim::Clocks& clocks = world.engine.clocks();
  bool equal = true;
  for (sim::AgentId i = 1; i < world.engine.agents(); ++i) equal = equal && clocks.rate(i) == clocks.rate(0);
  if (equal || std::ranges::none_of(kBounds, asked)) return std::nullopt;
  return "the metrics bound_* are proved for agents whose clocks have the same rate, which these have not";
}

P2pCoordinateDescent::P2pCoordinateDescent(const Params& params, const Study& study)
    : PersonalProtocol(params, study, kBounds),
      params_(fitting(params, study)),
      upfront_(upfront_of(params, study)),
      zero_(Eigen::VectorXd::Zero(study.problem.p())) {
  list_steps(study);
  list_start(params.initial, study);
  study.privacy.require_room_for_steps(upfront_);
  const std::vector<std::uint64_t>& steps = study.privacy.steps;
  ticks_ = std::accumulate(steps.begin(), steps.end(), std::uint64_t{0});
}

void P2pCoordinateDescent::on_start(Context& context) {
  open_accounts(context);
  std::visit(
      [&](const auto& start) {
        if constexpr (requires { start.method; }) {
          warm_start(start.method, context);
        } else {
          set_start(start, personal_, context);
        }
      },
      params_.initial);
  if (params_.initial_exchange == InitialExchange::kSent) {
    for (sim::AgentId i = 0; i < context.agents(); ++i) context.publish(i, context.model(i));
  }
  track(context.models());
}

void P2pCoordinateDescent::open_accounts(Context& context) {
  const Budget& privacy = context.privacy();
  std::vector<std::vector<double>> ticks;
  if (privacy.active() && needs_ticks(privacy.schedule)) {
    ticks = privacy.schedule == Schedule::kLemma3 ? forecast_ticks(context.clocks(), context.agents(), ticks_)
                                                  : forecast_ticks(context.clocks(), privacy.steps);
  }
  double all_rates = 0;
  for (sim::AgentId i = 0; i < context.agents(); ++i) all_rates += context.clocks().rate(i);
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    if (context.records(i) == 0) continue;  // nothing to protect
    Timetable timetable{.releases = privacy.active() ? privacy.steps[i] : 0,
                        .contraction = personal_.contraction(),
                        .total_ticks = static_cast<std::int64_t>(ticks_),
                        .all_rates = all_rates,
                        .own_rate = context.clocks().rate(i),
                        .upfront = upfront_};
    if (!ticks.empty()) {
      if (ticks[i].empty() && !upfront_) continue;  // it never ticks
      timetable.releases = ticks[i].size();
      timetable.ticks = std::move(ticks[i]);
    }
    context.open_account(i, timetable);
  }
}

void P2pCoordinateDescent::warm_start(LocalRelease method, Context& context) {
  Eigen::MatrixXd local;
  release_local_models(method, personal_, context, local);
  local = propagate(personal_, local);
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = local.col(i);
}

void P2pCoordinateDescent::on_tick(sim::AgentId i, Context& context) {
  const bool has_records = context.records(i) > 0, publishes = !has_records || context.may_release(i);
  if (publishes || params_.after_budget == AfterBudget::kLocal) {
    Prepared& ready = context.prepared(i, *this);
    context.compute(i);
    if (!has_records) {
      move(i, zero_, ready, context);
    } else if (publishes) {
      move(i, *context.release_gradient(i, ready, scores(i)), ready, context);
    } else {
      context.keep_local(context.gradient(i, context.model(i), scores(i)), kept_);
      move(i, kept_.inside_owner(), ready, context);
    }
    if (publishes) context.publish(i, context.model(i));
  }
  context.count_iteration();
}

void P2pCoordinateDescent::prepare(sim::AgentId i, sim::Moment at, const Context& context,
                                   Prepared& out) const {
  if (context.records(i) > 0 && context.may_release(i)) context.prepare_release(i, out);
  mix_neighbours(i, at, params_.initial_exchange == InitialExchange::kFree, context, out);
}

void P2pCoordinateDescent::move(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& gradient,
                                const Prepared& ready, Context& context) {
  const PersonalProblem::Agent& a = personal_.agent(i);
  auto theta = context.model(i);
  theta = (1 - a.step) * theta + a.step * (ready.mix - a.pull * (gradient + 2 * a.lambda * theta));
  changed(i);
}

bool P2pCoordinateDescent::finished(const Context& context) const {
  switch (params_.run_length) {
    case RunLength::kStop:
      return false;
    case RunLength::kTicks:
      return context.iterations() >= ticks_;
    case RunLength::kUntilSpent:
      return context.all_spent();
  }
  return false;
}

UtilityBounds P2pCoordinateDescent::bounds() const {
  return {.contraction = personal_.contraction(),
          .gap = start_gap(),
          .agents = static_cast<double>(personal_.agents()),
          .min_lipschitz = personal_.min_lipschitz()};
}

double P2pCoordinateDescent::noise(std::uint64_t round, const World& world, bool corrected) const {
  double sum = 0;
  for (sim::AgentId i = 0; i < personal_.agents(); ++i) {
    const Account& account = world.ledger.account(i);
    const std::uint64_t number = round + (upfront_ ? 1 : 0);
    if (!account.schedule || number >= account.release_limit) continue;
    const PersonalProblem::Agent& a = personal_.agent(i);
    const Step& step = account.schedule->step(number);
    const double scale = noise_scale(world.study.privacy.sensitivity(world.problem().n(i)), step);
    const double energy =
        corrected ? noise_energy(step.kind, static_cast<double>(personal_.p()), scale) / 2 : scale * scale;
    sum += a.weight * a.pull * a.weight * a.pull * energy;
  }
  return sum;
}

void P2pCoordinateDescent::measure(std::size_t metric, const World& world, std::span<double> out) const {
  if (metric < kPersonalMetrics.size()) {
    PersonalProtocol::measure(metric, world, out);
    return;
  }
  const std::uint64_t k = world.iterations;
  switch (metric - kPersonalMetrics.size()) {
    case 0:
      out[0] = bounds().proposition_1(k);
      break;
    case 1:
      out[0] = bounds().theorem_2(k, [&](std::uint64_t round) { return noise(round, world, false); });
      break;
    default:
      out[0] =
          bounds().theorem_2_corrected(k, [&](std::uint64_t round) { return noise(round, world, true); });
  }
}

}  // namespace hearsay::models
