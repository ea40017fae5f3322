#pragma once
// Arguments of commands, and the options of all commands that read scenarios.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "sim/check.hpp"
#include "sim/options/describe.hpp"
#include "sim/time.hpp"

namespace hearsay::scenarios {

/// Wrong use of the command line; what() is for the user.
struct UsageError : sim::Error {
  explicit UsageError(const std::string& message) : Error(Kind::kInvalid, {}, "hearsay: " + message) {}
};

using Arguments = std::vector<std::string>;

/// The command line of these arguments, quoted for a shell.
std::string command_text(const Arguments& arguments);

struct Option {
  const char* name;   ///< "output,o": the long name and perhaps a letter
  const char* value;  ///< placeholder of its value in --help; null: a switch without a value
  const char* help;
  const char* standard = nullptr;  ///< default value; null: none
  bool repeated = false;           ///< may be given several times
  Names (*values)() = nullptr;     ///< its allowed values; null: they are not from a list

  /// "output" of "output,o", and "o"; empty without a letter.
  std::string long_name() const;
  std::string letter() const;
};
using Options = std::vector<Option>;

/// The names of an enumeration, as values of an option.
template <class E>
Names choice_names() {
  return names_of(sim::kChoices<E>);
}

/// What a command accepts.
struct Syntax {
  std::string usage;
  Options options{};
  const char* operands = "no argument";  ///< for messages: "one scenario", "two folders"
  std::size_t min_operands = 0, max_operands = 0;
};

/// Parsed arguments.
class Parsed {
 public:
  std::vector<std::string> operands;

  /// Whether it is given or has a default.
  bool has(const char* option) const { return values_.contains(option); }
  /// Throws UsageError if one of these is given: "--point: only with --format graphml". What has no effect is refused.
  void only(std::string_view with, std::initializer_list<const char*> options) const;
  /// The value of an option, or its default; empty if it has neither.
  std::string text(const char* option) const;
  std::vector<std::string> all(const char* option) const;
  std::optional<double> number(const char* option) const;
  /// A number in [min, max] from the option or its default; a whole one as 100000 or 1e5. Throw UsageError.
  double number(const char* option, double min, double max) const;
  std::uint64_t whole(const char* option, std::uint64_t min, std::uint64_t max) const;
  /// "20 s", or a number of seconds, at least 0. Throws UsageError.
  sim::Time duration(const char* option, sim::Time standard) const;
  /// --from and --to, by default 0 and never. Throws UsageError.
  std::pair<sim::Time, sim::Time> window() const;
  /// The path of a file to write, or `standard`. Throws UsageError for a folder, or where there is no folder for it.
  std::filesystem::path file(const char* option, const std::filesystem::path& standard = {}) const;
  /// The path of a folder to write to, or `standard`. Throws UsageError where a file is in its place.
  std::filesystem::path folder(const char* option, const std::filesystem::path& standard) const;
  /// The enumerator that the option names, or the default. Throws UsageError.
  template <class E>
  E choice(const char* option, E standard) const {
    const Names names = names_of(sim::kChoices<E>);
    return has(option) ? static_cast<E>(index_of(option, text(option), names)) : standard;
  }
  /// The index of the option's value, or default, among its allowed values. Throws UsageError.
  std::size_t index(const char* option) const {
    return index_of(option, text(option), allowed_.at(option)());
  }
  /// The index of `name` in `names`. Throws UsageError.
  static std::size_t index_of(const char* option, const std::string& name, const Names& names);
  /// agent_of() the names of agents and of their nodes. Throws UsageError.
  static sim::AgentId agent(const char* option, const std::string& text, const Names& names,
                            const Names& nodes);

 private:
  friend std::optional<Parsed> parse_arguments(const Arguments&, const Syntax&);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::map<std::string, Names (*)(), std::less<>> allowed_;
  std::set<std::string, std::less<>> defaulted_;
};

/// Nothing if --help is given; the help is then printed. Throws UsageError.
std::optional<Parsed> parse_arguments(const Arguments& arguments, const Syntax& syntax);

/// What a command accepts: what it passes to parse_arguments when it is called. Nothing else of it is executed.
Syntax syntax_of(int (*command)(const Arguments& arguments));

/// Throws UsageError unless `folder` holds results.
void require_results(const std::filesystem::path& folder);

/// --data-dir and --allow-path, and their values; HEARSAY_DATA_DIR is another --data-dir. Throws UsageError.
Options with_folder_options(Options options);
Folders folder_arguments(const Parsed& parsed);

/// --set, --data-dir, --allow-path.
Options with_input_options(Options options);

struct InputArguments {
  std::vector<std::string> files, sets;
  Folders folders{};
};
/// Their values. Throws UsageError.
InputArguments input_arguments(const Parsed& parsed);

/// --points, --max-runs, and their values.
Options with_sweep_options(Options options);
struct PlanOptions;
PlanOptions sweep_arguments(const Parsed& parsed);

}  // namespace hearsay::scenarios
