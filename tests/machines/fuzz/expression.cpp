// Conditions on the points of a sweep ("where", --points).
#include <stdexcept>

#include "scenarios/study/sweep/condition.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  fuzz::accepted<std::invalid_argument>([&] {
    scenarios::Condition condition(text, {"privacy.epsilon", "a", "name"}, {true, true, false});
    const double first[] = {0.5, 3, 0}, second[] = {1e300, -1, 0};
    const bool holds = condition.holds(first);
    condition.holds(second);
    fuzz::require(condition.holds(first) == holds, "a condition depends on its values alone");
  });
  return 0;
}
