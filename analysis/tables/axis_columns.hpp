#pragma once
// The columns of the swept options in a table.
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hearsay::analysis {

/// The number in SI that a label represents, if any.
using LabelNumber = std::function<std::optional<double>(const std::string& label)>;

/// Whether the whole label is a number, without a unit.
bool is_plain_number(const std::string& label);

/// One column for each axis, with its labels. An axis whose values have units ("10 ms") has its numbers in SI (0.01)
/// instead, and a further column NAME.text with the labels.
class AxisColumns {
 public:
  AxisColumns() = default;
  /// `labels`: by point and axis. Without `number` all columns have labels.
  AxisColumns(std::vector<std::string> axes, const std::vector<std::vector<std::string>>& labels,
              LabelNumber number);
  /// The names of the columns, a comma after each.
  std::string header() const;
  /// The fields of a point, likewise; an empty label gives empty fields.
  std::string fields(const std::vector<std::string>& labels) const;

 private:
  std::vector<std::string> axes_;
  std::vector<bool> quantities_;  // by axis
  LabelNumber number_;
};

}  // namespace hearsay::analysis
