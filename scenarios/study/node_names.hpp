#pragma once
// What a scenario may call its agents: the names that its graph's file gives to the nodes on which they are placed.
#include <string>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

class NodeNames {
 public:
  /// By agent; of all nodes where the number of agents depends on data. A NamesInScenario, which keeps those of the last
  /// graph: points of a sweep have few graphs.
  const Names& operator()(const Document& document, const Folders& folders);

 private:
  std::string key_;
  Names names_;
};

}  // namespace hearsay::scenarios
