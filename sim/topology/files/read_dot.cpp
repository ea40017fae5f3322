#include <boost/graph/graphviz.hpp>
#include <map>

#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

namespace parser = boost::detail::graph;

// Receives the events of Boost's parser.
class DotBuilder final : public parser::mutate_graph {
 public:
  DotBuilder(bool directed, const GraphFile& options) : directed_(directed), options_(options) {}
  RawGraph take() {
    sort_by_name(graph_);
    return std::move(graph_);
  }

  bool is_directed() const override { return directed_; }
  void do_add_vertex(const parser::node_t& node) override {
    number_[node] = static_cast<AgentId>(graph_.nodes.size());
    graph_.nodes.push_back({.name = one_line(node)});
  }
  void do_add_edge(const parser::edge_t& edge, const parser::node_t& source,
                   const parser::node_t& target) override {
    edge_[edge] = graph_.edges.size();
    graph_.edges.push_back({number_.at(source), number_.at(target)});
  }
  void set_node_property(const std::string& key, const parser::node_t& node,
                         const std::string& value) override {
    RawNode& n = graph_.nodes[number_.at(node)];
    if (take_attribute(n, key, value) || !same_name(key, "pos")) return;
    const std::size_t comma = value.find(',');
    n.x = value.substr(0, comma);
    n.y = comma == std::string::npos ? "" : value.substr(comma + 1);
    if (n.y.ends_with('!')) n.y.pop_back();  // Graphviz: a fixed position
  }
  void set_edge_property(const std::string& key, const parser::edge_t& edge,
                         const std::string& value) override {
    take_attribute(graph_.edges[edge_.at(edge)], key, value, options_);
  }
  void set_graph_property(const std::string&, const std::string&) override {}
  void finish_building_graph() override {}

 private:
  bool directed_;
  const GraphFile& options_;
  RawGraph graph_;
  std::map<parser::node_t, AgentId> number_;
  std::map<parser::edge_t, std::size_t> edge_;
};

}  // namespace

RawGraph read_dot(const std::string& text, const GraphFile& options) {
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '<') require_shallow(++depth);
    if ((c == '}' || c == ']' || c == '>') && depth > 0) --depth;
  }
  const auto parse = [&](bool directed) {
    DotBuilder builder(directed, options);
    parser::read_graphviz_new(text, &builder);
    return builder.take();
  };
  try {
    return parse(false);
  } catch (const boost::directed_graph_error&) {
    return parse(true);
  }
}

}  // namespace hearsay::sim
