#pragma once
// A scenario file, read: its points as plain options.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/language/reader.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/experiment.hpp"

namespace hearsay::scenarios {

struct Plan {
  std::string file;
  Document document;  ///< without "sweep"
  std::vector<std::string> axes{};
  std::vector<PlannedPoint> points{};
  nlohmann::ordered_json
      resolved{};  ///< of the scenario before the sweep, all options, and "sweep" as written

  /// A message of assembly, located at the part of the scenario that it is about.
  std::string locate(const AssemblyError& error) const;
};

/// Reads a scenario and every point of its sweep. Throws InputError.
Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const ReadOptions& options);

/// A Node as plain JSON.
nlohmann::ordered_json to_json(const Node& node);

}  // namespace hearsay::scenarios
