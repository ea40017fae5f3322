#pragma once
#include "scenarios/execution/audit/audit.hpp"

namespace hearsay::scenarios {

// Certify epsilon by the scores or guesses of a result, wrong with probability `level` at most, and compare it with what is
// claimed: findings, refuted claims, warnings.
void certify_canaries(AuditResult& result, double level);
void certify_runs(AuditResult& result, double level);

}  // namespace hearsay::scenarios
