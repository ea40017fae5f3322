#pragma once
// A scenario merged from its file, the files that it extends, and the command line.
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

/// Reads the scenario in `file`: the files that it extends, itself, and each of `sets` ("network.latency.max=15 ms"),
/// where later values replace earlier ones and keep their positions. A value in `sets` that is not JSON is a text. The
/// result has neither "extends" nor "$schema" nor nulls that restore defaults. `outline`: that of the document. What it
/// extends must lie where its input files may, or anywhere in its tree of scenarios: under the next folder above it that
/// holds a scenario.schema.json. Throws InputError.
Document load(const std::filesystem::path& file, std::span<const std::string> sets = {},
              const Folders& folders = {}, const Limits& limits = {}, const Outline* outline = nullptr);

/// "sweep.PATH=value" on the command line sets the axis of the option PATH.
inline constexpr std::string_view kSweepPrefix = "sweep.";

/// Removes the axis of a path from the entries of "zip" of a sweep as it is written, and entries that are then
/// empty.
void erase_zipped(Node& sweep, std::string_view path);

/// Whether a text is the name of a type, "ring", rather than a number or a quantity.
bool names_type(const Node& node);

/// Merges `patch` into `target` by RFC 7386, except that a different "type" replaces the whole object, that an object is
/// merged into the name of a type, "ring", as into {"type": "ring"}, and that a null that is a value remains. `option`:
/// what they set; null: unknown.
void merge_patch(Node& target, const Node& patch, const Outline* option = nullptr);

/// Merges a scenario and the files that it extends, the scenario first, without "extends", "$schema" and nulls that
/// restore defaults.
Node merge_layers(std::vector<Node> layers, const Outline* outline = nullptr);

/// Applies one "path=value" of the command line.
void apply_set(Document& document, const std::string& set);

}  // namespace hearsay::scenarios
