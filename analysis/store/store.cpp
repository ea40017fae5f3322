#include "analysis/store/store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include "analysis/store/checksum.hpp"
#include "analysis/store/json.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/store/series_rows.hpp"
#include "analysis/store/store_file.hpp"

namespace hearsay::analysis {

namespace {

constexpr const char* kMeanTime =
    "SELECT avg(wall_s) FROM timing JOIN run ON run.id = timing.run WHERE run.point = ?";

std::string insert_run_sql() {
  const std::vector<const char*> values(15 + sim::kLossReasons, "?");
  return fmt::format(
      "INSERT INTO run (point, repetition, record, run_key, status, end, iterations, time_s, events, "
      "messages, delivered, vectors, bytes, fingerprint, message{}) VALUES ({}) RETURNING id",
      lost_columns(), fmt::join(values, ","));
}

// Adds a row of the table of runs; `recorded`: with the metrics of the plan.
void note_known(KnownRun& known, const std::string& status, const std::string& end,
                const std::string& fingerprint, bool recorded) {
  const bool ended = status == name(Status::kDone) || status == name(Status::kDiverged);
  if (ended) {
    known.fingerprint = fingerprint_from(fingerprint);
    // A run that the wall-clock limit ended is not reproducible.
    known.comparable = end != name(RunEnd::kWall);
  }
  if (known.state == KnownRun::State::kCached) return;
  if (recorded) {
    known.state = ended ? KnownRun::State::kCached : KnownRun::State::kUnfinished;
  } else if (ended && known.state == KnownRun::State::kNew) {
    known.state = KnownRun::State::kUnrecorded;
  }
}

std::string host_name() {
  char name[256] = "unknown";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

KnownStudy known(Database& database, const StudyPlan& plan) {
  Statement& point = database.prepared(
      "SELECT id, described_by, owner_list, network, parameters.document FROM point LEFT JOIN parameters ON "
      "parameters.point = point.id WHERE key = ?");
  Statement& runs = database.prepared(
      "SELECT repetition, status, end, fingerprint, record.key, run.id, record.id FROM run JOIN record ON "
      "record.id = run.record WHERE point = ?");
  const std::set<std::int64_t> damaged = damaged_documents(database);
  // Whether the description of a row of `point` can be used again.
  const auto described = [&](const StudyPoint& p) {
    return !p.described_by.empty() && point.get<std::string>(1) == p.described_by &&
           !damaged.contains(point.get<std::int64_t>(2)) && !damaged.contains(point.get<std::int64_t>(3)) &&
           !damaged.contains(point.get<std::int64_t>(4)) &&
           intact(database, Part::kPoint, point.get<std::int64_t>(0));
  };
  KnownStudy all;
  for (const StudyPoint& p : plan.points) {
    std::vector<KnownRun> of_point(p.repetitions);
    const bool found = point(p.key).step();
    const auto id = found ? point.get<std::int64_t>(0) : 0;
    all.described.push_back(found && described(p));
    if (found) {
      RunCheck sound(database, id);
      runs(id);
      while (runs.step()) {
        const auto repetition = runs.get<std::size_t>(0);
        if (!sound(runs.get<std::int64_t>(5), runs.get<std::int64_t>(0), runs.get<std::int64_t>(6))) {
          all.damaged.push_back(runs.get<std::int64_t>(5));
          if (repetition < of_point.size() && of_point[repetition].state == KnownRun::State::kNew)
            of_point[repetition].state = KnownRun::State::kDamaged;
          continue;
        }
        if (repetition >= of_point.size()) continue;
        note_known(of_point[repetition], runs.get<std::string>(1), runs.get<std::string>(2),
                   runs.get<std::string>(3), runs.get<std::string>(4) == plan.record_key);
      }
    }
    point.reset();
    all.runs.push_back(std::move(of_point));
    all.seconds.push_back(database.first<std::optional<double>>(kMeanTime, id).value());
  }
  return all;
}

Store::Store(const std::filesystem::path& folder) : lock_(folder), database_(open_to_write(folder)) {}

Store::~Store() {
  try {
    // What a failure has left unfinished is not to be kept.
    if (in_transaction_) database_->run("ROLLBACK");
  } catch (const OutputError&) {
    // SQLite has rolled it back itself.
  }
  in_transaction_ = false;
  try {
    close();
  } catch (const OutputError&) {
    // See close().
  }
}

void Store::close() {
  if (!database_) return;
  commit();
  // A reader that has the file open keeps it from being a single one, but nothing is missing from it.
  if (!database_->run_unless_busy("PRAGMA journal_mode = DELETE"))
    database_->run_unless_busy("PRAGMA wal_checkpoint(TRUNCATE)");
  database_.reset();
}

void Store::begin() {
  if (!in_transaction_) database_->run("BEGIN IMMEDIATE");
  in_transaction_ = true;
}

void Store::commit() {
  if (in_transaction_) database_->run("COMMIT");
  in_transaction_ = false;
}

KnownStudy Store::known(const StudyPlan& plan) {
  KnownStudy all = analysis::known(*database_, plan);
  if (!all.damaged.empty()) begin();
  for (const std::int64_t run : all.damaged) erase(run);
  return all;
}

void Store::begin_study(const StudyPlan& plan) {
  begin();
  plan_ = plan;
  places_.clear();
  Database& d = *database_;
  d.run("DELETE FROM study; DELETE FROM info");
  finished_ = d.first<std::int64_t>("SELECT coalesce(max(finished), 0) FROM timing").value();
  auto info = plan.info;
  info["begun"] = std::to_string(std::time(nullptr));
  info["finished_before"] = std::to_string(finished_);
  info["axes"] = json_text(plan.head.axes);
  info["tuned"] = json_text(plan.head.tuned);
  info["groups"] = json_text(plan.head.groups);
  info["shown"] = json_text(plan.head.shown);
  info["metrics"] = json_text(plan.head.metrics);
  info["keep"] = plan.head.aggregate ? "aggregate" : "runs";
  info["models"] = plan.head.models ? "final" : "none";
  info["every"] = plan.head.by_time ? "time" : kEveryNames.at(plan.head.every);
  info["record_key"] = plan.record_key;
  info["runs"] = "sealed";  // which there are; a program that does not seal them does not say so
  for (const auto& [name, value] : info)
    d.execute("INSERT INTO info (name, value) VALUES (?,?)", name, value);

  d.execute("INSERT OR IGNORE INTO record (key, metrics) VALUES (?,?)", plan.record_key, info["metrics"]);
  record_ = d.first<std::int64_t>("SELECT id FROM record WHERE key = ?", plan.record_key).value();

  Statement& find = d.prepared("SELECT id, owners, first_owner FROM point WHERE key = ?");
  for (std::size_t number = 0; number < plan.points.size(); ++number) {
    const StudyPoint& p = plan.points[number];
    d.execute("INSERT OR IGNORE INTO point (key) VALUES (?)", p.key);
    find(p.key).step();
    const auto id = find.get<std::int64_t>(0);
    places_.push_back({id, {plan.head.metrics, find.get<std::size_t>(1), find.get<sim::AgentId>(2)}});
    find.reset();
    Json labels = Json::object();
    for (std::size_t a = 0; a < p.labels.size(); ++a) labels[plan.head.axes[a]] = p.labels[a];
    for (std::size_t t = 0; t < p.tuned.size(); ++t) labels[plan.head.tuned[t]] = p.tuned[t];
    d.execute("INSERT INTO study (number, point, labels, repetitions) VALUES (?,?,?,?)", number, id,
              json_text(labels), p.repetitions);
    if (!sealed(d, Part::kPoint, id)) seal(d, Part::kPoint, id);
    seal(d, Part::kRuns, id, record_);
  }
  seal(d, Part::kStudy);
  commit();
}

std::int64_t Store::document(const std::string& text) {
  const std::int64_t hash = document_hash(text);
  Statement& same = database_->prepared("SELECT id, text FROM document WHERE hash = ?")(hash);
  while (same.step()) {
    if (same.get<std::string>(1) != text) continue;
    const auto id = same.get<std::int64_t>(0);
    same.reset();
    return id;
  }
  return database_
      ->first<std::int64_t>("INSERT INTO document (hash, text) VALUES (?,?) RETURNING id", hash, text)
      .value();
}

void Store::put_point(std::size_t number, const PointResult& point, const Participants& participants) {
  begin();
  Place& place = places_[number];
  place.layout = plan_.head.layout(point);
  const bool connected = !participants.network.nodes.empty();
  const auto network = connected ? std::optional(document(network_text(participants.network))) : std::nullopt;
  database_->execute(
      "UPDATE point SET described_by = ?, owners = ?, first_owner = ?, fitted_on_private_data = ?, notes = "
      "?, owner_list = ?, network = ? WHERE id = ?",
      plan_.points[number].described_by, point.owners, point.first_owner, json_text(point.unaccounted),
      json_text(point.notes), document(owners_text(participants.owners)), network, place.id);
  database_->execute("DELETE FROM parameters WHERE point = ?", place.id);
  if (!participants.parameters.empty())
    database_->execute("INSERT INTO parameters (point, document) VALUES (?,?)", place.id,
                       document(json_text(participants.parameters)));
  database_->execute("DELETE FROM scalar WHERE point = ? AND run IS NULL", place.id);
  insert_scalars(place.id, {}, point.scalars);
  seal(*database_, Part::kPoint, place.id);
}

void Store::put_run(const RunResult& run, const std::string& run_key) {
  begin();
  const Place& place = places_[run.point];
  const auto old =
      database_->first<std::int64_t>("SELECT id FROM run WHERE point = ? AND repetition = ? AND record = ?",
                                     place.id, run.repetition, record_);
  if (old) erase(*old);
  const sim::Traffic& t = run.traffic;
  static_assert(sim::kLossReasons == 5);
  static const std::string insert_run = insert_run_sql();
  Statement& insert = database_->prepared(insert_run);
  insert(place.id, run.repetition, record_, run_key, name(run.status), name(run.end), run.iterations,
         run.time, run.events, t.messages, t.delivered, t.vectors, t.bytes, fingerprint_text(run.fingerprint),
         run.message, t.lost[0], t.lost[1], t.lost[2], t.lost[3], t.lost[4])
      .step();
  const auto id = insert.get<std::int64_t>(0);
  insert.execute();
  // Damage can lose the row of a run and leave its values, whose number is given again.
  if (database_->first<std::int64_t>("SELECT run FROM timing WHERE run = ?", id)) erase_values(id);
  write_series(*database_, id, plan_.head.metrics, place.layout, run.series);
  insert_scalars(place.id, id, run.scalars);
  for (const AgentModel& m : run.models)
    database_->execute("INSERT INTO model (run, agent, data) VALUES (?,?,?)", id, m.agent, m.parameters);
  database_->execute("INSERT INTO timing (run, wall_s, host, finished) VALUES (?,?,?,?)", id, run.wall,
                     run.host.empty() ? host_name() : run.host, ++finished_);
  seal(*database_, Part::kRun, id);
  change_runs(*database_, id, Change::kAdded);
}

void Store::aggregate() {
  if (!plan_.head.aggregate) return;
  begin();
  Statement& runs = database_->prepared(
      "SELECT id, repetition FROM run WHERE point = ? AND record = ? AND "
      "EXISTS (SELECT 1 FROM sample WHERE sample.run = run.id)");
  for (const Place& place : places_) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> fresh;
    runs(place.id, record_);
    while (runs.step()) fresh.emplace_back(runs.get<std::int64_t>(0), runs.get<std::uint32_t>(1));
    if (fresh.empty()) continue;
    SeriesByRepetition all;
    if (intact(*database_, Part::kTogether, place.id, record_))
      all = read_together(*database_, place.id, record_, place.layout.width());
    for (const auto& [run, repetition] : fresh) {
      all[repetition] = read_series(*database_, run, place.layout.width());
      erase_series(*database_, run);
      seal(*database_, Part::kRun, run);
    }
    write_together(*database_, place.id, record_, plan_.head.metrics, place.layout, all);
    seal(*database_, Part::kTogether, place.id, record_);
  }
  commit();
}

void Store::erase(std::int64_t run) {
  change_runs(*database_, run, Change::kErased);
  erase_values(run);
  database_->execute("DELETE FROM run WHERE id = ?", run);
  seal(*database_, Part::kRun, run);
}

void Store::erase_values(std::int64_t run) {
  erase_series(*database_, run);
  for (const char* table : {"scalar", "timing", "model"})
    database_->execute(fmt::format("DELETE FROM {} WHERE run = ?", table), run);
}

void Store::insert_scalars(std::int64_t point, std::optional<std::int64_t> run,
                           const std::vector<Scalar>& scalars) {
  for (const Scalar& one : scalars)
    database_->execute("INSERT INTO scalar (point, run, name, agent, value) VALUES (?,?,?,?,?)", point, run,
                       one.name, one.agent, one.value);
}

}  // namespace hearsay::analysis
