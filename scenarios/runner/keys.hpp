#pragma once
// The keys that identify runs, so that no run is repeated.
//
//   point key  = SHA-256(results version, options that can change an event or a number, each input file's SHA-256)
//   run key    = SHA-256(point key, repetition)
//   record key = SHA-256(metrics, every)
//
// Options count only where they differ from their defaults, in one canonical form. In none of the three are
// name, description, trace, baselines, analysis, repeat, sweep, threads and the paths of files. Two exceptions:
// a target that is checked when metrics are recorded makes "every" an option that can change an event; and
// where every repetition draws its own data or network, the baselines are numbers of the run, so that the
// record key includes them.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "scenarios/runner/scenario.hpp"

namespace hearsay::scenarios {

/// To be increased when the same options yield other events or numbers.
inline constexpr int kResultsVersion = 2;

/// SHA-256 in hexadecimal. Throws InputError if a file cannot be read.
std::string sha256(std::string_view text);
std::string sha256_of_file(const std::string& path);

struct PointKey {
  std::string point;
  std::string problem;  ///< equal: the same data and model
};

/// Makes the keys of points; hashes each input file once.
class Keys {
 public:
  PointKey point(const Scenario& scenario);
  /// A seed for this point alone: 53 bits of the key that it has with the study's seed.
  std::uint64_t independent_seed(const Scenario& scenario);

 private:
  std::map<std::string, std::string> files_;  // hash by path
};

std::string run_key(const std::string& point_key, std::uint32_t repetition);
std::string record_key(const Scenario& scenario);
/// Identifies the description of a point as a whole.
std::string description_key(const Scenario& scenario);

}  // namespace hearsay::scenarios
