// Which runs belong to a part of a study.
#include "scenarios/study/shard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using scenarios::runs_of;
using scenarios::Shard;
using scenarios::shard_from;

namespace {

std::vector<std::size_t> sizes_of_parts(std::uint32_t count, std::size_t runs) {
  std::vector<std::size_t> sizes, parts_of(runs);
  for (std::uint32_t number = 1; number <= count; ++number) {
    const std::vector<bool> own = runs_of({number, count}, runs);
    REQUIRE(own.size() == runs);
    for (std::size_t k = 0; k < runs; ++k) parts_of[k] += own[k] ? 1u : 0u;
    sizes.push_back(static_cast<std::size_t>(std::ranges::count(own, true)));
  }
  INFO(count << " parts of " << runs << " runs");
  CHECK(std::ranges::count(parts_of, 1u) == static_cast<std::ptrdiff_t>(runs));
  return sizes;
}

}  // namespace

TEST_CASE("shard: every run belongs to exactly one part, and sizes of parts differ by at most 16") {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 16u, 100u}) {
    for (const std::size_t runs : {0u, 1u, 2u, 15u, 16u, 17u, 65u, 111u, 112u, 113u, 1000u, 4801u}) {
      const auto sizes = sizes_of_parts(count, runs);
      const auto [least, most] = std::ranges::minmax(sizes);
      CHECK(most - least <= 16);
      // A part has one of every `count` blocks, and no two blocks are of one run.
      if (runs <= count) CHECK(most <= 1);
      // Blocks of equal length, 16 for each part.
      if (runs % (16 * count) == 0) CHECK(least == most);
    }
  }
}

TEST_CASE("shard: a part is not one piece, and most of its runs are neighbours") {
  const std::vector<bool> own = runs_of({2, 4}, 6400);
  // 16 blocks of 100 runs each, of which at most two meet per border of four blocks.
  std::size_t pieces = own[0] ? 1 : 0;
  for (std::size_t k = 1; k < own.size(); ++k) pieces += own[k] && !own[k - 1] ? 1u : 0u;
  CHECK(pieces >= 8);
  CHECK(pieces <= 16);
  for (std::size_t four = 0; four < 16; ++four)
    CHECK(std::count(own.begin() + static_cast<std::ptrdiff_t>(400 * four),
                     own.begin() + static_cast<std::ptrdiff_t>(400 * (four + 1)), true) == 100);
}

TEST_CASE("shard: texts of parts") {
  CHECK(shard_from("2/3") == Shard{2, 3});
  CHECK(shard_from("1/1") == Shard{1, 1});
  CHECK(shard_from("1000000/1000000").text() == "1000000/1000000");
  for (const char* text : {"", "2", "2/", "/3", "a/b", "-1/3", "+1/3", " 1/3", "1/3 ", "1/3x", "1 / 3",
                           "1.5/3", "1/2/3", "99999999999/3"}) {
    INFO(text);
    CHECK_THROWS_WITH(shard_from(text), "expected a part such as 2/3, found '" + std::string(text) + "'");
  }
  for (const char* text : {"0/3", "4/3", "0/0", "1/0", "1/1000001"}) {
    INFO(text);
    CHECK_THROWS_WITH(shard_from(text), "expected a part from 1/N to N/N with N from 1 to 1000000, found '" +
                                            std::string(text) + "'");
  }
}

TEST_CASE("shard: run refuses parts that do not exist, and parts of a study that selects points") {
  const test::StudyFolder dir;
  const std::string wrong = test::refusal(dir, "run s.json --shard 4/3 -o out");
  CHECK_THAT(wrong, Contains("--shard: expected a part from 1/N to N/N") && Contains("found '4/3'"));
  dir.write("select.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 2],
              "select": {"over": "privacy.epsilon", "minimise": "relative_fitness", "on": "test"}})"));
  const auto selects = test::ended_with(dir, "run select.json --shard 1/3 -o out", 2);
  CHECK_THAT(selects.err, Contains("--shard: ") && Contains("selects points by their results"));
  CHECK_FALSE(std::filesystem::exists(dir / "out"));
}
