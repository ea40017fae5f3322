#include "sim/parallel/crew.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>

#include "sim/check.hpp"
#include "tests/support/crew.hpp"

using namespace hearsay;
using sim::Crew;
using test::HelpedThread;

namespace {

constexpr double kLong = 1e9;  // ns: to be divided

// Waits until `others` threads have come here, so that no thread can do all the parts.
void meet(std::atomic<unsigned>& here, unsigned others) {
  ++here;
  while (here < others) std::this_thread::yield();
}

}  // namespace

TEST_CASE("crew: the ranges of a divided computation make up all of it, once") {
  for (const unsigned threads : {1U, 2U, 3U, 5U}) {
    HelpedThread helped(threads);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 64U, 1000U}) {
      std::vector<std::atomic<int>> called(count);
      Crew::divide(count, kLong, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) ++called[k];
      });
      CHECK(std::ranges::all_of(called, [](const auto& c) { return c == 1; }));
    }
  }
}

TEST_CASE("crew: several threads compute parts at the same time") {
  for (const unsigned threads : {2U, 5U}) {
    HelpedThread helped(threads);
    for (int k = 0; k < 20; ++k) {
      std::atomic<unsigned> here = 0;
      Crew::each(threads, kLong, [&](std::size_t) { meet(here, threads); });
      CHECK(here == threads);
    }
  }
}

TEST_CASE("crew: terms are added in their order, whoever computes them") {
  // 1 is lost beside 1e16, so that another order gives another sum: (1e16 + 1) - 1e16 = 0, (1e16 - 1e16) + 1 = 1.
  const std::vector<double> terms{1e16, 1, -1e16, 1, 1e16, -1e16, 1};
  for (const unsigned threads : {1U, 2U, 3U, 5U, 9U}) {
    HelpedThread helped(threads);
    std::vector<double> out{0, 0.5};
    Crew::sum_in_order(terms.size(), 2, kLong, out.data(),
                       [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                         for (std::size_t k = begin; k < end; ++k, to += stride) {
                           to[0] += terms[k];
                           to[1] += static_cast<double>(k);
                         }
                       });
    // 1e16 + 1 -> 1e16; - 1e16 -> 0; + 1 -> 1; + 1e16 -> 1e16; - 1e16 -> 0; + 1 -> 1.
    CHECK(out == std::vector<double>{1, 21.5});
  }
}

TEST_CASE("crew: more terms than there is room for are added in their order too") {
  constexpr std::size_t kTerms = 2500, kWidth = 2048;
  HelpedThread helped(3);
  std::vector<double> out(kWidth);
  Crew::sum_in_order(kTerms, kWidth, kLong, out.data(),
                     [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                       for (std::size_t k = begin; k < end; ++k, to += stride) {
                         // As above every 1 between is lost, unless some are added up before.
                         to[0] += k == 0 ? 1e16 : k + 1 == kTerms ? -1e16 : 1;
                         for (std::size_t j = 1; j < kWidth; ++j) to[j] += static_cast<double>(k);
                       }
                     });
  CHECK(out[0] == 0);
  CHECK(std::ranges::count(out, 2500.0 * 2499 / 2) == kWidth - 1);
}

TEST_CASE("crew: the exception of the first range that throws arrives, and the crew goes on") {
  HelpedThread helped(3);
  for (int k = 0; k < 200; ++k) {
    std::atomic<unsigned> here = 0;
    // All three threads compute a part, so that other threads than this one throw.
    const auto compute = [&](std::size_t i) {
      meet(here, 3);
      if (i > 0) throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH(Crew::each(3, kLong, compute), "1");
  }
  std::atomic<int> sum = 0;
  Crew::each(10, kLong, [&](std::size_t i) { sum += static_cast<int>(i); });
  CHECK(sum == 45);
}

TEST_CASE("crew: a part is not divided again") {
  HelpedThread helped(3);
  std::atomic<int> whole = 0;
  Crew::each(30, kLong, [&](std::size_t) {
    CHECK(Crew::current() == nullptr);
    Crew::divide(10, kLong, [&](std::size_t begin, std::size_t end) { whole += begin == 0 && end == 10; });
  });
  CHECK(whole == 30);
  CHECK(Crew::current() == &helped.crew());
}

TEST_CASE("crew: a thread that waits for another member helps it, and goes on when ready") {
  Crew crew(2, {.awake = 0, .asleep = 0, .part = 1});
  std::atomic<bool> ready = false;
  std::atomic<unsigned> here = 0;
  bool waited = false;
  {
    const Crew::Member member(crew);
    std::jthread other([&] {
      const Crew::Member of_other(crew);
      crew.help_until([&] { return ready.load(); });
      waited = Crew::current() == &crew;
    });
    while (crew.helping() == 0) std::this_thread::yield();
    // Long enough for the other to fall asleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Crew::each(2, kLong, [&](std::size_t) { meet(here, 2); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ready = true;
    crew.ring();
  }
  CHECK(here == 2);
  CHECK(waited);
  CHECK(crew.helping() == 0);
}

TEST_CASE("crew: several members divide their computations at the same time") {
  constexpr unsigned kMembers = 5;
  Crew crew(kMembers, {.awake = 0, .asleep = 0, .part = 1});
  std::atomic<unsigned> left = kMembers;
  std::array<std::uint64_t, kMembers> sums{};
  {
    std::vector<std::jthread> threads;
    for (unsigned m = 0; m < kMembers; ++m) {
      threads.emplace_back([&, m] {
        const Crew::Member member(crew);
        for (int k = 0; k < 300 * static_cast<int>(m); ++k) {
          std::atomic<std::uint64_t> sum = 0;
          Crew::each(40, kLong, [&](std::size_t i) { sum += i; });
          sums[m] += sum;
        }
        if (--left == 0) return crew.ring();
        crew.help_until([&] { return left == 0; });
      });
    }
  }
  for (unsigned m = 0; m < kMembers; ++m) CHECK(sums[m] == 300 * m * 780);
}

TEST_CASE("crew: has room for its members") {
  Crew crew(1);
  const Crew::Member member(crew);
  CHECK_THROWS_AS(Crew::Member(crew), sim::InvariantError);
}
