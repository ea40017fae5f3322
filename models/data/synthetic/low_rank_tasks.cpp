#include "models/data/synthetic/low_rank_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data/data_facts.hpp"
#include "models/data/draw_shards.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

constexpr double kFactorDeviation = 0.5;  // of the entries of A and B

Eigen::VectorXd parameters(const LowRankTasks& options, const Eigen::MatrixXd& a, std::size_t task,
                           const sim::Streams& streams) {
  auto stream = data_stream(streams, task, DataDraw::kParameters);
  Eigen::VectorXd b(a.cols());
  for (double& x : b) x = sim::normal(stream, 0, kFactorDeviation);
  Eigen::VectorXd w = a * b;
  for (double& x : w) x += sim::normal(stream, 0, options.own_deviation);
  return w;
}

Shard records_of(const LowRankTasks& options, const Eigen::VectorXd& w, std::size_t task,
                 const sim::Streams& streams) {
  const auto n = static_cast<Index>(options.records.size(task, streams));
  if (n == 0) throw DataError(fmt::format("task {}: expected at least one record, found none", task + 1));
  Shard all{Records(n, w.size()), {}};
  auto stream = data_stream(streams, task, DataDraw::kFeatures);
  for (double& x : numbers_of(all.features)) x = sim::normal(stream);
  if (options.scale == RecordScale::kTask) {
    all.features /= all.features.rowwise().norm().maxCoeff();
  } else {
    all.features.rowwise().normalize();
  }
  all.target = all.features * w;
  if (options.target == TaskTarget::kClassification) {
    for (double& y : all.target) y = y >= 0 ? 1 : -1;
  } else {
    auto noise = data_stream(streams, task, DataDraw::kTargetNoise);
    if (options.noise > 0) {
      for (double& y : all.target) y += sim::normal(noise, 0, options.noise);
    }
    if (!options.standardise_target) all.target = all.target.cwiseMax(-1).cwiseMin(1);
  }
  return all;
}

}  // namespace

void standardise_targets(std::size_t task, Shard& training, std::initializer_list<Shard*> others) {
  const double mean = training.target.mean();
  training.target.array() -= mean;
  const double deviation =
      std::sqrt(training.target.squaredNorm() / static_cast<double>(training.target.size()));
  if (!(deviation > 0))
    throw DataError(fmt::format(
        "task {}: standardise_target: expected training targets that differ, found equal ones", task + 1));
  training.target /= deviation;
  for (Shard* other : others) other->target = (other->target.array() - mean) / deviation;
}

void LowRankTasks::describe(sim::Visitor& v) {
  v(tasks, {.name = "tasks", .help = "Number of tasks T, one per owner.", .min = 1, .max = 1e6});
  records.describe_for(tasks, v,
                       "Number of records of each task, including test records: a number, a distribution "
                       "drawn once per task, or a list.");
  v(features, {.name = "features", .help = "Number of features d.", .min = 1, .max = 1e5});
  v(rank, {.name = "rank", .help = "Rank of the shared parameters.", .min = 1, .max = 1e5});
  v(scale, {.name = "scale", .help = "Scaling of the records into the unit ball."});
  v(own_deviation,
    sim::non_negative("own_deviation",
                      "Standard deviation of the entries of q_t, a task's own part of the parameters."));
  v(target, {.name = "target", .help = "Classification or regression."});
  v(noise, sim::non_negative("noise", "Standard deviation of the target's noise; regression only."));
  v(standardise_target,
    {.name = "standardise_target",
     .help =
         "Scale each task's targets to training mean 0 and variance 1 instead of clipping them to [-1, 1]; "
         "regression only."});
  v(train_fraction,
    {.name = "train_fraction",
     .help =
         "Fraction of each task's records, from the beginning, used for training; the rest are test records.",
     .min = 0,
     .max = 1,
     .open_min = true});
  v(draw, kAboutDraw);
  v.check(!standardise_target || target == TaskTarget::kRegression, "standardise_target",
          "needs target regression");
}

DataSet make_data(const LowRankTasks& options, const sim::Streams& streams) {
  const auto d = static_cast<Index>(options.features);
  Eigen::MatrixXd a(d, static_cast<Index>(options.rank));
  auto whole = data_stream(streams, kWholeStudy, DataDraw::kParameters);
  for (double& x : a.reshaped()) x = sim::normal(whole, 0, kFactorDeviation);

  DataSet out{.owner_names = numbered("task ", options.tasks),
              .feature_names = numbered("x", options.features)};
  draw_shards(out, options, streams, false, [&](std::size_t t, Shard& training, Shard& test) {
    Shard all = records_of(options, parameters(options, a, t, streams), t, streams);
    const Index n = all.target.size();
    const Index train = std::clamp(
        static_cast<Index>(std::lround(options.train_fraction * static_cast<double>(n))), Index{1}, n);
    training = {all.features.topRows(train), all.target.head(train)};
    test = {all.features.bottomRows(n - train), all.target.tail(n - train)};
    if (options.standardise_target) standardise_targets(t, training, {&test});
  });
  out.bounds = bounds_of(options);
  if (options.scale == RecordScale::kTask)
    out.fitted_on_private_data.emplace_back("maximum norm of a task's records (low_rank_tasks)");
  if (options.standardise_target)
    out.fitted_on_private_data.emplace_back("mean and variance of a task's targets (low_rank_tasks)");
  return out;
}

}  // namespace hearsay::models
