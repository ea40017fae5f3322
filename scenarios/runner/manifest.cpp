#include "scenarios/runner/manifest.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <set>

#include "analysis/output_file.hpp"
#include "scenarios/runner/build_info.hpp"
#include "sim/fingerprint.hpp"

namespace hearsay::scenarios {

namespace {

std::string host() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

// One number for the whole study: the fingerprints of its runs in order.
std::uint64_t fingerprint_of(const analysis::StudyResult& study) {
  sim::Fingerprint all;
  for (const analysis::RunResult& run : study.runs) {
    all.add(0, run.fingerprint, static_cast<sim::AgentId>(run.point), run.repetition);
  }
  return all.value();
}

nlohmann::ordered_json privacy_of(const ManifestInput& in) {
  nlohmann::ordered_json privacy;
  const models::PrivacyOptions& options = in.scenario.privacy;
  privacy["statement"] = "simulated differential privacy: not for release";
  privacy["mechanism"] = models::name_of(options.mechanism);
  if (!models::is_private(options.mechanism)) return privacy;
  privacy["norm"] = models::name_of(models::norm_of(options.mechanism));
  privacy["accountant"] = models::name_of(options.accountant);
  privacy["delta"] = options.needs_delta() ? options.delta : 0;
  privacy["adjacency"] = options.adjacency == models::Adjacency::kReplaceOne ? "replace_one" : "add_remove";
  privacy["schedule"] = sim::Choices<models::Schedule>::kValues[static_cast<std::size_t>(options.schedule)].name;
  privacy["sensitivity"] = options.clip             ? "clip: every record's gradient is scaled to the bound"
                           : options.gradient_bound ? "gradient_bound: given, not enforced"
                           : options.bound_from_data
                               ? "bound_from_data: the stated epsilon does not hold"
                               : "derived from declared bounds of features, target and theta_max";
  privacy["budget"] = "per owner, over the whole run";
  return privacy;
}

}  // namespace

std::string version_line() {
  return fmt::format("hearsay {} (commit {}, {}, {})", build_info::kVersion, build_info::kCommit,
                     build_info::kCompiler, build_info::kFlags);
}

void write_manifest(const ManifestInput& in, const std::filesystem::path& path) {
  std::set<std::string> unprivate, notes;
  std::uint64_t events = 0;
  double busy = 0;
  for (const auto& point : in.study.points) {
    unprivate.insert(point.unprivate.begin(), point.unprivate.end());
    notes.insert(point.notes.begin(), point.notes.end());
  }
  for (const auto& run : in.study.runs) {
    events += run.events;
    busy += run.wall;
  }
  nlohmann::ordered_json m;
  m["hearsay"] = {{"version", build_info::kVersion},
                  {"commit", build_info::kCommit},
                  {"compiler", build_info::kCompiler},
                  {"flags", build_info::kFlags}};
  m["command"] = in.command;
  m["scenario_file"] = in.file;
  m["host"] = host();
  m["threads"] = in.threads;
  m["wall_s"] = in.wall;
  m["peak_memory_bytes"] = peak_memory_bytes();
  m["events"] = events;
  m["events_per_s_and_thread"] = busy > 0 ? static_cast<double>(events) / busy : 0;
  m["seed"] = in.scenario.seed;
  m["points"] = in.study.points.size();
  m["runs"] = in.study.runs.size();
  m["delivery"] = "events";
  m["privacy"] = privacy_of(in);
  m["fitted_on_private_data_without_accounting"] = unprivate;
  m["notes"] = notes;
  m["diagnostics"] =
      "objective, fitness, distance and errors are exact and without noise: a real network could not publish "
      "them";
  m["fingerprint"] = fmt::format("{:016x}", fingerprint_of(in.study));
  m["scenario"] = in.resolved;
  analysis::OutputFile file(path);
  file.write(m.dump(2));
  file.write("\n");
  file.commit();
}

}  // namespace hearsay::scenarios
