#include "analysis/results/store/encoding.hpp"

#include <nlohmann/json.hpp>

namespace hearsay::analysis {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string encode(const std::vector<std::string>& texts) {
  return dumped(texts);
}

std::string encode(const std::vector<std::size_t>& numbers) {
  return dumped(numbers);
}

std::string encode(const std::vector<MetricInfo>& metrics) {
  Json list = Json::array();
  for (const MetricInfo& m : metrics)
    list.push_back({{"name", m.name}, {"help", m.help}, {"unit", m.unit}, {"per_agent", m.per_agent}});
  return dumped(list);
}

std::string encode_labels(const std::vector<std::string>& axes, const std::vector<std::string>& labels) {
  Json object = Json::object();
  for (std::size_t a = 0; a < axes.size(); ++a) object[axes[a]] = labels[a];
  return dumped(object);
}

std::vector<std::string> decode_texts(const std::string& json) {
  return Json::parse(json).get<std::vector<std::string>>();
}

std::vector<std::size_t> decode_numbers(const std::string& json) {
  return Json::parse(json).get<std::vector<std::size_t>>();
}

std::vector<MetricInfo> decode_metrics(const std::string& json) {
  std::vector<MetricInfo> all;
  for (const Json& m : Json::parse(json)) {
    all.push_back({m.at("name").get<std::string>(), m.at("help").get<std::string>(),
                   m.at("unit").get<std::string>(), m.at("per_agent").get<bool>()});
  }
  return all;
}

std::vector<std::string> decode_labels(const std::vector<std::string>& axes, const std::string& json) {
  const Json object = Json::parse(json);
  std::vector<std::string> labels;
  for (const std::string& axis : axes) labels.push_back(object.at(axis).get<std::string>());
  return labels;
}

}  // namespace hearsay::analysis
