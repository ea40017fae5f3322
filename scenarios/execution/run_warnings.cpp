// What is suspicious about a run that has ended.
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/execution/experiment.hpp"
#include "scenarios/study/parting.hpp"

namespace hearsay::scenarios {

namespace {

// That the network delivered less than a tenth of the messages, and why.
std::string lost_messages(const sim::Traffic& traffic) {
  constexpr double kMaxLost = 0.9;
  double lost = 0;
  std::vector<std::string> reasons;
  for (const auto reason : {sim::LossReason::kLoss, sim::LossReason::kReceiverDown,
                            sim::LossReason::kSenderDown, sim::LossReason::kPartition}) {
    const std::uint64_t count = traffic.lost_as(reason);
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, sim::name(reason)));
    lost += static_cast<double>(count);
  }
  if (!(lost > kMaxLost * static_cast<double>(traffic.messages))) return "";
  return fmt::format("{:.4g} % of {} messages were lost ({}): see network.loss and network.availability",
                     100 * lost / static_cast<double>(traffic.messages), traffic.messages,
                     fmt::join(reasons, ", "));
}

std::string missed_events(sim::Time end, const std::vector<std::string>& events) {
  return fmt::format("the run ended at {:g} s, before {}", end, fmt::join(events, "; "));
}

}  // namespace

analysis::RunResult Experiment::ended_before(analysis::RunResult run, const Experiment& past) const {
  const auto missed = [&run](const Experiment& one) {
    std::vector<std::string> events;
    for (const auto& entry : one.engine_.timeline.entries)
      if (entry.at > std::max(run.time, kAtParting))
        events.push_back(fmt::format("{} at {:g} s", entry.text, entry.at));
    return events.empty() ? "" : missed_events(run.time, events);
  };
  const std::string before = missed(past), now = missed(*this);
  if (before == now || run.status != analysis::Status::kDone) return run;
  if (!before.empty() && run.message.ends_with(before))
    run.message.resize(run.message.size() - before.size());
  if (before.empty() && !run.message.empty()) run.message += "; ";
  run.message += now;
  return run;
}

std::string Experiment::warning(const models::World& world, analysis::RunEnd end) const {
  std::vector<std::string> all;
  if (auto unused = scenario_.protocol->warning(world)) all.push_back(std::move(*unused));
  if (auto idle = unused_plan(world, end, !all.empty()); !idle.empty()) all.push_back(std::move(idle));
  if (auto lost = lost_messages(world.engine.traffic()); !lost.empty()) all.push_back(std::move(lost));
  const auto wanted = scenario_.stop.iterations;
  if (end == analysis::RunEnd::kFinished && wanted && 2 * world.iterations < *wanted && privacy_.active() &&
      world.ledger.all_spent()) {
    all.push_back(fmt::format("all releases that the budgets allow were made after {} of stop.iterations {}",
                              world.iterations, *wanted));
  }
  if (end == analysis::RunEnd::kIdle && world.engine.all_gone()) {
    all.push_back(fmt::format("nothing happens after {:g} s, at iteration {}: every agent is down for good",
                              world.engine.now(), world.iterations));
  }
  const std::vector<std::string> missed = world.engine.events_to_come();
  if (!missed.empty()) all.push_back(missed_events(world.engine.now(), missed));
  return fmt::format("{}", fmt::join(all, "; "));
}

std::string Experiment::unused_plan(const models::World& world, analysis::RunEnd end, bool warned) const {
  using analysis::RunEnd;
  const auto iterations =
      privacy_.steps.empty() ? scenario_.protocol->planned_iterations(study_) : std::nullopt;
  if (end == RunEnd::kInterrupted || end == RunEnd::kFailed || !privacy_.active() || privacy_.by_turn())
    return "";
  const double used = world.ledger.median_used();
  if (used >= 0.5) return "";
  const bool short_of = iterations && 2 * world.iterations < *iterations;
  std::uint64_t made = world.iterations, planned = iterations.value_or(0);
  if (!short_of) {
    if (iterations && warned) return "";
    planned = 0;
    // The account with the median share.
    for (sim::AgentId i = 0; i < world.ledger.agents(); ++i) {
      const models::Account& account = world.ledger.account(i);
      const auto share = static_cast<double>(account.releases) / static_cast<double>(account.release_limit);
      if (!account.schedule || share != used) continue;
      made = account.releases;
      planned = account.release_limit;
    }
    if (planned == 0) return "";
  }
  const bool limited = end == RunEnd::kTime || end == RunEnd::kVectors || end == RunEnd::kBytes ||
                       end == RunEnd::kEvents || end == RunEnd::kWall || end == RunEnd::kIterations;
  const std::string limit = fmt::format("stop.{}", analysis::name(end));
  return fmt::format(
      "{} after {} of the {} {} that the privacy budget is planned for, so the noise is "
      "larger than needed: plan for fewer ({}){}",
      limited ? limit + " ended the run" : "the run ended", made, planned,
      short_of ? "iterations" : "releases of the median agent",
      short_of                 ? scenario_.stop.iterations ? "stop.iterations" : "protocol.horizon"
      : iterations             ? "privacy.steps \"expected\""
      : privacy_.steps.empty() ? "the protocol's options"
                               : "privacy.steps, or \"expected\"",
      limited && (!iterations || end != RunEnd::kIterations) ? " or extend " + limit : "");
}

}  // namespace hearsay::scenarios
