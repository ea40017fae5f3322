#pragma once
// Reading a file that should be a small text.
#include <cstddef>
#include <filesystem>
#include <string>

namespace hearsay::scenarios {

/// The text of a regular file of at most `most_bytes`. Looks before it opens: a folder, FIFO or device is
/// refused at once. Throws std::runtime_error, "expected a regular file, found a directory".
std::string read_text_file(const std::filesystem::path& path, std::size_t most_bytes);

/// What stands at a path, for a message: "a regular file", "a directory", "nothing".
std::string_view kind_of_file(const std::filesystem::path& path);

}  // namespace hearsay::scenarios
