#include "models/protocols/central/stability.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "models/algebra/dense.hpp"

namespace hearsay::models {

namespace {

constexpr double kMaxWork = 2e10;  // N p^3

double largest_eigenvalue(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd values = symmetric_eigenvalues(a);
  return values[values.size() - 1];
}

bool too_large(std::size_t matrices, const Problem& problem) {
  const auto p = static_cast<double>(problem.p());
  return !problem.loss().quadratic() || static_cast<double>(matrices) * p * p * p > kMaxWork;
}

}  // namespace

std::optional<double> largest_party_curvature(const Parties& parties, const Problem& problem) {
  if (too_large(parties.count(), problem)) return std::nullopt;
  std::string key = "central_async h_max";
  for (std::size_t party = 0; party < parties.count(); ++party) {
    if (parties.members(party).size() > 1) key += fmt::format(" {}", fmt::join(parties.members(party), ","));
  }
  return *problem.memo().get<double>(key, [&] {
    double largest = 0;
    std::vector<std::size_t> owners;
    for (std::size_t party = 0; party < parties.count(); ++party) {
      owners.clear();
      for (const sim::AgentId member : parties.members(party)) owners.push_back(member - 1);
      const double share = static_cast<double>(parties.count()) * parties.share(party);
      largest = std::max(largest, share * 2 * largest_eigenvalue(problem.pooled_moments(owners).a));
    }
    return largest;
  });
}

std::vector<std::pair<std::string, double>> step_numbers(const UsedStep& step) {
  std::vector<std::pair<std::string, double>> numbers{{fmt::format("step.{}", step.key), step.value},
                                                      {"step.a", step.a}};
  if (step.h_max) numbers.emplace_back("step.a_h_max", step.a * *step.h_max);
  return numbers;
}

std::vector<std::string> step_notes(const UsedStep& step, std::string_view effect, const Study& study) {
  std::vector<std::string> all;
  const std::string stability = step.h_max ? fmt::format(", a h_max = {:.4g}", step.a * *step.h_max) : "";
  if (step.automatic) {
    all.push_back(fmt::format("protocol.{} \"auto\" is {:.6g}: step a = {:.4g}{}", step.key, step.value,
                              step.a, stability));
  }
  if (step.stable()) return all;
  all.push_back(fmt::format(
      "warning: protocol.{}{} is {:.4g}: a h_max = {:.4g} exceeds 2, {}{}; standardise the features or scale "
      "them to the unit ball, or reduce protocol.{} to {:.3g} or less{}",
      step.key, step.automatic ? " \"auto\"" : "", step.value, step.a * *step.h_max, effect,
      study.problem.model().theta_max ? " within the box of theta_max" : "", step.key, step.largest_stable(),
      study.privacy.clips() ? "" : ", or set privacy.clip"));
  return all;
}

}  // namespace hearsay::models
