// Owners and network of a point: stored, exported.
#include "analysis/store/participants.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <limits>

#include "analysis/store/store.hpp"
#include "analysis/store/stored_study.hpp"
#include "analysis/tables/export.hpp"
#include "sim/topology/make_topology.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using analysis::NetworkGraph;
using analysis::Participants;

namespace {

// Agents 1 and 2 hold data; a learner, agent 0, is linked to both.
Participants two_owners() {
  return {.owners = {{"north, inc", 30, 10, 0.5, 1e-6}, {"south", 20, 0, NAN, NAN, true, true, 3}},
          .network = {.nodes = {{"Paris", 2.5, 48.5}, {"Rome <1>", 12.5, 42}, {"Oslo", 10.75, 60}},
                      .links = {{0, 1, 1, 0.25, 0.5, 1e6}, {0, 2, 2, 0.125, 0.125, NAN}},
                      .geographic = true}};
}

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("participants: stored and exported, each different network once, in the order of points") {
  const test::Scratch dir;
  {
    analysis::Store store(dir.path());
    analysis::StudyPlan plan;
    plan.head.axes = {"x"};
    plan.head.metrics = {{"objective", "", "", false}};
    plan.record_key = "r";
    for (const char* label : {"1", "2", "3", "4"})
      plan.points.push_back({std::string("key") + label, {label}, 1, "d"});
    store.begin_study(plan);
    const analysis::PointResult point{.owners = 2, .first_owner = 1};
    Participants other = two_owners();
    other.network.links.pop_back();
    store.put_point(0, point, two_owners());
    store.put_point(1, point, other);
    store.put_point(2, point, two_owners());
    store.put_point(3, point);
    store.close();
  }
  analysis::StoredStudy study(dir.path());
  CHECK(study.owners(0).at(0).name == "north, inc");
  CHECK(study.owners(0).at(1).records == 20);
  CHECK(std::isnan(study.owners(0).at(1).epsilon));
  CHECK(study.owners(0).at(1).learner);
  CHECK(study.owners(0).at(1).group == 3);
  // As stored before owners had these.
  CHECK(analysis::owners_from(R"([["a", 1, 0, 1, 0, true]])").at(0).group == 0);
  REQUIRE(study.network_number(0));
  CHECK_FALSE(study.network_number(3));
  CHECK(study.network_number(0) == study.network_number(2));
  CHECK(study.network_number(0) != study.network_number(1));
  const NetworkGraph network = study.network(*study.network_number(0));
  CHECK(network.geographic);
  CHECK(network.nodes.at(1).name == "Rome <1>");
  CHECK(network.links.at(0).return_latency == 0.5);
  CHECK(std::isnan(network.links.at(1).length));

  analysis::ParticipantTables tables(dir.path());
  tables.write(study, analysis::AxisColumns({"x"}, {}, {}));
  analysis::commit(tables.files());
  CHECK(file_text(dir / "owners.csv") ==
        "x,network,agent,name,records,test_records,epsilon,delta,hostile\n"
        "1,0,1,\"north, inc\",30,10,0.5,1e-06,0\n1,0,2,south,20,0,,,1\n"
        "2,1,1,\"north, inc\",30,10,0.5,1e-06,0\n2,1,2,south,20,0,,,1\n"
        "3,0,1,\"north, inc\",30,10,0.5,1e-06,0\n3,0,2,south,20,0,,,1\n");
  CHECK(file_text(dir / "nodes.csv") ==
        "network,agent,name,owner,x,y,degree\n"
        "0,0,Paris,learner,2.5,48.5,2\n0,1,Rome <1>,\"north, inc\",12.5,42,1\n0,2,Oslo,south,10.75,60,1\n"
        "1,0,Paris,learner,2.5,48.5,1\n1,1,Rome <1>,\"north, inc\",12.5,42,1\n1,2,Oslo,south,10.75,60,0\n");
  CHECK(file_text(dir / "links.csv") ==
        "network,source,target,weight,latency_s,return_latency_s,length_m\n"
        "0,0,1,1,0.25,0.5,1000000\n0,0,2,2,0.125,0.125,\n1,0,1,1,0.25,0.5,1000000\n");
}

TEST_CASE("participants: GraphML is read back as the same topology") {
  const test::Scratch dir;
  const Participants all = two_owners();
  sim::GraphFile options;
  options.path.path = "network.graphml";
  options.path.resolved = dir.write("network.graphml", analysis::graphml(all.network, all.owners, 1));
  const sim::Topology graph = sim::make_topology(sim::TopologyOptions(options), 3, sim::Streams(1, 0));
  CHECK(graph.names() == std::vector<std::string>{"Paris", "Rome <1>", "Oslo"});
  CHECK(graph.places().at(2) == sim::Place{10.75, 60, true});
  CHECK(graph.degree(0) == 2);
  CHECK(graph.weight(graph.edge(2, 0)) == 2);
  // The mean of both directions.
  CHECK(graph.latency()[graph.edge(0, 1)] == 0.375);
  CHECK(graph.latency()[graph.edge(0, 2)] == 0.125);
}

TEST_CASE("participants: an infinite mean latency is stored") {
  NetworkGraph network = two_owners().network;
  network.links[0].latency = std::numeric_limits<double>::infinity();
  const NetworkGraph read = analysis::network_from(analysis::network_text(network));
  CHECK(read.links[0].latency == std::numeric_limits<double>::infinity());
  CHECK(read.links[0].return_latency == 0.5);
  CHECK(std::isnan(read.links[1].length));
}
