#pragma once
// A scenario as text: parsed with positions, from one file or from several merged.
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/json/node.hpp"

namespace hearsay::scenarios {

/// What a text may hold. Whatever is within these limits, or breaks them, is read or refused in well under
/// 0.2 s and 64 MiB. Bytes and values are those of a scenario and all it extends together.
struct Limits {
  std::size_t bytes = 1u << 20;
  std::size_t values = 100'000;
  std::size_t members = 256;  ///< of one object
  std::size_t depth = 64;
};

/// Something that values come from.
struct Source {
  enum class Kind { kFile, kCommandLine, kSweep };
  Kind kind = Kind::kFile;
  std::string name;              ///< of a file, as in messages; "--set path" of the command line
  std::filesystem::path folder;  ///< that paths written in it are relative to
};

/// A tree of values and the sources their positions are in. Copying is O(1).
class Document {
 public:
  /// Source 0 is the sweep; its "lines" are the points.
  static constexpr std::uint32_t kSweep = 0;

  Document();

  Node root;

  std::uint32_t add_source(Source source);
  const Source& source(Position position) const { return sources_->at(position.source); }
  std::uint32_t sources() const { return static_cast<std::uint32_t>(sources_->size()); }

  /// Paths in the values of sweep points are relative to the folder of the scenario itself.
  void set_folder(const std::filesystem::path& folder);

  /// "file:line:column", "--set path" or "sweep point N".
  std::string where(Position position) const;
  static Position sweep_point(std::uint32_t n) { return {kSweep, n, 0}; }

  /// Sets the value at a dotted path, "network.latency.max" or "record.metrics.0", making the objects on the
  /// way. Null restores the default. A "type" that differs replaces the whole object that it is the type of,
  /// so set it first. Throws InputError, located at the value, if the path is none in this document.
  void set(std::string_view path, Node value);

 private:
  std::vector<Source>& changeable_sources();
  std::shared_ptr<std::vector<Source>> sources_;
};

/// Parses a JSON text with comments. `name` is that of the file, for messages. Throws InputError.
Document parse(std::string_view text, const std::string& name, const Limits& limits = {});

}  // namespace hearsay::scenarios
