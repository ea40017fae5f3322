#pragma once
// Baselines of collaboration: every owner alone, and all data pooled, both without privacy and solved exactly.
#include <array>
#include <string_view>
#include <vector>

#include "analysis/store/study.hpp"
#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::analysis {

enum class Baseline { kIsolated, kPooled };
constexpr auto choices_of(Baseline) {
  return std::to_array<sim::Choice>(
      {{"isolated", "each owner learns from its own data only, without privacy"},
       {"pooled", "one model is learned from the data of all owners, without privacy"}});
}

/// pooled: objective, relative_fitness and test_error of theta*. isolated: for each owner's own minimiser theta*_i the
/// relative fitness f(theta*_i)/f(theta*) - 1 on the joint f and the test error on all test records, by agent and as
/// mean over owners. Both: test_error_by_owner, the error of the owner's model (theta*_i or theta*) on its own test
/// records, by agent; own_test_error and own_test_rmse as the metrics of these names. Of classes also accuracy,
/// accuracy_by_owner and own_test_accuracy, of numbers own_test_rmse. Test errors only if there are test records. Agent
/// of owner j is first_owner + j.
std::vector<Scalar> baselines(const models::Problem& problem, const models::Optimum& optimum,
                              const std::vector<Baseline>& which, sim::AgentId first_owner);

/// The metrics that the baseline `isolated` has for each owner.
enum class ComparedMetric { kRelativeFitness, kTestError, kTestErrorByOwner };
constexpr auto choices_of(ComparedMetric) {
  return std::to_array<sim::Choice>({{"relative_fitness", "on the joint objective"},
                                     {"test_error", "on the test records of all owners"},
                                     {"test_error_by_owner", "on each owner's own test records"}});
}

}  // namespace hearsay::analysis
