#pragma once
// What a command writes and prints after it has stored runs of a study: tables, conclusions, manifest, summary.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "analysis/tables/export.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::scenarios {

struct StudyResults {
  const Plan& plan;
  const std::filesystem::path& folder;  ///< with the store
  std::string file, command;            ///< of the scenario; as it was given
  std::string selection{};              ///< JSON of the selection; empty if there is none
  std::vector<std::string> notes{};     ///< besides those of the plan and of the points
  unsigned threads = 1;
  std::uint64_t runs = 0, fresh = 0;  ///< of the study; stored by this command
  bool complete = true;               ///< else the summary says how many runs are stored
  bool silent = false;                ///< print nothing
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

/// What the manifest and the page state of the privacy of points without and with a mechanism.
inline constexpr const char* kNoGuarantee = "mechanism \"none\": no privacy guarantee";
inline constexpr const char* kSimulated = "simulated differential privacy: not for release";

/// Writes the tables, the conclusions and manifest.json of a study into its folder, removes files that it no longer
/// has, and prints the summary and warnings. Throws OutputError.
analysis::Totals write_results(const StudyResults& results);

/// Throws InputError if results in a folder would replace files that hearsay has not written: those with the names
/// of its tables where the folder has held no results, and input files of a scenario. `scenario`, `searched`: as in
/// the store, its text and the folders of its files, one per line.
void require_own_files(const std::filesystem::path& folder, const std::string& scenario,
                       const std::string& searched);

/// The same of files of such names and input files alone.
void require_no_inputs(const std::filesystem::path& folder, const std::vector<std::string>& files,
                       const std::string& scenario, const std::string& searched);

/// Throws InputError if a page would replace a file that is none of hearsay's pages.
void require_own_page(const std::filesystem::path& file);

/// Runs that are not made again by the same command.
std::uint64_t stored(const analysis::Totals& totals);

}  // namespace hearsay::scenarios
