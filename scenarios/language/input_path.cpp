#include "scenarios/language/input_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

namespace fs = std::filesystem;

Folders real_folders(const Folders& folders) {
  Folders roots;
  std::error_code error;
  for (const auto& folder : folders) {
    auto real = fs::canonical(folder.empty() ? "." : folder, error);
    if (!error && std::find(roots.begin(), roots.end(), real) == roots.end())
      roots.push_back(std::move(real));
  }
  return roots;
}

bool lies_under(const fs::path& path, const Folders& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) {
    return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
  });
}

namespace {

// Whether a missing file would lie under the roots. A path through a link does not count: the answer would reveal
// whether the target of the link exists.
bool would_lie_under(fs::path file, const Folders& roots) {
  std::error_code error;
  const bool under = lies_under(file, roots);
  for (; lies_under(file, roots); file = file.parent_path()) {
    if (fs::is_symlink(file, error)) return false;
  }
  return under;
}

void require_regular(const fs::path& path) {
  std::error_code error;
  const auto kind = [&]() -> std::string_view {
    switch (fs::status(path, error).type()) {
      case fs::file_type::regular:
        return "";
      case fs::file_type::directory:
        return "a directory";
      case fs::file_type::fifo:
        return "a FIFO";
      case fs::file_type::socket:
        return "a socket";
      case fs::file_type::block:
      case fs::file_type::character:
        return "a device";
      default:
        return "something else";
    }
  }();
  if (!kind.empty()) throw std::runtime_error(fmt::format("expected a regular file, found {}", kind));
}

}  // namespace

fs::path find_input(const std::string& written, const fs::path& home, const Folders& folders) {
  Folders all{home};
  all.insert(all.end(), folders.begin(), folders.end());
  const Folders roots = real_folders(all);
  std::error_code error;
  bool missing = false;
  for (const auto& root : roots) {
    // A root can be the file itself.
    const auto named = fs::is_directory(root, error) ? root / written : fs::absolute(written, error);
    auto real = fs::canonical(named, error);
    missing |= error && would_lie_under(named.lexically_normal(), roots);
    if (error || !lies_under(real, roots)) continue;
    require_regular(real);
    return real;
  }
  Names places;
  for (const auto& root : roots) places.push_back(printable(root.string(), 200));
  throw std::runtime_error(
      missing ? fmt::format("file \"{}\" not found in {}; to search another folder, use --data-dir",
                            printable(written), fmt::join(places, " or "))
              : fmt::format("file \"{}\" is outside {}; to allow its folder, use --allow-path",
                            printable(written), fmt::join(places, " and ")));
}

std::string read_text_file(const fs::path& path, std::size_t max_bytes) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    const std::string where =
        path.is_relative() ? " in " + printable(fs::current_path(error).string(), 4096) : "";
    throw std::runtime_error("file not found" + where);
  }
  require_regular(path);
  const auto size = fs::file_size(path, error);
  if (!error && size > max_bytes)
    throw std::runtime_error(fmt::format("expected at most {} bytes, found {}", max_bytes, size));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("the file cannot be opened");
  // The size can be wrong: for files under /proc it is 0.
  std::string text(std::max<std::size_t>(std::min<std::size_t>(size, max_bytes), 4096) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw std::runtime_error("the file cannot be read");
  if (in && text.size() > max_bytes)
    throw std::runtime_error(fmt::format("expected at most {} bytes, found more", max_bytes));
  return text;
}

}  // namespace hearsay::scenarios
