#pragma once
// Code that a scenario names, written in another language: a class with options of its own.
//
//   { "type": "python", "file": "gossip.py", "class": "Gossip", "step": 0.3 }
//
// or, from a program that defines the class, its name and a digest of its source in place of the file. A scenario is data:
// only who reads it decides whether code is executed (Visitor::load).
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/check.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::sim {

/// The value of an option of a class, of the type that its default has.
using CodeValue = std::variant<bool, std::int64_t, double, std::string>;

struct CodeOption {
  std::string name{}, help{}, unit{};
  CodeValue standard{};
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool open_min = false, open_max = false;
  std::vector<std::string> choices{};  ///< of a text; empty: any
};

/// A class that has been loaded. What uses it asks for more: models::ProtocolCode, ... Any thread may use it.
class Code {
 public:
  virtual ~Code() = default;
  std::string name{}, help{};
  std::string digest{};  ///< of source that is not in the file
  std::vector<CodeOption> options{};

 protected:
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

/// What a class can be used as.
enum class CodeKind { kProtocol, kModel, kData, kMetrics };

/// Where a scenario says that a class is.
struct CodePlace {
  InputFile file{};  ///< empty: in the program itself
  std::string name{}, digest{};
};

/// An option that is a class, with the values of its options.
class InputCode {
 public:
  explicit InputCode(CodeKind kind) : kind_(kind) {}

  /// Its file and name, and once it is loaded its options.
  void describe(Visitor& v);
  /// Whether it has been loaded.
  bool loaded() const { return code_ != nullptr; }
  /// As what it is used as, once it is loaded.
  template <class T>
  const T& as() const {
    check(loaded(), "a class was used before it was loaded");
    return dynamic_cast<const T&>(*code_);
  }
  const std::vector<CodeValue>& values() const { return values_; }

 private:
  CodeKind kind_;
  CodePlace place_;
  std::shared_ptr<const Code> code_;
  std::vector<CodeValue> values_;  // of its options
};

}  // namespace hearsay::sim
