#include <boost/graph/graphviz.hpp>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

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

// The token at a place or after it, which then is behind it; quoted text is one. Empty at the end. Boost's parser
// refuses HTML.
std::string_view next_token(std::string_view text, std::size_t& at) {
  const auto behind = [&](std::string_view what, std::size_t from) {
    const std::size_t found = text.find(what, from);
    return found == text.npos ? text.size() : found + what.size();
  };
  const auto in_name = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80;
  };
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (std::string_view(" \t\r\n\f\v").find(rest[0]) != rest.npos) {
      ++at;
    } else if (rest.starts_with("//") || rest.starts_with('#')) {
      at = behind("\n", at);
    } else if (rest.starts_with("/*")) {
      at = behind("*/", at + 2);
    } else {
      std::size_t end = 1;
      if (rest[0] == '"') {
        while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
        ++end;
      } else if (rest.starts_with("--") || rest.starts_with("->")) {
        end = 2;
      } else if (in_name(rest[0])) {
        while (end < rest.size() && in_name(rest[end])) ++end;
      }
      const std::string_view token = rest.substr(0, end);
      at += token.size();
      return token;
    }
  }
  return {};
}

// Boost's parser does not link the nodes of a subgraph that it knows from the subgraph's edges only. What is not DOT is
// left to it.
void require_links_of_nodes(std::string_view text) {
  const auto is_link = [](std::string_view token) { return token == "--" || token == "->"; };
  std::string_view before, last;
  for (std::size_t at = 0;;) {
    const std::string_view token = next_token(text, at);
    if (token.empty() || token == "<") return;  // HTML, which the parser does not read
    if ((is_link(token) && (last == "}" || same_name(before, "subgraph"))) ||
        (is_link(last) && (token == "{" || same_name(token, "subgraph"))))
      throw TopologyError(
          "expected links between nodes, found one of a subgraph: write its links one by one");
    before = std::exchange(last, token);
  }
}

}  // namespace

RawGraph read_dot(const std::string& text, const GraphFile& options) {
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '<') require_shallow(++depth);
    if ((c == '}' || c == ']' || c == '>') && depth > 0) --depth;
  }
  require_links_of_nodes(text);
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
