#pragma once
// Whom an agent sends to at random: one of its neighbours, or one of a view of them that ages.
//
// With a view of c entries and renewal T, each entry is a neighbour drawn uniformly, and replaced T later by another draw;
// entry k for the first time at T (k + 1)/c. This is the ideal of a peer sampling service (Jelasity, Voulgaris, Guerraoui,
// Kermarrec, van Steen, "Gossip-based peer sampling", 2007): its own messages are not simulated. On a complete graph the
// entries are random other agents, as gossip protocols assume. Of one draw all neighbours are equally likely; what differs
// from draws of all neighbours is that draws within T are often of the same few agents.
//
// An entry is drawn from its own stream whenever it is used: a view takes no memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "models/protocols/gossip/gossip_agents.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct AllNeighbours {
  static constexpr std::string_view kName = "neighbours";
  static constexpr std::string_view kHelp = "All neighbours.";
  void describe(sim::Visitor&) {}
};

struct AgingView {
  static constexpr std::string_view kName = "view";
  static constexpr std::string_view kHelp =
      "A view of some neighbours, each drawn uniformly and replaced after a time; two may be the same.";
  std::uint32_t size = 20;
  sim::Time renewal = 10;
  void describe(sim::Visitor& v) {
    v(size, {.name = "size", .help = "Entries of a view.", .min = 1});
    v(renewal, sim::positive("renewal", "Time after which an entry is replaced.", "s"));
  }
};

struct RandomPeerOptions : GossipOptions {
  std::variant<AllNeighbours, AgingView> peers;

  void describe(sim::Visitor& v) {
    v(peers, {.name = "peers", .help = "Neighbours that an agent draws from."});
    GossipOptions::describe(v);
  }
  /// Throws OptionError where an agent sends to more neighbours at a time than its view has entries.
  void require_size(std::uint32_t fan_out) const {
    const auto* const view = std::get_if<AgingView>(&peers);
    if (view != nullptr && fan_out > view->size)
      throw sim::OptionError("fan_out", "expected at most peers.size = {}, found {}", view->size, fan_out);
  }
};

class RandomPeers : public GossipAgents {
 public:
  RandomPeers(const RandomPeerOptions& options, const Study& study)
      : GossipAgents(options, study), peers_(options.peers) {}

 protected:
  /// The first number that a protocol may use for a purpose of draws.
  static constexpr std::uint32_t kFreePurpose = LocalTraining::kFreePurpose + 1;

  /// `count` different neighbours of agent i, all sets equally likely; all of them if there are no more. From a view: its
  /// entries at `count` different places, all sets of places equally likely, each agent once. Valid until the next call.
  std::span<const sim::AgentId> random_neighbours(sim::AgentId i, std::uint32_t count, Context& context) {
    const auto neighbours = context.neighbours(i);
    const auto* const view = std::get_if<AgingView>(&peers_);
    const std::uint32_t places = view != nullptr ? view->size : neighbours.size();
    if (view == nullptr && count >= places) {
      drawn_.assign(neighbours.begin(), neighbours.end());
      return drawn_;
    }
    draw(count, places, context.random(kNeighbours, i));
    for (sim::AgentId& drawn : drawn_)
      drawn = neighbours[view != nullptr ? entry(*view, drawn, i, neighbours.size(), context) : drawn];
    if (view != nullptr && count > 1) {
      std::ranges::sort(drawn_);
      drawn_.erase(std::unique(drawn_.begin(), drawn_.end()), drawn_.end());
    }
    return drawn_;
  }
  /// `count` different numbers below `size`, all sets equally likely; count <= size. Valid as above.
  std::span<const std::uint32_t> draw(std::uint32_t count, std::uint32_t size, sim::Stream stream) {
    drawn_.clear();
    // R. W. Floyd's sampling: one draw for each number, whatever the size.
    for (std::uint32_t last = size - count; last < size; ++last) {
      const auto drawn = static_cast<std::uint32_t>(sim::uniform_index(stream, last + 1));
      const bool is_new = std::find(drawn_.begin(), drawn_.end(), drawn) == drawn_.end();
      drawn_.push_back(is_new ? drawn : last);
    }
    return drawn_;
  }
  sim::AgentId random_neighbour(sim::AgentId i, Context& context) {
    return random_neighbours(i, 1, context).front();
  }

 private:
  // Purposes of draws; entries stay where a run is continued in another way.
  static constexpr std::uint32_t kNeighbours = LocalTraining::kFreePurpose,
                                 kEntries = sim::Streams::kOfWholeRun + 1;

  // Which neighbour the k-th entry is now.
  static std::uint32_t entry(const AgingView& view, std::uint32_t k, sim::AgentId i, std::uint32_t degree,
                             const Context& context) {
    const double turns = context.now() / view.renewal - static_cast<double>(k + 1) / view.size;
    sim::Stream stream = context.keyed(kEntries, i, k, static_cast<std::uint32_t>(std::floor(turns) + 1));
    return static_cast<std::uint32_t>(sim::uniform_index(stream, degree));
  }

  std::variant<AllNeighbours, AgingView> peers_;
  std::vector<std::uint32_t> drawn_;
};

}  // namespace hearsay::models
