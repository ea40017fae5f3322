#pragma once
// What the launchers of MPI tell the processes that they start: Open MPI's mpirun, Slurm's srun, others by PMI.
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace hearsay::scenarios {

/// Whether a launcher of MPI has started this process.
inline bool launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

/// The number of processes that it has started, as far as it says; else 1.
inline int processes_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 1;
}

}  // namespace hearsay::scenarios
