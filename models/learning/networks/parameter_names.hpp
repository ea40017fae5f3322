#pragma once
// Names of the parameters of a model, in the order of theta (models/learning/networks/network.hpp).
//
//   theta . x                 the names of the features: age
//   a score for each class    CLASS:FEATURE
//   a hidden layer            hidden1:FEATURE, ...; then SCORE:hidden1, ...; then the constants SCORE:1
//
// SCORE is the name of a class (its number if it has none), or "score" where there is one score.
#include <string>
#include <vector>

#include "models/learning/problem.hpp"

namespace hearsay::models {

std::vector<std::string> parameter_names(const Problem& problem);

}  // namespace hearsay::models
