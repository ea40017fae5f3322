#include "sim/network/latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "sim/check.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/text.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {

constexpr About kPlus =
    non_negative("plus", "Term added to the known latency; a distribution is drawn for each message.", "s");

}  // namespace

void DistanceLatency::describe(Visitor& v) {
  v(speed, positive("speed", "Speed of the signal; by default that of light in glass fibre.", "m/s"));
  v(plus, kPlus);
}

void MatrixLatency::describe(Visitor& v) {
  v(path, {.name = "path",
           .help = "Square table of numbers. The columns may have names, the rows have none.",
           .required = true});
  v(unit, positive("unit", "Duration represented by the number 1 in the file.", "s"));
  v(round_trip,
    {.name = "round_trip", .help = "Whether the numbers are round-trip times; if so, a message takes half."});
  v(nodes, {.name = "nodes", .help = "Assignment of agents to rows; there may be more rows than agents."});
  v(plus, kPlus);
}

void EdgeLatency::describe(Visitor& v) {
  v(plus, kPlus);
}

LatencyOptions::LatencyOptions(const Distribution& d)
    : law(std::visit([](const auto& l) { return Law(l); }, d.law())) {}

bool LatencyOptions::known() const {
  return std::visit(
      []<class L>(const L&) {
        return requires(L l) {
          l.plus;
        };
      },
      law);
}

bool LatencyOptions::drawn_once() const {
  if (const auto* matrix = std::get_if<MatrixLatency>(&law)) return matrix->nodes == NodeChoice::kRandom;
  if (known() || drawn == Drawn::kPerMessage) return false;
  const auto* by_agent = std::get_if<LatencyByAgent>(&law);
  return by_agent != nullptr ? by_agent->random() : random_part().random();
}

Distribution LatencyOptions::random_part() const {
  return std::visit(
      []<class L>(const L& l) -> Distribution {
        if constexpr (std::convertible_to<L, Distribution>)
          return l;
        else if constexpr (std::same_as<L, LatencyByAgent>)
          return l.otherwise;
        else
          return l.plus;
      },
      law);
}

double LatencyOptions::lower() const {
  double smallest = random_part().lower();
  if (const auto* by_agent = std::get_if<LatencyByAgent>(&law)) {
    for (const auto& [agent, own] : by_agent->agents) smallest = std::min(smallest, own.lower());
  }
  return smallest;
}

std::optional<Time> LatencyOptions::bound_per_message() const {
  Time upper = random_part().upper();
  if (const auto* by_agent = std::get_if<LatencyByAgent>(&law)) {
    for (const auto& [agent, own] : by_agent->agents) upper = std::max(upper, own.upper());
  }
  if (known() || drawn != Drawn::kPerMessage || !std::isfinite(upper)) return std::nullopt;
  return upper;
}

void LatencyOptions::describe_as(Visitor& v, const About& about) {
  describe_drawn(v, about, law, drawn);
}

std::shared_ptr<const SquareMatrix> SquareMatrix::read(const InputFile& file, double scale) {
  const CsvTable table(file);
  auto matrix = std::make_shared<SquareMatrix>();
  matrix->name = file.path;
  matrix->header = table.names();
  matrix->nodes = table.rows();
  matrix->smallest = std::numeric_limits<double>::infinity();
  matrix->values.reserve(table.rows() * table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.columns(row) != table.rows())
      throw FileError("{}expected a square matrix of latencies, {} numbers in each row, found {}",
                      table.at(row), table.rows(), table.columns(row));
    for (std::size_t column = 0; column < table.rows(); ++column) {
      const double value = table.number(row, column);
      if (value < 0)
        throw FileError("{}expected a latency of at least 0, found {:g} in field {}", table.at(row), value,
                        column + 1);
      matrix->values.push_back(value * scale);
      if (row != column) matrix->smallest = std::min(matrix->smallest, value * scale);
    }
  }
  return matrix;
}

Latency::Latency(const LatencyOptions& options, const Topology& topology, AgentId hub, const Streams& streams,
                 const std::shared_ptr<const SquareMatrix>& matrix)
    : law_(options.random_part()),
      constant_(options.constant()),
      drawn_(options.known() ? Drawn::kPerMessage : options.drawn),
      hub_(hub),
      key_(streams.key(Purpose::kLatency)),
      agent_key_(streams.key(Purpose::kPerAgent)),
      matrix_(matrix) {
  if (constant_) delay_ = law_.mean();
  if (const auto* distance = std::get_if<DistanceLatency>(&options.law)) {
    take_distances(topology, distance->speed);
  } else if (const auto* nodes = std::get_if<MatrixLatency>(&options.law)) {
    take_nodes(*nodes, topology, streams);
  } else if (std::holds_alternative<EdgeLatency>(options.law)) {
    if (topology.latency().empty() && topology.edges() > 0)
      throw std::invalid_argument("edge_attribute needs a graph file with latencies; this topology has none");
    base_.assign(topology.latency().begin(), topology.latency().end());
  } else if (const auto* by_agent = std::get_if<LatencyByAgent>(&options.law)) {
    own_.resize(topology.agents());
    for (const auto& [agent, own] : by_agent->agents) {
      require_agent(agent, topology.agents(), "");
      own_[agent] = own;
    }
  }
}

void Latency::of(AgentId from, std::span<const AgentId> to, EdgePosition position, const std::uint32_t* n,
                 Time* out) const {
  if (constant_) {
    std::fill_n(out, to.size(), delay_);
    return;
  }
  Stream::Block first[kTogether];
  for (std::size_t k = 0; k < to.size(); ++k) first[k] = counter(from, to[k], n[k]);
  philox4x32(std::span(first, to.size()), key());
  const bool drawn_alone = own_.empty() && node_.empty() && base_.empty();
  const auto* const uniform = drawn_alone ? std::get_if<Uniform>(&law_.law()) : nullptr;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (uniform != nullptr) {
      // What uniform() returns, if it takes the first word.
      out[k] = fraction_of(Stream::words_of(first[k])[0]) * (uniform->max - uniform->min) + uniform->min;
      if (out[k] < uniform->max) continue;
    }
    out[k] =
        known(from, to[k], position + k) + draw(Stream(stream(from, to[k], n[k]), first[k]), from, to[k]);
  }
}

void Latency::take_distances(const Topology& topology, double speed) {
  const std::vector<Place>& places = topology.places();
  const std::span<const double> length = topology.length();
  if (places.empty() && length.empty() && topology.edges() > 0)
    throw std::invalid_argument(
        "distance needs a topology with coordinates: random_geometric, or a graph file with them");
  base_.resize(2 * topology.edges());
  for (AgentId i = 0; i < topology.agents(); ++i) {
    for (std::uint32_t k = 0; k < topology.degree(i); ++k) {
      const EdgePosition position = topology.first_edge(i) + k;
      base_[position] =
          (length.empty() ? distance(places[i], places[topology.neighbours(i)[k]]) : length[position]) /
          speed;
    }
  }
}

void Latency::take_nodes(const MatrixLatency& law, const Topology& topology, const Streams& streams) {
  const AgentId agents = topology.agents();
  check(matrix_ != nullptr, "a latency matrix was not read");
  if (agents > matrix_->nodes)
    throw std::invalid_argument(
        fmt::format("{}: expected a matrix of at least {} nodes, one for each agent, found {}", matrix_->name,
                    agents, matrix_->nodes));
  node_.resize(agents);
  if (law.nodes == NodeChoice::kFirst) {
    std::iota(node_.begin(), node_.end(), 0u);
    return;
  }
  if (law.nodes == NodeChoice::kNamed) {
    const Names& header = matrix_->header;
    if (topology.names().empty() || header.empty())
      throw std::invalid_argument(fmt::format(
          "{}: nodes \"named\" needs {}", matrix_->name,
          header.empty() ? "a header with the agents' names" : "a graph file that names the agents"));
    for (AgentId i = 0; i < agents; ++i) {
      const std::string& name = topology.names()[i];
      const auto at = std::ranges::find(header, name);
      if (std::ranges::count(header, name) != 1)
        throw std::invalid_argument(fmt::format(
            "{}: expected one column named '{}' as agent {}, found {}{}", matrix_->name, printable(name), i,
            at == header.end() ? "none" : "several", at == header.end() ? did_you_mean(name, header) : ""));
      node_[i] = static_cast<std::uint32_t>(at - header.begin());
    }
    return;
  }
  random_nodes_ = true;
  // A shuffle (Fisher and Yates) of the first rows only; agent i's row depends on the draws of agents 0 to i.
  std::vector<std::uint32_t> row(matrix_->nodes);
  std::iota(row.begin(), row.end(), 0u);
  for (AgentId i = 0; i < agents; ++i) {
    Stream s = streams(Purpose::kPerAgent, i, 0, kNodeOption);
    std::swap(row[i], row[i + uniform_index(s, matrix_->nodes - i)]);
    node_[i] = row[i];
  }
}

}  // namespace hearsay::sim
