#pragma once
// Options that are tuned: only their best values are reported.
//
//   "tune": { "paths": { "protocol.step": [0.01, 0.1, 1] }, "maximise": "accuracy", "on": "validation",
//             "per": ["protocol", "privacy.epsilon"], "repetitions": 5, "budget": "successive_halving" }
//
// First, as a study in DIR/selection/, the sweep is run with every combination of the values of all `paths`, on validation
// records: records withheld from training and testing, or other data from the same distribution. A point whose protocol
// does not have a tuned option has no value of it. For every combination of the values of the axes `per` (by default all
// but the continuations of branches), the values with the best mean of the metric at the end, over repetitions and the
// other axes, are chosen; then the study is run with these. Its axes are the others; each of its points states the values
// that were chosen for it. Runs of the two studies draw from different repetitions, unless each repetition draws its own
// data and the choice is on validation records: then from the same, so that the validation records of one are not the test
// records of the other. "on": "test" chooses on the records that results are of: such results are optimistically biased,
// and every output says so.
//
// `budget`, of a choice among n candidates with R repetitions each:
//   all                  one look at the results of repetitions 0, ..., R - 1, which keeps the best candidate
//   successive_halving   S = max(1, ceil(log2 n)) looks. Look s = 1, ..., S is at repetitions 0, ..., r_s - 1 alone of those
//                        that are left, r_s = max(1, R/2^(S-s) rounded down), and keeps the better half, rounded up; the
//                        last keeps the best
//   N                    as all, among N drawn without replacement: those with the smallest hashes of seed and values
// Means that are no numbers come last, and the first among equals counts.
// Source: Karnin, Koren, Somekh 2013; Jamieson and Talwalkar 2016; Bergstra and Bengio 2012 (N).
//
// "trials": {"type": "negative_binomial", "eta": 1, "mean": 10}, in place of repetitions: a choice is the best of K runs, each
// of a candidate drawn with replacement and with random numbers of its own, K drawn too: best_of_trials.hpp has the
// guarantee of the best run. What is chosen is the candidate of that run.
//
// The simplest form, in a sweep, tunes one of its axes, with as many repetitions as the study has, and the same:
//
//   "select": { "over": "privacy.steps", "minimise": "own_test_error", "on": "validation" }
//
// What it reports are the chosen models, on test records; what `tune` reports are fresh runs at the chosen values. By a
// metric that reads no test records, `select` takes the best of the numbers that are reported: every output says so.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "models/privacy/accountants/renyi/best_of_trials.hpp"
#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

using PointLabels = std::vector<std::string>;  ///< by axis, or of some axes

/// What one choice is among: combinations of the values of the tuned axes, in the order of the points.
struct Candidate {
  PointLabels values;
  std::vector<std::size_t> points{};  ///< numbers of its points: one for each combination of the other axes
};

struct Selection {
  std::string place{};              ///< "tune" or "sweep.select"
  std::string over{};               ///< paths of the tuned axes, separated by commas
  std::vector<std::size_t> axes{};  ///< indices of the axes that vary: with `select` more than one in a zip
  std::vector<std::size_t> per{};   ///< indices of the axes for whose values others are chosen
  std::optional<std::uint32_t> repetitions{};  ///< R; without, those of the study
  std::uint32_t most = 0;                      ///< R, once it is planned
  bool halving = false;
  std::optional<std::uint32_t> drawn{};  ///< N
  std::optional<models::TrialCount> trials{};
  std::string metric{};
  bool minimise = true;
  bool on_test = false;
  Position at{}, metric_at{};  ///< of "select" and of the metric

  /// Whether candidates need validation records. They do not if the metric reads no test records: candidates of `tune`
  /// are then independent runs, and those of `select` the runs that are reported.
  bool validates() const;
  /// "validation records", "the training records, with other random numbers", "the runs that are reported (optimistically
  /// biased)" or "the test data (optimistically biased)".
  std::string instances() const;
  /// In what respect results are not those of fresh runs at the chosen values; empty where there is nothing to say.
  std::string note(bool draws_data) const;
  /// The JSON pointer of its place.
  std::string pointer() const { return place == "tune" ? "/tune" : "/sweep/select"; }
  /// Whether points may lack the options.
  bool optional() const { return place == "tune"; }
  /// What the manifest of a private study lists: the option chosen, by what. Nothing where the metric reads no exact
  /// private value.
  std::optional<std::string> exact_read() const;
  /// The labels of a point on the axes that do not vary.
  std::vector<std::string> group_of(const std::vector<std::string>& labels) const;
  /// By the values of `per`.
  std::map<PointLabels, std::vector<Candidate>> candidates_of(std::span<const PointLabels> points) const;
  /// r_1, ..., r_S of a choice among so many.
  std::vector<std::uint32_t> looks(std::size_t candidates) const;
  /// Candidates that are left after one of them.
  static std::size_t left(std::size_t candidates, bool last) { return last ? 1 : (candidates + 1) / 2; }
  /// The runs that choices among these take: no more, and fewer only where candidates differ in their points.
  std::uint64_t runs(std::span<const PointLabels> points) const;
};

/// Reads "select" of a sweep with these axes; those of one group vary together. Throws InputError.
Selection read_selection(const Document& document, const Node& written,
                         const std::vector<std::vector<std::string>>& groups);

/// Reads "tune", whose `paths` are the last axes of these. Throws InputError.
Selection read_tune(const Document& document, const Node& written, const std::vector<std::string>& axes,
                    std::size_t paths);

/// What the guarantee of a best trial takes for granted.
inline constexpr const char* kTrialsAssume =
    "validation records are public, scores are computed from releases alone, and neither the number of trials nor the other "
    "trials are published";
/// The name of the divergence at the k-th of models::renyi_orders(), or infinity, among the scalars of a point.
std::string renyi_name(std::size_t k);

/// The selected point for one combination of the other axes.
struct Choice {
  std::vector<std::string> labels;  ///< of the point, by axis
  double value = 0;  ///< mean of the metric over repetitions; NaN if no candidate has a finite one
  std::size_t candidates = 0;
  std::uint32_t repetitions = 0;  ///< that the mean is of, at each point
  std::uint64_t runs = 0;         ///< of all candidates
  /// With trials, by name: epsilon at delta of one run, of the best trial, and of that and one more run of what it chose.
  std::vector<std::pair<const char*, double>> privacy{};
  /// Each "PATH VALUE" whose value is the smallest or largest of three or more numbers, 0 being no edge from below.
  std::vector<std::string> at_edge{};
};

/// What the runs of the candidates decide.
struct Decided {
  std::vector<std::uint32_t> repetitions;  ///< that each point is to have: those it has where all is decided
  std::vector<Choice> choices{};           ///< where all is decided
};

/// The best values for each combination of the other axes, in the order of the points. Values with a missing, failed or
/// diverged run are worse than any other. Throws std::invalid_argument if the study does not record the metric.
Decided decide(const Selection& selection, analysis::StoredStudy& study);

/// What is suspicious, each a line that begins with "warning: ".
std::vector<std::string> warnings_of(const Selection& selection, const std::vector<Choice>& choices);

/// Writes tuning.csv: for each point the values that were chosen, and how good they were. Throws OutputError.
void write_choices(const Selection& selection, const std::vector<Choice>& choices,
                   const std::vector<std::string>& axes, const std::filesystem::path& folder);

/// JSON, for the manifest.
std::string selection_json(const Selection& selection, const std::vector<Choice>& choices,
                           const std::vector<std::string>& axes);

}  // namespace hearsay::scenarios
