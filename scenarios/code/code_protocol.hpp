#pragma once
// A protocol that is written in Python. A scenario names its class:
//
//   "protocol": { "type": "python", "file": "gossip.py", "class": "Gossip", "step": 0.3 }
//
// or, from a Python program that defines the class, its name and a digest of its source in place of the file. A scenario
// is data: a file is executed only if it lies below a folder that the command line allows (--allow-code). Who can execute
// it says so by a loader; a program without one does not read such a scenario.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/run/any_protocol.hpp"
#include "scenarios/language/input_path.hpp"

namespace hearsay::scenarios {

/// The value of an option of a class, of the type that its default has.
using CodeValue = std::variant<bool, std::int64_t, double, std::string>;

struct CodeOption {
  std::string name{}, help{}, unit{};
  CodeValue standard{};
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool open_min = false, open_max = false, required = false;
  std::vector<std::string> choices{};  ///< of a text; empty: any
};

/// A class that has been loaded. Any thread may use it.
class Code {
 public:
  virtual ~Code() = default;
  /// Throws what the class says is wrong, std::invalid_argument.
  virtual void check(const std::vector<CodeValue>& values, const models::Study& study) const = 0;
  /// Throws std::runtime_error for an exception of the class.
  virtual sim::End run(const std::vector<CodeValue>& values, models::World& world,
                       models::Observer& observer) const = 0;

  std::string name{}, help{}, step{};
  std::string digest{};   ///< of source that is not in the file
  models::Entry entry{};  ///< with views of these texts
  std::vector<CodeOption> options{};

 protected:
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

/// Where a scenario says that a class is.
struct CodePlace {
  sim::InputFile file{};  ///< empty: in the program itself
  std::string name{}, digest{};
};

/// Executes a file and finds a class, or finds one of the program. Throws std::runtime_error.
using CodeLoader = std::shared_ptr<const Code> (*)(const CodePlace& place);

/// Thrown by the loader of a program that cannot execute Python, to be continued by one that can.
struct ContinueInPython {};

/// Adds the protocol "python" to the table. Once.
void add_python_protocol(CodeLoader loader);

/// Code in these folders, and below them, may be executed from now on; in no others.
void allow_code(const Folders& folders);

}  // namespace hearsay::scenarios
