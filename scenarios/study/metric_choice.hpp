#pragma once
// A metric or statistic as an option.
#include <string_view>

#include "analysis/metrics/metric.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// One metric or statistic of one, by its name.
class MetricChoice {
 public:
  explicit MetricChoice(std::string_view name = "objective");
  const analysis::Metric& operator*() const { return *metric_; }
  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  const analysis::Metric* metric_;
};

}  // namespace hearsay::scenarios
