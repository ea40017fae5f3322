#include "models/protocols/federated/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/algebra/option_error.hpp"
#include "models/run/timeout.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

void RoundOptions::describe(sim::Visitor& v) {
  v(cohort, {.name = "cohort",
             .help = "Owners that train in a round: a number of them, a fraction, or all.",
             .source = "McMahan et al. 2017, C in Algorithm 1"});
  v(over_selection,
    {.name = "over_selection",
     .help = "Factor by which more owners are asked; the round ends with the first answers of a cohort.",
     .source = "Bonawitz et al. 2019, section 9",
     .min = 1});
  v(round_timeout, kAboutRoundTimeout);
  v(weights, {.name = "weights", .help = "Weight of an owner's update in the mean."});
  server.describe(v);
  local.describe(v);
}

void RoundOptions::require(const Setting& setting) const {
  local.require(setting);
  const auto* given = std::get_if<CohortNumber>(&cohort);
  if (given != nullptr && setting.owners && given->number > *setting.owners)
    throw OptionError("cohort", fmt::format("expected at most the number of owners ({}), found {}; or all",
                                            *setting.owners, given->number));
}

std::size_t RoundOptions::cohort_of(std::size_t owners) const {
  return std::visit([&](const auto& c) { return c.of(owners); }, cohort);
}

std::size_t RoundOptions::asked(std::size_t goal) const {
  constexpr double kRounding = 1e-9;  // 1.1 times 10 is 11 owners, though not in binary
  return static_cast<std::size_t>(std::ceil(over_selection * static_cast<double>(goal) - kRounding));
}

FederatedRounds::FederatedRounds(const RoundOptions& options, const Study& study, Eigen::Index vectors)
    : FederatedClients(options.local, study, Answer::kUpdate, vectors),
      options_(fitting(options, study)),
      timeout_(timeout_of(options.round_timeout, study)),
      last_(study.stop.iterations),
      aggregator_(options.server, study.problem.p()),
      candidates_(trainers()),
      query_(vectors * study.problem.p()) {
  const bool equal = options.weights == ClientWeights::kEqual;
  for (std::size_t owner = 0; owner < study.problem.owners(); ++owner) {
    const auto records = static_cast<double>(study.problem.n(owner));
    weights_.push_back(equal ? std::min(records, 1.0) : records);
    all_weights_ += weights_.back();
  }
}

void FederatedRounds::on_start(Context& context) {
  open_accounts(context);
  begin_round(context);
}

void FederatedRounds::begin_round(Context& context) {
  const std::size_t all = candidates_.size();
  if (all == 0) return;
  goal_ = options_.cohort_of(all);
  const std::size_t asked = std::min(all, options_.asked(goal_));
  if (asked < all) {  // the first `asked` of a random order
    sim::Stream stream = context.random(kCohort, 0);
    for (std::size_t k = 0; k < asked; ++k)
      std::swap(candidates_[k], candidates_[k + sim::uniform_index(stream, all - k)]);
  }
  query_.head(context.p()) = context.model(0);
  fill(query_.tail(query_.size() - context.p()));
  const std::uint32_t r = round_.begin(asked);
  context.send(0, std::span(candidates_).first(asked), kQuery, r, query_);
  context.after(0, timeout_, kTimeout, r);
}

void FederatedRounds::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kQuery) return receive_query(message, context);
  if (!round_.match(message, context)) return;
  if (message.tag == kRefusal) {
    std::erase(candidates_, message.from);
  } else {
    const Vector numbers = vector_of(message);
    aggregator_.add(weight(context.owner(message.from)), numbers.head(context.p()));
    receive(context.owner(message.from), numbers.tail(numbers.size() - context.p()));
    context.count_staleness(0, context.now() - message.sent);
    count_used(message, context);
  }
  if (round_.count_reply() || aggregator_.updates() == goal_) end_round(context);
}

void FederatedRounds::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (tag == kTrain) return train(agent, context);
  if (round_.in_flight(round)) end_round(context);
}

void FederatedRounds::end_round(Context& context) {
  round_.end();
  aggregator_.apply(aggregator_.weight(), context);
  next_round(context);
}

void FederatedRounds::next_round(Context& context) {
  if (context.iterations() + 1 < last_) begin_round(context);
  context.count_iteration();
}

LocalTerms FederatedRounds::terms(const Query& query, Context& context) {
  return {.first_step = (query.number - 1) * local_.steps(query.owner, context)};
}

void FederatedRounds::reset(sim::AgentId agent, Context&) {
  lose(agent);
  if (agent != 0) return reset_client(agent);
  candidates_ = trainers();
  aggregator_.reset();
  round_.crash();
}

void FederatedRounds::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 && round_.restarts()) next_round(context);
}

}  // namespace hearsay::models
