#include "models/protocols/federated/dp_fedavg.hpp"

#include "sim/random/random.hpp"

namespace hearsay::models {

void DpFedAvg::Params::describe(sim::Visitor& v) {
  v(participation,
    {.name = "participation",
     .help = "Probability q with which an owner takes part in a round, independently of all others.",
     .source = "McMahan, Ramage, Talwar, Zhang 2018, Algorithm 1",
     .min = 0,
     .max = 1,
     .open_min = true});
  TrustedOptions::describe(v);
}

void DpFedAvg::Params::require(const Setting& setting) const {
  TrustedOptions::require(setting);
  if (setting.privacy.active() && !setting.privacy.amplifies(Sampling::kPoisson))
    setting.privacy.require_room(planned_rounds(setting));
}

DpFedAvg::DpFedAvg(const Params& params, const Study& study)
    : TrustedRounds(params, study,
                    {.releases = params.planned_rounds(setting_of(study)),
                     .sampling_rate = study.privacy.accounted_rate(Sampling::kPoisson, params.participation)},
                    EntrustedSum(study.problem.p(), study.problem.owners()),
                    params.participation * static_cast<double>(study.problem.owners())),
      q_(params.participation) {}

bool DpFedAvg::takes_part(std::size_t, std::uint64_t, sim::Stream& stream) {
  return sim::bernoulli(stream, q_);
}

void DpFedAvg::apply(const Vector& released, std::uint64_t, Context& context) {
  context.model(0) += server_step() * released;
  context.project(context.model(0));
}

ProtocolRow dp_fedavg_row() {
  return row<DpFedAvg>();
}

}  // namespace hearsay::models
