#pragma once
// Contents of the files that a network and its clocks name. Read once, shared by all runs of a point.
#include <memory>
#include <vector>

#include "sim/availability/sessions.hpp"
#include "sim/clocks/clocks.hpp"
#include "sim/files/square_matrix.hpp"
#include "sim/links/latency.hpp"
#include "sim/links/loss.hpp"

namespace hearsay::sim {

struct NetworkOptions;

struct NetworkFiles {
  std::shared_ptr<const SquareMatrix> latency;  ///< of a latency "matrix"
  std::vector<std::shared_ptr<const EdgeList>>
      losses;  ///< by number of the law, null for laws without a file
  std::vector<std::shared_ptr<const Sessions>> sessions;  ///< likewise, of availability
  std::shared_ptr<const TickList> ticks;                  ///< of a clock "trace"

  // Each reads its part; throw FileError.
  void read_latency(const LatencyOptions& options);
  void read_losses(const LossOptions& options);
  void read_sessions(const AvailabilityOptions& options);
  void read_ticks(const ClockOptions& options);
  /// All of them.
  static NetworkFiles of(const NetworkOptions& network, const ClockOptions& clocks);
};

}  // namespace hearsay::sim
