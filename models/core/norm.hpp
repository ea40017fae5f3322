#pragma once
// The norm in which a vector's size, and with it a sensitivity, is measured.
#include <string_view>

namespace hearsay::models {

enum class Norm { kL1, kL2 };

constexpr std::string_view name_of(Norm norm) {
  return norm == Norm::kL1 ? "L1" : "L2";
}

}  // namespace hearsay::models
