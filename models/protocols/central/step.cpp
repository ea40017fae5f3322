#include "models/protocols/central/step.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

std::pair<double, double> hessian_for_step(std::string_view key, const Study& study) {
  if (!study.problem.loss().quadratic()) {
    throw std::invalid_argument(
        fmt::format("protocol.{} \"auto\" needs the squared loss; give a number", key));
  }
  return study.problem.hessian_extremes();
}

}  // namespace hearsay::models
