// A library for LD_PRELOAD that stands between a program and the files of one folder: it counts the calls, fails one of
// them, ends the program there, records all changes, or changes the clocks. Environment variables:
//
//   FAULTS_FOLDER   the folder; calls on other files pass unchanged and are not counted
//   FAULTS_CALLS    which calls count: some of read,write,sync,truncate,open,close,rename,unlink,mkdir; opening a file
//                   only to read it is a read
//   FAULTS_AT       number of the call at which it happens, from 1; 0: never
//   FAULTS_DO       what happens: fail; short (half of a write is written); kill (SIGKILL before the call); tear
//                   (SIGKILL after half of a write); stop (SIGSTOP before the call); vanish (the folder is renamed to
//                   FOLDER.gone)
//   FAULTS_THEN     after it: nothing; fail (all further calls fail)
//   FAULTS_ERRNO    the error of failing calls
//   FAULTS_COUNT    a file into which the number of calls is written at the end
//   FAULTS_RECORD   a file into which every change is recorded (read by power.py)
//   FAULTS_NETWORK  statfs reports NFS
//   FAULTS_BACK     each reading of the wall clock is so many seconds earlier than the one before
//   FAULTS_SPEED    the monotonic clock runs so many times as fast
//
// Files that stdio writes are given to it as streams of our own, because its system calls cannot be replaced.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { kFiles = 1024 };

static struct {
  bool ready, happened;
  char folder[PATH_MAX];
  size_t length;
  const char *calls, *act;
  long at, count, speed;
  int error, record;
  bool then_fail;
} g;
static struct {
  bool ours;
  FILE* stream;  // of stdio, if it writes the file
  char path[PATH_MAX];
} files[kFiles];
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct timespec begin;
static long wall_readings;

#define REAL(name)                                   \
  static __typeof__(&name) real;                     \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static const char* setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != NULL ? value : otherwise;
}

__attribute__((constructor)) static void start(void) {
  if (g.ready) return;
  g.ready = true;
  g.length = (size_t)snprintf(g.folder, sizeof g.folder, "%s", setting("FAULTS_FOLDER", "/nowhere"));
  g.calls = setting("FAULTS_CALLS", "");
  g.act = setting("FAULTS_DO", "fail");
  g.at = atol(setting("FAULTS_AT", "0"));
  g.error = atoi(setting("FAULTS_ERRNO", "5"));
  g.then_fail = strcmp(setting("FAULTS_THEN", ""), "fail") == 0;
  g.record = -1;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  g.speed = atol(setting("FAULTS_SPEED", "1"));
  const char* record = getenv("FAULTS_RECORD");
  if (record != NULL) g.record = open(record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("FAULTS_COUNT");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", g.count);
  fclose(file);
}

static bool ours(int fd) {
  return fd >= 0 && fd < kFiles && files[fd].ours;
}

// The absolute path if it is the folder or in it, else NULL. Links are not followed.
static const char* within(const char* path, char* absolute) {
  start();
  if (path[0] == '/') {
    snprintf(absolute, PATH_MAX, "%s", path);
  } else {
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) return NULL;
    if ((size_t)snprintf(absolute, PATH_MAX, "%s/%s", here, path) >= PATH_MAX) return NULL;
  }
  const bool in = strncmp(absolute, g.folder, g.length) == 0 &&
                  (absolute[g.length] == '/' || absolute[g.length] == '\0');
  return in ? absolute : NULL;
}

// A change: its name, path, offset and data; for names, `data` is the new name.
static void record(const char* what, const char* path, long offset, const void* data, size_t size) {
  if (g.record < 0) return;
  REAL(write);
  char head[PATH_MAX + 80];
  const int length = snprintf(head, sizeof head, "%s %ld %zu %s\n", what, offset, size, path);
  if (real(g.record, head, (size_t)length) != length || real(g.record, data, size) != (ssize_t)size) abort();
}

static bool counted(const char* call) {
  const size_t length = strlen(call);
  for (const char* at = g.calls; (at = strstr(at, call)) != NULL; at += length)
    if ((at == g.calls || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

// Counts a call. Returns the bytes of its `size` that are to be processed, or -1 (errno is set) if it fails.
static ssize_t pass(const char* call, size_t size) {
  if (!counted(call)) return (ssize_t)size;
  if (++g.count != g.at) {
    if (!g.happened || !g.then_fail) return (ssize_t)size;
    errno = g.error;
    return -1;
  }
  g.happened = true;
  if (strcmp(g.act, "kill") == 0) raise(SIGKILL);
  if (strcmp(g.act, "stop") == 0) {
    raise(SIGSTOP);
    return (ssize_t)size;
  }
  if (strcmp(g.act, "vanish") == 0) {
    REAL(rename);
    char gone[PATH_MAX + 8];
    snprintf(gone, sizeof gone, "%s.gone", g.folder);
    real(g.folder, gone);
    return (ssize_t)size;
  }
  const bool part = strcmp(g.act, "short") == 0 || strcmp(g.act, "tear") == 0;
  if (part && strcmp(call, "write") == 0 && size > 1) return (ssize_t)(size / 2);
  if (strcmp(g.act, "tear") == 0) raise(SIGKILL);
  errno = g.error;
  return -1;
}

// A write of `part` bytes has been made. Ends the program if they are half of one.
static ssize_t written(int fd, const void* data, ssize_t part, size_t size, long offset) {
  if (part > 0) record("write", files[fd].path, offset, data, (size_t)part);
  if ((size_t)part < size && strcmp(g.act, "tear") == 0) raise(SIGKILL);
  return part;
}

#define LOCKED(type, expression)       \
  pthread_mutex_lock(&lock);           \
  const type outcome = (expression);   \
  const int saved = errno;             \
  pthread_mutex_unlock(&lock);         \
  errno = saved;                       \
  return outcome

static ssize_t write_ours(int fd, const void* data, size_t size) {
  REAL(write);
  const ssize_t allowed = pass("write", size);
  if (allowed < 0) return -1;
  const long offset = lseek(fd, 0, SEEK_CUR);
  return written(fd, data, real(fd, data, (size_t)allowed), size, offset);
}

ssize_t write(int fd, const void* data, size_t size) {
  REAL(write);
  if (!ours(fd)) return real(fd, data, size);
  LOCKED(ssize_t, write_ours(fd, data, size));
}

static ssize_t pwrite_ours(int fd, const void* data, size_t size, off64_t offset) {
  REAL(pwrite64);
  const ssize_t allowed = pass("write", size);
  if (allowed < 0) return -1;
  return written(fd, data, real(fd, data, (size_t)allowed, offset), size, offset);
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset) {
  REAL(pwrite64);
  if (!ours(fd)) return real(fd, data, size, offset);
  LOCKED(ssize_t, pwrite_ours(fd, data, size, offset));
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  return pwrite64(fd, data, size, offset);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  REAL(writev);
  if (!ours(fd)) return real(fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);  // a short write; the caller goes on
}

ssize_t pread64(int fd, void* data, size_t size, off64_t offset) {
  REAL(pread64);
  if (!ours(fd)) return real(fd, data, size, offset);
  LOCKED(ssize_t, pass("read", size) < 0 ? -1 : real(fd, data, size, offset));
}
ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  return pread64(fd, data, size, offset);
}

static int sync_ours(int fd) {
  REAL(fsync);
  if (pass("sync", 0) < 0) return -1;
  const int code = real(fd);
  if (code == 0) record("sync", files[fd].path, 0, "", 0);
  return code;
}

int fsync(int fd) {
  REAL(fsync);
  if (!ours(fd)) return real(fd);
  LOCKED(int, sync_ours(fd));
}
int fdatasync(int fd) {
  return fsync(fd);
}

static int truncate_ours(int fd, off64_t size) {
  REAL(ftruncate64);
  if (pass("truncate", 0) < 0) return -1;
  const int code = real(fd, size);
  if (code == 0) record("truncate", files[fd].path, size, "", 0);
  return code;
}

int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  if (!ours(fd)) return real(fd, size);
  LOCKED(int, truncate_ours(fd, size));
}
int ftruncate(int fd, off_t size) {
  return ftruncate64(fd, size);
}

// O_CREAT and O_TRUNC are recorded as changes.
static int open_ours(const char* path, int flags, mode_t mode) {
  REAL(open64);
  struct stat before;
  const bool was = lstat(path, &before) == 0;
  if (pass((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 ? "open" : "read", 0) < 0) return -1;
  const int fd = real(path, flags, mode);
  if (fd < 0 || fd >= kFiles) return fd;
  files[fd].ours = true;
  snprintf(files[fd].path, sizeof files[fd].path, "%s", path);
  if ((flags & O_CREAT) != 0 && !was) record("create", path, 0, "", 0);
  if ((flags & O_TRUNC) != 0 && was) record("truncate", path, 0, "", 0);
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  REAL(open64);
  char absolute[PATH_MAX];
  if (within(path, absolute) == NULL) return real(path, flags, mode);
  LOCKED(int, open_ours(absolute, flags, mode));
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open64(path, flags, mode);
}

int close(int fd) {
  REAL(close);
  if (!ours(fd)) return real(fd);
  files[fd].ours = false;
  real(fd);
  LOCKED(int, pass("close", 0) < 0 ? -1 : 0);
}

// As stdio does, goes on after a short write. Fewer bytes than `size` mean an error.
static ssize_t stream_write(void* cookie, const char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = write((int)(intptr_t)cookie, data + done, size - done);
    if (count < 0) break;
    done += (size_t)count;
  }
  return (ssize_t)done;
}
static int stream_close(void* cookie) {
  files[(intptr_t)cookie].stream = NULL;
  return close((int)(intptr_t)cookie);
}

FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  char absolute[PATH_MAX];
  if (mode[0] != 'w' || within(path, absolute) == NULL) return real(path, mode);
  const int fd = open64(absolute, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  const cookie_io_functions_t calls = {.write = stream_write, .close = stream_close};
  return files[fd].stream = fopencookie((void*)(intptr_t)fd, mode, calls);
}
FILE* fopen(const char* path, const char* mode) {
  return fopen64(path, mode);
}

int fileno(FILE* stream) {
  REAL(fileno);
  for (int fd = 0; fd < kFiles; ++fd)
    if (files[fd].stream == stream) return fd;
  return real(stream);
}

#define NAMES(call, record_name, result, path, other)                     \
  char absolute[PATH_MAX], target[PATH_MAX];                              \
  if (within(path, absolute) == NULL) return result;                      \
  const char* name = within(other, target) != NULL ? target : "";         \
  pthread_mutex_lock(&lock);                                              \
  const int code = pass(call, 0) < 0 ? -1 : result;                       \
  const int saved = errno;                                                \
  if (code == 0) record(record_name, absolute, 0, name, strlen(name));    \
  pthread_mutex_unlock(&lock);                                            \
  errno = saved;                                                          \
  return code

int rename(const char* from, const char* to) {
  REAL(rename);
  NAMES("rename", "rename", real(from, to), from, to);
}
int unlink(const char* path) {
  REAL(unlink);
  NAMES("unlink", "unlink", real(path), path, path);
}
int remove(const char* path) {
  REAL(remove);
  NAMES("unlink", "unlink", real(path), path, path);
}
int mkdir(const char* path, mode_t mode) {
  REAL(mkdir);
  NAMES("mkdir", "mkdir", real(path, mode), path, path);
}

int statfs(const char* path, struct statfs* info) {
  REAL(statfs);
  const int code = real(path, info);
  if (getenv("FAULTS_NETWORK") != NULL) info->f_type = 0x6969;
  return code;
}

// Clocks.

static struct timespec plus(struct timespec t, double seconds) {
  const double whole = (double)t.tv_nsec + seconds * 1e9;
  const int64_t all = (int64_t)t.tv_sec * 1000000000 + (int64_t)whole;
  return (struct timespec){.tv_sec = all / 1000000000, .tv_nsec = all % 1000000000};
}
static double since_begin(struct timespec t) {
  return (double)(t.tv_sec - begin.tv_sec) + (double)(t.tv_nsec - begin.tv_nsec) * 1e-9;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  REAL(clock_gettime);
  const int code = real(clock, time);
  if (clock == CLOCK_MONOTONIC && g.speed > 1) *time = plus(begin, since_begin(*time) * (double)g.speed);
  const char* back = getenv("FAULTS_BACK");
  if (clock == CLOCK_REALTIME && back != NULL)
    *time = plus(*time, -atof(back) * (double)__atomic_add_fetch(&wall_readings, 1, __ATOMIC_RELAXED));
  return code;
}
int gettimeofday(struct timeval* time, void* zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  REAL(pthread_cond_clockwait);
  if (clock != CLOCK_MONOTONIC || g.speed <= 1) return real(condition, mutex, clock, until);
  const struct timespec real_time = plus(begin, since_begin(*until) / (double)g.speed);
  return real(condition, mutex, clock, &real_time);
}
