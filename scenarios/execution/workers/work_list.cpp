#include "scenarios/execution/workers/work_list.hpp"

#include <algorithm>

namespace hearsay::scenarios {

WorkList::WorkList(std::span<const std::size_t> ends, std::size_t workers) : current_(workers, ends.size()) {
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    groups_.push_back({begin, end});
    begin = end;
  }
  groups_.emplace_back();  // of workers that have had none
  left_ = begin;
}

WorkList::Range WorkList::take(std::size_t worker, std::size_t most) {
  std::size_t& group = current_[worker];
  if (groups_[group].size() == 0) {
    const auto largest = std::ranges::max_element(groups_, {}, &Range::size);
    group = begun_ + 1 < groups_.size() ? begun_++ : static_cast<std::size_t>(largest - groups_.begin());
  }
  Range& rest = groups_[group];
  const Range taken{rest.begin, rest.begin + std::min(most, rest.size())};
  rest.begin = taken.end;
  left_ -= taken.size();
  return taken;
}

}  // namespace hearsay::scenarios
