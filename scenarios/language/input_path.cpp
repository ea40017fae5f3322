#include "scenarios/language/input_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/text_file.hpp"

namespace hearsay::scenarios {

namespace {

bool lies_under(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto [in_folder, in_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return in_folder == folder.end();
}

}  // namespace

std::filesystem::path find_input(const std::string& written, const std::filesystem::path& home,
                                 std::span<const std::filesystem::path> folders) {
  std::vector<std::filesystem::path> roots;
  std::error_code error;
  const auto add = [&](const std::filesystem::path& folder) {
    auto real = std::filesystem::canonical(folder, error);
    if (!error && std::find(roots.begin(), roots.end(), real) == roots.end())
      roots.push_back(std::move(real));
  };
  add(home.empty() ? "." : home);
  for (const auto& folder : folders) add(folder);

  for (const auto& root : roots) {
    // A root that is the file itself: allowed by its own name.
    const auto named = std::filesystem::is_directory(root, error) ? root / written
                                                                  : std::filesystem::absolute(written, error);
    const auto real = std::filesystem::canonical(named, error);
    if (error) continue;
    if (std::none_of(roots.begin(), roots.end(), [&real](const auto& r) { return lies_under(real, r); }))
      continue;
    if (std::filesystem::is_regular_file(real, error)) return real;
    throw std::runtime_error(fmt::format("expected a regular file, found {}", kind_of_file(real)));
  }
  std::string places;
  for (const auto& root : roots) {
    if (!places.empty()) places += " or ";
    places += printable(root.string(), 200);
  }
  throw std::runtime_error(
      fmt::format("expected a file under {} (see --data-dir and --allow-path), found \"{}\"", places,
                  printable(written)));
}

}  // namespace hearsay::scenarios
