#include "analysis/tables/axis_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

bool is_plain_number(const std::string& label) {
  char* end = nullptr;
  std::strtod(label.c_str(), &end);
  return !label.empty() && *end == '\0';
}

AxisColumns::AxisColumns(std::vector<std::string> axes, const std::vector<std::vector<std::string>>& labels,
                         LabelNumber number)
    : axes_(std::move(axes)), quantities_(axes_.size()), number_(std::move(number)) {
  for (std::size_t a = 0; number_ && !labels.empty() && a < axes_.size(); ++a) {
    const auto is_number = [&](const auto& point) {
      const std::optional<double> x = number_(point[a]);
      return x && std::isfinite(*x);
    };
    quantities_[a] =
        std::ranges::all_of(labels, is_number) &&
        !std::ranges::all_of(labels, [a](const auto& point) { return is_plain_number(point[a]); });
  }
}

std::string AxisColumns::header() const {
  std::string all;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    all += csv_field(axes_[a]) + "," + (quantities_[a] ? csv_field(axes_[a] + ".text") + "," : "");
  return all;
}

std::string AxisColumns::fields(const std::vector<std::string>& labels) const {
  std::string all;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (quantities_[a]) {
      const std::optional<double> x = number_(labels[a]);
      all += x ? fmt::format("{},", *x) : ",";
    }
    all += csv_field(labels[a]) + ",";
  }
  return all;
}

}  // namespace hearsay::analysis
