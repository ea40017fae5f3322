#pragma once
// Which files a scenario may name as input: those under a few folders, wherever links lead.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace hearsay::scenarios {

/// Finds the file that `written` names, relative to `home` (the folder of the file that it is written in) or
/// else to each of `folders` in turn. The file, after following links, must lie under one of them. Returns
/// its canonical path; throws std::runtime_error with a message that is the same whether a file outside
/// exists or not.
std::filesystem::path find_input(const std::string& written, const std::filesystem::path& home,
                                 std::span<const std::filesystem::path> folders);

}  // namespace hearsay::scenarios
