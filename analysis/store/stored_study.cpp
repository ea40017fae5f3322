#include "analysis/store/stored_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/store/checksum.hpp"
#include "analysis/store/json.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/store/series_rows.hpp"
#include "analysis/store/store_file.hpp"

namespace hearsay::analysis {

namespace {

std::vector<Scalar> read_scalars(Statement& rows) {
  std::vector<Scalar> all;
  while (rows.step())
    all.push_back({rows.get<std::string>(0), rows.get<std::optional<sim::AgentId>>(1), rows.get<double>(2)});
  return all;
}

// The enumerator of a name in a table of names.
template <class E>
E named(const auto& names, const std::string& name, E otherwise) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? otherwise : static_cast<E>(found - names.begin());
}

}  // namespace

// A point with the keys of its runs.
struct StoredStudy::Row {
  std::size_t number;
  std::int64_t id;
  std::uint32_t repetitions;
  std::string key;
  PointResult result;
};

StoredStudy::StoredStudy(const std::filesystem::path& folder) : StoredStudy(folder, open_store(folder)) {}

StoredStudy::StoredStudy(const std::filesystem::path& folder, std::shared_ptr<Database> database)
    : folder_(folder), database_(std::move(database)) {
  const std::string head = info("head");
  if (head.empty()) throw OutputError(fmt::format("{}: contains no study yet", store_file(folder).string()));
  if (!intact(*database_, Part::kStudy)) damaged_part("its description of the study");
  decode(head, head_);
  if (head_.every >= kEveryNames.size()) damaged_part("its description of the study");
  points_ = database_->first<std::size_t>("SELECT count(*) FROM study").value();
  record_ = info("record_key");
}

std::string StoredStudy::info(std::string_view name) {
  return database_->first<std::string>("SELECT value FROM info WHERE name = ?", name).value_or("");
}

StoredStudy::Row StoredStudy::row(std::size_t number) {
  Statement& found = database_->prepared(
      "SELECT point.id, repetitions, key, labels, owners, first_owner, fitted_on_private_data, notes "
      "FROM study JOIN point ON point.id = study.point WHERE number = ?")(number);
  if (!found.step()) damaged_part(fmt::format("point {}", number));
  Row row{number, found.get<std::int64_t>(0), found.get<std::uint32_t>(1), found.get<std::string>(2), {}};
  if (!intact(*database_, Part::kPoint, row.id)) damaged_part(fmt::format("point {}", number));
  PointResult& p = row.result;
  decode_labels(found.get<std::string>(3), p);
  p.owners = found.get<std::size_t>(4);
  p.first_owner = found.get<sim::AgentId>(5);
  decode(found.get<std::string>(6), p.unaccounted);
  decode(found.get<std::string>(7), p.notes);
  p.scalars = read_scalars(database_->prepared(
      "SELECT name, agent, value FROM scalar WHERE point = ? AND run IS NULL ORDER BY rowid")(row.id));
  found.reset();
  return row;
}

PointResult StoredStudy::point(std::size_t number) {
  return row(number).result;
}

std::string StoredStudy::key(std::size_t number) {
  return row(number).key;
}

StudyPlan StoredStudy::plan() {
  StudyPlan plan{.head = head_, .record_key = record_, .points = {}};
  Statement& infos = database_->prepared("SELECT name, value FROM info")();
  while (infos.step()) plan.info.emplace(infos.get<std::string>(0), infos.get<std::string>(1));
  Statement& points = database_->prepared(
      "SELECT key, labels, repetitions, described_by FROM study JOIN point ON point.id = study.point "
      "ORDER BY number")();
  while (points.step()) {
    StudyPoint& p = plan.points.emplace_back();
    p.key = points.get<std::string>(0);
    decode_labels(points.get<std::string>(1), p);
    p.repetitions = points.get<std::uint32_t>(2);
    p.described_by = points.get<std::string>(3);
  }
  return plan;
}

void StoredStudy::freeze() {
  if (database_->first<std::string>("PRAGMA journal_mode") == "wal") database_->run("BEGIN");
}

std::vector<RunState> StoredStudy::states(std::size_t number) {
  Statement& point = database_->prepared("SELECT point, repetitions FROM study WHERE number = ?")(number);
  if (!point.step()) damaged_part(fmt::format("point {}", number));
  const auto id = point.get<std::int64_t>(0);
  const auto repetitions = point.get<std::int64_t>(1);
  point.reset();
  std::vector<RunState> all;
  Statement& rows = database_->prepared(
      "SELECT id, repetition, status, end, fingerprint, wall_s, finished FROM run WHERE point = ? AND record "
      "= ? AND repetition BETWEEN 0 AND ? ORDER BY repetition")(id, record_, repetitions - 1);
  while (rows.step()) {
    all.push_back({.repetition = rows.get<std::uint32_t>(1),
                   .status = named(kStatusNames, rows.get<std::string>(2), Status::kFailed),
                   .end = named(kEndNames, rows.get<std::string>(3), RunEnd::kFinished),
                   .intact = intact_row(rows, number, id),
                   .fingerprint = rows.get<std::uint64_t>(4),
                   .wall = rows.get<double>(5),
                   .finished = rows.get<std::int64_t>(6)});
  }
  return all;
}

Presence StoredStudy::presence() {
  Presence all;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;  // with their repetitions
  database_->run("SAVEPOINT presence");                       // else a process could write in between
  Statement& rows = database_->prepared("SELECT point, repetitions FROM study")();
  while (rows.step()) points.emplace_back(rows.get<std::int64_t>(0), rows.get<std::int64_t>(1));
  for (const auto& [point, repetitions] : points) {
    all.planned += static_cast<std::uint64_t>(repetitions);
    all.stored +=
        database_
            ->first<std::uint64_t>(
                "SELECT count(*) FROM run WHERE point = ? AND record = ? AND repetition BETWEEN 0 AND ? "
                "AND status <> ?",
                point, record_, repetitions - 1, name(Status::kInterrupted))
            .value();
    all.intact = all.intact && intact(*database_, Part::kRuns, point);
  }
  database_->run("RELEASE presence");
  return all;
}

bool StoredStudy::intact_row(const Statement& row, std::size_t number, std::int64_t point) {
  const bool sound =
      intact_run(*database_, row.get<std::int64_t>(0), point, row.get<std::int64_t>(1), record_);
  if (!sound) damaged_.emplace(number, row.get<std::uint32_t>(1));
  return sound;
}

template <class Point>
void StoredStudy::decode_labels(const std::string& text, Point& point) const {
  std::map<std::string, std::string> by_name;
  decode(text, by_name);
  for (const std::string& axis : head_.axes) point.labels.push_back(by_name[axis]);
  for (const std::string& option : head_.tuned) point.tuned.push_back(by_name[option]);
}

template <class From>
auto StoredStudy::from_json(std::int64_t id, From&& from) -> decltype(from(std::string())) {
  const std::string text = document(id);
  try {
    return from(text);
  } catch (const Json::exception&) {
    damaged_part("a list of owners, of parameters or of links");
  }
}

std::optional<std::int64_t> StoredStudy::document_of(std::size_t number, const char* column) {
  return database_
      ->first<std::optional<std::int64_t>>(
          fmt::format("SELECT {} FROM study JOIN point ON point.id = study.point WHERE number = ?", column),
          number)
      .value_or(std::nullopt);
}

std::vector<OwnerFacts> StoredStudy::owners(std::size_t number) {
  const auto id = document_of(number, "owner_list");
  return id ? from_json(*id, owners_from) : std::vector<OwnerFacts>();
}

std::vector<std::string> StoredStudy::parameters(std::size_t number) {
  const auto names = [](const std::string& text) {
    return Json::parse(text).get<std::vector<std::string>>();
  };
  const auto id = document_of(number, "parameters");
  return id ? from_json(*id, names) : std::vector<std::string>();
}

std::optional<std::int64_t> StoredStudy::network_number(std::size_t number) {
  return document_of(number, "network");
}

NetworkGraph StoredStudy::network(std::int64_t network_number) {
  return from_json(network_number, network_from);
}

std::string StoredStudy::document(std::int64_t id) {
  auto text = database_->first<std::string>("SELECT text FROM document WHERE id = ?", id);
  if (!text || document_id(*text) != id) damaged_part("a list of owners, of parameters or of links");
  return *std::move(text);
}

void StoredStudy::damaged_part(const std::string& what) const {
  throw OutputError(fmt::format("{}: damaged: {} is not as it was written; 'hearsay run' writes it again",
                                database_->path().string(), what));
}

template <class T>
void StoredStudy::decode(const std::string& text, T& value) const {
  try {
    Json::parse(text).get_to(value);
  } catch (const Json::exception&) {
    damaged_part(fmt::format("\"{}\"", text.substr(0, 40)));
  }
}

void StoredStudy::runs(std::size_t number, const ForRun& for_run) {
  const Row point = row(number);
  read_runs(point, 0, std::int64_t{point.repetitions} - 1, for_run);
}

void StoredStudy::each_run(const std::function<void(const PointResult&)>& for_point,
                           const std::function<void(const PointResult&, const RunResult&)>& for_run) {
  for (std::size_t number = 0; number < points_; ++number) {
    const PointResult at = point(number);
    for_point(at);
    runs(number, [&](const RunResult& run) { for_run(at, run); });
  }
}

std::optional<RunResult> StoredStudy::run(std::size_t number, std::uint32_t repetition) {
  std::optional<RunResult> found;
  read_runs(row(number), repetition, repetition, [&](const RunResult& run) { found = run; });
  return found;
}

void StoredStudy::read_runs(const Row& point, std::int64_t first, std::int64_t last, const ForRun& for_run) {
  static const std::string sql = fmt::format(
      "SELECT id, repetition, status, end, iterations, time_s, events, messages, delivered, vectors, bytes, "
      "fingerprint, message, wall_s, host{} FROM run WHERE point = ? AND record = ? AND repetition BETWEEN ? AND ? ORDER BY repetition",
      lost_columns());
  Statement& rows = database_->prepared(sql)(point.id, record_, first, last);
  while (rows.step()) {
    if (intact_row(rows, point.number, point.id)) for_run(read_run(point, rows));
  }
}

RunResult StoredStudy::read_run(const Row& point, const Statement& row) {
  RunResult run;
  run.point = point.number;
  run.repetition = row.get<std::uint32_t>(1);
  run.status = named(kStatusNames, row.get<std::string>(2), Status::kFailed);
  run.end = named(kEndNames, row.get<std::string>(3), RunEnd::kFinished);
  run.time = row.get<double>(5);
  sim::Traffic& t = run.traffic;
  for (auto& [column, count] : {std::pair{4, &run.iterations},
                                {6, &run.events},
                                {7, &t.messages},
                                {8, &t.delivered},
                                {9, &t.vectors},
                                {10, &t.bytes}})
    *count = row.get<std::uint64_t>(column);
  run.fingerprint = row.get<std::uint64_t>(11);
  run.message = row.get<std::string>(12);
  run.wall = row.get<double>(13);
  run.host = row.get<std::string>(14);
  for (int r = 0; r < sim::kLossReasons; ++r) t.lost[r] = row.get<std::uint64_t>(15 + r);
  const auto id = row.get<std::int64_t>(0);
  run.scalars = read_scalars(
      database_->prepared("SELECT name, agent, value FROM scalar WHERE run = ? ORDER BY rowid")(id));
  Statement& models = database_->prepared("SELECT agent, data FROM model WHERE run = ? ORDER BY rowid")(id);
  while (models.step())
    run.models.push_back({models.get<sim::AgentId>(0), models.get<std::vector<double>>(1)});
  run.series = read_series(*database_, id, head_.layout(point.result).width());
  return run;
}

}  // namespace hearsay::analysis
