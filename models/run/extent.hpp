#pragma once
// The size of a point of a study, for estimates of memory: what is known before data and network are made, and expected
// values of what is drawn.
#include <algorithm>
#include <string_view>
#include <vector>

#include "models/data/data_need.hpp"
#include "models/learning/problem.hpp"
#include "sim/memory.hpp"

namespace hearsay::models {

struct Extent {
  DataNeed data;
  double parameters = 0;  ///< p
  double agents = 0, links = 0;
  double iterations = 0;                       ///< of a run, at most; infinite if unknown
  double in_flight = 0;                        ///< messages on the way at a time if every tick sends one
  double message = 0;                          ///< bytes of a message or publication while it is kept
  std::vector<std::string_view> metrics = {};  ///< that are recorded, or end a run

  double p() const { return parameters; }
  /// Bytes of so many vectors in R^p.
  double vectors(double count) const { return count * p() * sizeof(double); }
  /// Bytes of the agents' last publications.
  double published() const { return message * std::min(agents, iterations); }
  bool asks_for(std::string_view metric) const {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  }
};

/// Number of parameters of a model. Ten classes where the data do not say how many there are.
double parameters_of(const ModelOptions& model, const DataNeed& data);
/// A Problem, beside its data: with squared loss of a linear model the moments of every owner.
sim::Memory memory_of_problem(const ModelOptions& model, const DataNeed& data);
/// The search for theta*.
sim::Memory memory_of_optimum(const ModelOptions& model, const DataNeed& data);
/// A World without its engine and protocol.
double memory_of_world(const Extent& extent);

}  // namespace hearsay::models
