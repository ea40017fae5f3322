#pragma once
// The "data" of a scenario: one of the kinds of data.
#include "models/data/csv/csv_data.hpp"
#include "models/data/python_data.hpp"
#include "models/data/ratings/movielens.hpp"
#include "models/data/synthetic/fraud_like.hpp"
#include "models/data/synthetic/lending_like.hpp"
#include "models/data/synthetic/linear_separators.hpp"
#include "models/data/synthetic/low_rank_tasks.hpp"
#include "models/data/synthetic/synthetic_classes.hpp"

namespace hearsay::models {

/// Further options of data that do not make validation instances themselves.
struct Validation {
  static constexpr bool kFirst = true;  // what the alternatives demand is checked after ranges
  double fraction = 0;                  ///< of each owner's training records
  Instances instances = Instances::kTest;
  void describe(sim::Visitor& v);
};

class DataOptions {
 public:
  using Kind = std::variant<LendingLike, HospitalLike, FraudLike, CsvData, LinearSeparators, MovieLens,
                            LowRankTasks, SyntheticClasses, PythonData>;

  DataOptions() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  DataOptions(Kind kind, Validation validation = {}) : kind_(std::move(kind)), validation_(validation) {}

  const Kind& kind() const { return kind_; }
  Draw draw() const {
    return std::visit([](const auto& kind) { return kind.draw; }, kind_);
  }
  const Validation& validation() const { return validation_; }
  /// Whether these data can have validation instances: of their own, or records held out for them.
  bool validates() const {
    return validation_.fraction > 0 || std::visit(
                                           [](const auto& kind) {
                                             return requires {
                                               kind.instances;
                                             };
                                           },
                                           kind_);
  }
  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  Kind kind_;
  Validation validation_;
};

/// The data of the options; random parts are drawn from Purpose::kData (see DataDraw) of `streams`, which are
/// those of repetition 0 where `draw` is kStudy. Throws DataError.
DataSet make_data(const DataOptions& options, const sim::Streams& streams);

}  // namespace hearsay::models
