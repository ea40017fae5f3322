#include "scenarios/execution/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/store/store_writer.hpp"
#include "scenarios/execution/study_difference.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/shard.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

// The first option in which two scenarios differ; empty if none does.
std::string scenario_difference(const analysis::StudyPlan& plan, const analysis::StudyPlan& other,
                                const std::string& a, const std::string& b) {
  const Names all =
      option_differences(info_of(plan, "scenario"), info_of(other, "scenario"), "in " + a, "in " + b);
  return all.empty() ? "" : all.front();
}

}  // namespace

PartsMerge::PartsMerge(std::filesystem::path output) : output_(std::move(output)) {
  std::error_code error;
  if (!std::filesystem::exists(analysis::store_file(output_), error)) return;
  store_ = std::make_unique<analysis::Store>(output_);
  if (!analysis::has_study(output_)) return;
  analysis::StoredStudy study(output_);
  if (const std::string part = study.info("shard"); !part.empty()) {
    throw InputError(fmt::format("{}: holds part {} of a study; choose another output folder with -o",
                                 output_.string(), printable(part)));
  }
  read_part(study, study.plan(), kOutput);
}

void PartsMerge::add(analysis::StoredStudy& study) {
  parts_.push_back(study.folder());
  read_part(study, study.plan(), static_cast<std::uint32_t>(parts_.size() - 1));
}

const std::filesystem::path& PartsMerge::folder(std::uint32_t source) const {
  return source == kOutput ? output_ : parts_[source];
}

void PartsMerge::begin(const analysis::StudyPlan& plan) {
  plan_ = plan;
  plan_->info.erase("shard");
  describer_.assign(plan.points.size(), kNone);
  std::map<std::string_view, std::size_t> slots;
  for (const analysis::StudyPoint& p : plan.points) {
    const std::size_t slot = slots.try_emplace(p.key, runs_.size()).first->second;
    if (slot == runs_.size()) runs_.emplace_back();
    slots_.push_back(slot);
    if (runs_[slot].size() < p.repetitions) runs_[slot].resize(p.repetitions);
  }
}

void PartsMerge::require_same_study(const analysis::StudyPlan& plan,
                                    const std::filesystem::path& folder) const {
  const std::string a = first_.string(), b = folder.string();
  const auto refuse = [&](const std::string& difference) {
    throw InputError(fmt::format("{} and {}: expected parts of one study, found {}", a, b, difference));
  };
  const auto require_equal = [&](const char* info, const std::string& what) {
    const std::string of_a = info_of(*plan_, info), of_b = info_of(plan, info);
    if (of_a != of_b)
      refuse(fmt::format("{}: '{}' in {}, '{}' in {}", what, printable(of_a), a, printable(of_b), b));
  };
  require_equal("build", "different programs");
  if (const std::string difference = scenario_difference(*plan_, plan, a, b); !difference.empty())
    refuse("different scenarios: " + difference);
  if (plan_->head.axes != plan.head.axes) refuse("options of sweep in another order");
  require_equal("condition", "different --points");
  require_equal("instances", "different instances of the data");
  if (plan_->points.size() != plan.points.size())
    refuse(
        fmt::format("{} in {}, {} in {}", counted(plan_->points.size(), "point"), a, plan.points.size(), b));
  if (plan_->record_key != plan.record_key)
    refuse("different record keys: other metrics, or other intervals between samples");
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const analysis::StudyPoint &one = plan_->points[p], &other = plan.points[p];
    if (one.key != other.key || comparable_labels(one.labels) != comparable_labels(other.labels) ||
        one.repetitions != other.repetitions)
      refuse(fmt::format("different keys of point {}: an input file differs", p));
  }
}

void PartsMerge::read_part(analysis::StoredStudy& study, const analysis::StudyPlan& plan,
                           std::uint32_t source) {
  if (plan_) {
    require_same_study(plan, study.folder());
  } else {
    const auto scenario = nlohmann::json::parse(info_of(plan, "scenario"), nullptr, false);
    if (scenario.is_object() && scenario.contains("sweep") && scenario["sweep"].contains("select")) {
      throw InputError(fmt::format(
          "{}: its scenario selects points by their results (sweep.select), so that it has no parts",
          study.folder().string()));
    }
    begin(plan);
    first_ = study.folder();
  }
  study.freeze();
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    study.point(p);  // throws if it is damaged, before anything is written
    const std::string& described_by = plan.points[p].described_by;
    if (describer_[p] == kNone && !described_by.empty()) {
      describer_[p] = source;
      plan_->points[p].described_by = described_by;
    }
    for (const analysis::RunState& state : study.states(p))
      consider(runs_of_point(p)[state.repetition], state, source, p);
  }
}

void PartsMerge::consider(Run& run, const analysis::RunState& state, std::uint32_t source,
                          std::size_t point) {
  if (!state.intact || state.status == analysis::Status::kInterrupted) return;
  // A run that the wall-clock limit ended is not reproducible.
  const bool comparable = state.ended() && state.end != analysis::RunEnd::kWall;
  if (run.comparable && comparable && run.fingerprint != state.fingerprint) {
    throw sim::InvariantError(
        fmt::format("point {} repetition {} (run key {}) has fingerprint {:016x} in {}, {:016x} in {}", point,
                    state.repetition, run_key(plan_->points[point].key, state.repetition), run.fingerprint,
                    folder(run.source).string(), state.fingerprint, folder(source).string()));
  }
  // Failed runs only where no part has another result.
  if (run.source == kNone || (!run.ended && state.ended()))
    run = {
        .fingerprint = state.fingerprint, .source = source, .ended = state.ended(), .comparable = comparable};
}

void PartsMerge::write() {
  if (!store_) store_ = std::make_unique<analysis::Store>(output_);
  const analysis::KnownStudy known = store_->known(*plan_);
  store_->begin_study(*plan_);
  for (std::size_t p = 0; p < describer_.size(); ++p)
    if (known.described[p]) describer_[p] = kOutput;
  for (std::uint32_t k = 0; k < parts_.size(); ++k) {
    analysis::StoredStudy study(parts_[k]);
    study.freeze();
    write_points(study, k);
    store_->commit();
    write_runs(study, k);
  }
  store_->close();
}

void PartsMerge::write_points(analysis::StoredStudy& study, std::uint32_t source) {
  std::optional<std::int64_t> number;  // of the network read last
  analysis::Participants participants;
  for (std::size_t p = 0; p < describer_.size(); ++p) {
    if (describer_[p] != source) continue;
    participants.owners = study.owners(p);
    participants.parameters = study.parameters(p);
    if (const auto network = study.network_number(p); network != number || !network) {
      participants.network = network ? study.network(*network) : analysis::NetworkGraph{};
      number = network;
    }
    store_->put_point(p, study.point(p), participants);
  }
}

void PartsMerge::write_runs(analysis::StoredStudy& study, std::uint32_t source) {
  analysis::StoreWriter writer(*store_);
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    const std::span<Run> runs = runs_of_point(p);
    if (std::ranges::none_of(runs, [&](const Run& r) { return r.source == source; })) continue;
    study.runs(p, [&](const analysis::RunResult& run) {
      if (runs[run.repetition].source != source) return;
      runs[run.repetition].source = kOutput;
      ++added_;
      writer.add(run);
    });
  }
  writer.finish();
}

std::uint64_t PartsMerge::all() const {
  std::uint64_t sum = 0;
  for (const analysis::StudyPoint& p : plan_->points) sum += p.repetitions;
  return sum;
}

std::uint64_t PartsMerge::to_add() const {
  std::uint64_t sum = 0;
  for (const std::vector<Run>& runs : runs_)
    sum += static_cast<std::uint64_t>(
        std::ranges::count_if(runs, [](const Run& r) { return r.source != kNone && r.source != kOutput; }));
  return sum;
}

std::vector<RunTask> PartsMerge::missing() const {
  std::vector<RunTask> all;
  std::vector<bool> seen(runs_.size());
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    if (seen[slots_[p]]) continue;
    seen[slots_[p]] = true;
    const std::vector<Run>& runs = runs_[slots_[p]];
    for (std::uint32_t r = 0; r < runs.size(); ++r)
      if (runs[r].source != kOutput) all.push_back({static_cast<std::uint32_t>(p), r});
  }
  return all;
}

std::map<std::uint32_t, std::uint64_t> missing_by_part(const Plan& plan, std::span<const RunTask> missing,
                                                       std::uint32_t count) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
  for (const RunTask t : missing) wanted.emplace(t.point, t.repetition);
  const std::vector<RunTask> runs = RunMaker(plan, 1).all_runs();
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < runs.size(); ++k)
    if (wanted.contains({runs[k].point, runs[k].repetition})) places.push_back(k);
  std::map<std::uint32_t, std::uint64_t> by_part;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const std::vector<bool> own = runs_of({number, count}, runs.size());
    const auto of_part = std::ranges::count_if(places, [&](std::size_t k) { return own[k]; });
    if (of_part > 0) by_part[number] = static_cast<std::uint64_t>(of_part);
  }
  return by_part;
}

}  // namespace hearsay::scenarios
