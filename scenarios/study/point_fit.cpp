#include "scenarios/study/point_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "models/data/data_facts.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "models/registry.hpp"
#include "models/run/privacy.hpp"
#include "models/views/views.hpp"
#include "scenarios/language/bind_columns.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/fit_network.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/topology/expected_links.hpp"

namespace hearsay::scenarios {

namespace {

bool has_similarity(const models::DataOptions::Kind& data) {
  return std::visit(
      []<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, models::LinearSeparators>) {
          return kind.similarity != models::SeparatorGraph::kNone;
        } else if constexpr (std::is_same_v<Kind, models::CsvData>) {
          return kind.similarity.has_value();
        } else {
          return std::is_same_v<Kind, models::MovieLens>;
        }
      },
      data);
}

// Whether there can be test records; of data that are generated their DataSize says it.
bool may_have_tests(const models::DataOptions::Kind& data) {
  return std::visit(
      []<class Kind>(const Kind& kind) {
        constexpr bool kOwn = std::is_same_v<Kind, models::PythonData>;  // may make test records itself
        if constexpr (!kOwn && requires { kind.test_fraction; }) return kind.test_fraction > 0;
        return true;
      },
      data);
}

// Whether options have values of a column of the data.
template <sim::Described Options>
bool takes_columns(Options options) {
  try {
    bind_columns(options, [](const std::string& name) -> const std::vector<double>& {
      throw std::invalid_argument(name);
    });
  } catch (const sim::OptionError&) {
    return true;
  }
  return false;
}

bool is_similarity(const Scenario& s) {
  return std::holds_alternative<sim::Similarity>(s.network.topology.kind());
}

// Whether the graph and the files of the network are quickly made and read.
bool is_small(const Scenario& s, sim::AgentId agents) {
  constexpr double kSmall = 1e5, kSmallFiles = 3e6;  // links and agents; bytes
  return std::max<double>(agents, s.network.topology.graph().size.value_or(0)) <= kSmall &&
         sim::expected_links(s.network.topology, agents) <= kSmall && file_bytes(s) <= kSmallFiles;
}

// All links, and nothing else that is known of them, in place of a graph.
sim::TopologyOptions all_links(const sim::TopologyOptions& graph) {
  sim::GraphOptions options;
  if (!std::holds_alternative<sim::RandomGeometric>(graph.kind())) options.overlay = graph.graph().overlay;
  if (!std::holds_alternative<sim::Similarity>(graph.kind())) options.weights = graph.graph().weights;
  return {sim::Complete{}, options};
}

// Refuses what a run refuses with any number of agents: two that have a link show what is known of links.
void require_network(const Scenario& s) {
  const sim::Streams streams(s.seed, 0);
  const sim::TopologyOptions& graph = s.network.topology;
  const bool drawn = std::holds_alternative<sim::GraphFile>(graph.kind()) || graph.graph().size;
  const bool placed = std::holds_alternative<sim::RandomGeometric>(graph.kind());
  if (drawn && !is_small(s, 2)) return;
  const sim::Topology link = assemble("/network/topology", [&] {
    sim::GraphOptions options = graph.graph();
    options.nodes = sim::NodesUsed::kNearest;
    if (drawn)
      return sim::make_topology({graph.kind(), options}, std::min<sim::AgentId>(2, options.size.value_or(2)),
                                streams);
    return sim::make_topology(all_links(graph), 2, streams);
  });
  const auto require = [&](const sim::LatencyOptions& latency) {
    const bool by_distance = std::holds_alternative<sim::DistanceLatency>(latency.law);
    const bool by_edge = std::holds_alternative<sim::EdgeLatency>(latency.law);
    if (by_edge || (by_distance && (drawn || !placed)))
      sim::Latency(latency, link, sim::kNoAgent, streams, nullptr);
  };
  assemble("/network/latency", [&] { require(s.network.links.latency); });
  assemble("/events", [&] {
    for (const auto& entry : timeline_of(s, sim::kMaxAgents).entries)
      if (entry.changes.latency) require(*entry.changes.latency);
  });
}

}  // namespace

Scenario bound(Scenario s, const models::DataSet& data) {
  const auto column = [&](const std::string& name) -> const std::vector<double>& {
    const auto found = data.owner_columns.find(name);
    if (found != data.owner_columns.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [there, values] : data.owner_columns) names.push_back(there);
    throw std::invalid_argument(
        fmt::format("expected a column of the data with one number for each owner{}, found '{}'{}",
                    names.empty() ? "; there is none" : fmt::format(" ({})", fmt::join(names, ", ")),
                    printable(name), did_you_mean(name, names)));
  };
  bind_columns(s, column);
  return s;
}

sim::Topology topology_of(const Scenario& s, sim::AgentId agents, const sim::WeightedEdges* similar,
                          std::uint32_t repetition) {
  const bool repeated = s.network.topology.graph().draw == sim::GraphDraw::kRepetition;
  sim::Topology topology =
      sim::make_topology(s.network.topology, agents,
                         sim::Streams(s.seed, repeated ? s.first_repetition + repetition : 0), similar);
  for (sim::AgentId i = 1; s.protocol->entry().hub && i < agents; ++i) {
    if (topology.edge(0, i) == 2 * topology.edges()) {
      throw sim::OptionError("/network/topology",
                             "protocol {} requires a link from agent 0 to every owner; agent {} "
                             "has none: use a star or an overlay",
                             s.protocol->entry().name, i);
    }
  }
  const auto parts = topology.components();
  if (parts > 1 && std::holds_alternative<sim::Similarity>(s.network.topology.kind())) {
    throw sim::OptionError("/network/topology",
                           "expected a connected network, found {} components of the data's similarity "
                           "graph: link more owners by the options of data (neighbours, weight_threshold), "
                           "or choose another type of topology",
                           parts);
  }
  sim::require_connected(topology);
  return topology;
}

namespace {

// What to do for test records.
template <class Data>
std::string how_to_test(const Data& data) {
  if constexpr (requires { data.test_fraction; }) {
    if (data.test_fraction > 0)
      return fmt::format(
          "data.test_fraction {:g} of each owner's records rounds to none; raise it, or the number of "
          "records",
          data.test_fraction);
    return "set data.test_fraction";
  } else if constexpr (requires { data.train_fraction; }) {
    return "reduce data.train_fraction";
  } else {
    return "set data.test_records";
  }
}

void require_measurable(const Scenario& s, const analysis::Metric& metric, const std::string& part,
                        bool tested) {
  const std::string_view measured = metric.measured().name;
  if (!metric.measured().is_general() && !models::declares(s.protocol->metrics(), measured) &&
      !s.measures(measured)) {
    std::vector<std::string_view> others;
    for (const models::ProtocolRow& row : models::protocols()) {
      if (models::declares(row.metrics, measured)) others.push_back(row.entry.name);
    }
    throw sim::OptionError(part, "{} is a metric of {}, not of {}", measured,
                           others.empty() ? "another class" : fmt::format("{}", fmt::join(others, ", ")),
                           s.protocol->entry().name);
  }
  if (metric.measured().needs_adversaries && s.privacy.adversaries.empty()) {
    throw sim::OptionError(part,
                           "{} requires an adversary: set privacy.adversaries, such as [{{\"agents\": [0]}}]",
                           metric.name);
  }
  if (metric.of_group() && models::is_none(s.adversaries))
    throw sim::OptionError(part, "{} requires hostile agents: set adversaries", metric.name);
  const auto* own = std::get_if<models::PythonModel>(&s.model.network);
  if (metric.needs_classes && own != nullptr && !own->code.as<models::ModelCode>().has_errors) {
    throw sim::OptionError(
        part,
        "{} is 1 - test_error, and the class {} has no errors: define errors (or error= of "
        "hearsay.torch.Model)",
        metric.name, own->code.as<models::ModelCode>().name);
  }
  if (metric.needs_classes && own == nullptr && !s.model.loss.is_classifier()) {
    throw sim::OptionError(part,
                           "{} requires a loss for classes, found {}: set model.loss to "
                           "logistic, hinge, smoothed_hinge or softmax",
                           metric.name, s.model.loss.name());
  }
  if (metric.needs_optimum && !s.model.convex()) {
    throw sim::OptionError(part,
                           "{} requires theta*, which only a linear model has: "
                           "use objective, train_loss or test_loss",
                           metric.name);
  }
  if (metric.needs_test && !tested) {
    throw sim::OptionError(
        part, s.data.validation().instances == models::Instances::kValidation
                  ? fmt::format("{} is of validation records, and none is held out: raise "
                                "data.validation_fraction",
                                metric.name)
                  : fmt::format("{} requires test records: {}", metric.name,
                                std::visit([](const auto& d) { return how_to_test(d); }, s.data.kind())));
  }
}

std::optional<models::DataSize> size_of_data(const Scenario& s) {
  return assemble("/data", [&] { return models::size_of(s.data.kind(), sim::Streams(s.seed, 0)); });
}

models::KnownData known_data(const Scenario& s, const std::optional<models::DataSize>& data,
                             std::optional<std::size_t> owners) {
  constexpr double kManyOwners = 1e5;
  models::KnownData known{.bounds = models::bounds_of(s.data.kind())};
  if (data) known.parameters = static_cast<int>(std::min(parameters_of(s.model, *data), 1e9));
  if (owners && static_cast<double>(*owners) <= kManyOwners && !takes_columns(s.privacy))
    known.owners = owners;
  return known;
}

models::Budget settle(const Scenario& s, const models::KnownData& known) {
  return assemble("/privacy", [&] {
    return models::settle_budget(s.privacy, s.model, known, s.protocol->entry().hub ? 1 : 0,
                                 sim::Streams(s.seed, 0), s.protocol->entry().gradients);
  });
}

}  // namespace

void require_measurable(const Scenario& s, bool tested) {
  for (std::size_t k = 0; k < s.record.metrics.size(); ++k)
    require_measurable(s, *s.record.metrics[k], fmt::format("/record/metrics/{}", k), tested);
  if (s.stop.target) require_measurable(s, *s.stop.target->metric, "/stop/target/metric", tested);
  if (s.splitting) require_measurable(s, *s.splitting->level, "/splitting/level", tested);
}

models::Budget settled_budget(const Scenario& s) {
  const auto data = size_of_data(s);
  const Scenario known = data ? bound(s, {}) : s;
  return settle(known, known_data(known, data, models::owners_of(s.data.kind())));
}

models::StopLimits stop_limits(const Scenario& s) {
  constexpr models::StopLimits kNone;
  return {.iterations = s.stop.iterations.value_or(kNone.iterations),
          .vectors = s.stop.vectors.value_or(kNone.vectors),
          .bytes = s.stop.bytes.value_or(kNone.bytes),
          .budgets_spent = s.stop.budgets_spent,
          // Code in Python is slow, and may have forgotten to count.
          .patience = s.protocol->entry().open ? 10'000 : kNone.patience};
}

double file_bytes(const Scenario& scenario) {
  class Files final : public Walk {
   public:
    double bytes = 0;

   private:
    void file(sim::InputFile& value, const sim::About&) override {
      std::error_code error;
      const auto size = std::filesystem::file_size(value.resolved, error);
      if (!error) bytes += static_cast<double>(size);
    }
  } files;
  Scenario copy = scenario;
  copy.describe(files);
  return files.bytes;
}

double parameters_of(const models::ModelOptions& model, const models::DataSize& data) {
  constexpr double kClasses = 10;  // of data that do not say how many there are
  const double scores = model.loss.scalar() ? 1 : data.classes > 0 ? data.classes : kClasses;
  const auto* mlp = std::get_if<models::Mlp>(&model.network);
  if (mlp == nullptr) return scores * data.features;
  const auto hidden = static_cast<double>(mlp->hidden);
  return hidden * data.features + scores * (hidden + 1);
}

void PointFit::require(const Scenario& s, std::size_t point, bool goes_on) {
  const models::Entry& entry = s.protocol->entry();
  const auto owners = models::owners_of(s.data.kind());
  const auto agents = owners ? agents_of(*owners, entry.hub) : sim::kMaxAgents;
  if (!s.events.empty()) assemble("/events", [&] { timeline_of(s, agents); });
  const auto data = size_of_data(s);
  if (s.network.links.delayed_direction != sim::DelayedDirection::kBoth && !entry.hub) {
    throw sim::OptionError("/network/delayed_direction", "expected both, because protocol {} has no hub",
                           entry.name);
  }
  if (is_similarity(s) && !has_similarity(s.data.kind())) {
    throw sim::OptionError("/network/topology",
                           "the data define no similarity graph; choose another type of topology");
  }
  const bool active = models::is_private(s.privacy.mechanism);
  assemble("/privacy/schedule", [&] { models::require_schedule(entry, s.privacy.schedule); });
  assemble("/privacy", [&] { models::require_budget(entry, active, s.privacy.by_turn()); });
  if (!s.privacy.adversaries.empty())
    assemble("/privacy/adversaries", [&] {
      models::require_views(*s.protocol, s.privacy.trust, s.adversaries, s.privacy.adversaries);
    });
  assemble("/privacy/trust", [&] { models::require_trust(entry, active, s.privacy.trust); });
  if (s.stop.budgets_spent && !active)
    throw sim::OptionError("/stop/budgets_spent", "requires privacy budgets: set privacy.mechanism");
  const bool validates = s.data.validation().instances == models::Instances::kValidation;
  const bool tested = validates || (data ? data->test_records > 0 : may_have_tests(s.data.kind()));
  require_measurable(s, tested);
  if (s.splitting) {
    if ((*s.splitting->level).measured().needs_adversaries)
      throw sim::OptionError("/splitting/level",
                             "{} is worked out for undisturbed runs: choose another metric",
                             (*s.splitting->level).name);
    if (!s.protocol->entry().snapshots)
      throw sim::OptionError("/protocol", "splitting needs a protocol that describes its state");
  }
  const auto targets = models::targets_of(s.data.kind());
  if (targets && !std::holds_alternative<models::PythonModel>(s.model.network))
    assemble("/model", [&] { models::require_targets(s.model.loss, *targets); });
  if (needs_optimum(s)) assemble("/model", [&] { models::require_minimiser(s.model); });
  // Generated data have no columns.
  require_assembled(data ? bound(s, {}) : s, data, owners, goes_on);
  if (!owners) return;
  require_traced_agent(s, point, agents);
  assemble("/privacy/adversaries", [&] { models::require_members(s.privacy.adversaries, agents); });
}

void require_traced_agent(const Scenario& s, std::size_t point, sim::AgentId agents) {
  const auto& trace = s.record.trace;
  if (!trace || trace->point != point || !trace->agent || *trace->agent < agents) return;
  throw sim::OptionError("/record/trace/agent", "expected an agent from 0 to {}, found {}", agents - 1,
                         *trace->agent);
}

void PointFit::require_assembled(const Scenario& s, const std::optional<models::DataSize>& data,
                                 std::optional<std::size_t> owners, bool goes_on) {
  const bool hub = s.protocol->entry().hub;
  const models::KnownData known = known_data(s, data, owners);
  const models::Budget privacy = settle(s, known);
  models::Setting setting{s.model, privacy, stop_limits(s), known.bounds};
  setting.owners = owners;
  setting.flips_labels = std::ranges::any_of(models::groups_of(s.adversaries), [](const auto& group) {
    return std::holds_alternative<models::LabelFlip>(group.behaviour);
  });
  const Network* network = owners ? network_of(s, agents_of(*owners, hub)) : nullptr;
  if (network == nullptr) require_network(s);
  if (owners && network == nullptr)
    assemble("/network/topology", [&] { sim::require_graph(s.network.topology, agents_of(*owners, hub)); });
  if (network != nullptr && !is_similarity(s)) setting.topology = &network->topology;
  if (setting.topology != nullptr && s.network.topology.graph().draw != sim::GraphDraw::kRepetition) {
    assemble("/privacy/adversaries",
             [&] { models::require_links(s.privacy.adversaries, *setting.topology); });
  }
  if (!models::is_none(s.adversaries))
    assemble("/adversaries", [&] { models::require_targets(s.adversaries, s.model.classifies()); });
  if (setting.topology != nullptr && !models::is_none(s.adversaries)) {
    assemble("/adversaries", [&] {
      models::HostileAgents(s.adversaries, *setting.topology, hub ? 1 : 0, s.model.classifies(),
                            sim::Streams(s.seed, 0), s.protocol->learner());
    });
  }
  assemble("/protocol", [&] { s.protocol->require(setting); });
  if (network == nullptr || !s.protocol->needs_round_trips() || goes_on) return;
  const auto numbers = static_cast<std::size_t>(known.parameters) * s.protocol->entry().vectors;
  const sim::RoundTrips round_trips(network->options, network->topology, sim::Streams(s.seed, 0), numbers);
  setting.round_trips = &round_trips;
  assemble("/protocol", [&] { s.protocol->check_timeout(setting); });
}

const PointFit::Network* PointFit::network_of(const Scenario& s, sim::AgentId agents) {
  constexpr std::size_t kKept = 16;
  const bool hub = s.protocol->entry().hub;
  Scenario part;
  part.network = s.network;
  if (is_similarity(s)) part.network.topology = all_links(s.network.topology);
  part.clocks = s.clocks;
  part.events = s.events;
  part.stop.time = s.stop.time;
  part.seed = s.seed;
  if (takes_columns(part) || !is_small(part, agents)) return nullptr;
  const std::string key = fmt::format("{} {} {}", agents, hub, canonical(write_all(part)));
  if (const auto found = networks_.find(key); found != networks_.end()) return &found->second;
  part.protocol = s.protocol;
  Network made{
      .topology = assemble("/network/topology", [&] { return topology_of(part, agents, nullptr, 0); }),
      .options = {.network = part.network,
                  .clocks = s.clocks,
                  .hub = hub,
                  .time_limit = s.stop.time.value_or(sim::kNever)}};
  fit_network(made.options, s.events, made.topology, sim::Streams(s.seed, 0));
  if (networks_.size() == kKept) networks_.clear();
  return &networks_.emplace(key, std::move(made)).first->second;
}

}  // namespace hearsay::scenarios
