#pragma once
// One swept option and its values: a list of them, or a range
//
//   {"from": a, "to": b, "step": s}      a, a + s, ... up to b
//   {"from": a, "to": b, "factor": f}    a, a f, a f^2, ... up to b
//   {"from": a, "to": b, "count": n}     n values from a to b at equal distances; with "scale": "log" at equal factors
//
// of numbers or quantities ("15 ms"). The values of a range have its unit and are rounded to 15 digits, so that 3
// steps of 0.1 are 0.3.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

struct AxisValue {
  Node node;
  std::string label;             ///< for tables
  std::optional<double> number;  ///< in SI, if it is a number
};

class Axis {
 public:
  /// Reads the axis of the option at `path`, written at `pointer`. Throws InputError.
  Axis(const Document& document, std::string path, const Node& written, const std::string& pointer);

  const std::string& path() const { return path_; }
  /// Number of values, which can be 1e30.
  double size() const;
  AxisValue value(std::size_t i) const;

 private:
  enum class Kind { kList, kStep, kFactor, kCount, kLogCount };
  void read_range(const Document& document, const std::string& pointer);

  std::string path_;
  Node written_;
  Kind kind_ = Kind::kList;
  double from_ = 0, to_ = 0, by_ = 0;  // by: step, factor or count
  std::string unit_;                   // of from, to and step; empty: SI
};

/// The label of a value in tables.
std::string label_of(const Node& value);

/// The number in SI that such a label stands for.
std::optional<double> label_number(const std::string& label);

/// The value in SI of a number or a quantity of any dimension; nothing for other values.
std::optional<double> si_number(const Node& value);

}  // namespace hearsay::scenarios
