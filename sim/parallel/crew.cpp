#include "sim/parallel/crew.hpp"

#include <utility>

#include "sim/check.hpp"

namespace hearsay::sim {

namespace {

// How often a thread looks for what it waits for before it sleeps: some 50 microseconds. Those that sleep take as long
// to wake up.
constexpr int kLooks = 1500;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

constexpr std::uint32_t left_of(std::uint64_t open) {
  return static_cast<std::uint32_t>(open);
}

}  // namespace

// Hides the crew of this thread, which computes a part.
class Crew::Hidden {
 public:
  Hidden() : crew_(current_) { current_ = nullptr; }
  ~Hidden() { current_ = crew_; }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;

 private:
  Crew* crew_;
};

Crew::Member::Member(Crew& crew) : outer_(current_), outer_post_(current_post_), crew_(crew) {
  const std::lock_guard lock(crew.mutex_);
  const auto end = crew.posts_.begin() + static_cast<std::ptrdiff_t>(crew.members_);
  const auto free = std::ranges::find(crew.posts_.begin(), end, false, &Post::taken);
  check(free != end, "a crew with too many members");
  free->taken = true;
  post_ = static_cast<std::size_t>(free - crew.posts_.begin());
  current_ = &crew;
  current_post_ = post_;
}

Crew::Member::~Member() {
  current_ = outer_;
  current_post_ = outer_post_;
  const std::lock_guard lock(crew_.mutex_);
  crew_.posts_[post_].taken = false;
}

bool Crew::pays(double ns) {
  const std::uint32_t helping = this->helping();
  if (helping == 0 || ns < worth_.awake) return false;
  if (helping > asleep_.load(std::memory_order_relaxed)) return true;
  double& alone = posts_[current_post_].alone;
  alone += ns;
  if (alone < worth_.asleep) return false;
  alone = 0;
  return true;
}

double* Crew::room(std::size_t numbers) {
  std::vector<double>& room = current_->posts_[current_post_].room;
  if (room.size() < numbers) room.resize(numbers);
  return room.data();
}

std::size_t Crew::parts_of(std::size_t count, double ns) const {
  const double threads = 1 + helping();
  const double parts = std::min({ns / worth_.part, kPartsPerThread * threads, static_cast<double>(count)});
  return static_cast<std::size_t>(std::max(parts, 1.0));
}

void Crew::open(Post& post, const Computation& computation, std::size_t helpers) {
  post.computation = computation;
  post.done.store(0, std::memory_order_relaxed);
  const std::uint64_t number = (post.open.load(std::memory_order_relaxed) >> 32) + 1;
  post.open.store((number << 32) | computation.parts);
  wake(static_cast<std::uint32_t>(helpers));
}

void Crew::finish(Post& post) {
  {
    const Hidden hidden;
    while (compute_part(post)) {
    }
  }
  const auto parts = static_cast<std::uint32_t>(post.computation.parts);
  for (int look = 0; look < kLooks && post.done.load(std::memory_order_acquire) != parts; ++look) pause();
  for (std::uint32_t done; (done = post.done.load(std::memory_order_acquire)) != parts;) post.done.wait(done);
  if (post.failure) std::rethrow_exception(std::exchange(post.failure, nullptr));
}

bool Crew::compute_part(Post& post) {
  std::uint64_t open = post.open.load();
  do {
    if (left_of(open) == 0) return false;
  } while (!post.open.compare_exchange_weak(open, open - 1));
  const auto [part, f, count, parts] = post.computation;
  const std::size_t k = parts - left_of(open);
  try {
    part(f, count * k / parts, count * (k + 1) / parts);
  } catch (...) {
    const std::lock_guard lock(post.mutex);
    if (!post.failure || k < post.failed) {
      post.failed = k;
      post.failure = std::current_exception();
    }
  }
  if (post.done.fetch_add(1) + 1 == parts) post.done.notify_one();
  return true;
}

bool Crew::help_once() {
  // Not all begin with the same member.
  for (std::size_t k = 1; k < posts_.size(); ++k) {
    if (compute_part(posts_[(current_post_ + k) % posts_.size()])) return true;
  }
  return false;
}

void Crew::help(bool (*ready)(void*), void* r) {
  const Hidden hidden;
  ++helping_;
  for (int looks = 0; !ready(r);) {
    if (help_once()) {
      looks = 0;
    } else if (++looks < kLooks) {
      pause();
    } else {
      // Counted as asleep before the last look: who opens a computation after it sees this thread.
      ++asleep_;
      const std::uint32_t bell = bell_;
      if (!ready(r) && !help_once()) bell_.wait(bell);
      --asleep_;
      looks = 0;
    }
  }
  --helping_;
}

void Crew::wake(std::uint32_t helpers) {
  const std::uint32_t asleep = asleep_;
  if (asleep == 0) return;
  const std::uint32_t awake = helping_ - std::min<std::uint32_t>(asleep, helping_);
  if (awake >= helpers) return;
  ++bell_;
  if (helpers - awake >= asleep) return bell_.notify_all();
  for (std::uint32_t k = awake; k < helpers; ++k) bell_.notify_one();
}

void Crew::ring() {
  ++bell_;
  bell_.notify_all();
}

}  // namespace hearsay::sim
