// What a writer wrote, without the defaults.
#include "scenarios/language/reference/writer.hpp"

namespace hearsay::scenarios {

namespace {

using Json = nlohmann::ordered_json;

const Json* member(const Json* object, const std::string& key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

const Json* entry(const std::map<std::string, Json>& map, const std::string& pointer) {
  const auto found = map.find(pointer);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

// Leaves in `out` what must be written of `value` so that it reads back; false if that is nothing.
bool Writer::pruned(const Json& value, const Json* standard, const std::string& pointer, Json& out) const {
  const Json* of_kind = entry(of_kind_, pointer);
  const Json* of_present = entry(of_present_, pointer);
  const bool plain_object = value.is_object() && of_kind == nullptr && of_present == nullptr;
  const bool same = standard != nullptr && *standard == value;
  if (same && !plain_object) return false;
  if (value.is_array()) {
    out = pruned_list(value, pointer);
    return true;
  }
  if (!value.is_object()) {
    out = value;
    return true;
  }
  // What its members are by default, once it is there and of its kind.
  const Json* base = standard != nullptr && standard->is_object() ? standard : of_present;
  if (of_kind != nullptr && (base == nullptr || *member(base, "type") != value.at("type"))) base = of_kind;
  out = Json::object();
  for (const auto& [key, one] : value.items()) {
    const std::string below = pointer + "/" + key;
    Json kept;
    if (pruned(one, member(base, key), below, kept)) {
      out[key] = std::move(kept);
    } else if (required_.contains(below)) {
      out[key] = one;
    }
  }
  return !plain_object || !out.empty();
}

Writer::Json Writer::pruned_list(const Json& value, const std::string& pointer) const {
  Json out = Json::array();
  for (std::size_t i = 0; i < value.size(); ++i) {
    Json kept;
    const bool some = pruned(value[i], entry(of_elements_, pointer), pointer + "/" + std::to_string(i), kept);
    // An element can not be left out.
    const bool object = value[i].is_object() && entry(of_kind_, pointer + "/" + std::to_string(i)) == nullptr;
    out.push_back(some ? std::move(kept) : object ? Json::object() : value[i]);
  }
  return out;
}

Writer::Json Writer::changes(const std::string& name, const Json& standard) const {
  const Json& value = written_.at(name);
  Json out;
  if (!pruned(value, &standard, "/" + name, out)) return value.is_object() ? Json::object() : value;
  return out;
}

}  // namespace hearsay::scenarios
