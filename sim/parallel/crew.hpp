#pragma once
// Threads that run repetitions and share the work of one: a member of a crew that has no run left to make computes
// parts for the others.
//
// Results depend neither on the number of members nor on who computes what. So a computation is divided only where that
// can not change a bit: into parts that write to different places, or into the terms of a sum, which are added
// in their order once all are known (sum_in_order).
//
// Computations are not passed a crew. They ask for that of the thread that they run on, because the number of threads
// does not belong in a problem, which many runs share. On a thread that belongs to no crew, in a part of a divided
// computation, and while no member helps, nothing is divided.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace hearsay::sim {

class Crew {
 public:
  /// When it pays to divide a computation: all in ns that it takes one thread. Measured: another thread that is awake is
  /// worth its while from some 5 microseconds on; to wake it takes twice as long.
  struct Worth {
    double awake = 10'000;  ///< while a helper is awake
    double asleep =
        50'000;  ///< while all are asleep: of this computation and those before that were not divided
    double part = 4'000;  ///< the smallest part
  };
  /// For so many members at a time.
  explicit Crew(unsigned members) : Crew(members, Worth{}) {}
  Crew(unsigned members, const Worth& worth)
      : worth_(worth), members_(members), posts_(std::size_t{2} * members) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Makes this thread a member. One of a larger crew may be a member of a smaller one for a while. Throws
  /// InvariantError if there are too many.
  class Member {
   public:
    explicit Member(Crew& crew);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    Crew* outer_;
    std::size_t outer_post_;
    Crew& crew_;
    std::size_t post_;
  };

  /// The crew that this thread is a member of; null if it is of none, or computes a part for a member.
  static Crew* current() { return current_; }

  /// Helps other members until ready() is true. It is asked again and again, must not wait for other threads, and
  /// what makes it true is followed by ring(). By members.
  template <class Ready>
  void help_until(Ready&& ready) {
    help([](void* r) -> bool { return (*static_cast<std::remove_reference_t<Ready>*>(r))(); }, &ready);
  }
  /// Lets all that help ask whether they are ready.
  void ring();
  const Worth& worth() const { return worth_; }
  std::size_t members() const { return members_; }
  /// How many members help.
  std::uint32_t helping() const { return helping_.load(std::memory_order_relaxed); }

  /// Calls f(begin, end) for ranges that make up 0, 1, ..., count - 1, on this thread and others; f(0, count) where it
  /// does not pay to divide what takes one thread about `ns` ns. Passes on the exception of the first range that
  /// throws. f must not wait for other threads. Allocates nothing.
  template <class F>
  static void divide(std::size_t count, double ns, F&& f) {
    if (!divides(count, ns)) return f(std::size_t{0}, count);
    hand_out(count, ns, f);
  }
  /// f(0), ..., f(count - 1) likewise, each called once.
  template <class F>
  static void each(std::size_t count, double ns, F&& f) {
    divide(count, ns, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) f(k);
    });
  }
  /// Offers f(begin, end), likewise but for so many ranges, to the others, while this thread, a member, goes on to other work and divides that
  /// too; f lives until finish(), before which no other is offered.
  template <class F>
  static void offer(std::size_t count, std::size_t parts, F& f) {
    const Computation computation = computation_of(count, std::min(count, parts), f);
    current()->open(current()->later(), computation, computation.parts);
  }
  /// Whether all that this thread has offered is done.
  static bool done() {
    const Post& post = current()->later();
    return post.done.load(std::memory_order_acquire) == post.computation.parts;
  }
  /// Computes what the others have not begun of what this thread has offered, and waits for the rest. Passes on the exception
  /// of the first range that throws.
  static void finish() { current()->finish(current()->later()); }
  /// out += term 0 + term 1 + ... + term count - 1, in this order, of `width` numbers each. f(begin, end, to, stride)
  /// adds the terms from `begin` on to `to`, to + stride, ...; a term must not depend on `begin` and `end`. Keeps room
  /// for the terms, 8 MB or 1024 terms.
  template <class F>
  static void sum_in_order(std::size_t count, std::size_t width, double ns, double* out, F&& f) {
    if (!divides(count, ns)) return f(std::size_t{0}, count, out, std::size_t{0});
    const std::size_t most = std::max(kMinTerms, kRoom / width);  // terms at a time
    double* const terms = room(std::min(count, most) * width);
    for (std::size_t first = 0; first < count; first += most) {
      const std::size_t some = std::min(most, count - first);
      const double share = static_cast<double>(some) / static_cast<double>(count);
      hand_out(some, ns * share, [&](std::size_t begin, std::size_t end) {
        std::fill(terms + begin * width, terms + end * width, 0.0);
        f(first + begin, first + end, terms + begin * width, width);
      });
      for (std::size_t k = 0; k < some; ++k) {
        for (std::size_t j = 0; j < width; ++j) out[j] += terms[k * width + j];
      }
    }
  }

 private:
  static constexpr std::size_t kRoom = std::size_t{1} << 20, kMinTerms = 1024;  // numbers, terms
  static constexpr double kPartsPerThread = 16;  // so that one that is late costs little

  struct Computation {
    void (*part)(void* f, std::size_t begin, std::size_t end) = nullptr;
    void* f = nullptr;
    std::size_t count = 0, parts = 0;
  };
  // Where a member offers parts of its computation.
  struct alignas(64) Post {
    // Number of the computation, 32 bits, and how many parts no member has begun. Together, because a part may be taken
    // only if the computation is still the one that was looked at.
    std::atomic<std::uint64_t> open = 0;
    Computation computation{};  // constant from its opening until its last part is done
    std::atomic<std::uint32_t> done = 0;
    std::mutex mutex{};
    std::size_t failed = 0;  // the first part that threw
    std::exception_ptr failure{};
    std::vector<double> room{};
    double alone = 0;    // ns of computations that were not divided because all helpers were asleep
    bool taken = false;  // by a member
  };

  static bool divides(std::size_t count, double ns) {
    return count > 1 && current() != nullptr && current()->pays(ns);
  }
  bool pays(double ns);
  std::size_t parts_of(std::size_t count, double ns) const;
  /// Room for so many numbers, of this thread as a member, until it asks again.
  static double* room(std::size_t numbers);
  template <class F>
  static void hand_out(std::size_t count, double ns, F&& f) {
    Post& post = current()->posts_[current_post_];
    const Computation computation = computation_of(count, current()->parts_of(count, ns), f);
    current()->open(post, computation, computation.parts - 1);  // this thread computes a part
    current()->finish(post);
  }
  template <class F>
  static Computation computation_of(std::size_t count, std::size_t parts, F& f) {
    return {[](void* g, std::size_t begin, std::size_t end) { (*static_cast<F*>(g))(begin, end); }, &f, count,
            parts};
  }
  // Wakes so many helpers.
  void open(Post& post, const Computation& computation, std::size_t helpers);
  void finish(Post& post);
  // Of what this thread has offered.
  Post& later() { return posts_[members_ + current_post_]; }
  void help(bool (*ready)(void*), void* r);
  /// Computes a part of one of the computations; false if none is open.
  bool help_once();
  static bool compute_part(Post& post);
  void wake(std::uint32_t helpers);

  class Hidden;
  static constinit inline thread_local Crew* current_ = nullptr;
  static constinit inline thread_local std::size_t current_post_ = 0;

  Worth worth_;
  std::size_t members_;
  std::vector<Post>
      posts_;  // of each member, where it offers what it computes now; behind them, what it has offered
  std::mutex mutex_{};  // of Post::taken
  std::atomic<std::uint32_t> helping_ = 0, asleep_ = 0, bell_ = 0;
};

}  // namespace hearsay::sim
