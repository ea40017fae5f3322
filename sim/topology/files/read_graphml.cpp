#include <boost/graph/graphml.hpp>
#include <sstream>

#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

// Receives the events of Boost's parser.
class GraphmlBuilder final : public boost::mutate_graph {
 public:
  GraphmlBuilder(bool directed, const GraphFile& options) : directed_(directed), options_(options) {}
  RawGraph take() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].name.empty()) graph_.nodes[i].name = std::to_string(i);
    return std::move(graph_);
  }

  bool is_directed() const override { return directed_; }
  boost::any do_add_vertex() override {
    graph_.nodes.emplace_back();
    return graph_.nodes.size() - 1;
  }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    graph_.edges.push_back({node(source), node(target)});
    return {boost::any(graph_.edges.size() - 1), true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string& name, boost::any vertex, const std::string& value,
                           const std::string&) override {
    RawNode& n = graph_.nodes[boost::any_cast<std::size_t>(vertex)];
    if (same_name(name, "label")) n.name = one_line(value);
    take_attribute(n, name, value);
  }
  void set_edge_property(const std::string& name, boost::any edge, const std::string& value,
                         const std::string&) override {
    take_attribute(graph_.edges[boost::any_cast<std::size_t>(edge)], name, value, options_);
  }

 private:
  static AgentId node(const boost::any& vertex) {
    return static_cast<AgentId>(boost::any_cast<std::size_t>(vertex));
  }

  bool directed_;
  const GraphFile& options_;
  RawGraph graph_;
};

// Approximate: tags within comments and quotes count too.
void check_depth(const std::string& text) {
  std::size_t depth = 0;
  for (std::size_t at = text.find('<'); at != std::string::npos && at + 1 < text.size();) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return;
    const char kind = text[at + 1];
    if (kind == '/') {
      if (depth > 0) --depth;
    } else if (kind != '!' && kind != '?' && text[end - 1] != '/') {
      require_shallow(++depth);
    }
    at = text.find('<', end);
  }
}

}  // namespace

RawGraph read_graphml(const std::string& text, const GraphFile& options) {
  check_depth(text);
  const auto parse = [&](bool directed) {
    GraphmlBuilder builder(directed, options);
    std::istringstream in(text);
    boost::read_graphml(in, builder, 0);
    return builder.take();
  };
  // Boost needs to know beforehand whether the graph is directed.
  try {
    return parse(false);
  } catch (const boost::directed_graph_error&) {
    return parse(true);
  }
}

}  // namespace hearsay::sim
