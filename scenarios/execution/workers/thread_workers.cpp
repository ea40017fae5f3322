#include <utility>

#include "scenarios/execution/workers/parallel_for.hpp"
#include "scenarios/execution/workers/workers.hpp"

namespace hearsay::scenarios {

void ThreadWorkers::assemble(std::span<const PointTask> tasks, const Described& described) {
  parallel_for(tasks.size(), threads_, [&](std::size_t k) {
    if (interrupted()) return;
    maker_.require(tasks[k].point);
    if (tasks[k].describe) described(k, maker_.describe(tasks[k].point));
  });
}

void ThreadWorkers::make(std::span<const RunTask> tasks, const Made& made) {
  parallel_for(tasks.size(), threads_, [&](std::size_t k) {
    if (!interrupted()) made(k, maker_.make(tasks[k]));
  });
}

}  // namespace hearsay::scenarios
