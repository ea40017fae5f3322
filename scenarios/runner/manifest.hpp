#pragma once
// manifest.json: what was run, with what, and what its privacy claims rest on.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/export.hpp"
#include "scenarios/runner/scenario.hpp"

namespace hearsay::scenarios {

struct ManifestInput {
  const analysis::Totals& totals;
  const Scenario& scenario;  ///< the first point's
  std::string file, command;
  nlohmann::ordered_json resolved;       ///< the whole scenario
  nlohmann::ordered_json conclusions{};  ///< slopes and bounds, where they are asked for
  unsigned threads = 1;
  double wall = 0;                     ///< s
  nlohmann::ordered_json selection{};  ///< what was chosen on what; null if nothing was
};

void write_manifest(const ManifestInput& input, const std::filesystem::path& path);

/// "hearsay 0.1.0 (commit ..., compiler, flags)".
std::string version_line();

}  // namespace hearsay::scenarios
