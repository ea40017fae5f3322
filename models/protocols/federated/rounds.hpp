#pragma once
// Rounds of a federated server: what fedavg, fedprox and scaffold share. In round r the server (agent 0)
//
//   1. draws a cohort of C owners uniformly without replacement, and more with `over_selection` s: min(N, ceil(s C)),
//   2. sends them its model x and waits for the first C answers, for an answer of everyone asked, or for `round_timeout`,
//   3. x <- aggregate of the updates y_i - x that have come (aggregator.hpp), with weights
//        records   w_i = n_i, w = sum of n_i over these answers        McMahan et al. 2017, Algorithm 1
//        equal     w_i = 1, w = the number of these answers
//      and begins round r + 1.
//
// The server does not know who is up: a query to an owner that is down is lost. An answer that comes after its round
// has ended is stale: it is discarded, its releases stay spent, and what it carried never enters the model. If no
// answer comes, the model stays, and the round counts. Refusals count as answers without an update; who refuses is
// not drawn again. While the server is down, answers to it are lost and its timeout waits for its return.
//
// A server that has crashed starts again from its first model, without the state of its optimiser; the interrupted
// round counts, and answers to queries from before the crash are stale. Round numbers go on, and with them a
// decreasing step size.
//
// Step t of a training: owner i's steps in round r are numbered from (r - 1) K. Iteration: a round. Clocks have no
// effect.
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "models/protocols/federated/aggregator.hpp"
#include "models/protocols/federated/clients.hpp"
#include "models/run/requests.hpp"
#include "models/run/timeout.hpp"
#include "sim/check.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

// How many owners a federated server asks in a round, of the N that it can ask.

struct WholeCohort {
  static constexpr std::string_view kName = "all";
  static constexpr std::string_view kHelp = "All owners.";
  void describe(sim::Visitor&) {}
  std::size_t of(std::size_t owners) const { return owners; }
};

struct CohortNumber {
  static constexpr std::string_view kName = "number";
  static constexpr std::string_view kHelp = "A given number of owners.";
  static constexpr sim::Shorthand kShorthand{"number", sim::Shorthand::kNumber};
  std::uint32_t number = 10;
  void describe(sim::Visitor& v) {
    v(number, {.name = "number", .help = "Number of owners, at most all.", .min = 1});
  }
  std::size_t of(std::size_t owners) const { return std::min<std::size_t>(number, owners); }
};

struct CohortFraction {
  static constexpr std::string_view kName = "fraction";
  static constexpr std::string_view kHelp = "A fraction C of the N owners: C N, rounded, at least 1.";
  static constexpr sim::Shorthand kShorthand{"fraction"};
  double fraction = 0.1;
  void describe(sim::Visitor& v) {
    v(fraction,
      {.name = "fraction", .help = "Fraction of the owners.", .min = 0, .max = 1, .open_min = true});
  }
  std::size_t of(std::size_t owners) const {
    const auto rounded = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(owners)));
    return std::min(std::max<std::size_t>(rounded, 1), owners);
  }
};

using Cohort = std::variant<WholeCohort, CohortNumber, CohortFraction>;

enum class ClientWeights { kRecords, kEqual };
constexpr auto choices_of(ClientWeights) {
  return std::to_array<sim::Choice>(
      {{"records", "proportional to the owner's number of records"}, {"equal", "the same for every owner"}});
}

struct RoundOptions {
  Cohort cohort;
  double over_selection = 1;
  std::optional<sim::Time> round_timeout;
  ClientWeights weights = ClientWeights::kRecords;
  Aggregator::Params server;
  LocalTraining::Params local;

  void describe(sim::Visitor& v) {
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
  std::vector<std::string> notes(const Study& study) const {
    std::vector<std::string> all = local.notes(study);
    if (const std::size_t owners = study.problem.owners(); over_selection > 1 && cohort_of(owners) == owners)
      all.emplace_back("protocol.over_selection has no effect where the cohort is all owners");
    server.rule.note_too_few(cohort_of(study.problem.owners()), all);
    return all;
  }
  OwnPace self_paced() const { return OwnPace::kTrainings; }
  double release_sensitivity(const Budget& privacy, Eigen::Index n) const {
    return local.release_sensitivity(privacy, n);
  }
  /// Throws as LocalTraining::Params::require, and OptionError for a cohort of more owners than there are.
  void require(const Setting& setting) const {
    local.require(setting);
    const auto* given = std::get_if<CohortNumber>(&cohort);
    if (given != nullptr && setting.owners && given->number > *setting.owners)
      throw sim::OptionError("cohort", "expected at most the number of owners ({}), found {}; or all",
                             *setting.owners, given->number);
  }
  /// Answers that a round waits for, and owners that it asks for so many, of `all`.
  std::size_t cohort_of(std::size_t owners) const {
    return std::visit([&](const auto& c) { return c.of(owners); }, cohort);
  }
  std::size_t asked(std::size_t goal, std::size_t all) const {
    constexpr double kRounding = 1e-9;  // 1.1 times 10 is 11 owners, though not in binary
    const double wanted = std::ceil(over_selection * static_cast<double>(goal) - kRounding);
    return wanted < static_cast<double>(all) ? static_cast<std::size_t>(wanted) : all;
  }
};

class FederatedRounds : public FederatedClients {
 public:
  void on_start(Context& context) {
    open_accounts(context);
    begin_round(context);
  }
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context) {
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
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
    if (tag == kTrain) return train(agent, context);
    if (round_.in_flight(round)) end_round(context);
  }
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTrain ? "train" : timeout_name(round_.in_flight(round));
  }
  void reset(sim::AgentId agent, Context&) {
    lose(agent);
    if (agent != 0) return reset_client(agent);
    candidates_ = trainers();
    aggregator_.reset();
    round_.crash();
  }
  void on_up(sim::AgentId agent, Context& context) {
    if (agent == 0 && round_.restarts()) next_round(context);
  }
  bool finished(const Context&) const { return candidates_.empty() && !round_.in_flight(); }
  bool awaits_answers(const Context& context) const { return round_.in_flight() && context.up(0); }
  auto state() {
    return std::tuple_cat(FederatedClients::state(), std::tie(aggregator_, candidates_, round_, goal_));
  }

 protected:
  FederatedRounds(const RoundOptions& options, const Study& study, Eigen::Index vectors = 1)
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

  LocalTerms terms(const Asked& asked, Eigen::VectorXd&, const Context& context) const override {
    return {.first_step = (asked.number - 1) * local_.steps(asked.owner, context)};
  }
  /// w_i, and its share of the sum over all owners.
  double weight(std::size_t owner) const { return weights_[owner]; }
  double share(std::size_t owner) const { return weights_[owner] / all_weights_; }
  /// The numbers of a query beyond the first p, and those of an answer that is used.
  virtual void fill(Eigen::Ref<Eigen::VectorXd> rest) { rest.setZero(); }
  virtual void receive(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& rest) {
    static_cast<void>(owner), static_cast<void>(rest);
  }
  /// An agent has lost its state.
  virtual void lose(sim::AgentId agent) { static_cast<void>(agent); }

 private:
  static constexpr std::uint32_t kCohort = LocalTraining::kFreePurpose;  // purpose of the draws

  void begin_round(Context& context) {
    const std::size_t all = candidates_.size();
    if (all == 0) return;
    goal_ = options_.cohort_of(all);
    const std::size_t asked = options_.asked(goal_, all);
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
  void end_round(Context& context) {
    round_.end();
    aggregator_.apply(aggregator_.weight(), context);
    next_round(context);
  }
  void next_round(Context& context) {
    if (context.iterations() + 1 < last_ && !ends_spent(context)) begin_round(context);
    context.count_iteration();
  }

  RoundOptions options_;
  sim::Time timeout_;
  std::uint64_t last_;  // round, after which the run ends
  Aggregator aggregator_;
  std::vector<double> weights_;  // by owner
  double all_weights_ = 0;
  std::vector<sim::AgentId> candidates_;
  Request round_;         // to the cohort; its number is r
  std::size_t goal_ = 0;  // answers after which the round ends
  Eigen::VectorXd query_;
};

}  // namespace hearsay::models
