#pragma once
// Described options as JSON: the way back from options to a scenario.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// How numbers are written where the option has a unit.
enum class Numbers {
  kBare,        ///< in SI
  kQuantities,  ///< "15 ms", where that reads back as the same double; what has a shorthand is written by it
};

/// Writes every option of what it visits; infinite numbers as null, which reads as the default.
class Writer final : public sim::Visitor {
 public:
  using Json = nlohmann::ordered_json;

  /// With `collect_defaults` it finds out what the list elements and optional values it meets would hold by
  /// default, for changes(). To do so it makes some: hand it a copy.
  /// `place_unit` is what the unit "=" stands for.
  explicit Writer(Numbers numbers, bool collect_defaults = false, std::string_view place_unit = {})
      : numbers_(numbers), collect_defaults_(collect_defaults), place_unit_(place_unit) {}

  /// What was written, by name.
  const Json& written() const { return written_; }

  /// The member `name` of what was written, without what equals `standard`, which was written from a
  /// default-constructed value. Kept are required options and the type of what is not the default.
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
  std::string_view place_unit_;
  Json written_ = Json::object();
  Json* out_ = &written_;
  std::string pointer_;
  // By JSON pointer: defaults of the kind that stands there, of an optional value once it is present, of a
  // list's elements.
  std::map<std::string, Json> of_kind_, of_present_, of_elements_;
  std::set<std::string> required_;
};

/// All options, defaults too, in the order they are described: what `show` prints. Reading it gives an equal
/// value.
template <class T>
nlohmann::ordered_json write_all(T value, Numbers numbers = Numbers::kQuantities) {
  Writer writer(numbers);
  writer(value, sim::About{.name = "value"});
  return writer.written().at("value");
}

/// The options that differ from those of a default-constructed T. Reading them gives an equal value.
template <class T>
nlohmann::ordered_json write_changes(T value) {
  Writer writer(Numbers::kBare, true);
  writer(value, sim::About{.name = "value"});
  return writer.changes("value", write_all(T{}, Numbers::kBare));
}

/// One text for equal options, whatever the order they were written in: sorted keys, no spaces, numbers as
/// the shortest text that reads back as the same double. For run keys.
std::string canonical(const nlohmann::ordered_json& json);

}  // namespace hearsay::scenarios
