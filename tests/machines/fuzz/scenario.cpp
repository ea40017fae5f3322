// Scenarios, as the language reads them, from memory: text with positions, "extends", --set, the points of the sweep.
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/sweep/sweep.hpp"
#include "tests/machines/fuzz/scenario_parts.hpp"

using namespace hearsay;
using scenarios::Node;

namespace {

// Goes through a text as its values do, in the order they are written.
class Text {
 public:
  explicit Text(std::string_view text) : rest_(text) {}

  /// Every value and key begins at its position.
  void require_positions(const Node& node) {
    if (node.key_at.line > 0) require_at(node.key_at, "\"");
    switch (node.kind) {
      case Node::Kind::kNull:
        return require_at(node.at, "null");
      case Node::Kind::kBoolean:
        return require_at(node.at, node.boolean ? "true" : "false");
      case Node::Kind::kNumber:
        return require_at(node.at, node.text);
      case Node::Kind::kText:
        return require_at(node.at, "\"");
      case Node::Kind::kList:
        require_at(node.at, "[");
        break;
      case Node::Kind::kObject:
        require_at(node.at, "{");
    }
    for (const Node::Member& member : node.items()) require_positions(member.value);
  }

 private:
  void require_at(scenarios::Position at, std::string_view begins) {
    while (!rest_.empty() && (line_ < at.line || column_ < at.column)) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      column_ = byte == '\n' ? 1 : column_ + ((byte & 0xc0) != 0x80 ? 1 : 0);
      line_ += byte == '\n' ? 1 : 0;
    }
    fuzz::require(line_ == at.line && column_ == at.column && rest_.starts_with(begins),
                  "a value is at its position");
  }

  std::string_view rest_;
  std::uint32_t line_ = 1, column_ = 1;
};

void require_same_again(const Node& root) {
  const std::string written = scenarios::json_as_written(root, 0);
  // A merged scenario can be larger than one that is read.
  const scenarios::Limits limits{
      .bytes = written.size(), .values = written.size(), .members = written.size(), .depth = 1000};
  const scenarios::Document again = scenarios::parse(written, "again", limits);
  fuzz::require(scenarios::json_as_written(again.root, 0) == written, "what is written can be read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScenarioParts input(fuzz::text_of(data, size));
  fuzz::accepted<sim::Error>([&] {
    scenarios::Document document = fuzz::document_of(
        input, [](std::string_view text, const Node& root) { Text(text).require_positions(root); });
    require_same_again(document.root);
    const scenarios::Sweep sweep(document, input.sets);
    constexpr double kMost = 100;
    if (sweep.combinations() > kMost) return;  // a condition is tested on each
    const auto points = sweep.points(input.condition, kMost);
    scenarios::at_point(document, points[size % points.size()]);
  });
  return 0;
}
