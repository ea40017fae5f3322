#pragma once
// manifest.json: the study, the program, and the assumptions of its privacy guarantee.
#include <filesystem>
#include <string>

#include "analysis/results/tables/export.hpp"

namespace hearsay::scenarios {

struct Scenario;

struct ManifestInput {
  const analysis::Totals& totals;
  const Scenario& scenario;  ///< the first point's
  std::string file, command;
  std::string resolved;       ///< JSON of the whole scenario
  std::string conclusions{};  ///< JSON of slopes and bounds; empty if there are none
  unsigned threads = 1;
  double wall = 0;          ///< s
  std::string selection{};  ///< JSON of what was selected on what; empty if nothing was
};

void write_manifest(const ManifestInput& input, const std::filesystem::path& path);

}  // namespace hearsay::scenarios
