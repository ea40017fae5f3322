#pragma once
// What a protocol finds wrong with one of its options once it sees the study.
#include "sim/options/option_error.hpp"

namespace hearsay::models {

using sim::OptionError;

}  // namespace hearsay::models
