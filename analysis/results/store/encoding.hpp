#pragma once
// Lists as the store keeps them: JSON text. Bytes that are not UTF-8 are replaced.
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/results/series.hpp"

namespace hearsay::analysis {

std::string encode(const std::vector<std::string>& texts);
std::string encode(const std::vector<std::size_t>& numbers);
std::string encode(const std::vector<MetricInfo>& metrics);
/// {"privacy.epsilon":"0.1",...}, in the order of the axes.
std::string encode_labels(const std::vector<std::string>& axes, const std::vector<std::string>& labels);

std::vector<std::string> decode_texts(const std::string& json);
std::vector<std::size_t> decode_numbers(const std::string& json);
std::vector<MetricInfo> decode_metrics(const std::string& json);
std::vector<std::string> decode_labels(const std::vector<std::string>& axes, const std::string& json);

}  // namespace hearsay::analysis
