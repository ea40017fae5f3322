// What runs share is worked out once.
#include "models/learning/memo.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

using hearsay::models::Memo;

TEST_CASE("memo: whoever asks, a result is worked out once, and all get the same one") {
  const Memo memo;
  std::atomic<int> made = 0;
  std::vector<std::shared_ptr<const int>> got(8);
  {
    std::vector<std::jthread> threads;
    for (auto& place : got) {
      threads.emplace_back([&] { place = memo.get<int>("seven", [&] { return ++made, 7; }); });
    }
  }
  CHECK(made == 1);
  for (const auto& value : got) {
    CHECK(*value == 7);
    CHECK(value == got.front());
  }
}

TEST_CASE("memo: another key is another result, and making one may ask for another") {
  const Memo memo;
  const auto outer = memo.get<int>("outer", [&] { return 10 * *memo.get<int>("inner", [] { return 4; }); });
  CHECK(*outer == 40);
  CHECK(*memo.get<int>("inner", [] { return 5; }) == 4);
}

TEST_CASE("memo: what could not be made is tried again, and a key stands for one type") {
  const Memo memo;
  CHECK_THROWS_AS(memo.get<int>("x", []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  CHECK(*memo.get<int>("x", [] { return 3; }) == 3);
  CHECK_THROWS_AS(memo.get<double>("x", [] { return 3.0; }), std::bad_any_cast);
}
