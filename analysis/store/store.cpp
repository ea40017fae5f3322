#include "analysis/store/store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "analysis/store/checksum.hpp"
#include "analysis/store/json.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/store/series_rows.hpp"
#include "analysis/store/store_file.hpp"

namespace hearsay::analysis {

namespace {

std::string insert_run_sql() {
  const std::vector<const char*> values(17 + sim::kLossReasons, "?");
  return fmt::format(
      "INSERT INTO run (point, repetition, record, status, end, iterations, time_s, events, messages, "
      "delivered, vectors, bytes, fingerprint, message, wall_s, host, finished{}) VALUES ({}) RETURNING id",
      lost_columns(), fmt::join(values, ","));
}

// Adds a row of the table of runs; `recorded`: with the metrics of the plan.
void note_known(KnownRun& known, const std::string& status, const std::string& end, std::uint64_t fingerprint,
                bool recorded) {
  const bool ended = status == name(Status::kDone) || status == name(Status::kDiverged);
  if (ended) {
    known.fingerprint = fingerprint;
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
  Statement& point =
      database.prepared("SELECT id, described_by, owner_list, network, parameters FROM point WHERE key = ?");
  Statement& runs =
      database.prepared("SELECT id, repetition, record, status, end, fingerprint FROM run WHERE point = ?");
  const std::set<std::int64_t> documents = intact_documents(database);
  // Whether the description of a row of `point` can be used again.
  const auto described = [&](const StudyPoint& p) {
    for (const int column : {2, 3, 4}) {
      const auto document = point.get<std::optional<std::int64_t>>(column);
      if (document && !documents.contains(*document)) return false;
    }
    return !p.described_by.empty() && point.get<std::string>(1) == p.described_by &&
           intact(database, Part::kPoint, point.get<std::int64_t>(0));
  };
  KnownStudy all;
  for (const StudyPoint& p : plan.points) {
    std::vector<KnownRun> of_point(p.repetitions);
    const bool found = point(p.key).step();
    const auto id = found ? point.get<std::int64_t>(0) : 0;
    const bool usable = found && described(p);
    all.described.push_back(usable);
    const auto untouched = [&] {
      return point.get<std::string>(1).empty() && intact(database, Part::kPoint, id);
    };
    all.outdated.push_back(found && !usable && !untouched());
    if (found) {
      runs(id);
      while (runs.step()) {
        const auto run = runs.get<std::int64_t>(0);
        const auto repetition = runs.get<std::size_t>(1);
        const auto record = runs.get<std::string>(2);
        if (!intact_run(database, run, id, runs.get<std::int64_t>(1), record)) {
          all.damaged.push_back(run);
          if (repetition < of_point.size() && of_point[repetition].state == KnownRun::State::kNew)
            of_point[repetition].state = KnownRun::State::kDamaged;
          continue;
        }
        if (repetition >= of_point.size()) continue;
        note_known(of_point[repetition], runs.get<std::string>(3), runs.get<std::string>(4),
                   runs.get<std::uint64_t>(5), record == plan.record_key);
      }
    }
    point.reset();
    all.runs.push_back(std::move(of_point));
    all.seconds.push_back(
        database.first<std::optional<double>>("SELECT avg(wall_s) FROM run WHERE point = ?", id).value());
  }
  return all;
}

Store::Store(const std::filesystem::path& folder, std::shared_ptr<const FolderLock> lock)
    : lock_(lock ? std::move(lock) : std::make_shared<const FolderLock>(folder)),
      database_(open_to_write(folder)) {}

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
  finished_ = d.first<std::int64_t>("SELECT coalesce(max(finished), 0) FROM run").value();
  auto info = plan.info;
  info["begun"] = std::to_string(std::time(nullptr));
  info["finished_before"] = std::to_string(finished_);
  info["head"] = json_text(plan.head);
  info["record_key"] = plan.record_key;
  for (const auto& [name, value] : info)
    d.execute("INSERT INTO info (name, value) VALUES (?,?)", name, value);

  for (std::size_t number = 0; number < plan.points.size(); ++number) {
    const StudyPoint& p = plan.points[number];
    if (const auto fresh = d.first<std::int64_t>(
            "INSERT INTO point (key) VALUES (?) ON CONFLICT DO NOTHING RETURNING id", p.key))
      seal(d, Part::kPoint, *fresh);
    Statement& find = d.prepared("SELECT id, owners, first_owner FROM point WHERE key = ?")(p.key);
    find.step();
    const auto id = find.get<std::int64_t>(0);
    const SeriesLayout layout(plan.head.metrics, find.get<std::size_t>(1), find.get<sim::AgentId>(2));
    places_.push_back({id, layout.width()});
    find.reset();
    Json labels = Json::object();
    for (std::size_t a = 0; a < p.labels.size(); ++a) labels[plan.head.axes[a]] = p.labels[a];
    for (std::size_t t = 0; t < p.tuned.size(); ++t) labels[plan.head.tuned[t]] = p.tuned[t];
    d.execute("INSERT INTO study (number, point, labels, repetitions) VALUES (?,?,?,?)", number, id,
              json_text(labels), p.repetitions);
    seal(d, Part::kRuns, id);
  }
  seal(d, Part::kStudy);
}

std::int64_t Store::document(const std::string& text) {
  const std::int64_t id = document_id(text);
  database_->execute(
      "INSERT INTO document (id, text) VALUES (?,?) ON CONFLICT (id) DO UPDATE SET text = excluded.text WHERE "
      "text IS NOT excluded.text",
      id, text);
  return id;
}

void Store::put_point(std::size_t number, const PointResult& point, const Participants& participants) {
  begin();
  Place& place = places_[number];
  place.width = plan_.head.layout(point).width();
  const auto document_if = [&](bool there, auto&& text) {
    return there ? std::optional(document(text())) : std::nullopt;
  };
  database_->execute(
      "UPDATE point SET described_by = ?, owners = ?, first_owner = ?, fitted_on_private_data = ?, notes = ?, "
      "owner_list = ?, network = ?, parameters = ? WHERE id = ?",
      plan_.points[number].described_by, point.owners, point.first_owner, json_text(point.unaccounted),
      json_text(point.notes), document(owners_text(participants.owners)),
      document_if(!participants.network.nodes.empty(), [&] { return network_text(participants.network); }),
      document_if(!participants.parameters.empty(), [&] { return json_text(participants.parameters); }),
      place.id);
  database_->execute("DELETE FROM scalar WHERE point = ? AND run IS NULL", place.id);
  insert_scalars(place.id, {}, point.scalars);
  seal(*database_, Part::kPoint, place.id);
}

void Store::put_run(const RunResult& run) {
  begin();
  const Place& place = places_[run.point];
  if (const auto old = database_->first<std::int64_t>(
          "SELECT id FROM run WHERE point = ? AND repetition = ? AND record = ?", place.id, run.repetition,
          plan_.record_key))
    erase(*old);
  const sim::Traffic& t = run.traffic;
  static_assert(sim::kLossReasons == 6);
  static const std::string insert_run = insert_run_sql();
  const std::int64_t id =
      database_
          ->first<std::int64_t>(insert_run, place.id, run.repetition, plan_.record_key, name(run.status),
                                name(run.end), run.iterations, run.time, run.events, t.messages, t.delivered,
                                t.vectors, t.bytes, run.fingerprint, run.message, run.wall,
                                run.host.empty() ? host_name() : run.host, ++finished_, t.lost[0], t.lost[1],
                                t.lost[2], t.lost[3], t.lost[4], t.lost[5])
          .value();
  erase_values(id);  // damage can lose the row of a run and leave its values, whose number is given again
  write_series(*database_, id, run.series, place.width);
  insert_scalars(place.id, id, run.scalars);
  for (const AgentModel& m : run.models)
    database_->execute("INSERT INTO model (run, agent, data) VALUES (?,?,?)", id, m.agent, m.parameters);
  seal(*database_, Part::kRun, id);
  change_runs(*database_, id, Change::kAdded);
}

void Store::erase(std::int64_t run) {
  change_runs(*database_, run, Change::kErased);
  erase_values(run);
  database_->execute("DELETE FROM run WHERE id = ?", run);
  seal(*database_, Part::kRun, run);
}

void Store::erase_values(std::int64_t run) {
  for (const char* sql : {"DELETE FROM series WHERE run = ?", "DELETE FROM scalar WHERE run = ?",
                          "DELETE FROM model WHERE run = ?"})
    database_->execute(sql, run);
}

void Store::insert_scalars(std::int64_t point, std::optional<std::int64_t> run,
                           const std::vector<Scalar>& scalars) {
  for (const Scalar& one : scalars)
    database_->execute("INSERT INTO scalar (point, run, name, agent, value) VALUES (?,?,?,?,?)", point, run,
                       one.name, one.agent, one.value);
}

}  // namespace hearsay::analysis
