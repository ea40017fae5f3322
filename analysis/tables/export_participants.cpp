#include <cmath>
#include <map>

#include "analysis/store/output_file.hpp"
#include "analysis/tables/export.hpp"

namespace hearsay::analysis {

namespace {

// An empty field for what is not known.
std::string field_of(double x) {
  return std::isnan(x) ? std::string() : fmt::format("{}", x);
}

void add_network(const NetworkGraph& network, std::size_t number, const std::vector<std::string>& owners,
                 OutputFile& nodes, OutputFile& links) {
  const std::vector<std::uint32_t> degrees = network.degrees();
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const NetworkGraph::Node& n = network.nodes[i];
    nodes.print("{},{},{},{},{},{},{}\n", number, i, csv_field(n.name),
                i < owners.size() ? csv_field(owners[i]) : "", field_of(n.x), field_of(n.y), degrees[i]);
  }
  for (const NetworkGraph::Link& l : network.links)
    links.print("{},{},{},{},{},{},{}\n", number, l.source, l.target, l.weight, l.latency, l.return_latency,
                field_of(l.length));
}

}  // namespace

ParticipantTables::ParticipantTables(const std::filesystem::path& folder)
    : owners_(folder / "owners.csv"), nodes_(folder / "nodes.csv"), links_(folder / "links.csv") {}

void ParticipantTables::write(StoredStudy& study) {
  owners_.print("{}network,agent,name,records,test_records,epsilon,delta\n", csv_prefix(study.head().axes));
  nodes_.write("network,agent,name,owner,x,y,degree\n");
  links_.write("network,source,target,weight,latency_s,return_latency_s,length_m\n");
  std::map<std::int64_t, std::size_t> numbers;  // by number in the store, in order of points
  for (std::size_t p = 0; p < study.points(); ++p) {
    const PointResult point = study.point(p);
    const std::vector<OwnerFacts> facts = study.owners(p);
    const auto stored = study.network_number(p);
    std::string network;
    if (stored) {
      const auto [found, is_new] = numbers.try_emplace(*stored, numbers.size());
      network = std::to_string(found->second);
      if (is_new)
        add_network(study.network(*stored), found->second, agent_names(facts, point.first_owner), nodes_,
                    links_);
    }
    const std::string prefix = csv_prefix(point.labels) + network;
    for (std::size_t j = 0; j < facts.size(); ++j) {
      const OwnerFacts& o = facts[j];
      owners_.print("{},{},{},{},{},{},{}\n", prefix, point.first_owner + j, csv_field(o.name), o.records,
                    o.test_records, field_of(o.epsilon), field_of(o.delta));
    }
  }
}

}  // namespace hearsay::analysis
