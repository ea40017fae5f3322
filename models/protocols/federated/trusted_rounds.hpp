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

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/protocols/federated/local_training.hpp"
#include "models/protocols/federated/newest_queries.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

struct TrustedOptions {
  double server_step = 1;
  std::optional<std::uint64_t> rounds;
  std::optional<sim::Time> round_timeout;
  LocalTraining::Params local;

  void describe(sim::Visitor& v);
  std::vector<std::string> notes(const Study& study) const { return local.notes(study); }
  bool self_paced() const { return true; }
  /// By default until the run stops. Throws std::invalid_argument if a budget is to be planned and neither is given.
  std::uint64_t planned_rounds(const Setting& setting) const;
  void require(const Setting& setting) const {
    planned_rounds(setting);
    local.require(setting);
  }
};

class TrustedRounds {
 public:
  virtual ~TrustedRounds() = default;

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTrain ? "train" : timeout_name(round_.in_flight(round));
  }
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  bool finished(const Context&) const { return finished_; }

 protected:
  /// `divisor`: w. Throws as LocalTraining, BudgetError where the budget has no room for the timetable.
  TrustedRounds(const TrustedOptions& options, const Study& study, const Timetable& timetable,
                EntrustedSum sum, double divisor);
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

  void begin_round(Context& context);
  void end_round(Context& context);
  void train(sim::AgentId i, Context& context);

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
