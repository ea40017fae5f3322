#pragma once
// The shape of options: everything that describe() states, for all alternatives. The source of explanations, the
// reference page and the JSON Schema.
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

struct Node;

/// One option. Texts are copies, so an outline can outlive its options.
struct Outline {
  enum class Kind { kBoolean, kNumber, kWhole, kText, kFile, kChoice, kObject, kList, kVariant, kByAgent };
  struct NamedChoice {
    std::string name, help;
  };
  struct Alternative {
    std::string name, help{}, example{}, shorthand_key{};
    sim::Shorthand::Kind shorthand = sim::Shorthand::kNone;
    std::vector<Outline> members{};
    bool open = false;  ///< may have further members
  };

  Kind kind = Kind::kObject;
  std::string name{}, help{}, source{};
  std::string unit{};  ///< SI unit; "=" is replaced by the unit of the enclosing value
  double min = 0, max = 0;
  bool open_min = false, open_max = false;
  bool required = false, optional = false;
  bool in_run = false;     ///< a branch may change it
  bool agent = false;      ///< a number that is an agent's, or its name
  std::string standard{};  ///< default as JSON text; empty for objects, "none" for an absent optional
  std::vector<NamedChoice> choices{};
  std::vector<std::string> unlisted{};  ///< names of further choices
  std::vector<Outline> members{};       ///< of an object; of a list or of values by agent its element
  std::vector<Alternative> alternatives{};
  std::size_t held = 0;  ///< index of the default alternative

  sim::About about() const;  ///< views into this
  /// Whether null is a value of the option, "none", because its default is another one. Elsewhere null is the default.
  bool has_null() const { return optional && standard != "none"; }
};

using OutlineAlternative = Outline::Alternative;

/// The alternative of a variant that a value selects: by its type, by the key of a short form, else the default one. The
/// value may be null.
const OutlineAlternative& alternative_of(const Outline& variant, const Node* written);
/// A member of an object or variant with that value; null: there is none, or its members are not known.
const Outline* member_of(const Outline& option, const Node* written, std::string_view name);

/// Collects outlines of the options that it visits, and changes the options.
class Outliner final : public sim::Visitor {
 public:
  std::vector<Outline> taken;

 protected:
  void boolean(bool& value, const sim::About& about) override;
  void number(double& value, const sim::About& about) override;
  void whole(std::int64_t& value, const sim::About& about) override;
  void text(std::string& value, const sim::About& about) override;
  void file(sim::InputFile& value, const sim::About& about) override;
  void choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) override;
  void object(const sim::About& about, const sim::Describe& members) override;
  void optional(const sim::About& about, bool present, const std::function<void(bool)>& set,
                const sim::Describe& value) override;
  void list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>& resize,
            const std::function<void(sim::Visitor&, std::size_t)>& element) override;
  void alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                    const std::function<void(std::size_t)>& select, const sim::Describe& current) override;
  void by_agent(const sim::About& about, const std::function<void(const std::vector<sim::AgentId>&)>& set,
                const sim::Describe& values) override;
  void failed(std::string_view, const std::string&) override {}

 private:
  Outline& add(Outline::Kind kind, const sim::About& about, std::string standard);
  std::vector<Outline> members_of(const sim::About& place, const sim::Describe& members);

  sim::About place_;
  int depth_ = 0;
};

/// The outline of a described struct, with the defaults that `standard` holds.
template <class T>
Outline outline(const T& standard = T{}) {
  T value = standard;
  Outliner outliner;
  outliner(value, sim::About{});
  return std::move(outliner.taken.front());
}

/// The type in a few words: "number", "text", "one of red, green".
std::string kind_text(const Outline& option);

}  // namespace hearsay::scenarios
