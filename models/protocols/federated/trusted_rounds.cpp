#include "models/protocols/federated/trusted_rounds.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "models/run/timeout.hpp"

namespace hearsay::models {

void TrustedOptions::describe(sim::Visitor& v) {
  v(server_step, sim::positive("server_step", "Step size of the server."));
  v(rounds, {.name = "rounds",
             .help = "Number of rounds, over which the budget is spread; by default until stop.iterations.",
             .min = 1});
  v(round_timeout, kAboutRoundTimeout);
  local.describe(v);
}

std::uint64_t TrustedOptions::planned_rounds(const Setting& setting) const {
  constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t planned = rounds.value_or(setting.stop.iterations);
  if (planned == kForever && setting.privacy.active()) {
    throw std::invalid_argument(
        "the budget is spread over the rounds, whose number is missing: set protocol.rounds or "
        "stop.iterations");
  }
  return planned;
}

TrustedRounds::TrustedRounds(const TrustedOptions& options, const Study& study, const Timetable& timetable,
                             EntrustedSum sum, double divisor)
    : options_(options),
      rounds_(options.planned_rounds(setting_of(study))),
      timeout_(timeout_of(options.round_timeout, study)),
      local_(options.local, study),
      releases_(study.privacy.releases_of(0, timetable)),
      sum_(std::move(sum)),
      divisor_(divisor),
      queries_(study.problem.owners()),
      model_(study.problem.p()) {}

void TrustedRounds::on_start(Context& context) {
  context.open_shared_account(releases_);
  model_ = context.model(0);
  begin_round(context);
}

void TrustedRounds::begin_round(Context& context) {
  sim::Stream stream = context.random(kCohort, 0);
  cohort_.clear();
  for (std::size_t owner = 0; owner < context.owners(); ++owner) {
    const sim::AgentId i = context.agent_of(owner);
    if (takes_part(owner, sum_.rounds(), stream) && context.records(i) > 0) cohort_.push_back(i);
  }
  const std::uint32_t r = round_.begin(std::max<std::size_t>(cohort_.size(), 1));
  context.send(0, cohort_, kQuery, r, model_);
  context.after(0, cohort_.empty() ? 0 : timeout_, kTimeout, r);
}

void TrustedRounds::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kAnswer) {
    if (!round_.match(message, context)) return;
    context.collect(message, sum_);
    context.count_staleness(0, context.now() - message.sent);
    if (round_.count_reply()) end_round(context);
    return;
  }
  queries_.receive(message, kTrain, context);
}

void TrustedRounds::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (tag == kTrain) return train(agent, context);
  if (round_.in_flight(round)) end_round(context);
}

void TrustedRounds::train(sim::AgentId i, Context& context) {
  const auto query = queries_.take(i, context);
  if (!query) return;
  context.compute(i);
  local_.train_inside(i, query->numbers(), context, update_,
                      {.first_step = (query->number - 1) * local_.steps(i, context)});
  context.entrust(i, kAnswer, query->number, update_);
}

void TrustedRounds::end_round(Context& context) {
  round_.end();
  const std::uint64_t t = sum_.rounds();
  if (const auto released = context.release(sum_, divisor_)) {
    apply(*released, t, context);
    model_ = context.model(0);
  }
  finished_ = t + 1 >= rounds_ || !context.may_release(0);
  if (!finished_) begin_round(context);
  context.count_iteration();
}

void TrustedRounds::reset(sim::AgentId agent, Context& context) {
  if (agent == 0) {
    round_.crash();
    context.model(0) = model_;
  } else {
    queries_.lose(context.owner(agent));
    local_.reset(agent);
  }
}

void TrustedRounds::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 && round_.restarts()) end_round(context);
}

}  // namespace hearsay::models
