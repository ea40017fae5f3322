#include "analysis/results/stored_study.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/results/output_file.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

std::string select_runs() {
  std::string sql =
      "SELECT id, repetition, status, end, iterations, time_s, events, messages, delivered, vectors, bytes, "
      "fingerprint, message, (SELECT wall_s FROM timing WHERE timing.run = run.id)";
  for (int r = 0; r < sim::kLossReasons; ++r)
    sql += fmt::format(", lost_{}", sim::name(static_cast<sim::LossReason>(r)));
  return sql + " FROM run WHERE point = ? AND record = ? AND repetition BETWEEN ? AND ? ORDER BY repetition";
}

std::vector<std::string> texts(const std::string& json) {
  return nlohmann::json::parse(json).get<std::vector<std::string>>();
}

}  // namespace

StoredStudy::StoredStudy(const std::filesystem::path& folder)
    : folder_(folder), database_(open_store(folder)) {
  const std::string axes = info("axes"), metrics = info("metrics");
  if (axes.empty() || metrics.empty())
    throw OutputError(fmt::format("{}: holds no study yet", Store::file(folder).string()));
  head_.axes = texts(axes);
  if (const std::string groups = info("groups"); !groups.empty())
    head_.groups = nlohmann::json::parse(groups).get<std::vector<std::size_t>>();
  for (const std::string& name : texts(metrics)) {
    const Metric* metric = find_metric(name);
    if (metric == nullptr) {
      throw OutputError(fmt::format("{}: has a metric that this program does not know: {}",
                                    Store::file(folder).string(), name));
    }
    head_.metrics.push_back(metric);
  }
  head_.aggregate = info("keep") == "aggregate";
  head_.by_time = info("every") == "time";
  Statement count(*database_, "SELECT count(*) FROM study");
  count.step();
  points_ = count.whole(0);
  Statement record(*database_, "SELECT id FROM record WHERE key = ?");
  const std::string key = info("record_key");
  if (record.bind(1, std::string_view(key)).step()) record_ = record.integer(0);
  const auto prepare = [&](std::string_view sql) { return std::make_unique<Statement>(*database_, sql); };
  point_ = prepare(
      "SELECT point.id, labels, repetitions, owners, first_owner, fitted_on_private_data, notes, key FROM "
      "study "
      "JOIN point ON point.id = study.point WHERE number = ?");
  runs_ = prepare(select_runs());
  series_ = std::make_unique<RunSeriesRows>(*database_);
  aggregates_ = std::make_unique<AggregateRows>(*database_);
  run_scalars_ = prepare("SELECT name, agent, value FROM scalar WHERE run = ? ORDER BY rowid");
  point_scalars_ =
      prepare("SELECT name, agent, value FROM scalar WHERE point = ? AND run IS NULL ORDER BY rowid");
}

std::string StoredStudy::info(std::string_view name) {
  Statement s(*database_, "SELECT value FROM info WHERE name = ?");
  return s.bind(1, name).step() ? s.text(0) : "";
}

std::vector<Scalar> StoredStudy::read_scalars(Statement& rows) {
  std::vector<Scalar> all;
  while (rows.step()) {
    Scalar one{rows.text(0), {}, rows.number(2)};
    if (!rows.null(1)) one.agent = static_cast<sim::AgentId>(rows.integer(1));
    all.push_back(std::move(one));
  }
  return all;
}

PointResult StoredStudy::point(std::size_t number) {
  sim::check(point_->bind(1, std::int64_t(number)).step(), "a point is asked for that is not in the study");
  PointResult point;
  const auto labels = nlohmann::json::parse(point_->text(1));
  for (const std::string& axis : head_.axes) point.labels.push_back(labels.at(axis).get<std::string>());
  point.owners = point_->whole(3);
  point.first_owner = static_cast<sim::AgentId>(point_->integer(4));
  point.unprivate = texts(point_->text(5));
  point.notes = texts(point_->text(6));
  point.scalars = read_scalars(point_scalars_->bind(1, point_->integer(0)));
  point_->reset();
  return point;
}

std::string StoredStudy::key(std::size_t number) {
  sim::check(point_->bind(1, std::int64_t(number)).step(), "a point is asked for that is not in the study");
  std::string key = point_->text(7);
  point_->reset();
  return key;
}

void StoredStudy::each_run(const ForPoint& for_point, const ForRun& for_run) {
  for (std::size_t number = 0; number < points_; ++number) {
    const PointResult one = point(number);
    for_point(one);
    point_->bind(1, std::int64_t(number)).step();
    const std::int64_t id = point_->integer(0), repetitions = point_->integer(2);
    point_->reset();
    runs_->bind(1, id).bind(2, record_).bind(3, std::int64_t{0}).bind(4, repetitions - 1);
    while (runs_->step()) {
      for_run(one, read_run(*runs_, number, one, id));
    }
  }
}

std::optional<RunResult> StoredStudy::run(std::size_t number, std::uint32_t repetition) {
  const PointResult one = point(number);
  point_->bind(1, std::int64_t(number)).step();
  const std::int64_t id = point_->integer(0);
  point_->reset();
  runs_->bind(1, id).bind(2, record_).bind(3, std::int64_t{repetition}).bind(4, std::int64_t{repetition});
  if (!runs_->step()) return std::nullopt;
  RunResult found = read_run(*runs_, number, one, id);
  runs_->reset();
  return found;
}

RunResult StoredStudy::read_run(Statement& row, std::size_t number, const PointResult& point,
                                std::int64_t point_id) {
  RunResult run;
  run.point = number;
  run.repetition = static_cast<std::uint32_t>(row.integer(1));
  run.status = status_of(row.text(2)).value_or(Status::kFailed);
  run.end = end_of(row.text(3)).value_or(RunEnd::kFinished);
  run.iterations = row.whole(4);
  run.time = row.number(5);
  run.events = row.whole(6);
  run.traffic.messages = row.whole(7);
  run.traffic.delivered = row.whole(8);
  run.traffic.vectors = row.whole(9);
  run.traffic.bytes = row.whole(10);
  run.fingerprint = std::stoull(row.text(11), nullptr, 16);
  run.message = row.text(12);
  run.wall = row.number(13);
  for (int r = 0; r < sim::kLossReasons; ++r) run.traffic.lost[r] = row.whole(14 + r);
  const std::int64_t id = row.integer(0);
  run.scalars = read_scalars(run_scalars_->bind(1, id));
  run.series = series_->read(id, width_of(head_, point.owners));
  if (!run.series.marks.empty()) return run;
  hold(point_id, point);
  if (const auto found = together_.find(run.repetition); found != together_.end()) run.series = found->second;
  return run;
}

void StoredStudy::hold(std::int64_t id, const PointResult& point) {
  if (held_ == id) return;
  together_ = aggregates_->read(id, record_, width_of(head_, point.owners));
  held_ = id;
}

}  // namespace hearsay::analysis
