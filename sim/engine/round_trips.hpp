#pragma once
// How long a message and its reply take on the links of a network, before any run: what timeouts are chosen by.
#include <memory>
#include <vector>

#include "sim/engine/engine.hpp"

namespace hearsay::sim {

class RoundTrips {
 public:
  /// A network in which replies always arrive, at once.
  RoundTrips() = default;
  /// Samples round trips of `numbers` numbers each way: both latencies, the receiver's computation, and the
  /// transmission of a message to every neighbour where bandwidth is limited; again after each change of a law by the
  /// timeline. At most 200 links, 40 round trips each,
  /// drawn from the purposes and indices of messages and computations number 2^31 and up, which no run reaches.
  RoundTrips(const Engine::Options& options, const Topology& topology, const Streams& streams,
             std::size_t numbers);

  /// Whether latencies, compute times or rates are drawn once for all of a run.
  bool drawn_once() const { return again_ != nullptr; }
  /// Whether that is so of what settled() is of.
  bool settled_once() const { return past_ != nullptr ? past_->settled_once() : drawn_once(); }
  /// Those of a run that draws from these streams, on the topology of these: what is drawn once has other values in it,
  /// by which its timeouts must be chosen. Where nothing is drawn once they are these.
  RoundTrips of_run(const Topology& topology, const Streams& streams) const;

  /// Whether every message is delivered: nothing is ever lost, and no agent is ever down.
  bool reliable() const { return reliable_; }
  /// Largest median of a link, s.
  Time typical() const { return typical_; }
  /// Whether time passes under every law: some round trip takes any; `computing`: with the receiver's computation.
  bool takes_time(bool computing) const { return computing ? takes_time_ : takes_time_on_the_way_; }
  /// Likewise, where timeouts are chosen that are not given.
  Time settled() const { return settled_; }
  /// These are of a run that goes on from one that has chosen its timeouts.
  void settle_by(const RoundTrips& past) {
    reliable_ = past.reliable_;
    settled_ = past.settled_;
    past_ = std::make_shared<const RoundTrips>(past);
  }
  /// No round trip takes less, s: latencies both ways and, from a hub, the computation of the other agent. Of what is
  /// drawn, and of laws that change, the smallest value.
  Time smallest_possible() const { return smallest_possible_; }
  /// Whether a reply that takes just that comes after a timer that was set with the query: it leaves at the end of a
  /// computation, whose rank is that of timers, and takes no time.
  bool smallest_is_late() const { return smallest_is_late_; }
  /// Smallest round trip sampled, s.
  Time shortest() const { return sorted_.empty() ? 0 : sorted_.front(); }
  /// Fraction of round trips longer than a time.
  double fraction_above(Time limit) const;

 private:
  bool reliable_ = true, takes_time_ = false, takes_time_on_the_way_ = false, smallest_is_late_ = false;
  Time typical_ = 0, settled_ = 0, smallest_possible_ = 0;
  std::vector<Time> sorted_;
  struct Sampled {
    Engine::Options options;
    std::size_t numbers;
  };
  std::shared_ptr<const Sampled> again_;    // null: nothing is drawn once
  std::shared_ptr<const RoundTrips> past_;  // null: no settle_by()
};

}  // namespace hearsay::sim
