// A build without MPI.
#include <fmt/format.h>

#include "scenarios/execution/workers/launcher.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

std::string Team::version() {
  return "no MPI";
}

std::unique_ptr<Team> Team::join() {
  if (processes_launched() <= 1) return nullptr;
  throw InputError(
      fmt::format("hearsay: was started as one of {} processes, but this build has no MPI: run "
                  "script/bootstrap --mpi and build it "
                  "again, or make parts of the study with --shard",
                  processes_launched()));
}

}  // namespace hearsay::scenarios
