// Completion of command lines, from the syntax of the commands and the outline of the scenario.
#include <algorithm>

#include "scenarios/commands/command.hpp"
#include "scenarios/language/reference/complete.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::scenarios {

namespace {

// The words as they were before bash split them.
Arguments joined(const Arguments& words) {
  Arguments all;
  bool split = false;
  for (const std::string& word : words) {
    const bool separator = !word.empty() && word.find_first_not_of("=:") == word.npos;
    if ((separator || split) && !all.empty()) {
      all.back() += word;
    } else {
      all.push_back(word);
    }
    split = separator;
  }
  return all;
}

Names with_prefix(const std::string& prefix, Names names) {
  for (std::string& name : names) name.insert(0, prefix);
  return names;
}

// Of an option or operand that the usage calls so; `written` is its beginning.
Names values_of(std::string_view placeholder, const std::string& written) {
  if (placeholder.starts_with("DIR")) return {":folders"};
  if (placeholder == "FILE") return {":files"};
  if (placeholder == "SCENARIO") return {":scenarios"};
  if (placeholder == "PATH") return complete_path(scenario_outline(), written);
  if (placeholder == "PATH=VALUE") return complete_setting(scenario_outline(), written);
  if (placeholder == "COMMAND") return names_of(commands());
  // A word of the usage in small letters is a value.
  const bool word = std::ranges::all_of(
      placeholder, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return word ? Names{std::string(placeholder)} : Names{};
}

Names values_of(const Option& option, const std::string& written) {
  if (option.values == nullptr) return values_of(option.value, written);
  const bool list = std::string_view(option.value).ends_with(",...");
  const std::size_t comma = list ? written.rfind(',') : written.npos;
  return with_prefix(comma == written.npos ? "" : written.substr(0, comma + 1), option.values());
}

// The first operand of the usage, "[SCENARIO|all]" of "bench [SCENARIO|all] [--seconds S]", by alternatives.
Names operands(const Syntax& syntax, const std::string& written) {
  Names all;
  const std::size_t begin = syntax.usage.find(' ');
  if (syntax.max_operands == 0 || begin == syntax.usage.npos) return all;
  std::string token = syntax.usage.substr(begin + 1, syntax.usage.find(' ', begin + 1) - begin - 1);
  std::erase_if(token, [](char c) { return c == '[' || c == ']' || c == '.'; });
  for (std::size_t from = 0; from <= token.size();) {
    const std::size_t to = std::min(token.find('|', from), token.size());
    const Names some = values_of(std::string_view(token).substr(from, to - from), written);
    all.insert(all.end(), some.begin(), some.end());
    from = to + 1;
  }
  return all;
}

const Option* find_option(const Syntax& syntax, const std::string& word) {
  const auto found = std::ranges::find_if(syntax.options, [&](const Option& o) {
    return word == "--" + o.long_name() || (!o.letter().empty() && word == "-" + o.letter());
  });
  return found == syntax.options.end() ? nullptr : &*found;
}

// Of the last of the words after a command.
Names candidates(const Syntax& syntax, const Arguments& words) {
  const std::string& last = words.back();
  if (words.size() > 1) {
    const Option* before = find_option(syntax, words[words.size() - 2]);
    if (before != nullptr && before->value != nullptr) return values_of(*before, last);
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
    const Option* option = find_option(syntax, last.substr(0, equals));
    if (option == nullptr || option->value == nullptr) return {};
    Names values = values_of(*option, last.substr(equals + 1));
    const bool files = values.size() == 1 && values[0].starts_with(':');
    return files ? values : with_prefix(last.substr(0, equals + 1), std::move(values));
  }
  if (Names all = operands(syntax, last); !last.starts_with('-') && !all.empty()) return all;
  Names options{"--help"};
  for (const Option& o : syntax.options) {
    const std::string word = "--" + o.long_name();
    const bool given = std::ranges::any_of(words, [&](const std::string& w) {
      return find_option(syntax, w.substr(0, w.find('='))) == &o && &w != &last;
    });
    if (o.repeated || !given) options.push_back(word);
  }
  return options;
}

}  // namespace

Names complete(const Arguments& split) {
  const Arguments words = joined(split);
  if (words.empty()) return {};
  Names all;
  if (words.size() == 1) {
    all = names_of(commands());
    all.insert(all.end(), {"--help", "--version"});
  } else {
    const auto command = std::ranges::find(commands(), words[0], &Command::name);
    if (command == commands().end()) return {};
    all = candidates(syntax_of(command->run), {words.begin() + 1, words.end()});
  }
  const std::string& last = words.back();
  std::erase_if(all,
                [&](const std::string& name) { return !name.starts_with(':') && !name.starts_with(last); });
  // bash replaces only what follows the last separator.
  const std::size_t done = last.find_last_of("=:") + 1;
  for (std::string& name : all) {
    if (!name.starts_with(':')) name.erase(0, done);
  }
  return all;
}

std::string_view completion_script() {
  return R"(# Completion of hearsay's command lines in bash, written by `hearsay help --completion`.
_hearsay() {
  local word=${COMP_WORDS[COMP_CWORD]} line
  local -a files
  case $word in =|:|:=) word= ;; esac
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*)
        case $line in
          :files) mapfile -t files < <(compgen -f -- "$word") ;;
          :folders) mapfile -t files < <(compgen -d -- "$word") ;;
          :scenarios) mapfile -t files < <(compgen -d -- "$word"; compgen -f -X '!*.json' -- "$word") ;;
        esac
        compopt -o filenames 2>/dev/null
        COMPREPLY+=("${files[@]}") ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("$1" help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case ${COMPREPLY[*]} in *[=.]) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _hearsay hearsay
)";
}

}  // namespace hearsay::scenarios
