#pragma once
// A pivoted table of a study: export --rows, --columns.
#include "analysis/tables/pivot.hpp"
#include "scenarios/commands/arguments.hpp"

namespace hearsay::scenarios {

/// Prints or writes it; returns an exit code. Throws UsageError, OutputError.
int export_pivot(const Parsed& values, analysis::PivotFormat format);

}  // namespace hearsay::scenarios
