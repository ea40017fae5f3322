#include "analysis/store/participants.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <cmath>

#include "analysis/store/json.hpp"

namespace hearsay::analysis {

namespace {

// JSON has no infinite number, which the mean latency of a law with a heavy tail is.
Json json_of(double value) {
  return std::isinf(value) ? Json("inf") : Json(value);
}

double number_of(const Json& value) {
  if (value == "inf") return std::numeric_limits<double>::infinity();
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

// Text escaped for XML, without the control characters that XML cannot contain.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  for (const auto& [character, entity] : {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}})
    boost::replace_all(out, character, entity);
  return out;
}

std::string entry(const char* key, const std::string& value) {
  return fmt::format("<data key=\"{}\">{}</data>", key, value);
}

}  // namespace

std::vector<std::uint32_t> NetworkGraph::degrees() const {
  std::vector<std::uint32_t> all(nodes.size());
  for (const Link& l : links) ++all[l.source], ++all[l.target];
  return all;
}

std::vector<std::string> agent_names(const std::vector<OwnerFacts>& owners, sim::AgentId first_owner) {
  std::vector<std::string> names(first_owner, "learner");
  for (const OwnerFacts& o : owners) names.push_back(o.name);
  return names;
}

std::string owners_text(const std::vector<OwnerFacts>& owners) {
  Json all = Json::array();
  for (const OwnerFacts& o : owners)
    all.push_back({o.name, o.records, o.test_records, o.epsilon, o.delta, o.hostile, o.learner, o.group});
  return json_text(all);
}

std::vector<OwnerFacts> owners_from(const std::string& text) {
  std::vector<OwnerFacts> all;
  for (const Json& o : Json::parse(text)) {
    all.push_back({o.at(0), o.at(1), o.at(2), number_of(o.at(3)), number_of(o.at(4)), o.size() > 5 && o[5]});
    if (o.size() <= 7) continue;
    all.back().learner = o[6];
    all.back().group = o[7];
  }
  return all;
}

std::string network_text(const NetworkGraph& network) {
  Json nodes = Json::array(), links = Json::array();
  for (const NetworkGraph::Node& n : network.nodes) nodes.push_back({n.name, n.x, n.y});
  for (const NetworkGraph::Link& l : network.links)
    links.push_back({l.source, l.target, l.weight, json_of(l.latency), json_of(l.return_latency), l.length});
  return json_text({{"geographic", network.geographic}, {"nodes", nodes}, {"links", links}});
}

NetworkGraph network_from(const std::string& text) {
  const Json all = Json::parse(text);
  NetworkGraph network{.geographic = all.at("geographic")};
  for (const Json& n : all.at("nodes"))
    network.nodes.push_back({n.at(0), number_of(n.at(1)), number_of(n.at(2))});
  for (const Json& l : all.at("links"))
    network.links.push_back(
        {l.at(0), l.at(1), number_of(l.at(2)), number_of(l.at(3)), number_of(l.at(4)), number_of(l.at(5))});
  return network;
}

std::string graphml(const NetworkGraph& network, const std::vector<OwnerFacts>& owners,
                    sim::AgentId first_owner) {
  const char* const x = network.geographic ? "Longitude" : "x";
  const char* const y = network.geographic ? "Latitude" : "y";
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  const auto key = [&](const char* of, const char* name, const char* type) {
    out +=
        fmt::format("  <key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", name, of, type);
  };
  key("node", "label", "string");
  key("node", "owner", "string");
  key("node", "records", "long");
  if (network.placed()) key("node", x, "double"), key("node", y, "double");
  key("edge", "weight", "double");
  key("edge", "latency", "double");
  key("edge", "length", "double");
  out += "  <graph edgedefault=\"undirected\">\n";
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const NetworkGraph::Node& n = network.nodes[i];
    out += fmt::format("    <node id=\"n{}\">", i);
    if (!n.name.empty()) out += entry("label", xml(n.name));
    if (i >= first_owner && i - first_owner < owners.size()) {
      const OwnerFacts& o = owners[i - first_owner];
      out += entry("owner", xml(o.name)) + entry("records", std::to_string(o.records));
    }
    if (network.placed()) out += entry(x, fmt::format("{}", n.x)) + entry(y, fmt::format("{}", n.y));
    out += "</node>\n";
  }
  for (const NetworkGraph::Link& l : network.links) {
    out += fmt::format("    <edge source=\"n{}\" target=\"n{}\">", l.source, l.target);
    out += entry("weight", fmt::format("{}", l.weight));
    const double latency = (l.latency + l.return_latency) / 2;
    if (std::isfinite(latency)) out += entry("latency", fmt::format("{}", latency));
    if (std::isfinite(l.length)) out += entry("length", fmt::format("{}", l.length));
    out += "</edge>\n";
  }
  return out + "  </graph>\n</graphml>\n";
}

}  // namespace hearsay::analysis
