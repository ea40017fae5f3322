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

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/protocols/federated/clients.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

enum class TrainingTrigger { kServer, kClock };

struct AsynchronousOptions {
  TrainingTrigger trigger = TrainingTrigger::kServer;
  std::optional<std::uint32_t> concurrency;
  std::optional<sim::Time> timeout;
  LocalTraining::Params local;

  void describe(sim::Visitor& v);
  std::vector<std::string> notes(const Study& study) const { return local.notes(study); }
  void require(const Setting& setting) const { local.require(setting); }
  bool self_paced() const { return trigger == TrainingTrigger::kServer; }
};

class AsynchronousServer : public FederatedClients {
 public:
  void on_start(Context& context);
  void on_tick(sim::AgentId owner, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t number) const {
    return tag == kTrain ? "train" : timeout_name(trainings_.in_flight(number));
  }
  void reset(sim::AgentId agent, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const {
    const bool asks = !idle_.empty() && !(options_.trigger == TrainingTrigger::kClock && context.all_spent());
    return !asks && trainings_.in_flight() == 0;
  }

 protected:
  AsynchronousServer(const AsynchronousOptions& options, const Study& study, Answer answer);

  LocalTerms terms(const Query&, Context&) override { return {}; }
  /// Uses an answer. Returns whether x has changed, which is an iteration.
  virtual bool use(const sim::Message& answer, double staleness, Context& context) = 0;
  /// The server has lost its state.
  virtual void lose() {}

 private:
  static constexpr std::uint32_t kNext = LocalTraining::kFreePurpose;  // purpose of the draws
  struct Training {
    sim::AgentId owner = 0;
    std::uint64_t version = 0;  // of the model that was sent
  };

  void begin(std::size_t place, Context& context);
  void fill(Context& context);
  void end(std::uint32_t number, bool returns);

  AsynchronousOptions options_;
  sim::Time timeout_;
  std::uint64_t last_;              // iteration, with which the run ends
  std::size_t concurrency_;         // trainings at a time
  std::uint64_t version_ = 0;       // updates of x
  std::vector<sim::AgentId> idle_;  // owners that are not in training and may be asked
  Requests<Training> trainings_;
};

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::TrainingTrigger> {
  static constexpr std::array kValues{
      Choice{"server", "The server: the next owner begins when a training ends."},
      Choice{"clock", "The owners: each asks for the model at the ticks of its clock."}};
};
