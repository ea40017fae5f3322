#pragma once
// Messages about invalid input, one line each: `file:line:column: /json/pointer: what is wrong; what to do`.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check.hpp"
#include "sim/files/names.hpp"
#include "sim/files/text.hpp"

namespace hearsay::scenarios {

/// Invalid input. what() is the first message, in the order of the input; lines() are all.
class InputError : public sim::Error {
 public:
  explicit InputError(const std::string& line) : InputError(std::vector{line}) {}
  explicit InputError(std::vector<std::string> lines)
      : Error(Kind::kInvalid, {}, lines.at(0)), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

using sim::printable;

/// One step of a JSON pointer (RFC 6901), with its slash, printable.
std::string pointer_step(std::string_view key);

/// "where: /pointer: message"; the root has no pointer.
std::string located(const std::string& where, const std::string& pointer, const std::string& message);

using sim::did_you_mean, sim::kLongList, sim::Names, sim::nearest;

/// The `name` members of choices, alternatives, outlines, ...
template <class Named>
Names names_of(const Named& all) {
  Names names;
  for (const auto& one : all) names.emplace_back(one.name);
  return names;
}

/// "unknown key 'latencyy'; did you mean 'latency'?", or the known keys if none is near. `of` follows the key:
/// " of a range".
std::string unknown_key(std::string_view key, const Names& known, std::string_view of = {});

/// "one of a, b"; of more than kLongList names of an option with a path, "one of 47 names".
std::string one_of_text(const Names& names, std::string_view path = {});

/// "expected one of a, b, found X; did you mean 'a'?" for the written `name`, shown as `found`; `more` are other names
/// that it may be near to. Of more than kLongList names of an option with a path: "expected one of 47 names, found X; did
/// you mean 'a' or 'b'? For all names run `hearsay explain PATH`".
std::string expected_one_of(const Names& names, std::string_view found, std::string_view name,
                            std::string_view path = {}, const Names& more = {});

/// "1 run", "2 runs".
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace hearsay::scenarios
