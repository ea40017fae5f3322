#include "models/run/world.hpp"

#include "models/algebra/state.hpp"

namespace hearsay::models {

namespace {

Study study_in_run(Study study, const sim::Streams& streams) {
  study.streams = streams;
  return study;
}

}  // namespace

World::World(const Study& s, const sim::Engine::Options& options, const sim::Streams& run_streams,
             sim::TraceSink* trace)
    : stamp_(trace, iterations),
      study(study_in_run(s, run_streams)),
      streams(run_streams),
      engine(options, s.topology, run_streams, trace != nullptr ? &stamp_ : nullptr),
      models(s.problem.start(run_streams).replicate(1, s.topology.agents())),
      ledger(s.topology.agents()),
      hub(options.hub),
      misconduct(s.hostile == nullptr ? nullptr
                                      : std::make_unique<Misconduct>(*s.hostile, s.problem.p(), s.messages,
                                                                     s.mixing, run_streams)),
      zero_(Eigen::VectorXd::Zero(s.problem.p())),
      released_(Eigen::VectorXd::Zero(s.problem.p())) {}

std::uint64_t World::fingerprint() const {
  sim::Fingerprint digest = engine.fingerprint();
  digest.add({models.data(), static_cast<std::size_t>(models.size())});
  return digest.value();
}

// The start is made again before a state is read, and vectors that have been used before hold nothing.
template <class Archive>
void World::serialize(Archive& archive) {
  sim::plain(archive, tally);
  archive(models, ledger, iterations, overflowed, total_releases_, draws_, engine);
  if (misconduct) archive(*misconduct);
}

void World::save(cereal::BinaryOutputArchive& archive) const {
  const_cast<World*>(this)->serialize(archive);  // NOLINT: it writes what it finds
}

void World::load(cereal::BinaryInputArchive& archive) {
  serialize(archive);
}

void World::continue_as(std::uint32_t number) {
  streams = streams.continued(number);
  engine.draw_from(streams);
  if (misconduct) misconduct->draw_from(streams);
}

Eigen::VectorXd World::take_vector() {
  if (spare_.empty()) return Eigen::VectorXd(problem().p());
  Eigen::VectorXd v = std::move(spare_.back());
  spare_.pop_back();
  return v;
}

}  // namespace hearsay::models
