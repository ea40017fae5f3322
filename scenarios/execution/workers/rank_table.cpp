#include "scenarios/execution/workers/rank_table.hpp"

#include <fmt/format.h>

#include "analysis/tables/summary.hpp"
#include "scenarios/execution/machine.hpp"

namespace hearsay::scenarios {

std::string rank_table(const std::vector<RankRecord>& records, double seconds) {
  std::vector<std::vector<std::string>> rows{{"rank", "host", "threads", "runs", "runs/s", "busy"}};
  for (const RankRecord& r : records) {
    const double share = r.threads > 0 && seconds > 0 ? r.busy / (r.threads * seconds) : 0;
    rows.push_back({fmt::format("{}", r.rank), r.host, fmt::format("{}", r.threads),
                    fmt::format("{}", r.runs), fmt::format("{:.3g}", static_cast<double>(r.runs) / seconds),
                    fmt::format("{:.1f} %", 100 * share)});
  }
  return analysis::align(rows, terminal_width(), 2);
}

}  // namespace hearsay::scenarios
