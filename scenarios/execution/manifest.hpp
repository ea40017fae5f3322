#pragma once
// The version of the program, and manifest.json: the study, the program, and the assumptions of its privacy guarantee.
#include <filesystem>
#include <string>

#include "analysis/tables/export.hpp"

namespace hearsay::scenarios {

struct Scenario;

struct ManifestInput {
  const analysis::Totals& totals;
  const Scenario& scenario;  ///< the first point's
  const Scenario* private_point =
      nullptr;  ///< the first one with a mechanism other than none; null: there is none
  std::string file, command;
  std::string resolved;       ///< JSON of the whole scenario
  std::string conclusions{};  ///< JSON of slopes and bounds; empty if there are none
  unsigned threads = 1;
  std::uint64_t planned = 0;  ///< runs of the study, or of its part
  double wall = 0;            ///< s
  std::string selection{};    ///< JSON of the selection; empty if there is none
};

void write_manifest(const ManifestInput& input, const std::filesystem::path& path);

}  // namespace hearsay::scenarios
