// Which tasks are handed to which worker, and in which order runs are made.
#include <numeric>
#include <vector>

#include "scenarios/execution/workers/work_list.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using scenarios::WorkList;

namespace {

std::pair<std::size_t, std::size_t> taken(WorkList& list, std::size_t worker, std::size_t most) {
  const WorkList::Range range = list.take(worker, most);
  return {range.begin, range.end};
}

}  // namespace

TEST_CASE("work list: a worker stays in its group, then begins the next one, then helps where most is left") {
  const std::vector<std::size_t> ends{4, 6, 16};
  WorkList list(ends, 3);
  using Range = std::pair<std::size_t, std::size_t>;
  CHECK(taken(list, 0, 2) == Range{0, 2});
  CHECK(taken(list, 1, 2) == Range{4, 6});   // the second group
  CHECK(taken(list, 0, 5) == Range{2, 4});   // the end of its group, no task of another
  CHECK(taken(list, 2, 1) == Range{6, 7});   // the third, which nobody has begun
  CHECK(taken(list, 0, 3) == Range{7, 10});  // no new group is left: helps in the third
  CHECK(taken(list, 1, 99) == Range{10, 16});
  CHECK(list.left() == 0);
  CHECK(list.take(2, 1).size() == 0);
}

TEST_CASE("work list: every task is handed out once, whatever workers ask for") {
  for (const std::size_t workers : {1u, 2u, 7u}) {
    std::vector<std::size_t> ends;
    for (std::size_t group = 1; group <= 20; ++group) ends.push_back(group * (group + 1) / 2);
    WorkList list(ends, workers);
    std::vector<int> times(ends.back(), 0);
    for (std::size_t k = 0; list.left() > 0; ++k) {
      const WorkList::Range range = list.take(k % workers, 1 + k % 4);
      REQUIRE(range.size() > 0);
      for (std::size_t task = range.begin; task < range.end; ++task) ++times[task];
    }
    CHECK(times == std::vector<int>(ends.back(), 1));
  }
}

TEST_CASE("run: the points whose stored runs took longest begin first, and those without any before them") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1, 10]}, "repeat": 2)");
  const auto run = [&](const std::string& more) {
    test::ended_with(dir, "run s.json -j 1 --no-progress -o out " + more);
  };
  run("--points 'privacy.epsilon < 5' --repeat 1");
  test::rewrite(dir.path() / "out", "UPDATE run SET wall_s = 1 + point");
  run("");
  // The last point has no run yet; of the others the second took longer, as rewritten.
  const auto database = analysis::open_store(dir.path() / "out");
  std::vector<std::pair<int, int>> order;
  analysis::Statement& rows = database->prepared(
      "SELECT number, repetition FROM run JOIN study ON study.point = run.point ORDER BY finished")();
  while (rows.step()) order.emplace_back(rows.get<int>(0), rows.get<int>(1));
  CHECK(order == std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {0, 1}});
}
