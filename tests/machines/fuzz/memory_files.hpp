#pragma once
// SQLite's files in memory: no system calls, locks and syncs. Without shared memory there is no write-ahead log.
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "tests/machines/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

/// By path: the files that SQLite finds once open_files_in_memory() was called.
inline std::map<std::string, std::string, std::less<>>& memory_files() {
  static std::map<std::string, std::string, std::less<>> all;
  return all;
}

namespace vfs {

struct File : sqlite3_file {
  std::string* bytes;
  bool temporary;
};

inline std::string& bytes_of(sqlite3_file* file) {
  return *static_cast<File*>(file)->bytes;
}

inline int close(sqlite3_file* file) {
  if (static_cast<File*>(file)->temporary) delete static_cast<File*>(file)->bytes;
  return SQLITE_OK;
}

inline int read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  const std::string& bytes = bytes_of(file);
  const auto length = static_cast<std::size_t>(size);
  const auto begin = std::min(static_cast<std::size_t>(offset), bytes.size());
  const std::size_t known = std::min(length, bytes.size() - begin);
  std::memcpy(to, bytes.data() + begin, known);
  std::memset(static_cast<char*>(to) + known, 0, length - known);
  return known == length ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

inline int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  std::string& bytes = bytes_of(file);
  const auto begin = static_cast<std::size_t>(offset), length = static_cast<std::size_t>(size);
  if (bytes.size() < begin + length) bytes.resize(begin + length);
  std::memcpy(bytes.data() + begin, from, length);
  return SQLITE_OK;
}

inline int truncate(sqlite3_file* file, sqlite3_int64 size) {
  bytes_of(file).resize(static_cast<std::size_t>(size));
  return SQLITE_OK;
}

inline int size_of(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(bytes_of(file).size());
  return SQLITE_OK;
}

inline int no_lock(sqlite3_file*, int) {
  return SQLITE_OK;
}

inline const sqlite3_io_methods& methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = close;
    m.xRead = read;
    m.xWrite = write;
    m.xTruncate = truncate;
    m.xSync = no_lock;
    m.xFileSize = size_of;
    m.xLock = m.xUnlock = no_lock;
    m.xCheckReservedLock = [](sqlite3_file*, int* held) { return *held = 0, SQLITE_OK; };
    m.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    m.xSectorSize = [](sqlite3_file*) { return 512; };
    m.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; };
    return m;
  }();
  return all;
}

inline int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* opened) {
  auto* mine = static_cast<File*>(file);
  mine->pMethods = nullptr;
  mine->temporary = path == nullptr;
  if (mine->temporary) {
    mine->bytes = new std::string;
  } else {
    const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
    if (!creates && !memory_files().contains(path)) return SQLITE_CANTOPEN;
    mine->bytes = &memory_files()[path];
  }
  mine->pMethods = &methods();
  if (opened != nullptr) *opened = flags;
  return SQLITE_OK;
}

}  // namespace vfs

/// From now on SQLite opens no file on disk. It is used by one thread, and takes small memory from its own: no database may
/// be open.
inline void open_files_in_memory() {
  constexpr int kSlot = 1200, kSlots = 500;
  const bool changed = sqlite3_shutdown() == SQLITE_OK &&
                       sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
                       sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
                       sqlite3_config(SQLITE_CONFIG_LOOKASIDE, kSlot, kSlots) == SQLITE_OK;
  require(changed, "SQLite for one thread");
  static sqlite3_vfs all = *sqlite3_vfs_find(nullptr);
  all.iVersion = 1;
  all.szOsFile = sizeof(vfs::File);
  all.zName = "memory files";
  all.xOpen = vfs::open;
  all.xDelete = [](sqlite3_vfs*, const char* path, int) {
    return memory_files().erase(path) > 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
  };
  all.xAccess = [](sqlite3_vfs*, const char* path, int, int* there) {
    return *there = memory_files().contains(path) ? 1 : 0, SQLITE_OK;
  };
  all.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* full) {
    sqlite3_snprintf(size, full, "%s", path);
    return SQLITE_OK;
  };
  require(sqlite3_vfs_register(&all, 1) == SQLITE_OK, "files in memory");
}

}  // namespace hearsay::fuzz
