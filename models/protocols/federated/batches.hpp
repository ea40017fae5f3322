#pragma once
// Mini-batches of an owner's n records. A batch B gives the gradient estimate (1/m) sum_{k in B} grad loss_k:
//
//   full                 all records: the gradient itself
//   poisson              each record independently with probability q = rate, or min(1, size/n);   m = q n
//   without_replacement  min(size, n) different records, all subsets equally likely, drawn afresh for every step;
//                        m = their number
//   with_replacement     `size` records, each uniform on all; m = size
//   epochs               passes over the records in random order, cut into batches of `size`, of which a pass's last may
//                        be smaller; m = their number. Every call of LocalTraining::train begins a new pass.
//
// The first four estimates are unbiased; within a pass of `epochs` the batches depend on each other.
//
// Privacy. m is public. Another record in one place changes at most one term of the sum, the draws being the same
// (Budget::sensitivity_of_sum). with_replacement may draw a record several times, and has no such bound. Steps are
// charged at the rate q, or min(1, size/n) without_replacement, where the accountant covers it (Budget::amplifies),
// and else in full, which is an upper bound; those of `epochs` always in full.
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "models/privacy/accountants/step.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct FullBatch {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kHelp = "All records of the owner.";
  void describe(sim::Visitor&) {}
};

inline constexpr sim::About kBatchSize{.name = "size", .help = "Number of records in a batch.", .min = 1};

struct PoissonBatch {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kHelp =
      "Each record independently; the sum is divided by the expected size.";
  static constexpr std::string_view kExample = R"({"type": "poisson", "size": 10})";
  std::optional<double> rate, size;
  void describe(sim::Visitor& v) {
    v(rate, {.name = "rate", .help = "Probability of each record.", .min = 0, .max = 1, .open_min = true});
    v(size, sim::positive("size", "Expected number of records; the probability is at most 1."));
    v.check(rate.has_value() != size.has_value(), rate ? "rate" : "size",
            rate ? "expected either rate or size, found both" : "expected rate or size, found neither");
  }
  /// q for n records.
  double rate_of(Eigen::Index n) const {
    return rate ? *rate : std::min(1.0, *size / static_cast<double>(n));
  }
};

struct SubsetBatch {
  static constexpr std::string_view kName = "without_replacement";
  static constexpr std::string_view kHelp = "A fresh random subset of the records for every step.";
  static constexpr sim::Shorthand kShorthand{"size", sim::Shorthand::kNumber};
  std::uint32_t size = 10;
  void describe(sim::Visitor& v) { v(size, kBatchSize); }
};

struct IndependentBatch {
  static constexpr std::string_view kName = "with_replacement";
  static constexpr std::string_view kHelp = "Independent records, each uniform on all; not with privacy.";
  std::uint32_t size = 10;
  void describe(sim::Visitor& v) { v(size, kBatchSize); }
};

struct EpochBatch {
  static constexpr std::string_view kName = "epochs";
  static constexpr std::string_view kHelp = "Batches of shuffled passes over the records.";
  std::uint32_t size = 10;
  std::optional<std::uint32_t> passes;
  void describe(sim::Visitor& v) {
    v(size, kBatchSize);
    v(passes, {.name = "passes",
               .help = "Number of passes in each local training; replaces local_steps.",
               .source = "McMahan et al. 2017, E in Algorithm 1",
               .min = 1});
  }
};

using Batch = std::variant<FullBatch, PoissonBatch, SubsetBatch, IndependentBatch, EpochBatch>;

/// K of an owner with n records: `local_steps`, or the batches of the given passes. 0 without records.
inline std::uint64_t steps_of_call(const Batch& batch, std::uint64_t local_steps, Eigen::Index n) {
  if (n == 0) return 0;
  const auto* epochs = std::get_if<EpochBatch>(&batch);
  if (epochs == nullptr || !epochs->passes) return local_steps;
  return *epochs->passes * ((static_cast<std::uint64_t>(n) + epochs->size - 1) / epochs->size);
}

/// Which records a step uses, and which part of n records; what accounts may charge for.
inline Sampling sampling_of(const Batch& batch) {
  if (std::holds_alternative<PoissonBatch>(batch)) return Sampling::kPoisson;
  if (std::holds_alternative<SubsetBatch>(batch)) return Sampling::kWithoutReplacement;
  return std::holds_alternative<EpochBatch>(batch) ? Sampling::kShuffled : Sampling::kAll;
}
inline double sampling_rate(const Batch& batch, Eigen::Index n) {
  if (const auto* poisson = std::get_if<PoissonBatch>(&batch)) return poisson->rate_of(n);
  const auto* subset = std::get_if<SubsetBatch>(&batch);
  return subset == nullptr ? 1 : std::min(1.0, subset->size / static_cast<double>(n));
}

/// The smallest m of a batch of n > 0 records.
inline double smallest_divisor(const Batch& batch, Eigen::Index n) {
  const auto all = static_cast<double>(n);
  if (const auto* subset = std::get_if<SubsetBatch>(&batch)) return std::min<double>(subset->size, all);
  const auto* epochs = std::get_if<EpochBatch>(&batch);
  if (epochs == nullptr) return sampling_rate(batch, n) * all;
  const Eigen::Index last = n % epochs->size;
  return last > 0 ? static_cast<double>(last) : epochs->size;
}

/// Draws the batches of one call for one owner, step after step. Allocates only for more records than ever before.
class BatchDraws {
 public:
  /// `stream` gives all batches until the next call.
  void begin(const Batch& batch, Eigen::Index n, const sim::Stream& stream) {
    batch_ = batch;
    n_ = n;
    stream_ = stream;
    if (std::holds_alternative<SubsetBatch>(batch) || std::holds_alternative<EpochBatch>(batch)) {
      order_.resize(static_cast<std::size_t>(n));
      std::iota(order_.begin(), order_.end(), Eigen::Index{0});
      taken_ = 0;
    }
  }
  void next() {
    std::visit([this](const auto& batch) { draw(batch); }, batch_);
  }
  /// Whether the batch is all records, in which case records() are not listed.
  bool full() const { return std::holds_alternative<FullBatch>(batch_); }
  std::span<const Eigen::Index> records() const { return records_; }
  /// m above.
  double divisor() const { return divisor_; }

 private:
  void draw(const FullBatch&) {}
  void draw(const PoissonBatch& poisson) {
    const double q = poisson.rate_of(n_);
    divisor_ = q * static_cast<double>(n_);
    drawn_.clear();
    // The gaps between the records drawn are geometric: exponential of mean -1/ln(1 - q), rounded down. With q = 1 they
    // are 0.
    const double mean = -1 / std::log1p(-q);
    for (double k = std::floor(sim::exponential(stream_, mean)); k < static_cast<double>(n_);
         k += 1 + std::floor(sim::exponential(stream_, mean)))
      drawn_.push_back(static_cast<Eigen::Index>(k));
    records_ = drawn_;
  }
  void draw(const SubsetBatch& subset) {
    taken_ = 0;
    take(std::min<Eigen::Index>(subset.size, n_));
  }
  void draw(const IndependentBatch& independent) {
    drawn_.resize(independent.size);
    for (Eigen::Index& k : drawn_)
      k = static_cast<Eigen::Index>(sim::uniform_index(stream_, static_cast<std::uint64_t>(n_)));
    records_ = drawn_;
    divisor_ = independent.size;
  }
  void draw(const EpochBatch& epochs) {
    if (taken_ == n_) taken_ = 0;
    take(std::min<Eigen::Index>(epochs.size, n_ - taken_));
  }
  // The next `count` of a random order, which goes on where the last batch ended.
  void take(Eigen::Index count) {
    // Fisher and Yates: whatever order the rest is in, the next one is uniform on it.
    for (const Eigen::Index end = taken_ + count; taken_ < end; ++taken_) {
      const auto other = taken_ + static_cast<Eigen::Index>(
                                      sim::uniform_index(stream_, static_cast<std::uint64_t>(n_ - taken_)));
      std::swap(order_[static_cast<std::size_t>(taken_)], order_[static_cast<std::size_t>(other)]);
    }
    records_ =
        std::span(order_).subspan(static_cast<std::size_t>(taken_ - count), static_cast<std::size_t>(count));
    divisor_ = static_cast<double>(count);
  }

  Batch batch_;
  Eigen::Index n_ = 0;
  sim::Stream stream_{{}, 0, 0, 0};
  std::vector<Eigen::Index> order_;  // a permutation of the records
  Eigen::Index taken_ = 0;           // of the pass
  std::vector<Eigen::Index> drawn_;
  std::span<const Eigen::Index> records_;
  double divisor_ = 1;
};

}  // namespace hearsay::models
