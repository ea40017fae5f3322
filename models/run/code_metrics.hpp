#pragma once
// The "metrics" of a scenario: a class of another language that measures any protocol.
#include <memory>
#include <variant>
#include <vector>

#include "models/run/world.hpp"
#include "sim/options/code.hpp"

namespace hearsay::models {

struct NoMetrics {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "Those of hearsay alone.";
  void describe(sim::Visitor&) {}
};

struct PythonMetrics {
  static constexpr std::string_view kName = "python";
  static constexpr std::string_view kHelp =
      "Metrics written in Python, which record.metrics and stop.target name: a class, with its own options.";
  static constexpr bool kOpen = true;
  sim::InputCode code{sim::CodeKind::kMetrics};
  void describe(sim::Visitor& v) { code.describe(v); }
};

using MetricsOptions = std::variant<NoMetrics, PythonMetrics>;

/// A class that has been loaded as metrics.
class MetricsCode : public sim::Code {
 public:
  std::vector<ProtocolMetric> metrics{};  ///< with views of texts of this object
  /// Throws std::invalid_argument for what the class says is wrong; measuring throws std::runtime_error.
  virtual std::shared_ptr<const Probe> make(const std::vector<sim::CodeValue>& values) const = 0;
};

}  // namespace hearsay::models
