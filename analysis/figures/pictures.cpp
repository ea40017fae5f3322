#include "analysis/figures/pictures.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "analysis/figures/figure_data.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

namespace {

namespace fs = std::filesystem;

// A temporary folder inside that of the files that are to be written, which is removed again if it was made in vain.
class Workplace {
 public:
  explicit Workplace(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    made_ = !fs::exists(folder, error);
    fs::create_directories(folder, error);
    if (error) throw OutputError(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
    inside_.emplace(folder, folder);
  }
  ~Workplace() {
    inside_.reset();
    std::error_code ignored;
    if (made_) fs::remove(folder_, ignored);  // only if it is empty
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  fs::path operator/(const std::string& name) const { return *inside_ / name; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream file(*this / name, std::ios::binary);
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
      throw OutputError(fmt::format("{}: writing failed: {}", folder_.string(), std::strerror(errno)));
  }

 private:
  fs::path folder_;
  std::optional<TemporaryFolder> inside_;
  bool made_ = false;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A program and its Debian package.
struct Program {
  const char *name, *package;
};
constexpr Program kNode{"node", "nodejs"}, kConvert{"rsvg-convert", "librsvg2-bin"};

// Runs a program to its end and returns what it printed. Throws OutputError if there is none of that name, or it fails.
std::string run(const Program& program, std::vector<std::string> arguments, const Workplace& folder) {
  arguments.insert(arguments.begin(), program.name);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string out = folder / "out", err = folder / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::pid_t process = 0;
  const int error = ::posix_spawnp(&process, program.name, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw OutputError(fmt::format("{} is not installed: to draw figures, install the package {}",
                                  program.name, program.package));
  if (error != 0) throw OutputError(fmt::format("{}: {}", program.name, std::strerror(error)));
  int status = -1;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text_of(out);
  std::string message = text_of(err);
  message = message.substr(0, message.find('\n'));
  throw OutputError(fmt::format("{} failed: {}", program.name, message.empty() ? "it was ended" : message));
}

// Scripts in a temporary folder, and the arguments with which node runs them.
class Scripts {
 public:
  Scripts(const Workplace& folder, std::string_view first) : folder_(folder) { add(first); }
  void add(std::string_view script) { add(fmt::format("{}.js", arguments_.size()), page_files().at(script)); }
  void add(const std::string& name, std::string_view text) {
    folder_.write(name, text);
    arguments_.push_back(folder_ / name);
  }
  std::string run(const Json& data) {
    add("figures.json", json_text(data));
    return analysis::run(kNode, arguments_, folder_);
  }

 private:
  const Workplace& folder_;
  std::vector<std::string> arguments_;
};

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw OutputError(fmt::format("{}: cannot be written: {}", to.string(), error.message()));
}

}  // namespace

fs::path write_animation(Json data, const AnimationOptions& options, const fs::path& folder) {
  require_scripts();
  const Workplace temporary(folder);
  run(kConvert, {"--version"}, temporary);  // before the work
  Scripts scripts(temporary, "player/animation.js");
  scripts.add("gifenc/dist/gifenc.js");
  for (const std::string_view script : kSharedScripts) scripts.add(script);
  for (const std::string_view script : kPlayerPictures) scripts.add(script);
  data.update({{"length", options.length},
               {"frames", options.frames},
               {"pixels", options.pixels},
               {"metric", options.metric},
               {"style", page_files().at("page.css")}});
  scripts.run(data);
  const fs::path file = folder / "animation.gif";
  move(temporary / "animation.gif", file);
  return file;
}

std::vector<fs::path> write_pictures(Json data, const PictureOptions& options, const fs::path& folder) {
  require_scripts();
  const Workplace temporary(folder);
  const bool convert = options.format != PictureFormat::kSvg;
  if (convert) run(kConvert, {"--version"}, temporary);  // before the work
  Scripts scripts(temporary, "draw.js");
  // Without Vega-Embed, which needs a page.
  for (const std::string_view script : {kVega[0], kVega[1]}) scripts.add(script);
  for (const std::string_view script : kSharedScripts) scripts.add(script);
  const bool panels = !data.at("panels").is_null();
  // In print, the unit is 1/96 in.
  const double width = options.width == FigureWidth::kColumn ? 3.4 * 96 : 7.0 * 96;
  const char* const zoom = !panels ? "2" : options.format == PictureFormat::kPng ? "3.125" : "1";
  data.update({{"along", options.along ? Json(*options.along) : Json()},
               {"mean", options.show == ShownStatistic::kMean},
               {"scale", sim::name_of(options.scale)},
               {"titles", options.titles},
               {"width", width},
               {"style", page_files().at("page.css")}});

  std::vector<std::pair<fs::path, fs::path>> files;
  std::string name;
  const std::string extension(sim::name_of(options.format));
  // A PDF contains the time at which it is made, unless this says which.
  ::setenv("SOURCE_DATE_EPOCH", "0", 0);
  for (const char c : scripts.run(data)) {
    if (c != '\n') {
      name += c;
      continue;
    }
    const std::string drawn = temporary / (name + ".svg"), made = temporary / (name + "." + extension);
    if (convert) run(kConvert, {"--format", extension, "--zoom", zoom, "--output", made, drawn}, temporary);
    files.emplace_back(made, folder / (name + "." + extension));
    name.clear();
  }
  std::vector<fs::path> all;
  for (const auto& [from, to] : files) {
    move(from, to);
    all.push_back(to);
  }
  return all;
}

}  // namespace hearsay::analysis
