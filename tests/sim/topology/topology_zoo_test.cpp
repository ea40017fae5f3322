// Networks of the Internet Topology Zoo, from the folder HEARSAY_DATA_DIR. Numbers of nodes, links
// and components, and the distances, were counted by an independent program.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

#include "sim/topology/topology.hpp"
#include "tests/support/outside_files.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

std::optional<GraphFile> zoo(const std::string& name,
                             MissingCoordinates missing = MissingCoordinates::kError) {
  const auto file = test::data_file("topologyzoo/" + name + ".graphml");
  if (!file) return std::nullopt;
  return GraphFile{.path = *file, .missing_coordinates = missing};
}

}  // namespace

TEST_CASE("topology zoo: numbers of nodes and links, parallel ones merged") {
  const struct {
    const char* name;
    AgentId nodes;
    std::size_t edges;
    AgentId components;
  } kNetworks[] = {{"Abilene", 11, 14, 1},   {"AttMpls", 25, 56, 1}, {"Cogentco", 197, 243, 1},
                   {"Geant2012", 40, 61, 1}, {"Kdl", 754, 895, 1},   {"Ntt", 47, 63, 16},
                   {"Sprint", 11, 18, 1},    {"Uunet", 49, 84, 1}};
  for (const auto& n : kNetworks) {
    if (!zoo(n.name)) return;
  }
  for (const auto& n : kNetworks) {
    const auto file = zoo(n.name, MissingCoordinates::kIgnore);
    INFO(n.name);
    const Topology t = make_topology(*file, n.nodes, kStreams);
    CHECK(t.edges() == n.edges);
    CHECK(t.components() == n.components);
    CHECK(t.places().empty());
  }
}

TEST_CASE("topology zoo: Geant2012 has three nodes without coordinates, beside Poland and Romania") {
  auto file = zoo("Geant2012");
  if (!file) return;
  CHECK_THROWS_WITH(make_topology(*file, 40, kStreams),
                    Catch::Contains("3 of 40 nodes have no coordinates, node 'UA' among them"));
  file->missing_coordinates = MissingCoordinates::kNeighboursMean;
  const Topology all = make_topology(*file, 40, kStreams);
  const auto number = [&](const char* name) {
    return static_cast<std::size_t>(std::find(all.names().begin(), all.names().end(), name) -
                                    all.names().begin());
  };
  // Each has one neighbour: two Poland, one Romania.
  CHECK(distance(all.places()[number("UA")], all.places()[number("PL")]) < 1);
  CHECK(distance(all.places()[number("BY")], all.places()[number("PL")]) < 1);
  CHECK(distance(all.places()[number("MD")], all.places()[number("RO")]) < 1);

  file->missing_coordinates = MissingCoordinates::kDrop;
  CHECK_THROWS_AS(make_topology(*file, 40, kStreams), TopologyError);
  const Topology without = make_topology(*file, 37, kStreams);
  CHECK(without.edges() == 58);
  const Topology star = make_topology(TopologyOptions(*file, {.overlay = StarOverlay{}}), 37, kStreams);
  CHECK(star.names()[0] == "DE");
  double sum = 0, farthest = 0;
  for (std::uint32_t p = 0; p < 36; ++p) {
    sum += star.length()[p];
    farthest = std::max(farthest, star.length()[p]);
  }
  CHECK(farthest == Approx(2987400.54475179).epsilon(1e-9));
  CHECK(sum == Approx(45017942.24477722).epsilon(1e-9));
}

TEST_CASE("topology zoo: the 16 components of Ntt are refused or reduced, as `connected` says") {
  const auto file = zoo("Ntt");
  if (!file) return;
  CHECK_THROWS_WITH(require_connected(make_topology(*file, 47, kStreams)),
                    Catch::Contains("found 16 components"));
  const Topology t =
      make_topology(TopologyOptions(*file, {.connected = Connected::kLargestComponent}), 32, kStreams);
  CHECK(t.components() == 1);
  CHECK_THROWS_WITH(
      make_topology(TopologyOptions(*file, {.connected = Connected::kLargestComponent}), 33, kStreams),
      Catch::Contains("expected at least 33 nodes, one for each agent, found 32"));
  CHECK(make_topology(TopologyOptions(*file, {.connected = Connected::kConnect}), 47, kStreams).edges() ==
        63 + 15);
}
