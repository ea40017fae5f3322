#include "analysis/results/store.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/results/output_file.hpp"
#include "analysis/results/series_rows.hpp"
#include "analysis/results/store_file.hpp"
#include "analysis/results/store_schema.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

std::string insert_run_sql() {
  std::string names =
      "point, repetition, record, run_key, status, end, iterations, time_s, events, messages, delivered, "
      "vectors, bytes, fingerprint, message";
  std::string values = "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?";
  for (int r = 0; r < sim::kLossReasons; ++r) {
    names += fmt::format(", lost_{}", sim::name(static_cast<sim::LossReason>(r)));
    values += ",?";
  }
  return fmt::format("INSERT INTO run ({}) VALUES ({}) RETURNING id", names, values);
}

}  // namespace

struct Store::Statements {
  explicit Statements(Database& d)
      : find_run(d, "SELECT id FROM run WHERE point = ? AND repetition = ? AND record = ?"),
        run(d, insert_run_sql()),
        series(d, "INSERT INTO series (run, metric, agent, data) VALUES (?,?,?,?)"),
        mark(d, "INSERT INTO mark (run, data) VALUES (?,?)"),
        scalar(d, "INSERT INTO scalar (point, run, name, agent, value) VALUES (?,?,?,?,?)"),
        timing(d, "INSERT INTO timing (run, wall_s, host, finished) VALUES (?,?,?,?)") {}
  Statement find_run, run, series, mark, scalar, timing;
};

std::filesystem::path Store::file(const std::filesystem::path& folder) {
  return folder / "results.sqlite";
}

Store::Store(const std::filesystem::path& folder)
    : folder_(folder), lock_(make_and_lock_folder(folder)), host_(host_name()) {
  try {
    database_ = std::make_unique<Database>(file(folder_), Database::Access::kCreate);
    prepare_to_write(*database_, folder_);
    statements_ = std::make_unique<Statements>(*database_);
  } catch (...) {
    unlock_folder(lock_);
    throw;
  }
}

Store::~Store() {
  try {
    close();
  } catch (const OutputError&) {
    // Whoever wants to know has called close().
  }
  statements_.reset();
  database_.reset();
  unlock_folder(lock_);
}

void Store::close() {
  if (!database_) return;
  commit();
  statements_.reset();
  database_->run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  database_.reset();
}

void Store::begin() {
  if (in_transaction_) return;
  database_->run("BEGIN IMMEDIATE");
  in_transaction_ = true;
}

void Store::commit() {
  if (!in_transaction_) return;
  database_->run("COMMIT");
  in_transaction_ = false;
}

void Store::begin_study(const StudyPlan& plan) {
  begin();
  plan_ = plan;
  places_.clear();
  database_->run("DELETE FROM study; DELETE FROM info");
  Statement info(*database_, "INSERT INTO info (name, value) VALUES (?,?)");
  for (const auto& [name, value] : plan.info) info.bind(1, name).bind(2, value).execute();
  info.bind(1, "axes").bind(2, nlohmann::json(plan.head.axes).dump()).execute();
  info.bind(1, "groups").bind(2, nlohmann::json(plan.head.groups).dump()).execute();
  const std::string metrics = metric_names(plan.head);
  info.bind(1, "metrics").bind(2, metrics).execute();
  info.bind(1, "keep").bind(2, plan.head.aggregate ? "aggregate" : "runs").execute();
  info.bind(1, "every").bind(2, plan.head.by_time ? "time" : "").execute();
  info.bind(1, "record_key").bind(2, plan.record_key).execute();

  Statement(*database_, "INSERT OR IGNORE INTO record (key, metrics) VALUES (?,?)")
      .bind(1, plan.record_key)
      .bind(2, metrics)
      .execute();
  Statement record(*database_, "SELECT id FROM record WHERE key = ?");
  sim::check(record.bind(1, plan.record_key).step(), "a record key was not kept");
  record_ = record.integer(0);

  Statement add(*database_, "INSERT OR IGNORE INTO point (key) VALUES (?)");
  Statement find(*database_, "SELECT id, owners, first_owner FROM point WHERE key = ?");
  Statement study(*database_, "INSERT INTO study (number, point, labels, repetitions) VALUES (?,?,?,?)");
  for (std::size_t number = 0; number < plan.points.size(); ++number) {
    const StudyPoint& p = plan.points[number];
    add.bind(1, p.key).execute();
    sim::check(find.bind(1, p.key).step(), "a point was not kept");
    places_.push_back({find.integer(0), find.whole(1), find.whole(2)});
    find.reset();
    const std::string labels = labels_text(plan.head.axes, p.labels);
    study.bind(1, std::int64_t(number)).bind(2, places_.back().id).bind(3, labels);
    study.bind(4, std::int64_t{p.repetitions}).execute();
  }
  Statement last(*database_, "SELECT coalesce(max(finished), 0) FROM timing");
  last.step();
  finished_ = last.integer(0);
  last.reset();
  commit();
}

void Store::put_point(std::size_t number, const PointResult& point) {
  begin();
  Place& place = places_[number];
  place.owners = point.owners;
  place.first_owner = point.first_owner;
  const std::string fitted = nlohmann::json(point.unprivate).dump();
  const std::string notes = nlohmann::json(point.notes).dump();
  Statement(*database_,
            "UPDATE point SET described_by = ?, owners = ?, first_owner = ?, fitted_on_private_data = ?, "
            "notes = ? WHERE id = ?")
      .bind(1, plan_.points[number].described_by)
      .bind(2, std::int64_t(point.owners))
      .bind(3, std::int64_t{point.first_owner})
      .bind(4, fitted)
      .bind(5, notes)
      .bind(6, places_[number].id)
      .execute();
  Statement(*database_, "DELETE FROM scalar WHERE point = ? AND run IS NULL")
      .bind(1, places_[number].id)
      .execute();
  insert_scalars(number, 0, point.scalars);
}

void Store::put_run(const RunResult& run, const std::string& run_key) {
  begin();
  Statement& find = statements_->find_run;
  find.bind(1, places_[run.point].id).bind(2, std::int64_t{run.repetition}).bind(3, record_);
  if (find.step()) {
    const std::int64_t old = find.integer(0);
    find.reset();
    forget(old);
  }
  const std::int64_t id = insert_run(run, run_key);
  insert_series(id, run);
  insert_scalars(run.point, id, run.scalars);
  statements_->timing.bind(1, id).bind(2, run.wall).bind(3, host_).bind(4, ++finished_).execute();
}

void Store::aggregate() {
  if (!plan_.head.aggregate) return;
  begin();
  RunSeriesRows series(*database_);
  AggregateRows aggregates(*database_);
  Statement runs(*database_,
                 "SELECT id, repetition FROM run WHERE point = ? AND record = ? AND "
                 "EXISTS (SELECT 1 FROM mark WHERE mark.run = run.id)");
  for (const Place& place : places_) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> fresh;
    runs.bind(1, place.id).bind(2, record_);
    while (runs.step()) fresh.emplace_back(runs.integer(0), static_cast<std::uint32_t>(runs.integer(1)));
    if (fresh.empty()) continue;
    const std::size_t width = width_of(plan_.head, place.owners);
    SeriesByRepetition all = aggregates.read(place.id, record_, width);
    for (const auto& [run, repetition] : fresh) {
      all[repetition] = series.read(run, width);
      series.forget(run);
    }
    const PointResult shape{.owners = place.owners,
                            .first_owner = static_cast<sim::AgentId>(place.first_owner)};
    aggregates.write(place.id, record_, plan_.head, shape, all);
  }
  commit();
}

void Store::forget(std::int64_t run) {
  for (const char* table : {"series", "mark", "scalar", "timing"})
    Statement(*database_, fmt::format("DELETE FROM {} WHERE run = ?", table)).bind(1, run).execute();
  Statement(*database_, "DELETE FROM run WHERE id = ?").bind(1, run).execute();
}

std::int64_t Store::insert_run(const RunResult& run, const std::string& run_key) {
  const std::string fingerprint = fmt::format("{:016x}", run.fingerprint);
  const sim::Traffic& t = run.traffic;
  Statement& s = statements_->run;
  s.bind(1, places_[run.point].id).bind(2, std::int64_t{run.repetition}).bind(3, record_).bind(4, run_key);
  s.bind(5, name(run.status)).bind(6, name(run.end)).bind(7, run.iterations).bind(8, run.time);
  s.bind(9, run.events).bind(10, t.messages).bind(11, t.delivered).bind(12, t.vectors).bind(13, t.bytes);
  s.bind(14, std::string_view(fingerprint)).bind(15, std::string_view(run.message));
  for (int r = 0; r < sim::kLossReasons; ++r) s.bind(16 + r, t.lost[r]);
  s.step();
  const std::int64_t id = s.integer(0);
  s.step();
  return id;
}

void Store::insert_series(std::int64_t id, const RunResult& run) {
  const std::size_t marks = run.series.marks.size();
  if (marks == 0) return;
  column_.clear();
  for (const Mark& m : run.series.marks) {
    column_.insert(column_.end(), {static_cast<double>(m.iteration), m.time, static_cast<double>(m.vectors),
                                   static_cast<double>(m.bytes)});
  }
  statements_->mark.bind(1, id).bind(2, std::span<const double>(column_)).execute();

  const Place& place = places_[run.point];
  const std::size_t width = run.series.values.size() / marks;
  column_.resize(marks);
  std::size_t c = 0;
  for (const Metric* m : plan_.head.metrics) {
    for (std::size_t owner = 0; owner < m->size(place.owners); ++owner, ++c) {
      for (std::size_t k = 0; k < marks; ++k) column_[k] = run.series.values[k * width + c];
      Statement& s = statements_->series;
      s.bind(1, id).bind(2, m->name);
      m->per_agent ? s.bind(3, std::int64_t(place.first_owner + owner)) : s.bind_null(3);
      s.bind(4, std::span<const double>(column_)).execute();
    }
  }
  sim::check(c == width, "a run recorded other numbers than its study's metrics");
}

void Store::insert_scalars(std::size_t number, std::int64_t run, const std::vector<Scalar>& scalars) {
  Statement& s = statements_->scalar;
  for (const Scalar& one : scalars) {
    s.bind(1, places_[number].id).bind(3, std::string_view(one.name)).bind(5, one.value);
    run == 0 ? s.bind_null(2) : s.bind(2, run);
    one.agent ? s.bind(4, std::int64_t{*one.agent}) : s.bind_null(4);
    s.execute();
  }
}

}  // namespace hearsay::analysis
