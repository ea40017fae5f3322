// The arguments of `hearsay privacy`, an input's lines.
#include <cmath>

#include "scenarios/commands/privacy_request.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepted<sim::Error>([&] {
    const auto request = scenarios::privacy_request(fuzz::lines_of(fuzz::text_of(data, size)));
    if (!request) return;
    const models::CostQuestion& q = request->question;
    for (const auto& strength : {q.epsilon, q.epsilon_step, q.noise, q.sensitivity})
      fuzz::require(!strength || (*strength > 0 && std::isfinite(*strength)), "strengths are positive");
    fuzz::require(q.epsilon.has_value() + q.epsilon_step.has_value() + q.noise.has_value() == 1,
                  "one strength");
    fuzz::require(q.delta >= 0 && q.delta < 1, "delta is a probability");
    fuzz::require(q.sampling_rate > 0 && q.sampling_rate <= 1, "a rate is a share");
    fuzz::require(q.steps >= 1 && q.steps <= 1'000'000'000'000, "steps are counted");
    fuzz::require(q.dimension >= 1, "a dimension is positive");
    if (!q.tree) return;
    fuzz::require(q.tree->leaves >= 1 && q.tree->epoch >= 1, "trees have leaves");
    fuzz::require(q.tree->rounds == static_cast<std::uint64_t>(q.steps), "a tree has all steps");
  });
  return 0;
}
