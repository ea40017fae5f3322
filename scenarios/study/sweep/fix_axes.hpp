#pragma once
// Options of the command line that a sweep varies.
#include <span>
#include <string>
#include <string_view>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

/// The command line takes precedence: an axis of the document's "sweep" whose option one of `sets` ("path=value",
/// already applied) sets, itself or in an object, keeps that one value, as an independent axis. A later
/// "sweep.PATH=...", "sweep=..." or "tune=..." that has the axis wins over it. Throws InputError where the sweep
/// would overwrite the option: below a swept object, or next to a swept type, which clears its object.
void fix_axes(Document& document, std::span<const std::string> sets);

/// The value of the option at a dotted path of `root`, or null: of a type also where its name alone is written,
/// "ring" for {"type": "ring"}.
const Node* option_at(const Node& root, std::string_view path);

/// Whether `path` is a member, at any depth, of the option at `above`.
bool lies_below(std::string_view path, std::string_view above);

}  // namespace hearsay::scenarios
