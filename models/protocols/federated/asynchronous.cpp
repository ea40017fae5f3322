#include "models/protocols/federated/asynchronous.hpp"

#include <algorithm>

#include "models/run/timeout.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

void AsynchronousOptions::describe(sim::Visitor& v) {
  v(trigger, {.name = "trigger", .help = "Who starts a training."});
  v(concurrency, {.name = "concurrency",
                  .help = "Maximum number of owners in training at a time; by default all.",
                  .source = "Nguyen et al. 2022, M_c",
                  .min = 1});
  v(timeout,
    {.name = "timeout",
     .help = "Time the server waits for an owner's answer, after which the owner may train again; by default "
             "unlimited on a reliable network, else 5 typical round trips, at least 1 s.",
     .unit = "s",
     .min = 0,
     .open_min = true});
  local.describe(v);
}

AsynchronousServer::AsynchronousServer(const AsynchronousOptions& options, const Study& study, Answer answer)
    : FederatedClients(options.local, study, answer),
      options_(options),
      timeout_(timeout_of(options.timeout, study)),
      last_(study.stop.iterations),
      concurrency_(std::min<std::size_t>(options.concurrency.value_or(0xFFFF'FFFF), trainers().size())),
      idle_(trainers()) {}

void AsynchronousServer::on_start(Context& context) {
  open_accounts(context);
  fill(context);
}

// Sends the model to the owner at a place of the idle ones.
void AsynchronousServer::begin(std::size_t place, Context& context) {
  Training& training = trainings_.begin();
  training = {idle_[place], version_};
  idle_[place] = idle_.back();
  idle_.pop_back();
  context.send(0, training.owner, kQuery, trainings_.last(), context.model(0));
  context.after(0, timeout_, kTimeout, trainings_.last());
}

void AsynchronousServer::fill(Context& context) {
  if (options_.trigger == TrainingTrigger::kClock) return;
  while (trainings_.in_flight() < concurrency_ && !idle_.empty()) {
    std::size_t place = 0;
    if (idle_.size() > 1) {
      sim::Stream stream = context.random(kNext, 0);
      place = sim::uniform_index(stream, idle_.size());
    }
    begin(place, context);
  }
}

void AsynchronousServer::on_tick(sim::AgentId owner, Context& context) {
  if (options_.trigger == TrainingTrigger::kClock && context.records(owner) > 0 && context.may_release(owner))
    context.send(owner, 0, kRequest, 0);
}

void AsynchronousServer::on_message(const sim::Message& message, Context& context) {
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

void AsynchronousServer::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number,
                                  Context& context) {
  if (tag == kTrain) return train(agent, context);
  if (!trainings_.in_flight(number)) return;
  end(number, true);
  fill(context);
}

// `returns`: whether the owner may train again.
void AsynchronousServer::end(std::uint32_t number, bool returns) {
  if (returns) idle_.push_back(trainings_.find(number)->owner);
  trainings_.end(number);
}

void AsynchronousServer::reset(sim::AgentId agent, Context&) {
  if (agent != 0) return reset_client(agent);
  idle_ = trainers();
  trainings_.crash();
  lose();
}

void AsynchronousServer::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 && trainings_.restarts()) fill(context);
}

}  // namespace hearsay::models
