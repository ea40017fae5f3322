#include "analysis/store/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

#include "analysis/store/output_file.hpp"
#include "sim/files/text.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

namespace {

constexpr int kStoreVersion = 6;
constexpr int kWithoutModels = 5;           // the version that has no models yet
constexpr int kApplicationId = 0x68656172;  // "hear": identifies the database to file(1) and to hearsay

constexpr const char* kSchema = R"sql(
CREATE TABLE info (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE point (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, described_by TEXT NOT NULL DEFAULT '',
  owners INTEGER NOT NULL DEFAULT 0, first_owner INTEGER NOT NULL DEFAULT 0,
  fitted_on_private_data TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '[]',
  owner_list INTEGER, network INTEGER);
CREATE TABLE document (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX document_by_hash ON document (hash);
CREATE TABLE study (
  number INTEGER PRIMARY KEY, point INTEGER NOT NULL, labels TEXT NOT NULL, repetitions INTEGER NOT NULL);
CREATE TABLE record (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, metrics TEXT NOT NULL);
CREATE TABLE run (
  id INTEGER PRIMARY KEY, point INTEGER NOT NULL, repetition INTEGER NOT NULL, record INTEGER NOT NULL,
  run_key TEXT NOT NULL, status TEXT NOT NULL, end TEXT NOT NULL, iterations INTEGER NOT NULL, time_s REAL,
  events INTEGER NOT NULL, messages INTEGER NOT NULL, delivered INTEGER NOT NULL, vectors INTEGER NOT NULL,
  bytes INTEGER NOT NULL, fingerprint TEXT NOT NULL, message TEXT NOT NULL,
  UNIQUE (point, repetition, record));
CREATE TABLE series (run INTEGER NOT NULL, metric TEXT NOT NULL, agent INTEGER, data BLOB NOT NULL);
CREATE INDEX series_of_run ON series (run);
CREATE TABLE sample (run INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE aggregate (
  point INTEGER NOT NULL, record INTEGER NOT NULL, number INTEGER NOT NULL, metric TEXT NOT NULL, agent INTEGER,
  data BLOB NOT NULL);
CREATE INDEX aggregate_of_point ON aggregate (point, record);
CREATE TABLE scalar (point INTEGER NOT NULL, run INTEGER, name TEXT NOT NULL, agent INTEGER, value REAL);
CREATE INDEX scalar_of_run ON scalar (run) WHERE run IS NOT NULL;
CREATE INDEX scalar_of_point ON scalar (point) WHERE run IS NULL;
CREATE TABLE timing (
  run INTEGER PRIMARY KEY, wall_s REAL NOT NULL, host TEXT NOT NULL, finished INTEGER NOT NULL);
CREATE TABLE checksum (
  part INTEGER NOT NULL, id INTEGER NOT NULL, record INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (part, id, record)) WITHOUT ROWID;
)sql";

// The tables that version 6 has added.
std::string tables_of_models(std::string_view create) {
  return fmt::format(
      "{0} model (run INTEGER NOT NULL, agent INTEGER NOT NULL, data BLOB NOT NULL);"
      "{0} parameters (point INTEGER PRIMARY KEY, document INTEGER NOT NULL);",
      create);
}
constexpr std::string_view kIndexOfModels = "CREATE INDEX model_of_run ON model (run);";

// File systems on which the shared memory of WAL does not work across machines.
bool on_network(const std::filesystem::path& folder) {
  // NFS, SMB, CIFS, SMB2, FUSE, Lustre, 9P
  constexpr std::array<std::uint32_t, 7> kTypes{0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                                0x65735546, 0x0bd00bd0, 0x01021997};
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return std::find(kTypes.begin(), kTypes.end(), static_cast<std::uint32_t>(info.f_type)) != kTypes.end();
}

// Refuses what could make a reader compute for ever: views, triggers, tables by modules; and tables that are not ours.
void require_own_tables(Database& database) {
  Statement& foreign = database.prepared(
      "SELECT type, name FROM sqlite_master WHERE type <> 'index' AND (type <> 'table' OR rootpage = 0 OR "
      "name NOT IN ('info', 'point', 'document', 'study', 'record', 'run', 'series', 'sample', 'aggregate', "
      "'scalar', 'timing', 'checksum', 'model', 'parameters', 'sqlite_stat1', 'sqlite_stat4'))")();
  if (!foreign.step()) return;
  const auto text = [&](int column) { return sim::escaped(foreign.get<std::string>(column)).substr(0, 40); };
  throw OutputError(fmt::format("{}: refused: it contains the {} '{}', which hearsay has not made",
                                database.path().string(), text(0), text(1)));
}

// Returns it.
std::int64_t check_version(Database& database) {
  const auto version = database.first<std::int64_t>("PRAGMA user_version");
  // For an instant while a study is begun.
  if (database.first<int>("SELECT count(*) FROM sqlite_master") == 0)
    throw OutputError(fmt::format("{}: contains no study yet", database.path().string()));
  if (database.first<std::int64_t>("PRAGMA application_id") != kApplicationId)
    throw OutputError(fmt::format("{}: not a database of hearsay's results", database.path().string()));
  if (version != kStoreVersion && version != kWithoutModels)
    throw OutputError(
        fmt::format("{}: has format version {}, this program reads version {}; choose another folder",
                    database.path().string(), *version, kStoreVersion));
  require_own_tables(database);
  return *version;
}

// What is wrong with the structure of the file, indices included; nothing if it is sound. Takes about a second per
// 200 MB.
std::optional<std::string> fault(Database& database) {
  auto verdict = database.first<std::string>("PRAGMA integrity_check(1)").value_or("");
  if (verdict == "ok") return std::nullopt;
  // The first line may be a title.
  if (const auto line = verdict.find('\n'); verdict.starts_with("***") && line != verdict.npos)
    verdict.erase(0, line + 1);
  return verdict.substr(0, verdict.find('\n'));
}

}  // namespace

std::filesystem::path store_file(const std::filesystem::path& folder) {
  return folder / "results.sqlite";
}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw OutputError(fmt::format("{}: cannot be opened: {}", folder.string(), std::strerror(errno)));
  // locked() holds a lock for an instant.
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::close(descriptor_);
  throw OutputError(
      fmt::format("{}: another hearsay process is writing to this folder; wait for it or choose another "
                  "folder with -o",
                  folder.string()));
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

std::optional<bool> locked(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  const int code = ::flock(descriptor, LOCK_SH | LOCK_NB);
  const bool held = code != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  // There FolderLock may have no lock: folders can only be opened to read.
  const bool unknown = code == 0 ? on_network(folder) : !held;
  return unknown ? std::nullopt : std::optional(held);
}

bool has_study(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(store_file(folder), error)) return false;
  Database database(store_file(folder), Database::Access::kRead);
  if (database.first<int>("SELECT count(*) FROM sqlite_master") == 0) return false;
  check_version(database);
  return database.first<int>("SELECT count(*) FROM info WHERE name = 'axes'") == 1;
}

std::unique_ptr<Database> open_to_write(const std::filesystem::path& folder) {
  auto database = std::make_unique<Database>(store_file(folder), Database::Access::kCreate);
  const bool is_new = database->first<int>("SELECT count(*) FROM sqlite_master") == 0;
  const bool old = !is_new && check_version(*database) == kWithoutModels;
  if (!is_new) {
    if (fault(*database)) database->run("REINDEX");
    if (const auto found = fault(*database)) {
      throw OutputError(fmt::format("{}: damaged ({}); move it away or choose another folder with -o",
                                    database->path().string(), *found));
    }
  }
  database->run(on_network(folder) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  // Every commit is on disk before the next begins; at two commits per second that costs little.
  database->run("PRAGMA synchronous = FULL");
  const std::string models = tables_of_models("CREATE TABLE") + std::string(kIndexOfModels);
  const std::string version = fmt::format("BEGIN IMMEDIATE; PRAGMA user_version = {};", kStoreVersion);
  if (old) database->run((version + models + "COMMIT").c_str());
  if (!is_new) return database;
  database->run(
      fmt::format("{}PRAGMA application_id = {};{}{}", version, kApplicationId, kSchema, models).c_str());
  for (int r = 0; r < sim::kLossReasons; ++r) {
    database->run(fmt::format("ALTER TABLE run ADD COLUMN lost_{} INTEGER NOT NULL DEFAULT 0",
                              sim::name(static_cast<sim::LossReason>(r)))
                      .c_str());
  }
  database->run("COMMIT");
  return database;
}

std::unique_ptr<Database> open_store(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(store_file(folder), error))
    throw OutputError(fmt::format("{}: contains no results.sqlite", folder.string()));
  auto database = std::make_unique<Database>(store_file(folder), Database::Access::kRead);
  // Tables that the file does not have are empty; whoever only reads it does not change it.
  if (check_version(*database) == kWithoutModels)
    database->run(tables_of_models("CREATE TEMP TABLE").c_str());
  constexpr std::uintmax_t kMostChecked = 200'000'000;  // bytes
  if (std::filesystem::file_size(store_file(folder), error) > kMostChecked) return database;
  if (const auto found = fault(*database)) {
    throw OutputError(
        fmt::format("{}: damaged ({}); run the scenario again: if only an index is damaged that repairs it, "
                    "otherwise move the file away",
                    database->path().string(), *found));
  }
  return database;
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  return fmt::format("{:016x}", fingerprint);
}

std::uint64_t fingerprint_from(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

std::string lost_columns() {
  std::string all;
  for (int r = 0; r < sim::kLossReasons; ++r)
    all += fmt::format(", lost_{}", sim::name(static_cast<sim::LossReason>(r)));
  return all;
}

}  // namespace hearsay::analysis
