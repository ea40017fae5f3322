#include "scenarios/execution/workers/process_workers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <list>
#include <numeric>
#include <sstream>
#include <system_error>

#include "scenarios/execution/workers/messages.hpp"
#include "scenarios/language/code.hpp"

namespace hearsay::scenarios {

namespace {

Forker process_forker;

[[noreturn]] void fail_to(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A number that processes share.
class SharedCounter {
 public:
  SharedCounter() {
    void* const page =
        ::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) fail_to("shared memory");
    number_ = new (page) Number(0);
  }
  ~SharedCounter() { ::munmap(number_, sizeof(Number)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  std::size_t next() { return (*number_)++; }

 private:
  using Number = std::atomic<std::size_t>;
  static_assert(Number::is_always_lock_free);
  Number* number_;
};

// Writes a report with its length before it; false if the other end is closed.
bool write(int pipe, const Report& report) {
  const std::string text = packed(report);
  const std::size_t size = text.size();
  std::string all(sizeof size, '\0');
  std::memcpy(all.data(), &size, sizeof size);
  all += text;
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t more = ::write(pipe, all.data() + done, all.size() - done);
    if (more < 0 && errno != EINTR) return false;
    if (more > 0) done += static_cast<std::size_t>(more);
  }
  return true;
}

// A process, and what it has written so far.
class Process {
 public:
  // In the new process work(pipe) is called, which ends with it.
  template <class Work>
  explicit Process(Work&& work) {
    int ends[2];
    if (::pipe(ends) != 0) fail_to("pipe");
    const pid_t parent = ::getpid();
    id_ = process_forker.fork();
    if (id_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      try {
        if (::getppid() == parent) work(ends[1]);
        process_forker.leave();
        std::_Exit(0);
      } catch (...) {
        std::_Exit(1);  // nothing of this function's caller may go on here
      }
    }
    const int error = errno;
    ::close(ends[1]);
    pipe_ = ends[0];
    if (id_ > 0) return;
    ::close(pipe_);
    errno = error;
    fail_to("fork");
  }
  ~Process() {
    if (pipe_ >= 0) ::close(pipe_);
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pipe() const { return pipe_; }
  bool ended() const { return pipe_ < 0; }
  void interrupt() const { ::kill(id_, SIGINT); }

  // Reads what has come, and passes complete reports on. Throws if the process has ended in another way than by itself,
  // unless it has been interrupted, which may reach it twice.
  template <class F>
  void read(F&& take, bool was_interrupted) {
    char block[1 << 16];
    const ssize_t size = ::read(pipe_, block, sizeof block);
    if (size < 0 && errno != EINTR) fail_to("pipe");
    if (size == 0) return end(was_interrupted);
    if (size > 0) text_.append(block, static_cast<std::size_t>(size));
    std::size_t length = 0;
    while (text_.size() >= sizeof length) {
      std::memcpy(&length, text_.data(), sizeof length);
      if (text_.size() - sizeof length < length) return;
      const std::string text = text_.substr(sizeof length, length);
      text_.erase(0, sizeof length + length);
      take(unpacked<Report>(text));
    }
  }

 private:
  void end(bool was_interrupted) {
    ::close(std::exchange(pipe_, -1));
    int status = 0;
    ::waitpid(std::exchange(id_, -1), &status, 0);
    if (status == 0 || was_interrupted) return;
    throw sim::Error(
        sim::Error::Kind::kInternal, {},
        WIFSIGNALED(status)
            ? fmt::format("a process that made runs was ended by signal {} ({}): runs made until then are "
                          "stored; run the same command to resume, with a smaller -j if memory was short",
                          WTERMSIG(status), ::strsignal(WTERMSIG(status)))
            : fmt::format("a process that made runs ended with code {}", WEXITSTATUS(status)));
  }

  pid_t id_ = -1;
  int pipe_ = -1;
  std::string text_;
};

}  // namespace

void set_forker(Forker forker) {
  process_forker = forker;
}

bool ProcessWorkers::needed() {
  return process_forker.fork != nullptr && code_in_use();
}

void ProcessWorkers::make(std::span<const RunTask> tasks, const Made& made) {
  std::vector<std::size_t> all(tasks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> too_large = make_some(tasks, all, threads_, made);
  if (!too_large.empty()) make_some(tasks, too_large, 1, made);
}

// Returns those that memory was too small for.
std::vector<std::size_t> ProcessWorkers::make_some(std::span<const RunTask> tasks,
                                                   std::span<const std::size_t> which, unsigned processes,
                                                   const Made& made) {
  SharedCounter counter;
  const auto work = [&](int pipe) {
    const MemoryLimit limit(processes);
    for (std::size_t k = counter.next(); k < which.size() && !interrupted(); k = counter.next()) {
      Report report;
      try {
        report.made.push_back({which[k], maker_.make(tasks[which[k]])});
      } catch (...) {
        report.failures.push_back({which[k], error_of(std::current_exception())});
      }
      if (!write(pipe, report)) return;
    }
  };
  std::list<Process> running;
  for (unsigned k = 0; k < std::min<std::size_t>(processes, which.size()); ++k) running.emplace_back(work);
  std::vector<std::size_t> too_large;
  std::size_t reported = 0;
  const auto take = [&](Report report) {
    reported += report.tasks();
    for (Report::Made& one : report.made) made(one.task, std::move(one.run));
    for (const Failure& failure : report.failures) {
      if (failure.error.kind != sim::Error::Kind::kOutOfMemory || processes == 1) throw failure.error;
      too_large.push_back(failure.task);
    }
  };
  for (bool interrupt_sent = false; !running.empty();) {
    std::vector<pollfd> pipes;
    for (const Process& one : running) pipes.push_back({one.pipe(), POLLIN, 0});
    constexpr int kStep = 100;  // ms between looks at an interrupt
    const int ready = ::poll(pipes.data(), pipes.size(), kStep);
    if (ready < 0 && errno != EINTR) fail_to("poll");
    // Again where nothing happens: a process that is about to sleep can miss the first one, or take it and the one of a
    // terminal for the same.
    if (interrupted() && (!std::exchange(interrupt_sent, true) || ready == 0))
      for (const Process& one : running) one.interrupt();
    auto pipe = pipes.begin();
    for (Process& one : running)
      if ((pipe++)->revents != 0) one.read(take, interrupt_sent);
    std::erase_if(running, [](const Process& one) { return one.ended(); });
  }
  if (reported < which.size() && !interrupted())
    throw sim::Error(sim::Error::Kind::kInternal, {}, "a process that made runs has ended before them");
  return too_large;
}

}  // namespace hearsay::scenarios
