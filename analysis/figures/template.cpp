#include "analysis/figures/template.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/figures/page_files.hpp"

namespace hearsay::analysis {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, Json>;

// Fills a value of a template; false if it is to be removed.
bool fill_value(Json& value, const Values& values) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.starts_with('$')) return true;
    const auto found = values.find(text.substr(1));
    if (found != values.end()) value = found->second;
    return found != values.end();
  }
  if (value.is_object()) {
    if (const auto when = value.find("$when"); when != value.end()) {
      if (!values.contains(when->get<std::string>())) return false;
      value.erase(when);
    }
  }
  if (!value.is_structured()) return true;
  for (auto item = value.begin(); item != value.end();)
    item = fill_value(*item, values) ? std::next(item) : value.erase(item);
  return true;
}

std::string joined_json(char open, const std::vector<std::string>& values, char close) {
  std::string text(1, open);
  for (const std::string& value : values) {
    if (text.size() > 1) text += ',';
    text += value;
  }
  return text + close;
}

}  // namespace

std::string fill(std::string_view name, const Members& values) {
  Values parsed;
  for (const auto& [key, value] : values) parsed[key] = Json::parse(value);
  Json specification = Json::parse(page_files::figure_template(name));
  fill_value(specification, parsed);
  return specification.dump();
}

std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_number(double x) {
  return std::isfinite(x) ? fmt::format("{:.7g}", x) : "null";
}

std::string json_object(const Members& members) {
  std::vector<std::string> all;
  for (const auto& [key, value] : members) all.push_back(json_text(key) + ":" + value);
  return joined_json('{', all, '}');
}

std::string json_list(const std::vector<std::string>& values) {
  return joined_json('[', values, ']');
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(json_text(text));
  return json_list(all);
}

std::string json_numbers(const std::vector<double>& numbers) {
  std::vector<std::string> all;
  for (const double x : numbers) all.push_back(fmt::format("{}", x));
  return json_list(all);
}

}  // namespace hearsay::analysis
