#include "models/protocols/baselines/local_only.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/learning/solvers/record_objective.hpp"

namespace hearsay::models {

void LocalOnly::on_start(Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = personal_.local_minimisers().col(i);
  track(context.models());
}

void Pooled::Params::require(const Setting& setting) const {
  LocalOnly::Params::require(setting);
  if (setting.privacy.active())
    throw std::invalid_argument(
        "pooled puts all data in one place, which is not private: use privacy.mechanism none");
}

Pooled::Pooled(const Params& params, const Study& study)
    : PersonalProtocol(fitting(params, study).personal, study) {}

void Pooled::on_start(Context& context) {
  const double lambda = personal_.options().lambda.value_or(1 / static_cast<double>(personal_.problem().n()));
  const auto theta = personal_.problem().memo().get<Eigen::VectorXd>(
      fmt::format("pooled minimiser, lambda {:a}", lambda), [&] {
        return minimise_records(personal_.problem(), personal_.problem().everyone(), {.ridge = 2 * lambda});
      });
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = *theta;
  track(context.models());
}

ProtocolRow local_only_row() {
  return row<LocalOnly>();
}
ProtocolRow pooled_row() {
  return row<Pooled>();
}

}  // namespace hearsay::models
