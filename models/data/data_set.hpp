#pragma once
// The data of the owners: for each of them records (rows) of p numbers and a target.
#include <Eigen/Core>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::models {

/// Records as rows, contiguous in memory.
using Records = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// All numbers, row after row.
inline std::span<double> numbers_of(Records& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Unusable data: one line, with file, line and column where there are any. `option` is the path of the option of the
/// data that is at fault, such as "drop/0"; empty where that is none alone.
struct DataError : sim::Error {
  explicit DataError(const std::string& message, std::string option = {})
      : Error(Kind::kInvalid, std::move(option), message) {}
};

/// One owner's records: n_i x p, and n_i targets. A class is -1 or +1, or a number from 0 (DataSet::classes).
struct Shard {
  Records features;
  Eigen::VectorXd target;
};

/// Public bounds on every training record, declared (and enforced) or implied by the distribution that the
/// data are drawn from; never computed from the data.
struct DeclaredBounds {
  double features_l1 = std::numeric_limits<double>::infinity();  ///< norm_1(x), the constant feature included
  double features_l2 = std::numeric_limits<double>::infinity();  ///< norm_2(x), likewise, where that is known
  double target = std::numeric_limits<double>::infinity();       ///< |y|

  /// The least bound on norm_2(x) that follows, as norm_2 <= norm_1; infinite: none.
  double norm_2() const { return std::min(features_l1, features_l2); }
};

struct DataSet {
  std::vector<Shard> train = {};  ///< one per owner, none empty
  std::vector<Shard> test = {};   ///< one per owner; may have 0 rows (but has p columns)
  std::vector<std::string> owner_names = {}, feature_names = {};
  std::optional<DeclaredBounds> bounds = {};
  std::map<std::string, std::vector<double>> owner_columns = {};  ///< by name, a number for each owner
  /// Names of the classes 0, 1, ..., K - 1 that the targets are; empty for other targets (numbers, or -1 and +1).
  std::vector<std::string> classes = {};
  /// The largest of all targets that a file has as numbers, also of rows that are not used: repetitions have the same classes.
  std::optional<double> largest_target = {};
  bool bias = false;  ///< whether the last feature is the constant 1
  /// Categories with a 0/1 feature for every value, "category=value": the features of one sum to 1.
  std::vector<std::string> full_categories = {};
  /// What was fitted without privacy accounting, a phrase each.
  std::vector<std::string> fitted_on_private_data = {};
  std::optional<sim::WeightedEdges> similarity = {};  ///< similarity graph of the owners, if any
  std::string similarity_from =
      {};  ///< the private data that it is of, for those that use it; empty: public ones
  std::vector<std::string> notes = {};  ///< how the data were changed, a sentence each

  std::size_t owners() const { return train.size(); }
  Eigen::Index p() const { return static_cast<Eigen::Index>(feature_names.size()); }
};

}  // namespace hearsay::models
