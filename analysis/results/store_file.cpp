#include "analysis/results/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "analysis/results/output_file.hpp"
#include "analysis/results/store_schema.hpp"

namespace hearsay::analysis {

namespace {

// File systems on which the shared memory of WAL does not work across machines.
bool on_network(const std::filesystem::path& folder) {
  constexpr std::uint32_t kNfs = 0x6969, kSmb = 0x517b, kCifs = 0xff534d42, kSmb2 = 0xfe534d42,
                          kFuse = 0x65735546, kLustre = 0x0bd00bd0, kNinep = 0x01021997;
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  const auto type = static_cast<std::uint32_t>(info.f_type);
  return type == kNfs || type == kSmb || type == kCifs || type == kSmb2 || type == kFuse || type == kLustre ||
         type == kNinep;
}

std::int64_t pragma(Database& database, const char* sql) {
  Statement s(database, sql);
  s.step();
  return s.integer(0);
}

// Takes one row of the table of runs into account; `recorded`: with what is asked for now.
void note_known(KnownRun& known, const std::string& status, const std::string& end,
                const std::string& fingerprint, bool recorded) {
  const bool ended = status == name(Status::kDone) || status == name(Status::kDiverged);
  if (ended) {
    known.fingerprint = std::stoull(fingerprint, nullptr, 16);
    // Where the wall clock ended a run, the next one may end elsewhere.
    known.comparable = end != name(RunEnd::kWall);
  }
  if (known.state == KnownRun::State::kKept) return;
  if (recorded) {
    known.state = ended ? KnownRun::State::kKept : KnownRun::State::kUnfinished;
  } else if (ended && known.state == KnownRun::State::kNew) {
    known.state = KnownRun::State::kUnrecorded;
  }
}

}  // namespace

int make_and_lock_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw OutputError(fmt::format("{}: can not be made: {}", folder.string(), error.message()));
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0)
    throw OutputError(fmt::format("{}: can not be opened: {}", folder.string(), std::strerror(errno)));
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  const bool taken = errno == EWOULDBLOCK;
  ::close(lock);
  if (taken) {
    throw OutputError(
        fmt::format("{}: another hearsay is writing there; wait for it, or choose another folder with -o",
                    folder.string()));
  }
  return -1;
}

void unlock_folder(int lock) {
  if (lock >= 0) ::close(lock);
}

void check_version(Database& database) {
  const std::int64_t application = pragma(database, "PRAGMA application_id");
  const std::int64_t version = pragma(database, "PRAGMA user_version");
  if (application != kApplicationId) {
    throw OutputError(fmt::format("{}: is no database of hearsay's results", database.path().string()));
  }
  if (version != kStoreVersion) {
    throw OutputError(
        fmt::format("{}: is of version {}, this program reads version {}; choose another folder",
                    database.path().string(), version, kStoreVersion));
  }
}

void prepare_to_write(Database& database, const std::filesystem::path& folder) {
  const bool is_new = pragma(database, "SELECT count(*) FROM sqlite_master") == 0;
  if (!is_new) {
    check_version(database);
    Statement check(database, "PRAGMA quick_check(1)");
    check.step();
    if (const std::string verdict = check.text(0); verdict != "ok") {
      throw OutputError(fmt::format("{}: is damaged ({}); move it away, or choose another folder with -o",
                                    database.path().string(), verdict.substr(0, verdict.find('\n'))));
    }
  }
  database.run(on_network(folder) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = NORMAL");
  if (!is_new) return;
  std::string schema = fmt::format("BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA user_version = {};",
                                   kApplicationId, kStoreVersion);
  schema += kSchema;
  for (int r = 0; r < sim::kLossReasons; ++r) {
    schema += fmt::format("ALTER TABLE run ADD COLUMN lost_{} INTEGER NOT NULL DEFAULT 0;",
                          sim::name(static_cast<sim::LossReason>(r)));
  }
  database.run((schema + "COMMIT").c_str());
}

std::unique_ptr<Database> open_store(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(Store::file(folder), error))
    throw OutputError(fmt::format("{}: holds no results.sqlite", folder.string()));
  auto database = std::make_unique<Database>(Store::file(folder), Database::Access::kRead);
  check_version(*database);
  return database;
}

std::string host_name() {
  char name[256] = "unknown";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string labels_text(const std::vector<std::string>& axes, const std::vector<std::string>& labels) {
  auto object = nlohmann::ordered_json::object();
  for (std::size_t a = 0; a < axes.size(); ++a) object[axes[a]] = labels[a];
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string metric_names(const StudyHead& head) {
  auto names = nlohmann::json::array();
  for (const Metric* m : head.metrics) names.push_back(std::string(m->name));
  return names.dump();
}

KnownStudy known(Database& database, const StudyPlan& plan) {
  Statement point(database, "SELECT id, described_by FROM point WHERE key = ?");
  Statement runs(database,
                 "SELECT repetition, status, end, fingerprint, record.key FROM run JOIN record ON "
                 "record.id = run.record WHERE point = ?");
  KnownStudy all;
  for (const StudyPoint& p : plan.points) {
    std::vector<KnownRun> of_point(p.repetitions);
    const bool is_there = point.bind(1, p.key).step();
    all.described.push_back(is_there && !p.described_by.empty() && point.text(1) == p.described_by);
    if (is_there) {
      runs.bind(1, point.integer(0));
      while (runs.step()) {
        const auto repetition = static_cast<std::uint64_t>(runs.integer(0));
        if (repetition >= of_point.size()) continue;
        note_known(of_point[repetition], runs.text(1), runs.text(2), runs.text(3),
                   runs.text(4) == plan.record_key);
      }
    }
    point.reset();
    all.runs.push_back(std::move(of_point));
  }
  return all;
}

}  // namespace hearsay::analysis
