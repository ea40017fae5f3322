// Per-agent values from a column of the data.
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;

namespace {

// Three banks; `budget` is one number for each, `x` is not, `grade` is text.
constexpr const char* kTable =
    "bank,x,y,budget,grade\n"
    "a,1,1,0.5,A\nb,2,1,2,B\na,3,2,0.5,A\nc,1,3,8,C\nb,4,2,2.0,B\nc,2,2,8,C\n";

std::string scenario(const std::string& epsilon) {
  return R"({
  "data": { "type": "csv", "path": "t.csv", "target": "y", "owner": { "column": "bank" }, "features": ["x"] },
  "network": { "topology": "star" },
  "protocol": { "type": "central_async", "rho": 1 },
  "privacy": { "mechanism": "laplace", "clip": 1,
    "epsilon": )" +
         epsilon + R"( },
  "stop": { "iterations": 20 },
  "record": { "metrics": ["objective", "epsilon_budget_by_owner"] }
})";
}

test::Outcome run_epsilon(const test::Scratch& dir, const std::string& epsilon, const std::string& folder) {
  dir.write("t.csv", kTable);
  dir.write("s.json", scenario(epsilon));
  return shell(dir, "hearsay run s.json --no-progress -o " + folder);
}

}  // namespace

TEST_CASE("column: each owner has the value of its records, as with a list of values") {
  const test::Scratch dir;
  REQUIRE(run_epsilon(dir, R"({"column": "budget"})", "column").code == 0);
  REQUIRE(run_epsilon(dir, "[0.5, 2, 8]", "list").code == 0);
  test::check_same_files(dir / "column", dir / "list", {"series.csv", "runs.csv"});
  CHECK_THAT(test::text_of(dir / "column/scalars.csv"), Contains("privacy.epsilon,1,0.5\n") &&
                                                            Contains("privacy.epsilon,2,2\n") &&
                                                            Contains("privacy.epsilon,3,8\n"));
}

TEST_CASE("column: a missing, non-numeric or inconsistent column is refused with the list of columns") {
  const test::Scratch dir;
  for (const char* name : {"grade", "x", "budgit"}) {
    const auto outcome = run_epsilon(dir, std::string(R"({"column": ")") + name + "\"}", "out");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err,
               Contains("s.json:6:16: /privacy/epsilon: expected a column of the data with one number "
                        "for each owner (budget), found '" +
                        std::string(name)));
  }
  CHECK_THAT(run_epsilon(dir, R"({"column": "budgit"})", "out").err, Contains("did you mean 'budget'"));
}

TEST_CASE("column: its values must lie in the range of the option") {
  const test::Scratch dir;
  dir.write("t.csv", "");
  const std::string table = kTable;
  dir.write("s.json", scenario(R"({"column": "budget"})"));
  std::string zero = table;
  for (std::size_t at = zero.find("0.5"); at != std::string::npos; at = zero.find("0.5"))
    zero.replace(at, 3, "0.0");
  dir.write("t.csv", zero);
  const std::string outcome = test::refusal(dir, "run s.json --no-progress");
  CHECK_THAT(outcome,
             Contains("/privacy/epsilon: column 'budget': expected a value above 0, found 0 for owner 0"));
}
