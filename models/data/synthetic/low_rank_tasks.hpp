#pragma once
// Synthetic tasks whose parameters are nearly of low rank, after Xie, Baytas, Lin, Zhou, "Privacy-Preserving
// Distributed Multi-Task Learning with Asynchronous Updates", section 4 (Table 1: 20 tasks, 200 records, d = 28).
//
//   P = A B, A d x rank, B rank x T, entries N(0, 1/4);   w_t = p_t + q_t, q_t with entries N(0, own_deviation^2)
//   x ~ N(0, I_d), divided by the maximum norm of the task's records (scale task) or each by its norm (scale
//   record): norm_2(x) <= 1
//   classification  y = sign(x . w_t), 0 counting as +1
//   regression      y = x . w_t + noise N(0, noise^2), clipped to [-1, 1], or with standardise_target not clipped but
//                   shifted and scaled to training mean 0 and variance 1 in each task
//
// The first train_fraction of a task's records (rounded, at least one) are for training, the rest for testing.
// Declared bounds: norm_2(x) <= 1, norm_1(x) <= sqrt(d), and |y| <= 1 unless standardised. The maximum norm of a
// task's records, and the mean and variance of its targets, are private data: listed as fitted without accounting.
//
// Streams: A from (kData, kWholeStudy, kParameters); task t's column of B, q_t, size, features and noise from
// (kData, t, ...): adding tasks does not change the others.
#include <initializer_list>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

namespace hearsay::models {

enum class RecordScale { kTask, kRecord };
constexpr auto choices_of(RecordScale) {
  return std::to_array<sim::Choice>({{"task", "One factor per task, so that its longest record has norm 1."},
                                     {"record", "Every record has norm 1."}});
}

enum class TaskTarget { kClassification, kRegression };
constexpr auto choices_of(TaskTarget) {
  return std::to_array<sim::Choice>(
      {{"classification", "Class sign(x . w_t)."},
       {"regression", "Number x . w_t plus noise, clipped to [-1, 1] or standardised."}});
}

struct LowRankTasks {
  static constexpr std::string_view kName = "low_rank_tasks";
  static constexpr std::string_view kHelp =
      "Synthetic tasks, one per owner, with a parameter matrix that is nearly of low rank.";

  std::size_t tasks = 20;     ///< T
  OwnerSizes records = 200;   ///< of a task, training and test
  std::size_t features = 28;  ///< d
  std::size_t rank = 3;
  RecordScale scale = RecordScale::kTask;
  double own_deviation = 0.01;  ///< standard deviation of the entries of q_t
  TaskTarget target = TaskTarget::kClassification;
  double noise = 0;  ///< standard deviation, regression
  bool standardise_target = false;
  double train_fraction = 0.3;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Cost O(n d). Throws DataError when a task would have no training record, or only equal targets to standardise.
DataSet make_data(const LowRankTasks& options, const sim::Streams& streams);
/// The targets of a task, shifted and scaled so that those of training have mean 0 and variance 1. Throws DataError if these
/// are equal.
void standardise_targets(std::size_t task, Shard& training, std::initializer_list<Shard*> others);

}  // namespace hearsay::models
