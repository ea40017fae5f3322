#pragma once
// Fills described options from a document.
#include <string>
#include <vector>

#include "scenarios/language/json/document.hpp"
#include "scenarios/language/read_options.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// Reads the options that are written and keeps the others: defaults are the values that the options had. Collects
/// all errors; finish() throws them. About 10 us for a scenario of 100 lines.
class Reader final : public sim::Visitor {
 public:
  /// `node` stands at JSON pointer `pointer`. The document must outlive the reader.
  Reader(const Document& document, const Node& node, const ReadOptions& options, std::string pointer);

  /// Throws InputError with all errors, in the order of the input, if there are any.
  void finish() const;

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
  void failed(std::string_view key, const std::string& message) override;

 private:
  // A value whose members are read.
  struct Frame {
    enum class Kind { kObject, kList, kBare };
    Kind kind = Kind::kObject;
    const Node* node = nullptr;  // null: not written, all its members keep their defaults
    Position at;                 // where it was written, or else what it is in
    std::string_view name;       // in the frame below
    sim::About place;            // what "=" stands for: unit and range
    std::string_view key = {};   // kBare: the one member that the node is; empty: any
    std::string_view type = {};  // of an alternative
    std::string hint = {};       // for unknown keys
    std::size_t index = 0;       // kList: the element being read
    std::size_t faults = 0;      // found before it
    std::vector<bool> seen = {};
    std::vector<std::string> missing = {};
  };
  struct Fault {
    Position at;
    std::string pointer, message;
    std::size_t checked_at = 0;  // frames there were when a rule about several options failed; else 0
    bool missing = false;        // nothing is written there
  };
  struct Chosen;

  const Node* find(std::string_view name, bool note);
  const Node* given(const sim::About& about);
  sim::About resolved(const sim::About& about) const;
  void within(Frame frame, const sim::Describe& members);
  void report_unknown(const Frame& frame, const sim::Describe& members);
  Chosen choose(const Node& node, const sim::About& about, std::span<const sim::Alternative> all,
                std::size_t index);
  static Chosen choose_by_type(const Node& type, std::span<const sim::Alternative> all);
  std::string pointer(std::string_view name) const;
  void fault(Position at, std::string pointer, std::string message);
  void wrong(const Node& node, const sim::About& about, std::string_view expected);
  void out_of_range(const Node& node, const sim::About& about, const sim::About& range);

  const Document& document_;
  const ReadOptions& options_;
  std::string pointer_;
  std::vector<Frame> frames_;
  std::vector<Fault> faults_;
};

/// Reads `node` of `document` into `value`: a described struct, or anything else that may be an option, such
/// as a list of them. `pointer` is where the node stands, for messages. Throws InputError; `value` is then
/// half read.
template <class T>
void read(const Document& document, const Node& node, T& value, const ReadOptions& options = {},
          std::string pointer = {}, const sim::About& about = {}) {
  Reader reader(document, node, options, std::move(pointer));
  reader(value, about);
  reader.finish();
}

}  // namespace hearsay::scenarios
