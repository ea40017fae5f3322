#pragma once
// One swept option and its values: a list of them, or a range
//
//   {"from": a, "to": b, "step": s}      a, a + s, ... as far as b
//   {"from": a, "to": b, "factor": f}    a, a f, a f^2, ... as far as b
//   {"from": a, "to": b, "count": n}     n values from a to b, evenly apart; with "scale": "log" by even
//   factors
//
// in numbers or quantities ("15 ms"). The values of a range are rounded to 15 digits, so that 3 steps of 0.1
// make 0.3, and carry the unit that it is written in.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

struct AxisValue {
  Node node;
  std::string label;             ///< as it stands in tables
  std::optional<double> number;  ///< in SI, where it is one
};

class Axis {
 public:
  /// Reads what the sweep says of the option at `path`; `pointer` is where it does. Throws InputError.
  Axis(const Document& document, std::string path, const Node& written, const std::string& pointer);

  const std::string& path() const { return path_; }
  /// How many values: as a double, for there may be 1e30.
  double size() const;
  AxisValue value(std::size_t i) const;

 private:
  enum class Kind { kList, kStep, kFactor, kCount, kLogCount };
  void read_range(const Document& document, const std::string& pointer);

  std::string path_;
  Node written_;
  Kind kind_ = Kind::kList;
  double from_ = 0, to_ = 0, by_ = 0;  // by: step, factor or count
  std::string unit_;                   // that from, to and step are written in; empty: SI
};

/// How a value is shown in tables.
std::string label_of(const Node& value);

/// The number that a value is, in SI whatever its dimension; nothing if it is none.
std::optional<double> si_number(const Node& value);

}  // namespace hearsay::scenarios
