#pragma once
// Rounds of a server that its owners trust (agent 0): what dp_fedavg and dp_ftrl share. In round r the server
//
//   1. sends its model x to the owners that the protocol chooses,
//   2. collects their updates: u_i = y_i - x after K local steps (local_training.hpp), scaled down to norm at most the
//      bound S = privacy.clip, without noise and sealed,
//   3. when all have answered (at once, if no owner was sampled), or after `round_timeout`, releases
//      (sum u_i + noise)/w with a fixed, public w.
//
// The guarantee is for whole owners. An owner is in a sum at most once, with norm at most S, so that the sum changes by at
// most S if its update is 0, with the others' answers as they are: w does not depend on the answers, and a round in which
// no owner answers releases noise as well. Dropouts, losses and timeouts therefore cost accuracy and no privacy. Not covered
// are the times of releases, which depend on who takes part, and thereby on later participants; what owners and
// links see of the protocol's choice of owners; and the server itself, which is trusted.
//
// A late answer is discarded and never enters a sum. Of the queries that come while an owner computes it trains from the
// newest alone. A crash of an owner loses its training. The server's model, sums and noise are on durable storage: its crash
// ends the round, with what it has collected, when it is back. Step t of a training: numbered from (r - 1) K. Iteration: a
// round. The run ends after `rounds`. Clocks have no effect.
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "models/protocols/federated/clients.hpp"
#include "models/protocols/federated/local_training.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"
#include "models/run/timeout.hpp"

namespace hearsay::models {

struct TrustedOptions {
  double server_step = 1;
  std::optional<std::uint64_t> rounds;
  std::optional<sim::Time> round_timeout;
  LocalTraining::Params local;

  void describe(sim::Visitor& v) {
    v(server_step, sim::positive("server_step", "Step size of the server."));
    v(rounds,
      {.name = "rounds",
       .help =
           "Number of rounds, over which the budget is spread, unless privacy.steps says over how many; by "
           "default until stop.iterations.",
       .min = 1});
    v(round_timeout, kAboutRoundTimeout);
    local.describe(v);
  }
  std::vector<std::string> notes(const Study& study) const { return local.notes(study); }
  OwnPace self_paced() const { return OwnPace::kTrainings; }
  /// By default until the run stops. Throws std::invalid_argument if a budget is to be planned and neither is given.
  std::uint64_t planned_rounds(const Setting& setting) const {
    constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t planned = setting.privacy.steps_or(0, rounds.value_or(setting.stop.iterations));
    if (planned == kForever && setting.privacy.active()) {
      throw std::invalid_argument(
          "the budget is spread over the rounds, whose number is missing: set protocol.rounds or "
          "stop.iterations");
    }
    return planned;
  }
  void require(const Setting& setting) const {
    planned_rounds(setting);
    local.require(setting);
  }
};

/// The row of a protocol with these rounds.
constexpr Entry trusted_entry(std::string_view name, std::string_view help) {
  Entry entry = federated_entry(name, help);
  entry.aggregates = true;
  return entry;
}

class TrustedRounds {
 public:
  virtual ~TrustedRounds() = default;

  void on_start(Context& context) {
    context.open_shared_account(releases_);
    model_ = context.model(0);
    begin_round(context);
  }
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context) {
    if (message.tag == kAnswer) {
      if (!round_.match(message, context)) return;
      context.collect(message, sum_);
      context.count_staleness(0, context.now() - message.sent);
      if (round_.count_reply()) end_round(context);
      return;
    }
    queries_.receive(message, kTrain, context);
  }
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
    if (tag == kTrain) return train(agent, context);
    if (round_.in_flight(round)) end_round(context);
  }
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTrain ? "train" : timeout_name(round_.in_flight(round));
  }
  void reset(sim::AgentId agent, Context& context) {
    if (agent == 0) {
      round_.crash();
      context.model(0) = model_;
    } else {
      queries_.lose(context.owner(agent));
      local_.reset(agent);
    }
  }
  void on_up(sim::AgentId agent, Context& context) {
    if (agent == 0 && round_.restarts()) end_round(context);
  }
  bool finished(const Context&) const { return finished_; }
  const LocalTraining& foresight() const { return local_; }
  void foresee_message(const sim::Message& message, const Context& context, std::uint32_t room) const {
    if (message.tag == kQuery)
      local_.foresee(message.to, vector_of(message), context,
                     terms(message.to, message.conversation, context), room, true);
  }
  auto state() { return std::tie(local_, sum_, round_, finished_, queries_, model_); }

 protected:
  /// `divisor`: w. Throws as LocalTraining, BudgetError where the budget has no room for the timetable.
  TrustedRounds(const TrustedOptions& options, const Study& study, const Timetable& timetable,
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
  TrustedRounds(const TrustedRounds&) = delete;
  TrustedRounds& operator=(const TrustedRounds&) = delete;

  /// Whether owner i is asked in round t, from 0.
  virtual bool takes_part(std::size_t owner, std::uint64_t t, sim::Stream& stream) = 0;
  /// Moves the model x by the release of round t.
  virtual void apply(const Vector& released, std::uint64_t t, Context& context) = 0;

  static constexpr std::uint32_t kCohort = LocalTraining::kFreePurpose;  // purpose of the draws
  double server_step() const { return options_.server_step; }

 private:
  enum Tag : std::uint16_t { kQuery, kAnswer, kTimeout, kTrain };

  void begin_round(Context& context) {
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
  void end_round(Context& context) {
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
  void train(sim::AgentId i, Context& context) {
    const auto query = queries_.take(i, context);
    if (!query) return;
    context.compute(i);
    local_.train_inside(i, query->numbers(), context, update_, terms(i, query->number, context));
    context.entrust(i, kAnswer, query->number, update_);
  }

  LocalTerms terms(sim::AgentId i, std::uint32_t query, const Context& context) const {
    return {.first_step = (query - 1) * local_.steps(i, context)};
  }

  TrustedOptions options_;
  std::uint64_t rounds_;
  sim::Time timeout_;
  LocalTraining local_;
  std::shared_ptr<const ReleaseSchedule> releases_;
  EntrustedSum sum_;
  double divisor_;
  Request round_;  // to the owners chosen
  bool finished_ = false;
  std::vector<sim::AgentId> cohort_;
  NewestQueries queries_;
  Eigen::VectorXd model_;  // the server's, on durable storage
  LocalVector update_;
};

}  // namespace hearsay::models
