#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "scenarios/commands/command.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

po::options_description input_options() {
  po::options_description options("Input");
  const auto many = [] { return po::value<std::vector<std::string>>()->composing(); };
  options.add_options()                                                                                     //
      ("set", many()->value_name("PATH=VALUE"), "set an option of the scenario")                            //
      ("data-dir", many()->value_name("DIR"), "folder that data files may lie in (also HEARSAY_DATA_DIR)")  //
      ("allow-path", many()->value_name("DIR"), "further folder that a scenario's paths may lead into");
  return options;
}

po::options_description sweep_options() {
  po::options_description options("Sweep");
  options.add_options()  //
      ("points", po::value<std::string>()->value_name("EXPR"),
       "only points for which this holds, as in privacy.epsilon >= 1")  //
      ("max-runs", po::value<double>()->value_name("N")->default_value(1e6, "1e6"),
       "refuse a study of more runs");
  return options;
}

PlanOptions sweep_arguments(const po::variables_map& values) {
  PlanOptions options{.max_runs = values["max-runs"].as<double>()};
  if (values.count("points") != 0) options.points = values["points"].as<std::string>();
  return options;
}

bool parse_arguments(const Arguments& arguments, std::string_view usage,
                     const po::options_description& options, po::variables_map& values) {
  po::options_description all("Options");
  all.add(options);
  all.add_options()("help,h", "this text");
  po::options_description hidden;
  hidden.add(all).add_options()("file", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("file", -1);
  try {
    using Style = po::command_line_style::style_t;
    // No abbreviations: they would change meaning when an option is added.
    const int style = Style::unix_style & ~Style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(hidden).positional(positional).style(style).run(),
              values);
    po::notify(values);
  } catch (const po::error& e) {
    throw UsageError(fmt::format("{}; usage: hearsay {}", e.what(), usage));
  }
  if (values.count("help") == 0) return true;
  std::ostringstream text;
  text << all;
  fmt::print("usage: hearsay {}\n{}", usage, text.str());
  return false;
}

InputArguments input_arguments(const po::variables_map& values) {
  const auto list = [&](const char* name) {
    return values.count(name) != 0 ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
  };
  InputArguments input{.files = list("file"), .sets = list("set")};
  const auto folders = [&](const char* name) {
    std::vector<std::string> all = list(name);
    std::error_code error;
    for (const std::string& dir : all) {
      if (!std::filesystem::is_directory(dir, error))
        throw UsageError(fmt::format("--{} must be a folder, got {}", name, printable(dir)));
    }
    return all;
  };
  for (const std::string& dir : folders("data-dir")) input.read.data_dirs.emplace_back(dir);
  if (const char* dir = std::getenv("HEARSAY_DATA_DIR"); dir != nullptr && *dir != '\0')
    input.read.data_dirs.emplace_back(dir);
  for (const std::string& dir : folders("allow-path")) input.read.allow_paths.emplace_back(dir);
  return input;
}

}  // namespace hearsay::scenarios
