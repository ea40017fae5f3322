#include "scenarios/execution/splitting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "analysis/conclusions/splitting.hpp"
#include "scenarios/study/errors.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint32_t kTrials = 1u << 31;  // numbers of runs that choose levels

// A run goes on as it began but for what it draws: its start is made with the numbers of the first of its line.
struct LevelState {
  std::string text;
  std::uint32_t first;
};

// Ends a run when it reaches a level, and keeps its state then.
class Crossing final : public models::Observer, public models::StateKeeper {
 public:
  Crossing(const SplitRuns& runs, std::uint32_t number, const LevelState* from, double level)
      : runs_(runs),
        number_(number),
        from_(from),
        level_(level),
        sign_(runs.options.towards == Towards::kAbove ? 1 : -1),
        metric_(*runs.options.level),
        values_(metric_.size(runs.study.problem.owners())) {
    check_every_iterations = runs.options.check_every.value_or(0);
    every_iterations = runs.every.iterations.value_or(0);
    every_vectors = runs.every.vectors.value_or(0);
    every_bytes = runs.every.bytes.value_or(0);
    keeper = this;
  }

  void observe(const models::World&) override {}
  bool reached(const models::World& world) override {
    const double value = sign_ * metric_.mean(world, values_);
    if (value > most_) most_ = value;  // not NaN
    return most_ >= level_;
  }
  bool should_abort() override { return interrupted(); }
  bool interrupted() const {
    return runs_.interrupted != nullptr && runs_.interrupted->load(std::memory_order_relaxed);
  }

  void resume(const models::World& world, models::RunState& state) override {
    if (from_ == nullptr) return;
    state.continue_as(number_);
    boost::interprocess::ibufferstream in(from_->text.data(), from_->text.size());
    state.load(in);
    state.redraw(world.engine.now());
    past_events_ = world.engine.events();
    most_ = analysis::Trajectory{}.most;  // that of the start
  }
  void keep(const models::World&, const models::RunState&) override {}
  void stopped(const models::RunState& state) override {
    if (!(most_ >= level_)) return;  // something else has ended it
    std::ostringstream out(std::ios::binary);
    state.save(out);
    state_ = std::make_shared<const LevelState>(
        LevelState{std::move(out).str(), from_ == nullptr ? number_ : from_->first});
  }

  /// Of the run that it goes on from.
  std::uint64_t past_events() const { return past_events_; }
  analysis::Trajectory trajectory() { return {most_, std::move(state_)}; }

 private:
  const SplitRuns& runs_;
  std::uint32_t number_;
  const LevelState* from_;
  double level_, sign_;
  const analysis::Metric& metric_;
  std::vector<double> values_;
  double most_ = analysis::Trajectory{}.most;
  std::uint64_t past_events_ = 0;
  std::shared_ptr<const LevelState> state_;
};

class Runs final : public analysis::Trajectories {
 public:
  explicit Runs(const SplitRuns& runs) : runs_(runs) {}

  analysis::Trajectory simulate(std::uint32_t number, const analysis::Trajectory* from,
                                double level) override {
    const auto* state = from == nullptr ? nullptr : static_cast<const LevelState*>(from->state.get());
    Crossing crossing(runs_, number, state, level);
    models::World world(runs_.study, runs_.engine,
                        runs_.streams.continued(state == nullptr ? number : state->first));
    runs_.protocol.run(world, crossing);
    if (crossing.interrupted()) throw Interrupted();
    ++made;
    events += world.engine.events() - crossing.past_events();
    return crossing.trajectory();
  }

  std::atomic<std::uint64_t> made = 0, events = 0;

 private:
  const SplitRuns& runs_;
};

}  // namespace

void add_rare_event(const SplitRuns& runs, std::vector<analysis::Scalar>& scalars) {
  const SplittingOptions& options = runs.options;
  const double sign = options.towards == Towards::kAbove ? 1 : -1;
  const auto place = [&](std::uint32_t number) {
    sim::Stream s = runs.streams(sim::Purpose::kSplitting, 0, 0, number);
    return sim::uniform(s);
  };
  Runs all(runs);
  std::vector<double> levels;
  if (const auto* given = std::get_if<GivenLevels>(&options.levels)) {
    for (const double level : given->values) levels.push_back(sign * level);
  } else {
    const auto& automatic = std::get<AutoLevels>(options.levels);
    levels =
        analysis::choose_levels(sign * automatic.last, automatic.share, options.effort, kTrials, place, all);
  }
  const analysis::RareEvent event = analysis::split(levels, options.effort, 1, runs.confidence, place, all);
  const auto add = [&](const std::string& name, double value) {
    scalars.push_back({"splitting." + name, {}, value});
  };
  add("probability", event.probability.value);
  add("low", event.probability.low);
  add("high", event.probability.high);
  add("fewest",
      static_cast<double>(std::ranges::min(event.stages, {}, &analysis::SplittingStage::reached).reached));
  add("runs", static_cast<double>(all.made));
  add("events", static_cast<double>(all.events));
  for (std::size_t i = 0; i < event.stages.size(); ++i) {
    add(fmt::format("level.{}", i + 1), sign * event.stages[i].level);
    add(fmt::format("share.{}", i + 1), static_cast<double>(event.stages[i].reached) / options.effort);
  }
}

}  // namespace hearsay::scenarios
