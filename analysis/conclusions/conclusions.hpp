#pragma once
// What a study comes to over its points: log-log slopes, bounds with given or fitted constants, and who gains
// from taking part. All from the metrics at the end of runs; means over repetitions, as the theory is about
// expectations.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/conclusions/conclusion_options.hpp"
#include "analysis/conclusions/estimate.hpp"
#include "analysis/results/stored_study.hpp"

namespace hearsay::analysis {

/// What a point adds to what is stored of it.
struct PointFacts {
  std::vector<double> axes{};       ///< values, NaN where an axis has no numbers
  CentralSetting setting{};         ///< for bounds
  std::vector<bool> slope_where{};  ///< by slope: whether the point counts
  std::vector<bool> bound_where{};  ///< by bound
};

/// Everything that is known before the runs. `groups[a]` is equal for axes that move together.
struct ConclusionInput {
  ConclusionOptions options;
  std::vector<std::size_t> groups;
  std::vector<PointFacts> points;
};

struct Conclusions {
  struct Slope {
    std::string of, over;
    std::vector<std::string> labels;  ///< by axis; empty for those that vary
    std::size_t points = 0;
    Estimate slope;
    double departure = 0;  ///< largest factor between a mean and the line
  };
  struct FittedBound {
    std::string type, of;
    bool dimension = false;
    std::vector<std::string> names{};  ///< of the constants
    std::vector<Estimate> constants{};
    std::vector<bool> given{};
    double least = 0, most = 0;    ///< measured mean over bound, over the points that count
    std::size_t points = 0;        ///< that count
    std::vector<double> values{};  ///< by point of the study; NaN where it does not apply
  };
  struct Gain {
    std::string of;
    std::size_t point = 0, owner = 0;
    double isolated = 0;
    Estimate joint;
  };
  std::vector<Slope> slopes;
  std::vector<FittedBound> bounds;
  std::vector<Gain> gains;

  /// For people: a table of each kind, at most `most` rows of it.
  std::string text(std::size_t most = 200) const;
  /// For the manifest.
  nlohmann::ordered_json json() const;

  StudyHead head;
  std::vector<PointResult> points;
  std::vector<std::vector<double>> means, medians;  ///< by point, metric
  double confidence = 0.95;
};

/// Goes through the study once.
Conclusions conclude(StoredStudy& study, const ConclusionInput& input);

/// Writes fits.csv (slopes, constants and gains, with intervals) and bounds.csv (the bounds beside means and
/// medians, point by point). Throws OutputError.
void write_conclusions(const Conclusions& conclusions, const std::filesystem::path& folder);

}  // namespace hearsay::analysis
