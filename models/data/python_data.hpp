#pragma once
// Data that a class of another language makes, or holds.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "sim/options/code.hpp"

namespace hearsay::models {

struct PythonData {
  static constexpr std::string_view kName = "python";
  static constexpr std::string_view kHelp =
      "Records that a class written in Python makes or holds, with its own options.";
  static constexpr bool kOpen = true;
  double test_fraction = 0;
  Draw draw = Draw::kStudy;
  sim::InputCode code{sim::CodeKind::kData};
  void describe(sim::Visitor& v);
};

/// A class that has been loaded as data.
class DataCode : public sim::Code {
 public:
  /// What it makes, with its test records if it has any; random parts from (kData, kWholeStudy, kParameters). Throws
  /// DataError.
  virtual DataSet make(const std::vector<sim::CodeValue>& values, const sim::Streams& streams) const = 0;
};

/// Where the class has made no test records, those of each owner are drawn from its records as those of a csv.
DataSet make_data(const PythonData& options, const sim::Streams& streams);

}  // namespace hearsay::models
