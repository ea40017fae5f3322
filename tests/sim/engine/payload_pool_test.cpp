#include "sim/engine/payload_pool.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace hearsay::sim;

TEST_CASE("payload pool: rows do not overlap and have the requested width") {
  for (const std::size_t width : {1u, 7u, 8u, 9u, 100u}) {
    PayloadPool pool(width);
    std::vector<const double*> starts;
    for (int i = 0; i < 200; ++i) {
      const auto row = pool.row(pool.take());
      CHECK(row.size() == width);
      row.back() = i;
      starts.push_back(row.data());
    }
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 1; i < starts.size(); ++i)
      CHECK(static_cast<std::size_t>(starts[i] - starts[i - 1]) * sizeof(double) >=
            PayloadPool::bytes_of_row(width));
    CHECK(PayloadPool::bytes_of_row(width) % 64 == 0);
    CHECK(PayloadPool::bytes_of_row(width) >= width * sizeof(double) + sizeof(PayloadPool::Header));
  }
}

TEST_CASE("payload pool: a row is free after its last reference, and reused before the pool grows") {
  PayloadPool pool(3);
  const std::uint32_t row = pool.take();
  CHECK(pool.header(row).references == 1);
  pool.add_reference(row, 2);
  pool.drop(row);
  pool.drop(row);
  CHECK(pool.in_use() == 1);
  pool.drop(row);
  CHECK(pool.in_use() == 0);

  const std::size_t capacity = pool.capacity();
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < capacity; ++i) taken.insert(pool.take());
  CHECK(taken.size() == capacity);
  CHECK(taken.count(row) == 1);
  CHECK(pool.capacity() == capacity);
  pool.take();
  CHECK(pool.capacity() > capacity);
}

TEST_CASE("payload pool: a reused row has a new header") {
  PayloadPool pool(1);
  const std::uint32_t row = pool.take();
  pool.header(row).version = 9;
  pool.header(row).conversation = 8;
  pool.header(row).numbers = 1;
  pool.drop(row);
  for (std::size_t i = 0; i < pool.capacity(); ++i) {
    const auto& header = pool.header(pool.take());
    CHECK(header.version == 0);
    CHECK(header.conversation == 0);
    CHECK(header.numbers == 0);
    CHECK(header.references == 1);
  }
}

TEST_CASE("payload pool: dropping a free row throws, dropping no row is allowed") {
  PayloadPool pool(1);
  const std::uint32_t row = pool.take();
  pool.drop(row);
  CHECK_THROWS_AS(pool.drop(row), InvariantError);
  CHECK_NOTHROW(pool.drop(kNoSlot));
  CHECK(pool.in_use() == 0);
}

TEST_CASE("payload pool: a row is in use as long as it is held, by one holder at a time") {
  PayloadPool pool(3);
  const std::uint32_t row = pool.take(), other = pool.take();
  pool.row(row)[0] = 7;
  pool.header(row).numbers = 1;
  HeldPayload held(pool, row);
  pool.drop(row);
  CHECK(pool.in_use() == 2);
  REQUIRE(held.numbers().size() == 1);
  CHECK(held.numbers()[0] == 7);

  HeldPayload moved = std::move(held);
  CHECK(pool.header(row).references == 1);
  CHECK(moved.numbers()[0] == 7);
  moved = HeldPayload(pool, other);
  CHECK(pool.in_use() == 1);  // `row` is free
  pool.drop(other);
  CHECK(pool.in_use() == 1);
  moved = {};
  CHECK(pool.in_use() == 0);
  CHECK(moved.numbers().empty());
}

TEST_CASE("payload pool: the address of a row stays the same while the pool grows") {
  PayloadPool pool(5);
  std::vector<std::pair<std::uint32_t, const double*>> held;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t slot = pool.take();
    std::fill(pool.row(slot).begin(), pool.row(slot).end(), i);
    held.emplace_back(slot, pool.row(slot).data());
  }
  CHECK(pool.in_use() == 1000);
  for (int i = 0; i < 1000; ++i) {
    const auto& [slot, data] = held[static_cast<std::size_t>(i)];
    CHECK(pool.row(slot).data() == data);
    const auto row = pool.row(slot);
    CHECK(std::all_of(row.begin(), row.end(), [i](double x) { return x == i; }));
  }
}
