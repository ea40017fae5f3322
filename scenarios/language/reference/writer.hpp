#pragma once
// Described options as JSON: the inverse of reading a scenario.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// How numbers are written where the option has a unit.
enum class Numbers {
  kBare,        ///< in SI
  kQuantities,  ///< "15 ms", if that reads back as the same double; shorthands are used
};

/// Writes every option that it visits; infinite numbers as null, which reads as the default.
class Writer final : public sim::Visitor {
 public:
  using Json = nlohmann::ordered_json;

  /// With `collect_defaults` it also determines the defaults of list elements and optional values, for changes(); to do
  /// so it changes the options. `place_unit` replaces the unit "=".
  explicit Writer(Numbers numbers, bool collect_defaults = false, std::string_view place_unit = {})
      : numbers_(numbers), collect_defaults_(collect_defaults), place_unit_(place_unit) {}
  /// Values of which a part lies at one of the dotted `paths` are objects, so that the part can be set; no shorthands.
  Writer(Numbers numbers, std::span<const std::string> paths);

  /// The written options, by name.
  const Json& written() const { return written_; }

  /// The written member `name` without the parts that equal `standard`, the JSON of a default-constructed value.
  /// Required options and the types of changed alternatives are kept.
  Json changes(const std::string& name, const Json& standard) const;

 protected:
  void boolean(bool& value, const sim::About& about) override { put(about, value); }
  void number(double& value, const sim::About& about) override;
  void whole(std::int64_t& value, const sim::About& about) override;
  void text(std::string& value, const sim::About& about) override { put(about, value); }
  void file(sim::InputFile& value, const sim::About& about) override { put(about, value.path); }
  void choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) override;
  void object(const sim::About& about, const sim::Describe& members) override;
  void optional(const sim::About& about, bool present, const std::function<void(bool)>& set,
                const sim::Describe& value) override;
  void list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>& resize,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override;
  void alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                    const std::function<void(std::size_t)>& select, const sim::Describe& current) override;
  void failed(std::string_view, const std::string&) override {}

 private:
  void put(const sim::About& about, Json value);
  bool put_quantity(const sim::About& about, double value);
  std::string_view unit(const sim::About& about) const {
    return about.unit == "=" ? place_unit_ : about.unit;
  }
  std::string below(std::string_view name) const { return pointer_ + "/" + std::string(name); }
  Json within(std::string_view name, std::string_view place_unit, Json start, const sim::Describe& members);
  bool pruned(const Json& value, const Json* standard, const std::string& pointer, Json& out) const;
  Json pruned_list(const Json& value, const std::string& pointer) const;

  Numbers numbers_;
  bool collect_defaults_;
  std::string_view place_unit_ = {};
  std::vector<std::string> settable_ = {};  // JSON pointers of parts that can be set
  Json written_ = Json::object();
  Json* out_ = &written_;
  std::string pointer_;
  // By JSON pointer: defaults of the alternative there, of an optional value that is present, of a list's elements.
  std::map<std::string, Json> of_kind_, of_present_, of_elements_;
  std::set<std::string> required_;
};

/// All options with their defaults, in the order of describe(), as `show` prints them. Reading gives an equal value, in
/// which the dotted `paths` can be set.
template <class T>
nlohmann::ordered_json write_all(T value, Numbers numbers = Numbers::kQuantities,
                                 std::span<const std::string> paths = {}) {
  Writer writer(numbers, paths);
  writer(value, sim::About{.name = "value"});
  return writer.written().at("value");
}

/// The options that differ from a default-constructed T. Reading them gives an equal value.
template <class T>
nlohmann::ordered_json write_changes(T value) {
  Writer writer(Numbers::kBare, true);
  writer(value, sim::About{.name = "value"});
  return writer.changes("value", write_all(T{}, Numbers::kBare));
}

/// A text that is equal for equal options, for run keys: sorted keys, no spaces, each number as the shortest text that
/// reads back as the same double.
std::string canonical(const nlohmann::ordered_json& json);

}  // namespace hearsay::scenarios
