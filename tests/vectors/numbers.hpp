#pragma once
// Compares numbers with those of a file and counts; a line for each that differs.
#include <Eigen/Core>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "models/data/data_set.hpp"

namespace hearsay::vectors {

class Comparison {
 public:
  /// |got - expected| <= tolerance * max(1, |expected|).
  void number(const std::string& what, double got, double expected, double tolerance = 1e-9);
  void vector(const std::string& what, const Eigen::Ref<const Eigen::VectorXd>& got,
              const nlohmann::json& expected, double tolerance = 1e-9);
  std::size_t compared() const { return compared_; }
  std::size_t failed() const { return failed_; }

 private:
  std::size_t compared_ = 0, failed_ = 0;
};

/// Owners' records from "X" (owner, row, column) and "y" of a section.
models::DataSet data_set(const nlohmann::json& section);
Eigen::VectorXd to_vector(const nlohmann::json& numbers);

/// A part of the file, and what compares it with hearsay.
struct Section {
  std::string_view name;
  void (*compare)(const nlohmann::json& section, Comparison& comparison);
  std::string_view with = {};  ///< another section that it builds on: `compare` finds it as a member
};
void compare_central(const nlohmann::json& section, Comparison& comparison);
void compare_sync(const nlohmann::json& section, Comparison& comparison);
void compare_psi_recursion(const nlohmann::json& section, Comparison& comparison);
void compare_p2p(const nlohmann::json& section, Comparison& comparison);
void compare_admm(const nlohmann::json& section, Comparison& comparison);
void compare_warm_start(const nlohmann::json& section, Comparison& comparison);
void compare_budget(const nlohmann::json& section, Comparison& comparison);
void compare_mtl(const nlohmann::json& section, Comparison& comparison);

}  // namespace hearsay::vectors
