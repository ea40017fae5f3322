#include "scenarios/commands/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "analysis/store/store_file.hpp"
#include "scenarios/language/code.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

// Where the syntax of a command is written to instead of parsing its arguments; else null.
thread_local Syntax* wanted_syntax = nullptr;

po::options_description description_of(const Syntax& syntax) {
  po::options_description all("Options");
  for (const Option& o : syntax.options) {
    if (o.value == nullptr) {
      all.add_options()(o.name, o.help);
    } else if (o.repeated) {
      all.add_options()(o.name, po::value<std::vector<std::string>>()->composing()->value_name(o.value),
                        o.help);
    } else {
      auto* value = po::value<std::string>()->value_name(o.value);
      if (o.standard != nullptr) value->default_value(o.standard);
      all.add_options()(o.name, value, o.help);
    }
  }
  all.add_options()("help,h", "show this text");
  return all;
}

// What an error says. what() replaces "%option%" and other words by the argument, also in the argument itself, for ever.
std::string parse_error_text(po::error_with_option_name& error) {
  std::string name = error.get_option_name();
  if (name.find('%') == name.npos) return error.what();
  constexpr char kNone = '\x01';
  std::ranges::replace(name, '%', kNone);
  error.set_option_name(name);
  error.set_original_token(name);
  std::string text = error.what();
  std::ranges::replace(text, kNone, '%');
  return text;
}

void add_folders(const Parsed& parsed, const char* option, std::vector<std::filesystem::path>& folders) {
  std::error_code error;
  for (const std::string& folder : parsed.all(option)) {
    if (!std::filesystem::is_directory(folder, error))
      throw UsageError(fmt::format("--{}: expected a folder, found '{}'", option, printable(folder)));
    folders.emplace_back(folder);
  }
}

}  // namespace

std::string Option::long_name() const {
  const std::string_view all = name;
  return std::string(all.substr(0, all.find(',')));
}

std::string Option::letter() const {
  const std::string_view all = name;
  return std::string(all.substr(std::min(long_name().size() + 1, all.size())));
}

std::string command_text(const Arguments& arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  const auto hexadecimal = [](char c) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(c)); };
  std::string text = "hearsay";
  for (const std::string& argument : arguments) {
    text += ' ';
    if (!argument.empty() && argument.find_first_not_of(kPlain) == argument.npos) {
      text += argument;
      continue;
    }
    // What cannot be shown is written as bash reads it: $'caf\xe9'.
    const bool shown = sim::escaped(argument) == argument;
    text += shown ? "'" : "$'";
    for (const char c : argument) {
      const bool quote = c == '\'' || (!shown && c == '\\');
      const bool visible = c >= 0x20 && c < 0x7f;
      text += quote              ? (shown ? "'\\''" : fmt::format("\\{}", c))
              : shown || visible ? std::string(1, c)
                                 : hexadecimal(c);
    }
    text += '\'';
  }
  return text;
}

std::optional<Parsed> parse_arguments(const Arguments& arguments, const Syntax& syntax) {
  if (wanted_syntax != nullptr) {
    *std::exchange(wanted_syntax, nullptr) = syntax;
    return std::nullopt;
  }
  const po::options_description shown = description_of(syntax);
  po::options_description all;
  all.add(shown).add_options()("operand", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("operand", -1);
  po::variables_map values;
  try {
    using Style = po::command_line_style::style_t;
    // No abbreviations: they would change meaning when an option is added.
    const int style = Style::unix_style & ~Style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
              values);
  } catch (po::unknown_option& e) {
    Names names;
    for (const auto& option : all.options()) names.push_back(option->long_name());
    const std::string given = e.get_option_name();
    throw UsageError(
        fmt::format("{}{}; usage: hearsay {}", parse_error_text(e),
                    did_you_mean(given.substr(std::min(given.find_first_not_of('-'), given.size())), names),
                    syntax.usage));
  } catch (po::error_with_option_name& e) {
    throw UsageError(fmt::format("{}; usage: hearsay {}", parse_error_text(e), syntax.usage));
  } catch (const po::error& e) {
    throw UsageError(fmt::format("{}; usage: hearsay {}", e.what(), syntax.usage));
  }
  if (values.count("help") != 0) {
    std::ostringstream text;
    text << shown;
    print_out("usage: hearsay {}\n{}", syntax.usage, text.str());
    return std::nullopt;
  }
  Parsed parsed;
  for (const Option& o : syntax.options) {
    if (o.values != nullptr) parsed.allowed_.emplace(o.long_name(), o.values);
  }
  for (const auto& [name, value] : values) {
    const auto* many = boost::any_cast<std::vector<std::string>>(&value.value());
    const auto* one = boost::any_cast<std::string>(&value.value());
    if (name == "operand") {
      parsed.operands = *many;
    } else {
      if (value.defaulted()) parsed.defaulted_.insert(name);
      parsed.values_[name] = many != nullptr  ? *many
                             : one != nullptr ? std::vector{*one}
                                              : std::vector<std::string>{};
    }
  }
  const std::size_t given = parsed.operands.size();
  if (given > syntax.max_operands)
    throw UsageError(fmt::format("unexpected argument '{}': expected {}; usage: hearsay {}",
                                 printable(parsed.operands[syntax.max_operands]), syntax.operands,
                                 syntax.usage));
  if (given < syntax.min_operands)
    throw UsageError(
        fmt::format("expected {}, found {}; usage: hearsay {}", syntax.operands, given, syntax.usage));
  return parsed;
}

void Parsed::only(std::string_view with, std::initializer_list<const char*> options) const {
  for (const char* option : options) {
    if (has(option) && !defaulted_.contains(option))
      throw UsageError(fmt::format("--{}: only {}", option, with));
  }
}

Syntax syntax_of(int (*command)(const Arguments& arguments)) {
  Syntax syntax;
  wanted_syntax = &syntax;
  command({});
  return syntax;
}

void require_results(const std::filesystem::path& folder) {
  std::error_code error;
  const std::string shown = printable(folder.string(), 200);
  if (!std::filesystem::exists(folder, error))
    throw UsageError(fmt::format("expected a folder of results: there is no folder '{}'", shown));
  if (!std::filesystem::is_directory(folder, error))
    throw UsageError(
        fmt::format("expected a folder of results: '{}' is a file; give the folder to which `hearsay run` "
                    "has written",
                    shown));
  if (std::filesystem::exists(analysis::store_file(folder), error)) return;
  Names inside;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (std::filesystem::exists(analysis::store_file(entry.path()), error))
      inside.push_back(printable(entry.path().string(), 200));
  }
  std::ranges::sort(inside);
  if (inside.size() > 3) inside.resize(3);
  throw UsageError(
      fmt::format("expected a folder of results: '{}' contains no results.sqlite{}", shown,
                  inside.empty() ? "" : fmt::format("; did you mean '{}'?", fmt::join(inside, "' or '"))));
}

Options with_folder_options(Options options) {
  options.insert(
      options.end(),
      {{"data-dir", "DIR", "folder of data files (repeatable; also HEARSAY_DATA_DIR)", nullptr, true},
       {"allow-path", "DIR", "further folder that a scenario may read from (repeatable)", nullptr, true},
       {"allow-code", "DIR", "folder with Python code that a scenario may execute (repeatable)", nullptr,
        true}});
  return options;
}

Options with_input_options(Options options) {
  options.push_back({"set", "PATH=VALUE", "set an option of the scenario (repeatable)", nullptr, true});
  return with_folder_options(std::move(options));
}

Options with_sweep_options(Options options) {
  options.insert(
      options.end(),
      {{"points", "EXPR", "run only points that satisfy this condition, e.g. privacy.epsilon >= 1"},
       {"max-runs", "N",
        "refuse studies with more runs, and unless more than 1e6 are allowed with more "
        "than 1e5 points",
        "1e6"}});
  return options;
}

PlanOptions sweep_arguments(const Parsed& parsed) {
  const std::uint64_t max_runs = parsed.whole("max-runs", 1, std::uint64_t{1} << 53);
  return {.points = parsed.text("points"), .max_runs = static_cast<double>(max_runs)};
}

Folders folder_arguments(const Parsed& parsed) {
  Folders folders;
  add_folders(parsed, "data-dir", folders);
  if (const char* dir = std::getenv("HEARSAY_DATA_DIR"); dir != nullptr && *dir != '\0')
    folders.emplace_back(dir);
  add_folders(parsed, "allow-path", folders);
  Folders code;
  add_folders(parsed, "allow-code", code);
  allow_code(code);
  folders.insert(folders.end(), code.begin(), code.end());
  return folders;
}

InputArguments input_arguments(const Parsed& parsed) {
  return {.files = parsed.operands, .sets = parsed.all("set"), .folders = folder_arguments(parsed)};
}

}  // namespace hearsay::scenarios
