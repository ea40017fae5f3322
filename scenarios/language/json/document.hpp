#pragma once
// A scenario as text: parsed with positions, from one file or from several merged.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/json/node.hpp"

namespace hearsay::scenarios {

struct Outline;

/// Limits of the input; those on bytes and values are for a scenario together with the files that it extends. Any
/// input is read or refused in less than 0.2 s and 64 MiB.
struct Limits {
  std::size_t bytes = 1u << 20;
  std::size_t values = 100'000;
  std::size_t members = 256;  ///< of one object
  std::size_t depth = 64;
};

/// An origin of values.
struct Source {
  enum class Kind { kFile, kCommandLine };
  Kind kind = Kind::kFile;
  std::string name;              ///< the file, or "--set path"
  std::filesystem::path folder;  ///< paths in its values are relative to it
};

/// A tree of values and their sources. Copying is O(1).
class Document {
 public:
  Document();

  Node root;
  /// Of the options that the root sets, which outlives the document: it has the types of objects without a written one.
  /// Null: unknown.
  const Outline* outline = nullptr;

  std::uint32_t add_source(Source source);
  const Source& source(Position position) const { return sources_->at(position.source); }
  std::uint32_t sources() const { return static_cast<std::uint32_t>(sources_->size()); }

  /// Sets the folder of source 0, the scenario itself: paths on the command line are relative to it.
  void set_folder(const std::filesystem::path& folder);

  /// "file:line:column" or "--set path".
  std::string where(Position position) const;
  /// Throws InputError "where: /pointer: message".
  [[noreturn]] void fail(Position at, const std::string& pointer, const std::string& message) const;

  /// Sets the value at a dotted path, "network.latency.max" or "record.metrics.0", and creates missing objects. Null
  /// restores the default, or is set where the option has it as a value. A different "type" clears its object, so set
  /// it first. Throws InputError for an invalid path.
  void set(std::string_view path, Node value);

 private:
  std::vector<Source>& changeable_sources();
  std::shared_ptr<std::vector<Source>> sources_;
};

/// Whether an object is of another type than `type`. Without a written type it has that of `option`, which it sets, for
/// its keys; null: unknown, and so the same.
bool types_differ(const Node& object, const Node& type, const Outline* option);

/// Parses a scenario: a JSON object with comments. `name` is the file in messages. Throws InputError.
Document parse(std::string_view text, const std::string& name, const Limits& limits = {});
/// Paths in its values are relative to `folder` instead of the folder of the file.
Document parse(std::string_view text, const std::string& name, const std::filesystem::path& folder,
               const Limits& limits = {});

/// Parses one JSON value with comments, written in `source` of `document`, without recursion in O(bytes). Reduces
/// `left` by its bytes and values. Throws InputError at the first error: invalid UTF-8 or JSON, a byte order mark, a
/// NUL, a duplicate key, a number that overflows, a limit.
Node parse_text(std::string_view text, const Document& document, std::uint32_t source, Limits& left);
/// The same for an object.
Node parse_object(std::string_view text, const Document& document, std::uint32_t source, Limits& left);

}  // namespace hearsay::scenarios
