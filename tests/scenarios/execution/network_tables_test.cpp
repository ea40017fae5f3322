// owners.csv, nodes.csv, links.csv and network.graphml of a run, against the options of its scenario.
#include <cmath>

#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

// Runs the small scenario with --set options; returns its folder.
std::string ran(const test::Scratch& dir, const std::string& sets) {
  const std::string file = dir.write("s.json", test::small_scenario("", 10));
  test::ended_with(dir, "run " + file + " -o out --no-progress " + sets);
  return dir / "out";
}

constexpr const char* kPeers =
    "--set protocol='{\"type\": \"p2p_coordinate_descent\"}' --set privacy.mechanism=none "
    "--set record.metrics='[\"objective\"]' --set data.owners=6 "
    "--set network.topology='{\"type\": \"random_geometric\", \"radius\": 2, \"side\": 1}' ";

}  // namespace

TEST_CASE("owners.csv: names, records and budgets of the scenario") {
  const test::Scratch dir;
  const auto rows = rows_of(
      ran(dir, "--set privacy.epsilon='[0.5, 1, 2]' --set data.test_records=40 --set protocol.rho=1e-3") +
      "/owners.csv");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == std::vector<std::string>{"network", "agent", "name", "records", "test_records", "epsilon",
                                            "delta", "hostile"});
  CHECK(rows[2][1] == "2");
  CHECK(rows[2][2] == "owner 2");
  CHECK(rows[2][3] == "200");
  CHECK(rows[2][4] == "40");
  CHECK(rows[1][5] == "0.5");
  CHECK(rows[3][5] == "2");
}

TEST_CASE("owners.csv: an axis with units has numbers in SI and the text, as in the other tables") {
  const test::Scratch dir;
  dir.write("s.json", test::small_scenario(R"("sweep": {"network.latency.max": ["10 ms", "1 s"]})", 10));
  test::ended_with(dir, "run s.json -o out --no-progress --set protocol.rho=1e-3");
  const auto rows = rows_of(dir / "out/owners.csv");
  REQUIRE(rows.size() == 7);  // of two points with three owners
  CHECK(rows[0][0] == "network.latency.max");
  CHECK(rows[0][1] == "network.latency.max.text");
  CHECK(rows[0][2] == "network");
  CHECK(rows[3][0] == "0.01");
  CHECK(rows[3][1] == "10 ms");
  CHECK(rows[4][0] == "1");
  CHECK(rows[4][1] == "1 s");
  CHECK(rows[4][3] == "1");
}

TEST_CASE("links.csv: the mean latency of each direction, and that of a distance is length over speed") {
  const test::Scratch star, directed, plane;
  // Uniform on 0 to 15 ms.
  for (const auto& row : rows_of(ran(star, "--set protocol.rho=1e-3") + "/links.csv")) {
    if (row[0] == "network") continue;
    CHECK(row[1] == "0");
    CHECK(std::stod(row[4]) == Approx(0.0075));
    CHECK(std::stod(row[5]) == Approx(0.0075));
  }
  const auto late =
      rows_of(ran(directed, "--set network.delayed_direction=to_hub --set protocol.rho=1e-3") + "/links.csv");
  CHECK(std::stod(late.at(1)[4]) == 0);
  CHECK(std::stod(late.at(1)[5]) == Approx(0.0075));

  const std::string folder =
      ran(plane, std::string(kPeers) +
                     "--set network.latency='{\"type\": \"distance\", \"speed\": \"2 m/s\", \"plus\": "
                     "{\"type\": \"exponential\", \"mean\": \"1 s\"}}'");
  const auto nodes = rows_of(folder + "/nodes.csv"), links = rows_of(folder + "/links.csv");
  // All six lie within the radius of each other.
  REQUIRE(nodes.size() == 7);
  REQUIRE(links.size() == 16);
  CHECK(nodes[1][6] == "5");
  for (std::size_t k = 1; k < links.size(); ++k) {
    const auto &a = nodes[1 + std::stoul(links[k][1])], &b = nodes[1 + std::stoul(links[k][2])];
    const double length = std::hypot(std::stod(a[4]) - std::stod(b[4]), std::stod(a[5]) - std::stod(b[5]));
    CHECK(std::stod(links[k][6]) == Approx(length));
    CHECK(std::stod(links[k][4]) == Approx(1 + length / 2));
  }
}

TEST_CASE("export: the network as GraphML, which is a topology again") {
  const test::Scratch dir;
  const std::string folder = ran(dir, kPeers);
  const auto written = shell(dir, "hearsay export " + folder + " --format graphml");
  CHECK(written.out == "network of point 0, 6 nodes, 15 links: " + folder + "/network.graphml\n");
  const std::string again = dir / "again";
  test::ended_with(dir, "run s.json -o " + again + " --no-progress --allow-path " + folder + " " + kPeers +
                            "--set network.topology='{\"type\": \"file\", \"path\": \"" + folder +
                            "/network.graphml\"}'");
  const auto before = rows_of(folder + "/links.csv"), after = rows_of(again + "/links.csv");
  CHECK(before == after);
  test::ended_with(dir, "export " + folder + " --format graphml --point 1", 2);
}

TEST_CASE("list metrics: names the protocols that have each metric") {
  const std::string text = shell("hearsay list metrics").out;
  CHECK_THAT(text, Contains("objective                Objective f of the model. [all protocols]\n"));
  const auto line = text.substr(text.find("\nobjective_q "), 400);
  CHECK_THAT(line.substr(0, line.find('\n', 1)), Contains("p2p_coordinate_descent") && !Contains("central"));
}

TEST_CASE("metrics: an unknown name is answered with the three nearest") {
  const test::Scratch dir;
  const std::string file = dir.write("s.json", test::small_scenario());
  const auto outcome = shell(dir, "hearsay validate " + file + " --set record.metrics='[\"test_eror\"]'");
  CHECK_THAT(outcome.err, Contains("did you mean 'test_error', 'own_test_error' or '"));
}
