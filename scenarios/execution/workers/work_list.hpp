#pragma once
// Which tasks are handed to which worker.
#include <cstddef>
#include <span>
#include <vector>

namespace hearsay::scenarios {

/// Tasks in groups whose members are cheaper for a worker that has had one of them. A worker gets consecutive tasks of
/// its group, then of the next one that no worker has begun, then of the one with the most tasks left.
class WorkList {
 public:
  struct Range {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
  };

  /// `ends`: where each group ends, ascending; the last is the number of tasks.
  WorkList(std::span<const std::size_t> ends, std::size_t workers);

  /// At most `most` tasks of one group; none if no task is left.
  Range take(std::size_t worker, std::size_t most);
  std::size_t left() const { return left_; }

 private:
  std::vector<Range> groups_;         // what is left of them
  std::vector<std::size_t> current_;  // group by worker
  std::size_t begun_ = 0, left_ = 0;
};

}  // namespace hearsay::scenarios
