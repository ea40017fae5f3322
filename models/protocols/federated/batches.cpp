#include "models/protocols/federated/batches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/random/random.hpp"

namespace hearsay::models {

using Eigen::Index;

namespace {

double poisson_rate(const PoissonBatch& batch, Index n) {
  return batch.rate ? *batch.rate : std::min(1.0, *batch.size / static_cast<double>(n));
}

constexpr sim::About kBatchSize{.name = "size", .help = "Number of records in a batch.", .min = 1};

}  // namespace

void PoissonBatch::describe(sim::Visitor& v) {
  v(rate, {.name = "rate", .help = "Probability of each record.", .min = 0, .max = 1, .open_min = true});
  v(size, sim::positive("size", "Expected number of records; the probability is at most 1."));
  v.check(rate.has_value() != size.has_value(), rate ? "rate" : "size",
          rate ? "expected either rate or size, found both" : "expected rate or size, found neither");
}

void SubsetBatch::describe(sim::Visitor& v) {
  v(size, kBatchSize);
}

void IndependentBatch::describe(sim::Visitor& v) {
  v(size, kBatchSize);
}

void EpochBatch::describe(sim::Visitor& v) {
  v(size, kBatchSize);
  v(passes, {.name = "passes",
             .help = "Number of passes in each local training; replaces local_steps.",
             .source = "McMahan et al. 2017, E in Algorithm 1",
             .min = 1});
}

std::uint64_t steps_of_call(const Batch& batch, std::uint64_t local_steps, Index n) {
  if (n == 0) return 0;
  const auto* epochs = std::get_if<EpochBatch>(&batch);
  if (epochs == nullptr || !epochs->passes) return local_steps;
  return *epochs->passes * ((static_cast<std::uint64_t>(n) + epochs->size - 1) / epochs->size);
}

Sampling sampling_of(const Batch& batch) {
  if (std::holds_alternative<PoissonBatch>(batch)) return Sampling::kPoisson;
  if (std::holds_alternative<SubsetBatch>(batch)) return Sampling::kWithoutReplacement;
  return std::holds_alternative<EpochBatch>(batch) ? Sampling::kShuffled : Sampling::kAll;
}

double sampling_rate(const Batch& batch, Index n) {
  if (const auto* poisson = std::get_if<PoissonBatch>(&batch)) return poisson_rate(*poisson, n);
  const auto* subset = std::get_if<SubsetBatch>(&batch);
  return subset == nullptr ? 1 : std::min(1.0, subset->size / static_cast<double>(n));
}

void BatchDraws::begin(const Batch& batch, Index n, const sim::Stream& stream) {
  batch_ = batch;
  n_ = n;
  stream_ = stream;
  if (std::holds_alternative<SubsetBatch>(batch) || std::holds_alternative<EpochBatch>(batch)) {
    order_.resize(static_cast<std::size_t>(n));
    std::iota(order_.begin(), order_.end(), Index{0});
    taken_ = 0;
  }
}

void BatchDraws::next() {
  std::visit([this](const auto& batch) { draw(batch); }, batch_);
}

void BatchDraws::draw(const PoissonBatch& poisson) {
  const double q = poisson_rate(poisson, n_);
  divisor_ = q * static_cast<double>(n_);
  drawn_.clear();
  // The gaps between the records drawn are geometric: exponential of mean -1/ln(1 - q), rounded down. With q = 1 they
  // are 0.
  const double mean = -1 / std::log1p(-q);
  for (double k = std::floor(sim::exponential(stream_, mean)); k < static_cast<double>(n_);
       k += 1 + std::floor(sim::exponential(stream_, mean)))
    drawn_.push_back(static_cast<Index>(k));
  records_ = drawn_;
}

void BatchDraws::draw(const SubsetBatch& subset) {
  taken_ = 0;
  take(std::min<Index>(subset.size, n_));
}

void BatchDraws::draw(const IndependentBatch& independent) {
  drawn_.resize(independent.size);
  for (Index& k : drawn_) k = static_cast<Index>(sim::uniform_index(stream_, static_cast<std::uint64_t>(n_)));
  records_ = drawn_;
  divisor_ = independent.size;
}

void BatchDraws::draw(const EpochBatch& epochs) {
  if (taken_ == n_) taken_ = 0;
  take(std::min<Index>(epochs.size, n_ - taken_));
}

void BatchDraws::take(Index count) {
  // Fisher and Yates: whatever order the rest is in, the next one is uniform on it.
  for (const Index end = taken_ + count; taken_ < end; ++taken_) {
    const auto other =
        taken_ + static_cast<Index>(sim::uniform_index(stream_, static_cast<std::uint64_t>(n_ - taken_)));
    std::swap(order_[static_cast<std::size_t>(taken_)], order_[static_cast<std::size_t>(other)]);
  }
  records_ =
      std::span(order_).subspan(static_cast<std::size_t>(taken_ - count), static_cast<std::size_t>(count));
  divisor_ = static_cast<double>(count);
}

}  // namespace hearsay::models
