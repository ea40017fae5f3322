#include <fmt/format.h>
#include <mpi.h>

#include <boost/mpi/collectives/all_reduce.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <optional>
#include <string_view>

#include "scenarios/execution/workers/launcher.hpp"
#include "scenarios/execution/workers/mpi/rank_worker.hpp"
#include "scenarios/execution/workers/mpi/rank_zero.hpp"
#include "scenarios/execution/workers/team.hpp"

namespace hearsay::scenarios {

namespace {

namespace mpi = boost::mpi;

class MpiTeam final : public Team {
 public:
  ~MpiTeam() override {
    if (zero_) zero_->end();
  }

  int size() const { return world_.size(); }
  int rank() const override { return world_.rank(); }

  Workers& plan(const Plan& plan, const PlanOptions& options, const std::atomic<bool>* interrupted) override {
    zero_->plan(plan, options, interrupted);
    return *zero_;
  }
  std::vector<RankRecord> records() const override { return zero_->records(); }

  void work(const std::function<Work(const PlanOptions& options)>& make) override {
    RankWorker(world_, on_this_node_, make).work();
  }

  /// The ranks of this node that work; all ranks must call it.
  void count_node() {
    const mpi::communicator node = [&] {
      MPI_Comm handle = MPI_COMM_NULL;
      MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle);
      return mpi::communicator(handle, mpi::comm_take_ownership);
    }();
    const int zeros = mpi::all_reduce(node, world_.rank() == 0 ? 1 : 0, std::plus<int>());
    on_this_node_ = static_cast<unsigned>(std::max(1, node.size() - zeros));
    if (world_.rank() == 0) zero_.emplace(world_);
  }

 private:
  mpi::communicator world_;
  unsigned on_this_node_ = 1;
  std::optional<RankZero> zero_;
};

}  // namespace

std::string Team::version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<std::size_t>(length));
  return fmt::format("MPI: {}", all.substr(0, all.find_first_of(",\n")));
}

std::unique_ptr<Team> Team::join() {
  if (!launched()) return nullptr;
  // Until the process ends: MPI cannot be started again. An exception is reported like any other, and rank 0 tells the
  // others.
  static const mpi::environment environment(mpi::threading::funneled, /*abort_on_exception=*/false);
  auto team = std::make_unique<MpiTeam>();
  if (team->size() == 1) return nullptr;
  team->count_node();
  return team;
}

}  // namespace hearsay::scenarios
