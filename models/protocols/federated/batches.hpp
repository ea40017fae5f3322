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

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "models/privacy/accountants/step.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct FullBatch {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kHelp = "All records of the owner.";
  void describe(sim::Visitor&) {}
};

struct PoissonBatch {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kHelp =
      "Each record independently; the sum is divided by the expected size.";
  static constexpr std::string_view kExample = R"({"type": "poisson", "size": 10})";
  std::optional<double> rate, size;
  void describe(sim::Visitor& v);
};

struct SubsetBatch {
  static constexpr std::string_view kName = "without_replacement";
  static constexpr std::string_view kHelp = "A fresh random subset of the records for every step.";
  static constexpr sim::Shorthand kShorthand{"size", sim::Shorthand::kNumber};
  std::uint32_t size = 10;
  void describe(sim::Visitor& v);
};

struct IndependentBatch {
  static constexpr std::string_view kName = "with_replacement";
  static constexpr std::string_view kHelp = "Independent records, each uniform on all; not with privacy.";
  std::uint32_t size = 10;
  void describe(sim::Visitor& v);
};

struct EpochBatch {
  static constexpr std::string_view kName = "epochs";
  static constexpr std::string_view kHelp = "Batches of shuffled passes over the records.";
  std::uint32_t size = 10;
  std::optional<std::uint32_t> passes;
  void describe(sim::Visitor& v);
};

using Batch = std::variant<FullBatch, PoissonBatch, SubsetBatch, IndependentBatch, EpochBatch>;

/// K of an owner with n records: `local_steps`, or the batches of the given passes. 0 without records.
std::uint64_t steps_of_call(const Batch& batch, std::uint64_t local_steps, Eigen::Index n);

/// Which records a step uses, and which part of n records; what accounts may charge for.
Sampling sampling_of(const Batch& batch);
double sampling_rate(const Batch& batch, Eigen::Index n);

/// Draws the batches of one call for one owner, step after step. Allocates only for more records than ever before.
class BatchDraws {
 public:
  /// `stream` gives all batches until the next call.
  void begin(const Batch& batch, Eigen::Index n, const sim::Stream& stream);
  void next();
  /// Whether the batch is all records, in which case records() are not listed.
  bool full() const { return std::holds_alternative<FullBatch>(batch_); }
  std::span<const Eigen::Index> records() const { return records_; }
  /// m above.
  double divisor() const { return divisor_; }

 private:
  void draw(const FullBatch&) {}
  void draw(const PoissonBatch& poisson);
  void draw(const SubsetBatch& subset);
  void draw(const IndependentBatch& independent);
  void draw(const EpochBatch& epochs);
  // The next `count` of a random order, which goes on where the last batch ended.
  void take(Eigen::Index count);

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
