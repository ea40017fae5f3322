// What a problem works out from its data when it is made.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "models/algebra/dense.hpp"
#include "models/learning/problem.hpp"
#include "models/learning/record_pass.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

std::shared_ptr<const RecordModel> network_of(const ModelOptions& model, Eigen::Index features,
                                              Eigen::Index scores) {
  const auto* own = std::get_if<PythonModel>(&model.network);
  if (own == nullptr) return std::make_shared<Network>(model.network, model.loss, features, scores);
  return own->code.as<ModelCode>().make(own->code.values(), features);
}

}  // namespace

bool ModelOptions::classifies() const {
  const auto* own = std::get_if<PythonModel>(&network);
  return own == nullptr ? loss.is_classifier() : own->code.as<ModelCode>().has_errors;
}

Eigen::Index classes_of(const DataSet& data) {
  if (!data.classes.empty()) return static_cast<Eigen::Index>(data.classes.size());
  double most = data.largest_target.value_or(0);
  for (const Shard& shard : data.train) {
    if (shard.target.size() > 0) most = std::max(most, shard.target.maxCoeff());
  }
  return static_cast<Eigen::Index>(most) + 1;
}

void name_classes(DataSet& data, const ModelOptions& model) {
  if (model.loss.scalar() || std::holds_alternative<PythonModel>(model.network) || !data.classes.empty())
    return;
  constexpr Eigen::Index kMost = 1'000'000;  // beyond, targets are numbers rather than classes
  const Eigen::Index count = classes_of(data);
  for (Eigen::Index k = 0; k < count && count <= kMost; ++k) data.classes.push_back(std::to_string(k));
  data.fitted_on_private_data.emplace_back("number of classes: the largest target");
}

Problem::Problem(DataSet data, ModelOptions model, Classes of)
    : PublicProblem(std::move(data), std::move(model)) {
  if (data_->train.empty()) throw DataError("expected at least one owner, found none");
  for (std::size_t i = 0; i < owners(); ++i) n_ += n(i);
  if (n_ == 0) throw DataError("expected at least one training record, found none");
  everyone_.resize(owners());
  std::iota(everyone_.begin(), everyone_.end(), std::size_t{0});
  for (const std::size_t i : everyone_) {
    if (data_->test[i].target.size() > 0) tested_.push_back(i);
    test_records_ += data_->test[i].target.size();
  }
  check_targets(of);
  if (!model_.one_score()) network_ = network_of(model_, features(), loss().scalar() ? 1 : classes());
  if (quadratic()) gather_moments();
}

Eigen::VectorXd PublicProblem::start(const sim::Streams& streams) const {
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(p());
  if (width_ > 0) return theta;
  const StartOptions start = model_.begins();
  const auto* uniform = std::get_if<UniformStart>(&start);
  if (uniform == nullptr) return theta;
  sim::Stream stream = streams(sim::Purpose::kStart, 0);
  for (Eigen::Index j = 0; j < p(); ++j) {
    const Eigen::Index inputs = network_ ? network_->inputs(j) : features();
    const double bound = uniform->bound.value_or(1 / std::sqrt(static_cast<double>(inputs)));
    theta[j] = sim::uniform(stream, -bound, bound);
  }
  project(theta);
  return theta;
}

Eigen::Index Problem::classes() const {
  return classes_of(*data_);
}

// Of softmax: 0, ..., K - 1.
void Problem::check_classes() const {
  const auto count = static_cast<double>(classes());
  const std::string_view name = loss().name();
  if (count < 2) throw DataError(fmt::format("{} loss: expected two classes or more, found one", name));
  for (const auto* shards : {&data_->train, &data_->test}) {
    for (const Shard& shard : *shards) {
      for (const double y : shard.target) {
        if (y >= 0 && y < count && y == std::floor(y)) continue;
        if (y >= count && y == std::floor(y)) {
          throw DataError(fmt::format(
              "{} loss: expected classes 0, 1, ..., {}, the largest of the training records, found {:g}; list "
              "the classes of the data",
              name, count - 1, y));
        }
        throw DataError(
            fmt::format("{} loss: expected a class 0, 1, 2, ... as target, found {:g}; for two classes -1 "
                        "and +1 use logistic, for numbers squared",
                        name, y));
      }
    }
  }
}

void PublicProblem::require_records_of_all() const {
  for (std::size_t i = 0; i < owners(); ++i) {
    if (n(i) == 0)
      throw DataError(fmt::format("owner {}: expected at least one training record, found none", i));
  }
}

void Problem::check_targets(Classes of) const {
  const bool own = std::holds_alternative<PythonModel>(model_.network);  // the loss is not used
  const bool classifies = !own && loss().is_classifier();
  bool negative = false, positive = false;
  for (std::size_t i = 0; i < owners(); ++i) {
    for (const Shard* shard : {&data_->train[i], &data_->test[i]}) {
      std::atomic<bool> finite = true;
      record_pass::for_ranges(*shard, [&](Eigen::Index begin, Eigen::Index end) {
        const Eigen::Index count = end - begin;
        if (!shard->features.middleRows(begin, count).allFinite() ||
            !shard->target.segment(begin, count).allFinite())
          finite = false;
      });
      if (!finite) {
        throw DataError(fmt::format("owner {}: a feature or target is not finite", i));
      }
      for (const double y : shard->target) {
        if (classifies && loss().scalar() && y != -1 && y != 1) {
          throw DataError(
              fmt::format("{} loss: expected targets -1 and +1, found {:g}; for a csv say which are positive",
                          loss().name(), y));
        }
      }
    }
    negative = negative || (data_->train[i].target.array() < 0).any();
    positive = positive || (data_->train[i].target.array() > 0).any();
  }
  if (!own && !loss().scalar()) return check_classes();
  if (classifies && of == Classes::kGiven && !(negative && positive)) {
    throw DataError(
        fmt::format("{} loss: expected two classes, found only {}", loss().name(), positive ? "+1" : "-1"));
  }
}

void Problem::gather_moments() {
  moments_ = std::make_shared<std::vector<Moments>>(owners());
  const double pass = static_cast<double>(n_) * static_cast<double>(p());  // ns
  sim::Crew::each(owners(), pass * static_cast<double>(p()) / 8, [&](std::size_t i) {
    const Shard& shard = data_->train[i];
    Moments& m = (*moments_)[i];
    const auto count = static_cast<double>(std::max<Eigen::Index>(shard.target.size(), 1));
    Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(p(), p());
    if (shard.target.size() > 0)  // Eigen divides by the number of records where there are many features
      lower.selfadjointView<Eigen::Lower>().rankUpdate(shard.features.transpose(), 1 / count);
    m.a = lower.selfadjointView<Eigen::Lower>();
    m.b = shard.features.transpose() * shard.target / count;
    m.c = shard.target.squaredNorm() / count;
    m.slope.setZero(p());
  });
  const Moments about_zero = pooled_moments(everyone_);
  reference_ = solve_positive(about_zero.a, about_zero.b);
  sim::Crew::each(owners(), pass, [&](std::size_t i) {
    const Shard& shard = data_->train[i];
    const Eigen::VectorXd residual = shard.features * reference_ - shard.target;
    const auto count = static_cast<double>(std::max<Eigen::Index>(residual.size(), 1));
    (*moments_)[i].value = residual.squaredNorm() / count;
    (*moments_)[i].slope = shard.features.transpose() * residual / count;
  });
  pooled_ = pooled_moments(everyone_);
}

Moments Problem::pooled_moments(std::span<const std::size_t> owners) const {
  Moments sum{.a = Eigen::MatrixXd::Zero(p(), p()),
              .b = Eigen::VectorXd::Zero(p()),
              .slope = Eigen::VectorXd::Zero(p())};
  double total = 0;
  for (const std::size_t i : owners) total += static_cast<double>(n(i));
  for (const std::size_t i : owners) {
    const double weight = static_cast<double>(n(i)) / total;
    sum.a += weight * (*moments_)[i].a;
    sum.b += weight * (*moments_)[i].b;
    sum.slope += weight * (*moments_)[i].slope;
    sum.c += weight * (*moments_)[i].c;
    sum.value += weight * (*moments_)[i].value;
  }
  return sum;
}

}  // namespace hearsay::models
