#pragma once
// The asynchronous federated server: what fedasync and fedbuff share. The server (agent 0) sends an owner its model
// x; the owner trains and answers; the server uses the answer at once, whatever the others do. What an answer does to
// x is the protocol's. Who trains when:
//
//   trigger server   The server keeps `concurrency` owners in training, by default all. Whenever a training ends, it sends
//                    the newest model to an owner drawn uniformly among those that are not in training. With all owners in
//                    training, this is the one that has just answered: owner i then makes updates at the rate
//                    1/(its latency + computation), and fast owners dominate the model. The smaller the concurrency, the
//                    more equal are the owners' shares of the trainings.
//   trigger clock    At each tick of its clock an owner asks the server for the model (an empty message), so that its rate is
//                    that of its clock as long as it can follow. The server ignores an owner that is in training, and
//                    all while `concurrency` owners are. An owner that computes misses its ticks.
//
// A training ends with the owner's answer or refusal, or after `timeout`. An answer after that is stale: it is
// discarded, its releases stay spent. So an owner whose query or answer is lost, or that is down, is in training
// until the timeout and can be drawn, or ask, again. The server does not know who is up. An owner that refuses is not
// drawn again.
//
// A server that has crashed starts again from its first model; answers to queries from before the crash are stale.
// The staleness of an answer is the number of updates of x since its query was sent.
//
// Step t of a training: the owner's steps are numbered over all its trainings.
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "models/protocols/federated/clients.hpp"
#include "models/run/requests.hpp"
#include "models/run/timeout.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

// How much less an update counts that has been computed from an old model. s = 0, 1, ...: the updates that the server
// has made since it sent that model.
//
//   constant     1
//   hinge        1 for s <= b, else 1/(a (s - b) + 1)
//   polynomial   (1 + s)^-a
//
// Source: Xie, Koyejo, Gupta 2019, section 5.2; polynomial with a = 1/2: Nguyen et al. 2022, section 3.2.

struct ConstantStaleness {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "Weight 1, however old the model.";
  void describe(sim::Visitor&) {}
  double weight(double) const { return 1; }
};

struct HingeStaleness {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kHelp = "Weight 1 up to staleness b, then 1/(a (s - b) + 1).";
  double a = 10, b = 4;
  void describe(sim::Visitor& v) {
    v(a, sim::positive("a", "Decrease of the inverse weight per update."));
    v(b, sim::non_negative("b", "Largest staleness with weight 1."));
  }
  double weight(double s) const { return s <= b ? 1 : 1 / (a * (s - b) + 1); }
};

struct PolynomialStaleness {
  static constexpr std::string_view kName = "polynomial";
  static constexpr std::string_view kHelp = "Weight (1 + s)^-a.";
  double a = 0.5;
  void describe(sim::Visitor& v) { v(a, sim::non_negative("a", "Exponent.")); }
  double weight(double s) const { return std::pow(1 + s, -a); }
};

using Staleness = std::variant<PolynomialStaleness, HingeStaleness, ConstantStaleness>;

inline double weight_of(const Staleness& staleness, double s) {
  return std::visit([s](const auto& kind) { return kind.weight(s); }, staleness);
}

enum class TrainingTrigger { kServer, kClock };
constexpr auto choices_of(TrainingTrigger) {
  return std::to_array<sim::Choice>(
      {{"server", "The server: the next owner begins when a training ends."},
       {"clock", "The owners: each asks for the model at the ticks of its clock."}});
}

struct AsynchronousOptions {
  TrainingTrigger trigger = TrainingTrigger::kServer;
  std::optional<std::uint32_t> concurrency;
  std::optional<sim::Time> timeout;
  LocalTraining::Params local;

  void describe(sim::Visitor& v) {
    v(trigger, {.name = "trigger", .help = "Who starts a training."});
    v(concurrency, {.name = "concurrency",
                    .help = "Maximum number of owners in training at a time; by default all.",
                    .source = "Nguyen et al. 2022, M_c",
                    .min = 1});
    v(timeout,
      sim::positive(
          "timeout",
          "Time the server waits for an owner's answer, after which the owner may train again; by default "
          "unlimited on a reliable network, else 5 typical round trips, at least 1 s.",
          "s"));
    local.describe(v);
  }
  std::vector<std::string> notes(const Study& study) const { return local.notes(study); }
  void require(const Setting& setting) const { local.require(setting); }
  double release_sensitivity(const Budget& privacy, Eigen::Index n) const {
    return local.release_sensitivity(privacy, n);
  }
  OwnPace self_paced() const {
    return trigger == TrainingTrigger::kServer ? OwnPace::kTrainings : OwnPace::kNone;
  }
};

class AsynchronousServer : public FederatedClients {
 public:
  void on_start(Context& context) {
    open_accounts(context);
    fill(context);
  }
  void on_tick(sim::AgentId owner, Context& context) {
    if (options_.trigger == TrainingTrigger::kClock && context.records(owner) > 0 &&
        context.may_release(owner))
      context.send(owner, 0, kRequest, 0);
  }
  void on_message(const sim::Message& message, Context& context) {
    if (message.tag == kQuery) return receive_query(message, context);
    if (message.tag == kRequest) {
      const auto found = std::find(idle_.begin(), idle_.end(), message.from);
      if (found != idle_.end() && trainings_.in_flight() < concurrency_)
        begin(static_cast<std::size_t>(found - idle_.begin()), context);
      return;
    }
    const Training* const training = trainings_.match(message, context);
    if (training == nullptr) return;
    const auto staleness = static_cast<double>(version_ - training->version);
    end(message.conversation, message.tag == kAnswer);
    bool updated = false;
    if (message.tag == kAnswer) {
      context.count_staleness(staleness, context.now() - message.sent);
      count_used(message, context);
      updated = use(message, staleness, context);
    }
    if (updated) ++version_;
    if (!updated || context.iterations() + 1 < last_) fill(context);
    if (updated) context.count_iteration();
  }
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number, Context& context) {
    if (tag == kTrain) return train(agent, context);
    if (!trainings_.in_flight(number)) return;
    end(number, true);
    fill(context);
  }
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t number) const {
    return tag == kTrain ? "train" : timeout_name(trainings_.in_flight(number));
  }
  void reset(sim::AgentId agent, Context&) {
    if (agent != 0) return reset_client(agent);
    idle_ = trainers();
    trainings_.crash();
    lose();
  }
  void on_up(sim::AgentId agent, Context& context) {
    if (agent == 0 && trainings_.restarts()) fill(context);
  }
  bool finished(const Context& context) const {
    const bool asks = !idle_.empty() && !(options_.trigger == TrainingTrigger::kClock && context.all_spent());
    return !asks && trainings_.in_flight() == 0;
  }
  bool awaits_answers(const Context& context) const { return trainings_.in_flight() > 0 && context.up(0); }
  auto state() { return std::tuple_cat(FederatedClients::state(), std::tie(version_, idle_, trainings_)); }

 protected:
  AsynchronousServer(const AsynchronousOptions& options, const Study& study, Answer answer)
      : FederatedClients(options.local, study, answer),
        options_(options),
        timeout_(timeout_of(options.timeout, study)),
        last_(study.stop.iterations),
        concurrency_(std::min<std::size_t>(options.concurrency.value_or(0xFFFF'FFFF), trainers().size())),
        idle_(trainers()) {}

  LocalTerms terms(const Asked&, Eigen::VectorXd&, const Context&) const override { return {}; }
  /// Uses an answer. Returns whether x has changed, which is an iteration.
  virtual bool use(const sim::Message& answer, double staleness, Context& context) = 0;
  /// The server has lost its state.
  virtual void lose() {}

 private:
  static constexpr std::uint32_t kNext = LocalTraining::kFreePurpose;  // purpose of the draws
  struct Training {
    sim::AgentId owner = 0;
    std::uint64_t version = 0;  // of the model that was sent
    auto state() { return std::tie(owner, version); }
  };

  // Sends the model to the owner at a place of the idle ones.
  void begin(std::size_t place, Context& context) {
    Training& training = trainings_.begin();
    training = {idle_[place], version_};
    idle_[place] = idle_.back();
    idle_.pop_back();
    context.send(0, training.owner, kQuery, trainings_.last(), context.model(0));
    context.after(0, timeout_, kTimeout, trainings_.last());
  }
  void fill(Context& context) {
    if (options_.trigger == TrainingTrigger::kClock || ends_spent(context)) return;
    while (trainings_.in_flight() < concurrency_ && !idle_.empty()) {
      std::size_t place = 0;
      if (idle_.size() > 1) {
        sim::Stream stream = context.random(kNext, 0);
        place = sim::uniform_index(stream, idle_.size());
      }
      begin(place, context);
    }
  }
  // `returns`: whether the owner may train again.
  void end(std::uint32_t number, bool returns) {
    if (returns) idle_.push_back(trainings_.find(number)->owner);
    trainings_.end(number);
  }

  AsynchronousOptions options_;
  sim::Time timeout_;
  std::uint64_t last_;              // iteration, with which the run ends
  std::size_t concurrency_;         // trainings at a time
  std::uint64_t version_ = 0;       // updates of x
  std::vector<sim::AgentId> idle_;  // owners that are not in training and may be asked
  Requests<Training> trainings_;
};

}  // namespace hearsay::models
