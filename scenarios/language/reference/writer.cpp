#include "scenarios/language/reference/writer.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/language/units.hpp"

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

// Whether a value reads back without the name of its alternative. A rate that is a distribution does not.
bool is_short(sim::Shorthand::Kind kind, const Json& value) {
  return (kind == sim::Shorthand::kNumber && (value.is_number() || value.is_string())) ||
         (kind == sim::Shorthand::kList && value.is_array());
}

}  // namespace

Writer::Writer(Numbers numbers, std::span<const std::string> paths)
    : numbers_(numbers), collect_defaults_(false) {
  for (const std::string& path : paths) {
    settable_.push_back("/value/" + path);
    std::replace(settable_.back().begin(), settable_.back().end(), '.', '/');
  }
}

void Writer::put(const sim::About& about, Json value) {
  if (about.required) required_.insert(below(about.name));
  if (out_->is_array()) {
    out_->push_back(std::move(value));
  } else {
    (*out_)[std::string(about.name)] = std::move(value);
  }
}

bool Writer::put_quantity(const sim::About& about, double value) {
  if (numbers_ != Numbers::kQuantities || unit_names(unit(about)).empty()) return false;
  const std::string text = format_quantity(value, unit(about));
  if (parse_quantity(text, unit(about)) != value) return false;
  put(about, text);
  return true;
}

void Writer::number(double& value, const sim::About& about) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return put(about, nullptr);
  if (put_quantity(about, value)) return;
  const bool whole =
      value == std::floor(value) && std::abs(value) < kExact && !(value == 0 && std::signbit(value));
  put(about, whole ? Json(static_cast<std::int64_t>(value)) : Json(value));
}

void Writer::whole(std::int64_t& value, const sim::About& about) {
  if (!put_quantity(about, static_cast<double>(value))) put(about, value);
}

void Writer::choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) {
  put(about, std::string(all[index].name));
}

// Writes `members` into `start`, the value of `name`.
Writer::Json Writer::within(std::string_view name, std::string_view place_unit, Json start,
                            const sim::Describe& members) {
  Json* const outer = std::exchange(out_, &start);
  const std::string outer_pointer = std::exchange(pointer_, below(name));
  const std::string_view outer_unit = std::exchange(place_unit_, place_unit);
  members(*this);
  place_unit_ = outer_unit;
  pointer_ = outer_pointer;
  out_ = outer;
  return start;
}

void Writer::object(const sim::About& about, const sim::Describe& members) {
  put(about, within(about.name, about.unit.empty() ? place_unit_ : unit(about), Json::object(), members));
}

void Writer::optional(const sim::About& about, bool present, const std::function<void(bool)>& set,
                      const sim::Describe& value) {
  if (!present) return put(about, nullptr);
  value(*this);
  if (!collect_defaults_) return;
  set(true);
  Writer fresh(numbers_, false, place_unit_);
  value(fresh);
  of_present_[below(about.name)] = fresh.written().front();
}

void Writer::list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>& resize,
                  const std::function<void(sim::Visitor&, std::size_t)>& element) {
  put(about, within(about.name, place_unit_, Json::array(), [&](sim::Visitor& v) {
        for (std::size_t i = 0; i < size; ++i) element(v, i);
      }));
  if (!collect_defaults_) return;
  resize(size + 1);
  Writer fresh(numbers_, false, place_unit_);
  element(fresh, size);
  of_elements_[below(about.name)] = fresh.written().front();
  resize(size);
}

void Writer::alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                          const std::function<void(std::size_t)>&, const sim::Describe& current) {
  const sim::Alternative& held = all[index];
  const Json type{{"type", std::string(held.name)}};
  Json value = within(about.name, unit(about), type, current);
  if (collect_defaults_) {
    required_.insert(below(about.name) + "/type");
    Writer fresh(numbers_, false, unit(about));
    of_kind_[below(about.name)] = fresh.within(about.name, unit(about), type, held.describe_default);
  }
  const auto inside = [&, here = below(about.name) + "/"](const std::string& part) {
    if (!part.starts_with(here)) return false;
    const bool element = part[here.size()] >= '0' && part[here.size()] <= '9';
    // An element of the list that is the short form keeps its place.
    return !(element && held.shorthand.kind == sim::Shorthand::kList);
  };
  if (numbers_ == Numbers::kQuantities && value.size() == 2 &&
      std::none_of(settable_.begin(), settable_.end(), inside)) {
    const auto member = value.find(held.shorthand.key);
    if (member != value.end() && is_short(held.shorthand.kind, *member)) value = Json(*member);
  }
  put(about, std::move(value));
}

// Sets `out` to the part of `value` that must be written so that it reads back; false if that is nothing.
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
  // The defaults of its members, given that it is present and of its type.
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
    // An element cannot be left out.
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

std::string canonical(const nlohmann::ordered_json& json) {
  return nlohmann::json(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hearsay::scenarios
