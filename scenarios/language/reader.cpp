#include "scenarios/language/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/member_names.hpp"
#include "scenarios/language/range.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kMostFaults = 100;
constexpr double kMostWhole = 9007199254740992.0;  // 2^53: above it a double skips integers

// The number that a value is, in SI; nothing if it is none.
std::optional<double> quantity(const Node& node, std::string_view unit) {
  if (node.is(Node::Kind::kNumber)) return node.number;
  if (node.is(Node::Kind::kText)) return parse_quantity(node.text, unit);
  return std::nullopt;
}

bool loses_digits(const Node& node) {
  return node.integer && std::abs(node.number) >= kMostWhole &&
         fmt::format("{:.0f}", node.number) != node.text;
}

}  // namespace

Reader::Reader(const Document& document, const Node& node, const ReadOptions& options, std::string pointer)
    : document_(document), options_(options), pointer_(std::move(pointer)) {
  Frame frame;
  frame.kind = Frame::Kind::kBare;
  frame.node = &node;
  frame.at = node.at;
  frames_.push_back(std::move(frame));
}

void Reader::finish() const {
  if (faults_.empty()) return;
  std::vector<Fault> sorted = faults_;
  // A missing key may be misspelt elsewhere: that error comes first.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.missing, a.at) < std::tie(b.missing, b.at);
  });
  std::vector<std::string> lines;
  for (const Fault& f : sorted) lines.push_back(located(document_.where(f.at), f.pointer, f.message));
  throw InputError(std::move(lines));
}

const Node* Reader::find(std::string_view name, bool note) {
  Frame& frame = frames_.back();
  if (frame.node == nullptr) return nullptr;
  switch (frame.kind) {
    case Frame::Kind::kBare:
      return frame.key.empty() || frame.key == name ? frame.node : nullptr;
    case Frame::Kind::kList:
      return &frame.node->items()[frame.index].value;
    case Frame::Kind::kObject:
      break;
  }
  const auto items = frame.node->items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].key != name) continue;
    if (note) frame.seen[i] = true;
    return &items[i].value;
  }
  return nullptr;
}

// The value of a member, or nothing if it keeps its default: absent, or null in an object.
const Node* Reader::given(const sim::About& about) {
  const Node* node = find(about.name, true);
  if (node != nullptr && (!node->is(Node::Kind::kNull) || frames_.back().kind != Frame::Kind::kObject))
    return node;
  if (about.required) frames_.back().missing.emplace_back(about.name);
  return nullptr;
}

sim::About Reader::resolved(const sim::About& about) const {
  if (about.unit != "=") return about;
  const sim::About& place = frames_.back().place;
  sim::About out = about;
  out.unit = place.unit;
  // A distribution may come arbitrarily close to an open end of the range; a bare number is the value itself.
  const bool bare = frames_.back().kind == Frame::Kind::kBare;
  if (place.min > out.min) out.min = place.min, out.open_min = bare && place.open_min;
  if (place.min == out.min && bare) out.open_min |= place.open_min;
  if (place.max < out.max) out.max = place.max, out.open_max = bare && place.open_max;
  if (place.max == out.max && bare) out.open_max |= place.open_max;
  return out;
}

std::string Reader::pointer(std::string_view name) const {
  std::string out = pointer_;
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    if (frames_[i - 1].kind != Frame::Kind::kBare) out += pointer_step(frames_[i].name);
  }
  if (frames_.back().kind != Frame::Kind::kBare && !name.empty()) out += pointer_step(name);
  return out;
}

void Reader::fault(Position at, std::string pointer, std::string message) {
  if (faults_.size() < kMostFaults) faults_.push_back({at, std::move(pointer), std::move(message), 0});
}

void Reader::wrong(const Node& node, const sim::About& about, std::string_view expected) {
  fault(node.at, pointer(about.name), fmt::format("expected {}, found {}", expected, found(node)));
}

void Reader::out_of_range(const Node& node, const sim::About& about, const sim::About& range) {
  fault(node.at, pointer(about.name), fmt::format("must be {}, got {}", range_text(range), found(node)));
}

void Reader::boolean(bool& value, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  if (!node->is(Node::Kind::kBoolean)) return wrong(*node, about, "true or false");
  value = node->boolean;
}

void Reader::number(double& value, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  const sim::About here = resolved(about);
  const std::optional<double> read = quantity(*node, here.unit);
  if (!read) return wrong(*node, about, expected_quantity(here.unit));
  if (loses_digits(*node)) return wrong(*node, about, "an integer that a double can hold");
  if (!in_range(*read, here)) return out_of_range(*node, about, here);
  value = *read;
}

void Reader::whole(std::int64_t& value, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  const sim::About here = resolved(about);
  const std::optional<double> read = quantity(*node, here.unit);
  if (!read) {
    return wrong(*node, about, here.unit.empty() ? "a whole number" : expected_quantity(here.unit));
  }
  if (std::abs(*read) > kMostWhole || loses_digits(*node)) {
    return wrong(*node, about, "a whole number of at most 2^53 in magnitude");
  }
  if (*read != std::floor(*read)) {
    return wrong(*node, about,
                 here.unit.empty() ? "a whole number" : fmt::format("a whole number of {}", here.unit));
  }
  if (!in_range(*read, here)) return out_of_range(*node, about, here);
  value = static_cast<std::int64_t>(*read);
}

void Reader::text(std::string& value, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  if (!node->is(Node::Kind::kText)) return wrong(*node, about, "text");
  value = node->text;
}

void Reader::file(sim::InputFile& value, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  if (!node->is(Node::Kind::kText)) return wrong(*node, about, "the path of a file");
  std::filesystem::path home = document_.source(node->at).folder;
  if (document_.source(node->at).kind != Source::Kind::kFile) home = document_.source({}).folder;
  std::vector<std::filesystem::path> folders = options_.data_dirs;
  folders.insert(folders.end(), options_.allow_paths.begin(), options_.allow_paths.end());
  try {
    value.resolved = find_input(node->text, home, folders).string();
    value.path = node->text;
  } catch (const std::runtime_error& error) {
    fault(node->at, pointer(about.name), error.what());
  }
}

void Reader::choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) {
  const Node* node = given(about);
  if (node == nullptr) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (node->is(Node::Kind::kText) && node->text == all[i].name) {
      index = i;
      return;
    }
  }
  const auto names = names_of(all);
  fault(node->at, pointer(about.name),
        fmt::format("expected one of {}, found {}{}", comma_separated(names), found(*node),
                    did_you_mean(node->text, names)));
}

void Reader::object(const sim::About& about, const sim::Describe& members) {
  const Node* node = given(about);
  if (node != nullptr && !node->is(Node::Kind::kObject)) return wrong(*node, about, "an object");
  if (node == nullptr && about.required) return;
  Frame frame;
  frame.node = node;
  frame.at = node == nullptr ? frames_.back().at : node->at;
  frame.name = about.name;
  frame.place = about.unit.empty() ? frames_.back().place : resolved(about);
  within(std::move(frame), members);
}

void Reader::optional(const sim::About& about, bool, const std::function<void(bool)>& set,
                      const sim::Describe& value) {
  const Node* node = find(about.name, true);
  if (node == nullptr) {
    if (about.required) frames_.back().missing.emplace_back(about.name);
    return;
  }
  set(!node->is(Node::Kind::kNull));
  if (!node->is(Node::Kind::kNull)) value(*this);
}

void Reader::list(const sim::About& about, std::size_t, const std::function<void(std::size_t)>& resize,
                  const std::function<void(sim::Visitor&, std::size_t)>& element) {
  const Node* node = given(about);
  if (node == nullptr) return;
  if (!node->is(Node::Kind::kList)) return wrong(*node, about, "a list");
  // Twice, so that no element starts from a default that the list held.
  resize(0);
  resize(node->items().size());
  Frame frame;
  frame.kind = Frame::Kind::kList;
  frame.node = node;
  frame.at = node->at;
  frame.name = about.name;
  frame.place = frames_.back().place;
  within(std::move(frame), [&](sim::Visitor& v) {
    for (std::size_t i = 0; i < node->items().size(); ++i) {
      frames_.back().index = i;
      element(v, i);
    }
  });
}

void Reader::failed(std::string_view key, const std::string& message) {
  // Options that could not be read are not checked against each other.
  if (faults_.size() > frames_.back().faults || !frames_.back().missing.empty()) return;
  const Node* node = find(key, false);
  const bool written = node != nullptr && !node->is(Node::Kind::kNull);
  if (faults_.size() == kMostFaults) return;
  fault(written ? node->at : frames_.back().at, pointer(key), message);
  faults_.back().checked_at = frames_.size();
}

void Reader::within(Frame frame, const sim::Describe& members) {
  frame.faults = faults_.size();
  if (frame.kind == Frame::Kind::kObject && frame.node != nullptr) {
    frame.seen.resize(frame.node->items().size());
    const bool has_type = !frame.type.empty() && frame.node->find("type") != nullptr;
    for (std::size_t i = 0; has_type && i < frame.seen.size(); ++i) {
      if (frame.node->items()[i].key == "type") frame.seen[i] = true;
    }
  }
  frames_.push_back(std::move(frame));
  members(*this);
  const Frame& done = frames_.back();
  if (std::find(done.seen.begin(), done.seen.end(), false) != done.seen.end()) {
    // A missing or inconsistent option may be a misspelt one.
    const auto mine = faults_.begin() + static_cast<std::ptrdiff_t>(done.faults);
    faults_.erase(std::remove_if(mine, faults_.end(),
                                 [this](const Fault& f) { return f.checked_at == frames_.size(); }),
                  faults_.end());
    report_unknown(done, members);
  } else {
    const bool bare = done.kind == Frame::Kind::kBare;
    for (const std::string& name : done.missing) {
      fault(done.at, pointer(name),
            bare ? fmt::format("required key '{}' is missing", name) : "required key is missing");
      faults_.back().missing = true;
    }
  }
  frames_.pop_back();
}

void Reader::report_unknown(const Frame& frame, const sim::Describe& members) {
  std::vector<std::string> names = member_names(members);
  if (!frame.type.empty()) names.emplace_back("type");
  for (std::size_t i = 0; i < frame.seen.size() && faults_.size() < kMostFaults; ++i) {
    if (frame.seen[i]) continue;
    const Node::Member& member = frame.node->items()[i];
    std::string advice = did_you_mean(member.key, names);
    if (advice.empty()) advice = fmt::format("; known keys: {}", comma_separated(names));
    fault(member.value.key_at, pointer(member.key),
          fmt::format("unknown key '{}'{}{}{}", printable(member.key),
                      frame.type.empty() ? "" : fmt::format(" of '{}'", frame.type), advice, frame.hint));
  }
}

}  // namespace hearsay::scenarios
