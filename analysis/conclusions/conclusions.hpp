#pragma once
// The conclusions of a study over its points: log-log slopes, bounds with given or fitted constants, and which
// owners gain from collaboration. All use the metrics at the end of runs, as means over repetitions because the
// theory bounds expectations.
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/conclusions/conclusion_options.hpp"
#include "analysis/conclusions/estimate.hpp"
#include "analysis/store/stored_study.hpp"
#include "analysis/tables/axis_columns.hpp"

namespace hearsay::analysis {

/// Facts about a point that are not in its stored results.
struct PointFacts {
  std::vector<double> axes{};       ///< values, NaN where an axis has no numbers
  CentralSetting setting{};         ///< for bounds
  std::vector<bool> slope_where{};  ///< by slope: whether the point is included
  std::vector<bool> bound_where{};  ///< by bound
};

/// The input besides the results. `groups[a]` is equal for axes that vary together.
struct ConclusionInput {
  ConclusionOptions options;
  std::vector<std::size_t> groups;
  std::vector<PointFacts> points;
};

struct Conclusions {
  struct Slope {
    std::string of, over;
    std::vector<std::string> labels;       ///< by axis; empty for those that vary
    std::size_t points = 0, left_out = 0;  ///< that have a logarithm, and that have none
    Estimate slope;
    double departure = 0;  ///< largest factor between a mean and the line
  };
  struct Constant {
    std::string name;
    Estimate estimate;
    bool given;  ///< in the scenario; else fitted
  };
  struct FittedBound {
    std::string type, of, where;
    bool dimension = false;
    std::vector<Constant> constants{};
    double min = 0, max = 0;               ///< of measured mean over bound, over the points that are included
    std::size_t points = 0, left_out = 0;  ///< that are included; that have no finite ratio
    std::vector<double> values{};          ///< by point of the study; NaN where it does not apply
    bool undetermined = false;             ///< several constants fit equally well: they have no values
  };
  struct Gain {
    std::string of;
    std::size_t point = 0, owner = 0;
    std::string name;  ///< of the owner
    Estimate gain;     ///< isolated minus collaboration, paired by repetition
  };
  std::vector<Slope> slopes;
  std::vector<FittedBound> bounds;
  std::vector<Gain> gains;

  /// A table of each kind with at most `most` rows.
  std::string text(std::size_t width = 0, std::size_t most = 200) const;
  /// JSON, for the manifest; empty if there are no conclusions.
  std::string json() const;

  StudyHead head;
  std::vector<PointResult> points;
  std::vector<std::vector<double>> means, medians;  ///< by point, metric
  double confidence = 0.95;
};

/// Reads the study once.
Conclusions conclude(StoredStudy& study, const ConclusionInput& input);

/// Writes fits.csv (slopes, constants and gains, with intervals) and bounds.csv (the bounds next to means and
/// medians, point by point). `number` as in export_tables. Throws OutputError.
void write_conclusions(const Conclusions& conclusions, const std::filesystem::path& folder,
                       const LabelNumber& number = {});

/// Writes estimates.csv: plain and controlled mean of each metric at the end of the runs of each point, by the scalars
/// "control.NAME" of runs. Plain means are of runs that ended well, as in other tables; controlled ones are empty unless
/// all did with a finite number. Throws OutputError.
void write_estimates(StoredStudy& study, double confidence, const std::filesystem::path& folder,
                     const LabelNumber& number);

/// Writes rare_events.csv: the probability that each point's runs estimate by splitting, from the scalars "splitting.NAME"
/// of runs: the mean over repetitions, which are unbiased and independent for given data, and Student's interval, no lower
/// than 0; of one repetition its own interval. Returns a line for each point, which says where an interval is in
/// doubt. Throws OutputError.
std::string write_rare_events(StoredStudy& study, double confidence, const std::filesystem::path& folder,
                              const LabelNumber& number);

}  // namespace hearsay::analysis
