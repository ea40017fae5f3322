#include "analysis/store/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "analysis/store/output_file.hpp"
#include "sim/files/text.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

namespace {

constexpr int kStoreVersion = 7;
constexpr int kApplicationId = 0x68656172;  // "hear": identifies the database to file(1) and to hearsay

constexpr std::string_view kSchema = R"sql(
CREATE TABLE info (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE point (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, described_by TEXT NOT NULL DEFAULT '',
  owners INTEGER NOT NULL DEFAULT 0, first_owner INTEGER NOT NULL DEFAULT 0,
  fitted_on_private_data TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '[]',
  owner_list INTEGER, network INTEGER, parameters INTEGER);
CREATE TABLE document (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE study (
  number INTEGER PRIMARY KEY, point INTEGER NOT NULL, labels TEXT NOT NULL, repetitions INTEGER NOT NULL);
CREATE TABLE run (
  id INTEGER PRIMARY KEY, point INTEGER NOT NULL, repetition INTEGER NOT NULL, record TEXT NOT NULL,
  status TEXT NOT NULL, end TEXT NOT NULL, iterations INTEGER NOT NULL, time_s REAL, events INTEGER NOT NULL,
  messages INTEGER NOT NULL, delivered INTEGER NOT NULL, vectors INTEGER NOT NULL, bytes INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL, message TEXT NOT NULL, wall_s REAL NOT NULL, host TEXT NOT NULL,
  finished INTEGER NOT NULL{}, UNIQUE (point, repetition, record));
CREATE TABLE series (run INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX series_of_run ON series (run);
CREATE TABLE scalar (point INTEGER NOT NULL, run INTEGER, name TEXT NOT NULL, agent INTEGER, value REAL);
CREATE INDEX scalar_of_run ON scalar (run) WHERE run IS NOT NULL;
CREATE INDEX scalar_of_point ON scalar (point) WHERE run IS NULL;
CREATE TABLE model (run INTEGER NOT NULL, agent INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX model_of_run ON model (run);
CREATE TABLE checksum (
  part INTEGER NOT NULL, id INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (part, id)) WITHOUT ROWID;
)sql";

// File systems on which the shared memory of WAL does not work across machines.
bool on_network(const std::filesystem::path& folder) {
  // NFS, SMB, CIFS, SMB2, FUSE, Lustre, 9P
  constexpr std::array<std::uint32_t, 7> kTypes{0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                                0x65735546, 0x0bd00bd0, 0x01021997};
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return std::find(kTypes.begin(), kTypes.end(), static_cast<std::uint32_t>(info.f_type)) != kTypes.end();
}

const std::string& schema() {
  static const std::string text = fmt::format(kSchema, lost_columns());
  return text;
}

// Refuses a damaged definition of a table, and what could make a reader compute for ever: views, triggers, tables by
// modules. SQLite stores each statement of the schema as it is.
void require_own_tables(Database& database) {
  Statement& rows = database.prepared(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_stat_'")();
  while (rows.step()) {
    if (schema().find(rows.get<std::string>(2)) != std::string::npos) continue;
    const auto text = [&](int column) { return sim::escaped(rows.get<std::string>(column)).substr(0, 40); };
    throw OutputError(fmt::format("{}: refused: it contains the {} '{}', which hearsay has not made",
                                  database.path().string(), text(0), text(1)));
  }
}

void check_version(Database& database) {
  const auto version = database.first<std::int64_t>("PRAGMA user_version");
  // For an instant while a study is begun.
  if (database.first<int>("SELECT count(*) FROM sqlite_master") == 0)
    throw OutputError(fmt::format("{}: contains no study yet", database.path().string()));
  if (database.first<std::int64_t>("PRAGMA application_id") != kApplicationId)
    throw OutputError(fmt::format("{}: not a database of hearsay's results", database.path().string()));
  if (version != kStoreVersion)
    throw OutputError(fmt::format(
        "{}: written by {} hearsay (format {}, this one has format {}); read it with that version, "
        "or run the scenario in another folder with -o",
        database.path().string(), version < kStoreVersion ? "an older" : "a newer", *version, kStoreVersion));
  require_own_tables(database);
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
  return database.first<int>("SELECT count(*) FROM info WHERE name = 'head'") == 1;
}

std::unique_ptr<Database> open_to_write(const std::filesystem::path& folder) {
  auto database = std::make_unique<Database>(store_file(folder), Database::Access::kCreate);
  const bool is_new = database->first<int>("SELECT count(*) FROM sqlite_master") == 0;
  if (!is_new) {
    check_version(*database);
    if (fault(*database)) database->run("REINDEX");
    if (const auto found = fault(*database)) {
      throw OutputError(fmt::format("{}: damaged ({}); move it away or choose another folder with -o",
                                    database->path().string(), *found));
    }
  }
  database->run(on_network(folder) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  // Every commit is on disk before the next begins; at two commits per second that costs little.
  database->run("PRAGMA synchronous = FULL");
  if (is_new) {
    database->run(
        fmt::format("BEGIN IMMEDIATE; PRAGMA user_version = {}; PRAGMA application_id = {}; {} COMMIT",
                    kStoreVersion, kApplicationId, schema())
            .c_str());
  }
  return database;
}

std::unique_ptr<Database> open_store(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(store_file(folder), error))
    throw OutputError(fmt::format("{}: contains no results.sqlite", folder.string()));
  auto database = std::make_unique<Database>(store_file(folder), Database::Access::kRead);
  check_version(*database);
  constexpr std::uintmax_t kMaxChecked = 200'000'000;  // bytes
  if (std::filesystem::file_size(store_file(folder), error) > kMaxChecked) return database;
  if (const auto found = fault(*database)) {
    throw OutputError(
        fmt::format("{}: damaged ({}); run the scenario again: if only an index is damaged that repairs it, "
                    "otherwise move the file away",
                    database->path().string(), *found));
  }
  return database;
}

std::string lost_columns() {
  std::string all;
  for (int r = 0; r < sim::kLossReasons; ++r)
    all += fmt::format(", lost_{}", sim::name(static_cast<sim::LossReason>(r)));
  return all;
}

}  // namespace hearsay::analysis
