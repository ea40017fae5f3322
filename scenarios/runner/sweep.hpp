#pragma once
// The points of a study: every combination of the values that a scenario's "sweep" lists.
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/document.hpp"

namespace hearsay::scenarios {

struct SweepPoint {
  std::vector<std::string> labels;                     ///< one an axis
  std::vector<std::pair<std::string, Node>> settings;  ///< dotted path and value
};

struct Sweep {
  std::vector<std::string> axes;
  std::vector<SweepPoint>
      points;  ///< the first axis varies slowest; one point without axes where nothing is swept
};

/// Takes "sweep" out of the document and works it out. Throws InputError.
Sweep take_sweep(Document& document);

/// The document of one point: the scenario with the point's values in place.
Document at_point(const Document& document, const SweepPoint& point, std::uint32_t number);

}  // namespace hearsay::scenarios
