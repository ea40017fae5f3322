#pragma once
// JSON as the store and the report write it.
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/store/study.hpp"

namespace hearsay::analysis {

using Json = nlohmann::ordered_json;

/// A value as text; bytes that are not UTF-8 are replaced.
inline std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline void to_json(Json& json, const MetricInfo& m) {
  json = {{"name", m.name},
          {"help", m.help},
          {"unit", m.unit},
          {"per_agent", m.per_agent},
          {"better", name(m.better)}};
}
inline void from_json(const Json& json, MetricInfo& m) {
  m = {json.at("name"), json.at("help"), json.at("unit"), json.at("per_agent")};
  // Stores of hearsay 0.2 have only accuracies of which more is better, and do not say so.
  const bool higher = json.value("higher_is_better", m.name.find("accuracy") != std::string::npos);
  const std::string better = json.value("better", higher ? "higher" : "lower");
  m.better = better == "higher" ? Better::kHigher : better == "none" ? Better::kNone : Better::kLower;
}

inline void to_json(Json& json, const StudyHead& h) {
  json = {{"axes", h.axes},     {"tuned", h.tuned},     {"groups", h.groups},
          {"shown", h.shown},   {"metrics", h.metrics}, {"aggregate", h.aggregate},
          {"models", h.models}, {"by_time", h.by_time}, {"every", h.every}};
  if (h.antithetic) json["antithetic"] = true;
}
inline void from_json(const Json& json, StudyHead& h) {
  h = {json.at("axes"),      json.at("tuned"),  json.at("groups"),  json.at("shown"), json.at("metrics"),
       json.at("aggregate"), json.at("models"), json.at("by_time"), json.at("every")};
  h.antithetic = json.value("antithetic", false);
}

}  // namespace hearsay::analysis
