#include "sim/network/loss.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "sim/files/csv_table.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

void BernoulliLoss::describe(Visitor& v) {
  v(probability, unit_interval("probability", "Probability that a message is lost."));
}

void GilbertElliott::describe(Visitor& v) {
  v(p_good_to_bad, {.name = "p_good_to_bad",
                    .help = "Probability, before each message, that a link changes from good to bad.",
                    .source = "Elliott, Estimates of error rates for codes on burst-noise channels, 1963",
                    .min = 0,
                    .max = 1});
  v(p_bad_to_good, unit_interval("p_bad_to_good",
                                 "Probability, before each message, that a link changes from bad to good."));
  v(loss_good, unit_interval("loss_good", "Loss probability of a link in the good state."));
  v(loss_bad, unit_interval("loss_bad", "Loss probability of a link in the bad state."));
}

double GilbertElliott::stationary_bad() const {
  return p_good_to_bad > 0 ? p_good_to_bad / (p_good_to_bad + p_bad_to_good) : 0;
}

void PartitionLoss::describe(Visitor& v) {
  v(agents, {.name = "agents",
             .help = "Agents that are cut off; the hub of a star is agent 0.",
             .noun = kAgentNumber});
  v(share,
    unit_interval(
        "share",
        "Probability that an agent is cut off, drawn for each agent except a hub; alternative to `agents`."));
  v(from, non_negative("from", "Start of the partition.", "s"));
  v(to, non_negative("to", "End of the partition; by default it does not end.", "s"));
  v.check(agents.empty() != (share == 0), "", "give either agents or share");
  v.check(!to || *to > from, "to", "expected a time after from ({:g} s), found {:g} s", from, to.value_or(0));
}

void EdgeLoss::describe(Visitor& v) {
  v(path, {.name = "path", .help = "Table with the columns from, to and loss.", .required = true});
  v(both_ways, {.name = "both_ways", .help = "Whether a row applies to both directions of a link."});
  v(otherwise, unit_interval("otherwise", "Loss probability of links that are not in the file."));
}

void AnyLoss::describe(Visitor& v) {
  v(of, {.name = "of",
         .help = "Loss models to combine; a message is lost if any of them loses it.",
         .required = true});
}

std::shared_ptr<const EdgeList> EdgeList::read(const InputFile& file, const Names& names) {
  const CsvTable table(file);
  const std::size_t from = table.column("from"), to = table.column("to"), loss = table.column("loss");
  auto list = std::make_shared<EdgeList>();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double value = table.number(row, loss);
    if (value < 0 || value > 1)
      throw FileError("{}expected a loss in [0, 1], found {:g}", table.at(row), value);
    list->rows.push_back({table.agent(row, from, names), table.agent(row, to, names), value, table.at(row)});
  }
  return list;
}

Loss::Loss(const LossOptions& options, const Topology& topology, AgentId hub, const Streams& streams,
           const std::vector<std::shared_ptr<const EdgeList>>& lists)
    : key_(streams.key(Purpose::kLoss)) {
  if (const auto* one = std::get_if<BernoulliLoss>(&options)) {
    probability_ = one->probability;
    kind_ = probability_ > 0 ? Kind::kBernoulli : Kind::kNone;
  }
  for (const OneLossOptions& law : losses(options)) {
    const auto number = static_cast<std::uint32_t>(laws_.size());
    Law& made = laws_.emplace_back();
    made.options = law;
    if (std::holds_alternative<GilbertElliott>(law)) made.state = ByEdge<State>(topology);
    if (const auto* cut = std::get_if<PartitionLoss>(&law)) {
      made.cut_off.assign(topology.agents(), 0);
      for (const AgentId i : cut->agents) {
        require_agent(i, topology.agents(), "partition: ");
        made.cut_off[i] = 1;
      }
      const bool all_drawn = cut->share >= 1 && hub == kNoAgent;
      if (all_drawn || std::ranges::count(made.cut_off, 1) == topology.agents())
        throw std::invalid_argument("partition: " + std::string(kAllCutOff));
      for (AgentId i = 0; cut->share > 0 && i < topology.agents(); ++i) {
        Stream s = streams(Purpose::kPerAgent, i, number, kCutOffOption);
        made.cut_off[i] = i != hub && sim::bernoulli(s, cut->share) ? 1 : 0;
      }
    }
    if (const auto* edges = std::get_if<EdgeLoss>(&law)) {
      made.probability = ByEdge<double>(topology, edges->otherwise);
      ByEdge<std::uint8_t> given(topology);
      const auto give = [&](AgentId from, AgentId to, const EdgeList::Row& row) {
        const EdgePosition position = topology.edge(from, to);
        double& probability = made.probability[position];
        if (std::exchange(given[position], std::uint8_t{1}) != 0 && probability != row.value)
          throw std::invalid_argument(fmt::format(
              "{}the loss from agent {} to agent {} is already given{}", row.where, from, to,
              edges->both_ways ? "; for a row per direction set both_ways to false" : ": remove a row"));
        probability = row.value;
      };
      for (const EdgeList::Row& row : lists.at(number)->rows) {
        require_agent(row.from, topology.agents(), row.where);
        require_agent(row.to, topology.agents(), row.where);
        if (topology.edge(row.from, row.to) == 2 * topology.edges())
          throw std::invalid_argument(
              fmt::format("{}agents {} and {} are not linked", row.where, row.from, row.to));
        give(row.from, row.to, row);
        if (edges->both_ways) give(row.to, row.from, row);
      }
    }
  }
}

bool Loss::bernoulli(AgentId from, AgentId to, std::uint32_t n) const {
  Stream s(key_, from, to, n);
  return sim::bernoulli(s, probability_);
}

std::optional<LossReason> Loss::general(AgentId from, AgentId to, EdgePosition position, std::uint32_t n,
                                        Time now) {
  Stream s(key_, from, to, n);
  std::optional<LossReason> reason;
  const auto because = [&reason](bool lost, LossReason why) {
    if (lost && !reason) reason = why;
  };
  for (Law& law : laws_) {
    if (const auto* one = std::get_if<BernoulliLoss>(&law.options)) {
      because(sim::bernoulli(s, one->probability), LossReason::kLoss);
    } else if (const auto* channel = std::get_if<GilbertElliott>(&law.options)) {
      State& state = law.state[position];
      const bool was_bad = state == State::kBad;
      const double change = state == State::kNone ? channel->stationary_bad()
                            : was_bad             ? channel->p_bad_to_good
                                                  : channel->p_good_to_bad;
      const bool bad = sim::bernoulli(s, change) != was_bad;
      state = bad ? State::kBad : State::kGood;
      because(sim::bernoulli(s, bad ? channel->loss_bad : channel->loss_good), LossReason::kLoss);
    } else if (const auto* cut = std::get_if<PartitionLoss>(&law.options)) {
      because(cut->holds(now) && law.cut_off[from] != law.cut_off[to], LossReason::kPartition);
    } else {
      because(sim::bernoulli(s, law.probability[position]), LossReason::kLoss);
    }
  }
  return reason;
}

bool Loss::certain(AgentId from, AgentId to, EdgePosition position, Time end) const {
  for (const Law& law : laws_) {
    if (const auto* one = std::get_if<BernoulliLoss>(&law.options)) {
      if (one->probability >= 1) return true;
    } else if (const auto* channel = std::get_if<GilbertElliott>(&law.options)) {
      const double bad = channel->stationary_bad();
      const bool good_for_ever = bad == 0, bad_for_ever = bad == 1;
      if ((bad_for_ever || channel->loss_good >= 1) && (good_for_ever || channel->loss_bad >= 1)) return true;
    } else if (const auto* cut = std::get_if<PartitionLoss>(&law.options)) {
      const bool drawn = cut->share > 0 && cut->share < 1;
      if (!drawn && cut->from <= 0 && cut->to.value_or(kNever) >= end && law.cut_off[from] != law.cut_off[to])
        return true;
    } else if (law.probability[position] >= 1) {
      return true;
    }
  }
  return false;
}

}  // namespace hearsay::sim
