#pragma once
// What an option accepts, for messages about other values.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "scenarios/language/json/node.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// `an object such as {"iterations": 5}`: with the first required member, or else the first one.
std::string expected_object(const sim::Describe& members);

/// "a number or a distribution (constant, uniform, ...)", `a number or "auto"`, "text or one of star, ring"; `instead` is
/// what was found, or null.
std::string expected_forms(std::span<const sim::Alternative> all, const Node* instead = nullptr,
                           std::string_view unit = {});

/// "an object with the keys at, name", for messages about one of unknown kind.
std::string found_keys(const Node& object);

/// The names of the members that are described.
std::vector<std::string> member_names(const sim::Describe& members);

/// The alternative that a bare number, list or text selects; null if there is none.
const sim::Alternative* with_shorthand(std::span<const sim::Alternative> all, sim::Shorthand::Kind kind);

/// The index of the entry of that name; the size if there is none.
template <class Named>
std::size_t index_of(std::span<const Named> all, const Node& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) {
    return name.is(Node::Kind::kText) && one.name == name.text;
  });
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace hearsay::scenarios
