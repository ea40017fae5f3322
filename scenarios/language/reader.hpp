#pragma once
// Reads described options from a document.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/code.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// Reads the options that a document gives; the others keep their values. Collects all errors; finish() throws them.
/// About 10 us for a scenario of 100 lines.
class Reader final : public sim::Visitor {
 public:
  /// `pointer` is the JSON pointer of `node`. The document must outlive the reader. `others`: keys that the node may have,
  /// read by someone else and removed. `names`: of agents; empty: they have none.
  Reader(const Document& document, const Node& node, const Folders& folders, std::string pointer,
         std::vector<std::string> others = {}, NamesInScenario names = {})
      : document_(document),
        folders_(folders),
        pointer_(std::move(pointer)),
        others_(std::move(others)),
        names_(std::move(names)),
        frames_{{.kind = Frame::Kind::kBare, .node = &node, .at = node.at}} {}

  /// Throws InputError with all errors, in the order of the input, if there are any.
  void finish() const;

  /// A number without a unit, read as so many of a unit.
  struct PlainNumber {
    std::string pointer;
    double value;
    std::string_view unit;
  };
  const std::vector<PlainNumber>& plain_numbers() const { return plain_; }

  std::string shown(double x, std::string_view unit) const override;
  std::shared_ptr<const sim::Code> load(const sim::CodePlace& place, sim::CodeKind kind) const override {
    return load_code(place, kind);
  }

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
  void failed(std::string_view key, const std::string& message) override;

 private:
  // A value whose members are being read.
  struct Frame {
    enum class Kind { kObject, kList, kBare };
    Kind kind = Kind::kObject;
    const Node* node = nullptr;                     // null: absent, all members keep their defaults
    Position at = {};                               // of the value, or of the value that contains it
    std::string_view name = {};                     // key in the frame below
    sim::About place = {};                          // resolves "=": unit and range
    std::string_view key = {};                      // kBare: the only member that the node can be; empty: any
    std::string_view type = {};                     // of an alternative
    bool open = false;                              // that has members of its code
    std::string hint = {};                          // for unknown keys
    std::span<const sim::Alternative> others = {};  // that the value could have been, by a key of theirs
    std::size_t index = 0;                          // kList: the element being read
    std::size_t faults = 0;                         // number of faults before it
    std::vector<bool> seen = {};
    std::vector<std::pair<std::string, std::string>> missing = {};  // required key, what is expected
    // Of values by agent: keys as written, by number. Empty elsewhere.
    std::map<std::string, std::string, std::less<>> keys = {};
    std::string_view written(std::string_view number) const {
      const auto found = keys.find(number);
      return found == keys.end() ? number : found->second;
    }
  };
  struct Fault {
    Position at;
    std::string pointer, message;
    std::size_t checked_at = 0;  // number of frames when a rule about several options failed; otherwise 0
    bool missing = false;        // a required key is missing
  };
  // The alternative that a value selects, and how its members are read from the value.
  struct Chosen {
    enum class Form { kNone, kObject, kBare, kDefaults };
    Form form = Form::kNone;
    std::size_t index = 0;
    std::string hint = {};  // kNone: the message
  };

  const Node* find(std::string_view name, bool note);
  template <class Expected>
  const Node* given(const sim::About& about, const Expected& expected);
  const Node* given_as(const sim::About& about, Node::Kind kind, std::string_view expected);
  std::optional<double> quantity(const sim::About& about, bool whole);
  std::optional<sim::AgentId> named(const std::string& text, Position at, const std::string& pointer);
  sim::About resolved(const sim::About& about) const;
  void within(Frame frame, const sim::Describe& members);
  void report_unknown(const Frame& frame, const sim::Describe& members);
  static Chosen choose(const Node& node, const sim::About& about, std::span<const sim::Alternative> all,
                       std::size_t index);
  std::string pointer(std::string_view name) const;
  std::string explained(std::string_view name) const;
  void fault(Position at, std::string pointer, std::string message);
  void wrong(const Node& node, const sim::About& about, std::string_view expected);

  const Document& document_;
  const Folders& folders_;
  std::string pointer_;
  std::vector<std::string> others_;
  NamesInScenario names_;
  bool unnamed_ = false;  // an agent was not found, because an error hides the names
  std::vector<Frame> frames_;
  std::vector<Fault> faults_;
  std::vector<PlainNumber> plain_;
};

// The value of a member, or nothing if it keeps its default: absent, or null in an object. `expected`, a text or a
// function that returns it, is for the message about a missing key.
template <class Expected>
const Node* Reader::given(const sim::About& about, const Expected& expected) {
  const Node* node = find(about.name, true);
  if (node != nullptr && (!node->is(Node::Kind::kNull) || frames_.back().kind != Frame::Kind::kObject))
    return node;
  if (about.required) {
    if constexpr (std::is_invocable_v<Expected>) {
      frames_.back().missing.emplace_back(about.name, expected());
    } else {
      frames_.back().missing.emplace_back(about.name, expected);
    }
  }
  return nullptr;
}

/// Reads `node` of `document` into `value`: a described struct or any other option, such as a list. `pointer` is the
/// JSON pointer of the node. Throws InputError; `value` is then partly read.
template <class T>
void read(const Document& document, const Node& node, T& value, const Folders& folders = {},
          std::string pointer = {}, const sim::About& about = {}, std::vector<std::string> others = {},
          NamesInScenario names = {}) {
  Reader reader(document, node, folders, std::move(pointer), std::move(others), std::move(names));
  reader(value, about);
  reader.finish();
}

}  // namespace hearsay::scenarios
