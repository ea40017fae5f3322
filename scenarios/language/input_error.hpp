#pragma once
// Messages about wrong input, one line each: `file:line:column: /json/pointer: what is wrong; what to do`.
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::scenarios {

/// Invalid input. what() is the first message, in the order of the input; lines() are all.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& line) : InputError(std::vector{line}) {}
  explicit InputError(std::vector<std::string> lines)
      : std::runtime_error(lines.at(0)), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

/// `text` for a line of a message: control characters and bytes that are no UTF-8 escaped, long text cut
/// short.
std::string printable(std::string_view text, std::size_t most_characters = 80);

/// One step of a JSON pointer (RFC 6901), with its slash, printable.
std::string pointer_step(std::string_view key);

/// "where: /pointer: message"; the root has no pointer.
std::string located(const std::string& where, const std::string& pointer, const std::string& message);

/// The name with the least edit distance to `name`, if that is near enough to be meant, else the shortest
/// that holds it as a part, else nothing. Of equally near ones that which has all its letters, or the first.
std::string_view nearest(std::string_view name, std::span<const std::string> names);

/// "; did you mean 'protocol'?", or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace hearsay::scenarios
