#pragma once
// Repetitions until results are precise: what the results of a study decide, and what is said of it.
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/repeat.hpp"

namespace hearsay::scenarios {

/// What repeat.until shows of the points of a study whose runs are stored.
class UntilDecision {
 public:
  /// The plan has repeat.until, and the study its runs, repetitions 0, ..., repeat - 1 of every point.
  UntilDecision(const Plan& plan, analysis::StoredStudy& study);

  /// The repetitions that every point is to have: those of the plan where all is decided.
  const std::vector<std::uint32_t>& repetitions() const { return repetitions_; }
  /// "8 of 9 points are as precise as repeat.until asks for, after 10 to 75 repetitions".
  std::string summary() const;
  /// A line for every criterion that does not hold at a point, beginning with "warning: ".
  std::vector<std::string> warnings() const;
  /// Writes precision.csv: for each point and criterion the last look. Throws OutputError.
  void write(const std::filesystem::path& folder) const;

 private:
  const Plan& plan_;
  analysis::StudyHead head_;
  std::vector<std::uint32_t> repetitions_;
  std::vector<std::vector<Precision>>
      at_;  // by point and criterion, at the look that decided, or the last one
};

}  // namespace hearsay::scenarios
