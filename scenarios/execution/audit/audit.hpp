#pragma once
// An audit: the program is run on data that an adversary tells apart by what it sees, and its success certifies a lower
// bound of epsilon (analysis/audit). All runs have the events of one repetition, and noise of their own.
//
//   many runs   Two neighbouring data sets, D0 without and D1 with a canary (models/run/canary.hpp), so many runs of each.
//   one run     Many canaries, each in the data with probability 1/2.
//
// The adversary sees x: payloads of p numbers, or all releases, or final models. x_0 and x_1 are those of the runs of D0 and
// D1 without noise, and S = B B^T is the covariance of x: B are the rows of the view (models/views), times the standard
// deviations of the releases. The score of a run is
//
//   (x - x_0) . S^+ (x_1 - x_0)
//
// which orders runs as the likelihood ratio does where releases are Gaussian and gradients are fixed; where gradients react
// linearly, so do the rows that are used. In one run, with x_1 of all canaries, a canary with the gradient v has the score
// (x - x_0) . (S^+ a) v^T, a_r the part of row r of x_1 - x_0 along the gradients of its owner's canaries. Rows with columns
// that are no releases are left out. A score needs to be neither: what is certified holds for any.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/audit/many_runs.hpp"
#include "analysis/audit/one_run.hpp"
#include "scenarios/execution/experiment.hpp"

namespace hearsay::scenarios {

struct AuditOptions {
  /// models::adversary_of() it, with agents by number or name; empty: who sees the final models, and nothing else.
  std::string adversary{};
  /// Who has the canaries, by number or name; empty: in one run all that are not part of the adversary, else the nearest
  /// to it.
  std::string owner{};
  std::optional<std::uint64_t> record{};  ///< of the owner's data, instead of a planted one; in many runs
  std::uint64_t runs = 10'000;            ///< with each data set; at least 4
  std::uint64_t canaries = 0;             ///< if any: one run
  std::uint64_t guesses = 0;              ///< of canaries; 0: a tenth of them, at least 10
  double level = 0.05;                    ///< probability, at most, that more is certified than is true
  double noise_factor = 1;                ///< to plant a defect
  unsigned threads = 1;
  const std::atomic<bool>* interrupted = nullptr;
  /// Called with every run, by one thread at a time.
  std::function<void(const analysis::RunResult&)> finished{};
};

/// What is stated of an owner; NaN where it is unknown. Without a guarantee more may be certified.
struct AuditClaim {
  std::string name;
  double epsilon = 0, mu = 0;
  std::string but = {};  ///< why it is no guarantee; empty: it is one
  bool guarantee() const { return but.empty(); }
};

struct AuditResult {
  std::string adversary = "final models";  ///< models::name_of()
  std::vector<std::string> owners;         ///< that have canaries
  double delta = 0;
  std::vector<AuditClaim> claims;  ///< ledger, view, linear: the largest over the owners
  std::string label;               ///< of the view
  /// mu that changed labels attain where gradients react linearly; NaN where they do not, and of final models.
  double one_label = std::numeric_limits<double>::quiet_NaN();
  double level = 0;  ///< of each certificate
  std::optional<analysis::ManyRunsCertificate> any, gaussian;
  std::optional<analysis::Guesses> guesses;
  double epsilon = 0;  ///< certified by one run
  double auroc = 0;
  std::array<std::vector<double>, 2> scores;  ///< without and with the canary
  std::uint64_t fingerprint = 0;              ///< of the events, the same in all runs
  std::vector<std::string> notes, findings, refuted;
};

/// Of a private scenario. Throws sim::Error where it cannot be audited, and Interrupted.
AuditResult audit(const Scenario& scenario, std::uint32_t repetition, const AuditOptions& options);

}  // namespace hearsay::scenarios
