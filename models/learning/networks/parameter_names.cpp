#include "models/learning/networks/parameter_names.hpp"

#include <fmt/format.h>

namespace hearsay::models {

std::vector<std::string> parameter_names(const Problem& problem) {
  const DataSet& data = problem.data();
  const RecordModel* const network = problem.network();
  if (network == nullptr) return data.feature_names;
  if (std::holds_alternative<PythonModel>(problem.model().network)) {
    std::vector<std::string> numbers;
    for (Eigen::Index j = 0; j < network->p(); ++j) numbers.push_back(fmt::format("theta{}", j));
    return numbers;
  }
  std::vector<std::string> scores = data.classes, hidden;
  if (problem.loss().scalar()) scores = {"score"};
  for (auto k = static_cast<Eigen::Index>(scores.size()); k < network->scores(); ++k)
    scores.push_back(std::to_string(k));
  if (const auto* mlp = std::get_if<Mlp>(&problem.model().network)) {
    for (std::size_t h = 1; h <= mlp->hidden; ++h) hidden.push_back(fmt::format("hidden{}", h));
  }
  std::vector<std::string> names;
  // A layer's weights, row after row.
  const auto add = [&](const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
    for (const std::string& output : outputs) {
      for (const std::string& input : inputs) names.push_back(fmt::format("{}:{}", output, input));
    }
  };
  if (hidden.empty()) {
    add(scores, data.feature_names);
  } else {
    add(hidden, data.feature_names);
    add(scores, hidden);
    add(scores, {"1"});
  }
  return names;
}

}  // namespace hearsay::models
