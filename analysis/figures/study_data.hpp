#pragma once
// The data of figures: a study read once, aggregated over the repetitions of each point and thinned to a bounded
// size whatever the size of the study. `omitted` describes what is left out.
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/participants.hpp"
#include "analysis/store/stored_study.hpp"
#include "analysis/tables/axis_columns.hpp"
#include "analysis/tables/pivot.hpp"
#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

/// The possible horizontal axes of a curve, in the order of Sample::numbers().
inline constexpr std::array<std::string_view, 5> kAlongNames{"iteration", "time (s)", "vectors", "bytes",
                                                             "messages"};

/// A metric along one of these, with the last value of each repetition at each place. The places are those of samples:
/// each where, since the one before, there have been as many as repetitions that have not ended. So they are the common
/// ones, where there are such, and ends; else a place is no earlier than most of the samples that it shows.
struct Curve {
  std::vector<double> x{};
  std::vector<Statistics> y{};
};

/// A swept option.
struct FigureAxis {
  std::string name;
  std::vector<std::string> labels{};  ///< its different values, in order
  std::vector<double> numbers{};      ///< in SI; empty unless all are numbers
  /// Its numbers are better shown on a logarithmic scale, which has a place for 0.
  bool logarithmic = false;
};

/// How many owners have a gain (without test records there may be none); how many have one above 0, that is a metric whose
/// mean is better than the value of their isolated model; and for how many the 95 % interval lies above or below 0.
struct GainCounts {
  std::size_t owners = 0, gain = 0, significant = 0, lose = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< over owners, of their mean gain
};

/// A metric of each owner at the end of runs.
struct OwnerValues {
  std::vector<Statistics> values{};  ///< by owner; of per-agent metrics
  /// By owner: isolated model minus collaboration, or the reverse if higher values are better, for each repetition.
  std::vector<Statistics> gains{};
  /// Name of a baseline and its value for each owner, the median over repetitions, or the mean; NaN where there is none.
  std::vector<std::pair<std::string, std::vector<double>>> baselines{}, baseline_means{};
  GainCounts counts{};
};

/// The value of a bound on the mean of a metric at the end of runs.
struct PointBound {
  std::string name;
  std::size_t metric;
  double value;
};

/// What an adversary has seen of owners so many hops away, at the end: means over these owners.
struct SeenAtDistance {
  std::string adversary;
  bool exact = true;  ///< in every run
  double distance = 0;
  Statistics epsilon{}, ledger{};  ///< over the runs
};

struct FigurePoint : PointSummary {
  std::size_t number = 0;  ///< in the study
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;
  std::vector<std::string> names{};     ///< of owners
  std::vector<std::size_t> hostile{};   ///< owners
  std::vector<OwnerValues> by_owner{};  ///< by metric; only `counts` where the point is left out
  std::vector<std::array<Curve, kAlongNames.size()>> curves{};  ///< by metric; empty if the point is left out
  std::optional<std::size_t> network{};                         ///< in StudyData::networks
  std::vector<SeenAtDistance> seen{};                           ///< by adversary, then distance
  bool fixed_gradients = false;      ///< whether some value of epsilon_seen is no guarantee
  std::vector<PointBound> bounds{};  ///< those that apply to the point (add_bounds)
};

/// An event of the scenario, the same at all points.
struct FigureEvent {
  double at;  ///< s, or an iteration
  std::string text;
  std::size_t along = 1;  ///< in kAlongNames
};

/// Bounds on what is kept.
struct FigureLimits {
  std::size_t points = 2000;  ///< in the table and the figures of final values
  std::size_t curves = 48;    ///< points with curves
  std::size_t samples = 500;  ///< of one curve
  std::size_t rows = 60000;   ///< of all curves of all metrics, but at least 20 samples each
  std::size_t agents = 200;  ///< of one point; if it has more, a sample evenly spaced in order of their value
  std::size_t nodes = 1000;  ///< of a network; larger ones are not drawn; five times as many links in all
  std::size_t agent_points = 24;  ///< points with numbers of each agent
};

struct StudyData {
  StudyHead head;
  std::vector<FigureAxis> axes;  ///< of more than one value
  std::vector<FigurePoint> points;
  std::vector<FigureEvent> events{};
  std::vector<std::string> omitted;
  std::vector<NetworkGraph> networks;  ///< different ones
  std::vector<OwnerFacts> owners;      ///< of the first point
  bool redrawn = false;  ///< each repetition draws its network; `networks` are those of repetition 0
  FigureLimits limits;
  std::size_t study_points = 0;  ///< also those that were not wanted
  std::size_t diverged = 0, failed = 0, unfinished = 0;
};

/// Reads the study, or the points that are wanted, once, holding the runs of one point at a time. The `traced` point has
/// its network, however many points there are. Throws OutputError.
StudyData gather(StoredStudy& study, const LabelNumber& number, const FigureLimits& limits = {},
                 const PointFilter& wanted = {}, std::optional<std::size_t> traced = {});

/// Sets the bounds of the points from a table of theirs (bounds.csv, which `hearsay run` writes). Does nothing if there is
/// no such file, or if it is not of these points.
void add_bounds(StudyData& study, const std::filesystem::path& file);

/// By axis: whether it distinguishes points (distinguishing_axes).
std::vector<bool> distinguishing(const StudyData& study, const std::vector<std::size_t>& taken = {});
/// By point and axis.
std::vector<std::vector<std::string>> labels_of(const StudyData& study);

/// Values of a swept option from its labels.
FigureAxis make_axis(std::string name, const std::vector<std::string>& labels, const LabelNumber& number);

}  // namespace hearsay::analysis
