#pragma once
// The keys that identify runs, so that no run is repeated.
//
//   point key  = SHA-256(results version, options that can change an event or a number, each input file's SHA-256)
//   run key    = SHA-256(point key, repetition)
//   record key = SHA-256(metrics, every, models), of the study
//
// Only options that differ from their defaults count. No key depends on name, description, trace, analysis, the number
// of repetitions, sweep, threads or the paths of files. Baselines are part of the record key only if each repetition of
// some point draws its data or network: they are then numbers of the run. Code and options of "metrics" are part of the
// point key if a target uses them or they are swept. "every" is part of the point key if a target is checked
// at every sample, because it then changes events.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

/// Increase it when the same options yield other events, numbers or fingerprints.
inline constexpr int kResultsVersion = 16;

/// SHA-256 in hexadecimal. Throws InputError if a file cannot be read.
std::string sha256(std::string_view text);
std::string sha256_of_file(const std::string& path);

struct PointKey {
  std::string point;
  std::string problem;  ///< equal for the same data and model
};

/// Makes the keys of points; hashes each input file once.
class Keys {
 public:
  /// `metrics`: of which options the points differ, so that the keys have them.
  explicit Keys(bool metrics = false) : metrics_(metrics) {}
  PointKey point(const Scenario& scenario);
  /// A seed for this point alone: 53 bits of its key under the seed of the study.
  std::uint64_t independent_seed(const Scenario& scenario);

 private:
  bool metrics_;
  std::map<std::string, std::string> files_;  // hash by path
};

std::string run_key(const std::string& point_key, std::uint32_t repetition);
std::string record_key(const Scenario& scenario);
/// Identifies the description of a point as a whole.
std::string description_key(const Scenario& scenario);

/// "hearsay 0.1.0 (commit ..., compiler, flags)".
std::string version_line();

}  // namespace hearsay::scenarios
