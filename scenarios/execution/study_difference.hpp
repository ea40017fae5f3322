#pragma once
// In what two studies differ, by the scenarios that their stores contain.
#include <string>
#include <string_view>

#include "analysis/store/store.hpp"
#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

/// "seed: 1 in A, 2 in B" for each option in which two scenarios, as JSON, differ; `in_a` and `in_b` are "in A", "in B".
Names option_differences(std::string_view a, std::string_view b, const std::string& in_a,
                         const std::string& in_b);

/// "options that differ: ..." of two stored studies, with a line break; empty if there are none. Names and descriptions
/// do not count.
std::string differing_options(const analysis::StudyPlan& a, const analysis::StudyPlan& b,
                              const std::string& in_a, const std::string& in_b);

/// Whether runs of the first study are not part of the second one, so that its tables no longer contain them.
bool leaves_out_runs(const analysis::StudyPlan& before, const analysis::StudyPlan& now);

/// A value of StudyPlan::info; empty if there is none of that name.
std::string info_of(const analysis::StudyPlan& plan, const char* name);

}  // namespace hearsay::scenarios
