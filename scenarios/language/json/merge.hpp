#pragma once
// A scenario from its file, the files it extends, and the values given on the command line.
#include <filesystem>
#include <span>
#include <string>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

/// Reads the scenario in `file`. Merged in this order, later ones winning: what its "extends" names, itself,
/// and each of `sets` ("network.latency.max=15 ms"; the value is JSON if it parses as such, else the text
/// itself). Positions are those of the winning value. "extends" and "$schema" are gone from the result, and
/// so are nulls: they restored a default. Throws InputError.
Document load(const std::filesystem::path& file, std::span<const std::string> sets = {},
              const Limits& limits = {});

/// Merges `patch` into `target` as RFC 7386 does, except that a differing "type" replaces the whole object.
void merge_patch(Node& target, const Node& patch);

/// Applies one "path=value" of the command line. "sweep.PATH=value" sets the axis PATH.
void apply_set(Document& document, const std::string& set);

}  // namespace hearsay::scenarios
