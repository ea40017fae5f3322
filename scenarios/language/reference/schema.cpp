// The JSON Schema of scenarios.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <utility>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/explain.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

using Json = nlohmann::ordered_json;

// A number with one of the unit's names, as a regular expression; no name has a special character.
std::string pattern_of(std::string_view unit) {
  std::vector<std::string_view> names;
  for (const UnitName& name : unit_names(unit)) names.push_back(name.name);
  return fmt::format("^-?[0-9]*\\.?[0-9]*([eE][-+]?[0-9]+)? ?({})$", fmt::join(names, "|"));
}

// The values of an axis are checked as options at every point.
constexpr const char* kSweepSchema = R"({
  "type": "object",
  "description": "Axes by the paths of their options; every combination of their values is run.",
  "properties": {
    "zip": {
      "type": "array",
      "description": "Objects of axes that move together.",
      "items": {"type": "object", "minProperties": 1, "additionalProperties": true}},
    "where": {"type": "string", "description": "Only points for which this holds."},
    "select": {
      "type": "object",
      "description": "Choose the best value of one axis by a metric, on other instances of the data.",
      "properties": {
        "over": {"type": "string"},
        "minimise": {"type": "string"},
        "maximise": {"type": "string"},
        "on": {"enum": ["validation", "test"]}},
      "required": ["over"],
      "oneOf": [{"required": ["minimise"]}, {"required": ["maximise"]}],
      "additionalProperties": false},
    "random_numbers": {
      "enum": ["common", "independent"],
      "description": "Whether all points have the same random numbers."}},
  "additionalProperties": true})";
constexpr const char* kAxisSchema = R"({"anyOf": [
  {"type": "array", "minItems": 1, "items": {
    "if": {"type": "object", "required": ["label"]},
    "then": {
      "properties": {"label": {"type": "string", "minLength": 1}, "value": {}},
      "required": ["value"],
      "additionalProperties": false}}},
  {"type": "object",
   "properties": {
     "from": {"type": ["number", "string"]},
     "to": {"type": ["number", "string"]},
     "step": {"type": ["number", "string"]},
     "factor": {"type": "number", "exclusiveMinimum": 0},
     "count": {"type": "integer", "minimum": 2},
     "scale": {"enum": ["linear", "log"]}},
   "required": ["from", "to"],
   "oneOf": [{"required": ["step"]}, {"required": ["factor"]}, {"required": ["count"]}],
   "additionalProperties": false},
  {"type": "null"}]})";

constexpr const char* kBranchesSchema = R"({
  "type": "object",
  "description": "What-if from a common past: what changes at a time, as an axis of the study.",
  "properties": {
    "at": {
      "description": "When the branches part: a time, or a number of iterations.",
      "anyOf": [
        {"type": ["number", "string"]},
        {"type": "object", "properties": {"type": {"const": "time"}, "time": {"type": ["number", "string"]}},
         "required": ["time"], "additionalProperties": false},
        {"type": "object", "properties": {"type": {"const": "iteration"}, "iterations": {"type": "integer", "minimum": 1}},
         "required": ["iterations"], "additionalProperties": false}]},
    "set": {"description": "What each branch changes: laws of the network, events, options of the protocol."},
    "noise": {"enum": ["common", "fresh"], "description": "Random numbers of a branch from then on."},
    "continuations": {"type": "integer", "minimum": 1, "maximum": 1000000}},
  "required": ["at", "set"],
  "additionalProperties": false})";

constexpr const char* kTuneSchema = R"({
  "type": "object",
  "description": "Options of which only the best values are reported.",
  "properties": {
    "paths": {"type": "object", "minProperties": 1, "description": "Options and the values to try."},
    "minimise": {"type": "string"},
    "maximise": {"type": "string"},
    "on": {"enum": ["validation", "test"]},
    "per": {"type": "array", "items": {"type": "string"}},
    "repetitions": {"type": "integer", "minimum": 1},
    "budget": {"anyOf": [{"enum": ["all", "successive_halving"]}, {"type": "integer", "minimum": 1}]},
    "trials": {
      "type": "object",
      "properties": {"type": {"const": "negative_binomial"},
                     "eta": {"type": "number", "minimum": -0.9, "maximum": 100},
                     "mean": {"type": "number", "exclusiveMinimum": 1, "maximum": 1000000}},
      "additionalProperties": false}},
  "required": ["paths"],
  "oneOf": [{"required": ["minimise"]}, {"required": ["maximise"]}],
  "additionalProperties": false})";

// Null restores a default.
Json nullable(Json schema) {
  if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum") &&
      !schema.contains("oneOf")) {
    schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }
  if (!schema.contains("anyOf")) {
    Json one = std::exchange(schema, Json::object());
    if (one.contains("description")) {
      schema["description"] = one["description"];
      one.erase("description");
    }
    schema["anyOf"].push_back(std::move(one));
  }
  schema["anyOf"].push_back({{"type", "null"}});
  return schema;
}

// The schema of that text, in which any member may be null that is not required. A null one of "oneOf" is not given.
Json with_nulls(Json schema) {
  if (!schema.is_structured()) return schema;
  for (auto& part : schema) part = with_nulls(std::move(part));
  if (!schema.is_object() || !schema.contains("properties")) return schema;
  const Json required = schema.value("required", Json::array());
  if (schema.contains("oneOf"))
    for (Json& one : schema["oneOf"])
      one["properties"][one["required"][0].get<std::string>()] = {{"not", {{"type", "null"}}}};
  for (auto& [name, member] : schema["properties"].items()) {
    if (std::ranges::find(required, Json(name)) == required.end() && !member.empty())
      member = nullable(member);
  }
  return schema;
}

Json tune_schema() {
  Json tune = with_nulls(Json::parse(kTuneSchema));
  tune["properties"]["paths"]["additionalProperties"] = with_nulls(Json::parse(kAxisSchema));
  return tune;
}

Json branches_schema() {
  Json branches = with_nulls(Json::parse(kBranchesSchema));
  branches["properties"]["set"].update(Json::parse(kAxisSchema)["anyOf"][0]);
  return branches;
}

Json sweep_schema() {
  const Json axis = with_nulls(Json::parse(kAxisSchema));
  Json sweep = with_nulls(Json::parse(kSweepSchema));
  sweep["properties"]["zip"]["items"]["additionalProperties"] = sweep["additionalProperties"] = axis;
  return sweep;
}

class Maker {
 public:
  Json root(const Outline& o) {
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "hearsay scenario"}};
    Json body = object(o.members);
    body["properties"]["$schema"] =
        nullable({{"type", "string"}, {"description", "The JSON Schema that editors check this by."}});
    body["properties"]["extends"] =
        nullable({{"type", "string"}, {"description", "A scenario that this one changes."}});
    body["properties"]["sweep"] = nullable(sweep_schema());
    body["properties"]["branches"] = nullable(branches_schema());
    body["properties"]["tune"] = nullable(tune_schema());
    schema.update(body);
    Json definitions = Json::object();
    for (const auto& [name, definition] : definitions_) definitions[name] = definition;
    if (!definitions.empty()) schema["$defs"] = definitions;
    return schema;
  }

 private:
  Json object(const std::vector<Outline>& members) {
    Json properties = Json::object();
    for (const Outline& m : members) properties[m.name] = nullable(option(m));
    return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  }

  Json option(const Outline& o) {
    Json schema = Json::object();
    if (const std::string text = o.help + (o.source.empty() ? "" : " (" + o.source + ")"); !text.empty()) {
      schema["description"] = text;
    }
    schema.update(value(o));
    return schema;
  }

  Json value(const Outline& o) {
    switch (o.kind) {
      case Outline::Kind::kBoolean:
        return {{"type", "boolean"}};
      case Outline::Kind::kNumber:
      case Outline::Kind::kWhole:
        return number(o);
      case Outline::Kind::kText:
      case Outline::Kind::kFile:
        return {{"type", "string"}};
      case Outline::Kind::kChoice: {
        std::vector<Outline::NamedChoice> all = o.choices;
        for (const std::string& name : o.unlisted) all.push_back({name, ""});
        return named(all);
      }
      case Outline::Kind::kObject:
        return object(o.members);
      case Outline::Kind::kList: {
        Json list{{"type", "array"}};
        if (!o.members.empty()) list["items"] = value(o.members[0]);
        return list;
      }
      case Outline::Kind::kVariant:
        return variant(o);
      case Outline::Kind::kByAgent: {
        Json values{{"type", "object"}, {"propertyNames", {{"pattern", "^(0|[1-9][0-9]*|.*[^0-9].*)$"}}}};
        if (!o.members.empty()) values["additionalProperties"] = value(o.members[0]);
        return values;
      }
    }
    return {};
  }

  static Json number(const Outline& o) {
    Json bare{{"type", o.kind == Outline::Kind::kWhole ? "integer" : "number"}};
    if (std::isfinite(o.min)) bare[o.open_min ? "exclusiveMinimum" : "minimum"] = o.min;
    if (std::isfinite(o.max)) bare[o.open_max ? "exclusiveMaximum" : "maximum"] = o.max;
    if (o.agent) {  // its name is not a number
      bare["type"] = {"integer", "string"};
      bare["pattern"] = "[^0-9]";
    }
    if (unit_names(o.unit).empty()) return bare;
    bare["type"] = {bare["type"], "string"};
    bare["pattern"] = pattern_of(o.unit);
    bare["patternErrorMessage"] = fmt::format("Expected {}.", expected_quantity(o.unit));
    return bare;
  }

  // Their help is shown by editors; the standard has no word for it.
  template <class Named>
  static Json named(const std::vector<Named>& all) {
    Json values{{"enum", names_of(all)}}, helps = Json::array();
    bool helpful = false;
    for (const Named& one : all) {
      helps.push_back(one.help);
      helpful |= !one.help.empty();
    }
    if (helpful) values["enumDescriptions"] = helps;
    return values;
  }

  Json variant(const Outline& o) {
    Json any = Json::array();
    for (const OutlineAlternative& a : o.alternatives) {
      any.push_back(defined(a));
      for (const Outline& m : a.members) {
        if (m.name == a.shorthand_key && a.shorthand != sim::Shorthand::kNone) any.push_back(value(m));
      }
    }
    any.push_back(named(o.alternatives));
    return {{"anyOf", any}};
  }

  // A reference to the schema of an alternative; equal ones are defined once.
  Json defined(const OutlineAlternative& a) {
    Json schema = object(a.members);
    if (a.open) schema["additionalProperties"] = Json::object();
    schema["properties"]["type"] = {{"const", a.name}};
    if (!a.help.empty()) schema["description"] = schema["properties"]["type"]["description"] = a.help;
    const std::string text = schema.dump();
    auto known = names_.find(text);
    if (known == names_.end()) {
      std::string name = a.name;
      for (int i = 2; definitions_.contains(name); ++i) name = fmt::format("{}_{}", a.name, i);
      definitions_[name] = std::move(schema);
      known = names_.emplace(text, name).first;
    }
    return {{"$ref", "#/$defs/" + known->second}};
  }

  std::map<std::string, Json> definitions_;
  std::map<std::string, std::string> names_;
};

}  // namespace

Json json_schema(const Outline& root) {
  return Maker().root(root);
}

std::string schema_text(const Outline& root) {
  const Json schema = json_schema(root);
  std::string text = "{";
  for (const auto& [key, value] : schema.items()) {
    text += fmt::format("{}\n\"{}\": ", text.size() > 1 ? "," : "", key);
    if (!value.is_object()) {
      text += value.dump();
      continue;
    }
    std::vector<std::string> lines;
    for (const auto& [name, option] : value.items())
      lines.push_back(fmt::format("\"{}\": {}", name, option.dump()));
    text += fmt::format("{{\n{}\n}}", fmt::join(lines, ",\n"));
  }
  return text + "\n}\n";
}

}  // namespace hearsay::scenarios
