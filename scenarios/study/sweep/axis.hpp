#pragma once
// One swept option and its values: a list of them, or a range
//
//   {"from": a, "to": b, "step": s}      a, a + s, ... up to b
//   {"from": a, "to": b, "factor": f}    a, a f, a f^2, ... up to b
//   {"from": a, "to": b, "count": n}     n values from a to b at equal distances; with "scale": "log" at equal factors
//
// of numbers or quantities ("15 ms"). The values of a range have its unit and are rounded to 15 digits, so that 3
// steps of 0.1 are 0.3. A value of a list can have a label: {"label": "20 % down", "value": {...}}.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

struct AxisValue {
  Node node;
  std::string label;  ///< as given, or the whole value: identifies it in files
  std::string shown;  ///< in tables and figures: of an object only what differs from the other values
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
  /// Whether the values are listed, not those of a range.
  bool listed() const { return kind_ == Kind::kList; }
  Position at() const { return written_.at; }

 private:
  enum class Kind { kList, kStep, kFactor, kCount, kLogCount };
  void read_list(const Document& document, const std::string& pointer);
  void read_range(const Document& document, const std::string& pointer);

  std::string path_;
  Node written_;  // without the labels
  std::vector<std::string> labels_,
      shown_;  // of a list; empty label: none is given, empty list: as the labels
  Kind kind_ = Kind::kList;
  double from_ = 0, to_ = 0, by_ = 0;  // by: step, factor or count
  std::string unit_;                   // of from, to and step; empty: SI
};

/// The axes of a study, by number.
struct SweptAxes {
  std::vector<std::string> axes{};    ///< the paths of their options
  std::vector<std::size_t> groups{};  ///< a number that is equal for axes that vary together
  std::vector<bool> numeric{};        ///< whether all values are numbers
  std::vector<std::string> units{};   ///< SI unit of the values that are quantities; empty: none is
  /// For labels of tables and figures that differ from those that identify a value, the text by label.
  std::vector<std::map<std::string, std::string>> shown{};
  std::vector<Position> axes_at{};  ///< where their values are written
};

}  // namespace hearsay::scenarios
