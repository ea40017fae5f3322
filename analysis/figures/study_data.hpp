#pragma once
// The data of figures: a study read once, aggregated over the repetitions of each point and thinned to a bounded
// size whatever the size of the study. `omitted` describes what is left out.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/store/stored_study.hpp"
#include "analysis/results/tables/axis_columns.hpp"
#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

/// The possible horizontal axes of a curve, in the order of Sample::numbers().
inline constexpr std::array<std::string_view, 4> kAlongNames{"iteration", "time (s)", "vectors", "bytes"};

/// A metric along one of these: at the samples of the repetitions if they are all at the same places, else on an even
/// grid, with the last value of each repetition there.
struct Curve {
  std::vector<double> x{};
  std::vector<Quartiles> y{};
};

/// A swept option.
struct FigureAxis {
  std::string name;
  std::vector<std::string> labels{};  ///< its different values, in order
  std::vector<double> numbers{};      ///< in SI; empty unless all are numbers
  bool logarithmic = false;           ///< its numbers are better shown on a logarithmic scale
};

struct FigurePoint : PointSummary {
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;
  std::vector<std::vector<Quartiles>> agents;  ///< by metric, owner; empty but for per-agent metrics
  std::vector<std::array<Curve, kAlongNames.size()>> curves;  ///< by metric; empty if the point is left out
};

/// An event of the scenario, the same at all points.
struct FigureEvent {
  double time;  ///< s
  std::string text;
};

struct StudyData {
  StudyHead head;
  std::vector<FigureAxis> axes;  ///< of more than one value
  std::vector<FigurePoint> points;
  std::vector<FigureEvent> events{};
  std::vector<std::string> omitted;
  std::size_t diverged = 0, failed = 0, unfinished = 0;
};

/// Bounds on what is kept.
struct FigureLimits {
  std::size_t points = 2000;  ///< in the table and the figures of final values
  std::size_t curves = 48;    ///< points with curves
  std::size_t samples = 500;  ///< of one curve
  std::size_t rows = 60000;   ///< of all curves of all metrics, but at least 20 samples each
  std::size_t agents = 200;  ///< of one point; if it has more, a sample evenly spaced in order of their value
  std::size_t agent_points = 24;  ///< points with numbers of each agent
};

/// Reads the study once, holding the runs of one point at a time. Throws OutputError.
StudyData gather(StoredStudy& study, const LabelNumber& number, const FigureLimits& limits = {});

/// Values of a swept option from its labels.
FigureAxis make_axis(std::string name, const std::vector<std::string>& labels, const LabelNumber& number);

}  // namespace hearsay::analysis
