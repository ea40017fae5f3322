#include "scenarios/language/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "scenarios/language/expected.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kMaxFaults = 100;
constexpr double kMaxWhole = 9007199254740992.0;  // 2^53: above it a double skips integers

}  // namespace

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
  if (frame.kind == Frame::Kind::kBare) return frame.key.empty() || frame.key == name ? frame.node : nullptr;
  if (frame.kind == Frame::Kind::kList) return &frame.node->items()[frame.index].value;
  const auto position = frame.node->position(name);
  if (!position) return nullptr;
  if (note) frame.seen[*position] = true;
  return &frame.node->items()[*position].value;
}

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

// The same if it is of that kind; reports other kinds.
const Node* Reader::given_as(const sim::About& about, Node::Kind kind, std::string_view expected) {
  const Node* node = given(about, expected);
  if (node == nullptr || node->is(kind)) return node;
  wrong(*node, about, expected);
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
  if (faults_.size() < kMaxFaults) faults_.push_back({at, std::move(pointer), std::move(message), 0});
}

void Reader::wrong(const Node& node, const sim::About& about, std::string_view expected) {
  fault(node.at, pointer(about.name), fmt::format("expected {}, found {}", expected, found(node)));
}

std::string Reader::shown(double x, std::string_view unit) const {
  return format_quantity(x, resolved({.name = "", .unit = unit}).unit);
}

void Reader::boolean(bool& value, const sim::About& about) {
  if (const Node* node = given_as(about, Node::Kind::kBoolean, "true or false")) value = node->boolean;
}

std::optional<double> Reader::quantity(const sim::About& about, bool whole) {
  const sim::About here = resolved(about);
  const std::string whole_number =
      "a whole number" + std::string(here.unit.empty() ? "" : " of ") + std::string(here.unit);
  const auto any = [&] { return whole && here.unit.empty() ? whole_number : expected_quantity(here.unit); };
  const Node* node = given(about, any);
  if (node == nullptr) return std::nullopt;
  std::optional<double> read;
  if (node->is(Node::Kind::kNumber)) read = node->number;
  if (node->is(Node::Kind::kText)) read = parse_quantity(node->text, here.unit);
  const bool loses_digits = node->integer && std::abs(node->number) >= kMaxWhole &&
                            fmt::format("{:.0f}", node->number) != node->text;
  if (!read) {
    wrong(*node, about, any());
  } else if (whole && (std::abs(*read) > kMaxWhole || loses_digits)) {
    wrong(*node, about, "a whole number of at most 2^53 in magnitude");
  } else if (loses_digits) {
    wrong(*node, about, "an integer that a double can hold");
  } else if (whole && *read != std::floor(*read)) {
    wrong(*node, about, whole_number);
  } else if (!in_range(*read, here)) {
    wrong(*node, about, expected_value(here));
  } else {
    return read;
  }
  return std::nullopt;
}

void Reader::number(double& value, const sim::About& about) {
  value = quantity(about, false).value_or(value);
}

void Reader::whole(std::int64_t& value, const sim::About& about) {
  if (const auto read = quantity(about, true)) value = static_cast<std::int64_t>(*read);
}

void Reader::text(std::string& value, const sim::About& about) {
  if (const Node* node = given_as(about, Node::Kind::kText, "text")) value = node->text;
}

void Reader::file(sim::InputFile& value, const sim::About& about) {
  const Node* node = given_as(about, Node::Kind::kText, "the path of a file");
  if (node == nullptr) return;
  const Source& source = document_.source(node->at);
  const Source& named_by = source.kind == Source::Kind::kFile ? source : document_.source({});
  try {
    value.resolved = find_input(node->text, named_by.folder, folders_).string();
    value.path = node->text;
  } catch (const std::runtime_error& error) {
    fault(node->at, pointer(about.name), error.what());
  }
}

void Reader::choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) {
  const Node* node = given(about, [&] { return fmt::format("one of {}", fmt::join(names_of(all), ", ")); });
  if (node == nullptr) return;
  const std::size_t chosen = index_of(all, *node);
  if (chosen < all.size()) {
    index = chosen;
  } else {
    std::vector<sim::Choice> listed;
    std::ranges::copy_if(all, std::back_inserter(listed), &sim::Choice::listed);
    const std::string text = node->is(Node::Kind::kText) ? node->text : "";
    fault(node->at, pointer(about.name),
          fmt::format("expected one of {}, found {}{}", fmt::join(names_of(listed), ", "), found(*node),
                      did_you_mean(text, names_of(all))));
  }
}

void Reader::object(const sim::About& about, const sim::Describe& members) {
  const Node* node = given(about, [&] { return expected_object(members); });
  if (node != nullptr && !node->is(Node::Kind::kObject)) return wrong(*node, about, expected_object(members));
  if (node == nullptr && about.required) return;
  within({.node = node,
          .at = node == nullptr ? frames_.back().at : node->at,
          .name = about.name,
          .place = about.unit.empty() ? frames_.back().place : resolved(about)},
         members);
}

void Reader::optional(const sim::About& about, bool, const std::function<void(bool)>& set,
                      const sim::Describe& value) {
  const Node* node = find(about.name, true);
  if (node == nullptr) {
    if (about.required) frames_.back().missing.emplace_back(about.name, "a value");
    return;
  }
  set(!node->is(Node::Kind::kNull));
  if (!node->is(Node::Kind::kNull)) value(*this);
}

void Reader::list(const sim::About& about, std::size_t, const std::function<void(std::size_t)>& resize,
                  const std::function<void(sim::Visitor&, std::size_t)>& element) {
  const Node* node = given_as(about, Node::Kind::kList, "a list");
  if (node == nullptr) return;
  // Twice, so that no element starts from a default that the list held.
  resize(0);
  resize(node->items().size());
  within({.kind = Frame::Kind::kList,
          .node = node,
          .at = node->at,
          .name = about.name,
          .place = frames_.back().place},
         [&](sim::Visitor& v) {
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
  if (faults_.size() == kMaxFaults) return;
  fault(written ? node->at : frames_.back().at, pointer(key), message);
  faults_.back().checked_at = frames_.size();
}

void Reader::within(Frame frame, const sim::Describe& members) {
  frame.faults = faults_.size();
  if (frame.kind == Frame::Kind::kObject && frame.node != nullptr) {
    frame.seen.resize(frame.node->items().size());
    const auto type = frame.type.empty() ? std::nullopt : frame.node->position("type");
    if (type) frame.seen[*type] = true;
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
    for (const auto& [name, expected] : done.missing) {
      const std::string key = bare ? fmt::format("required key '{}'", name) : "required key";
      fault(done.at, pointer(name), fmt::format("{} is missing; expected {}", key, expected));
      faults_.back().missing = true;
    }
  }
  frames_.pop_back();
}

void Reader::report_unknown(const Frame& frame, const sim::Describe& members) {
  Writer writer(Numbers::kBare);
  members(writer);
  Names known;
  for (const auto& [key, value] : writer.written().items()) known.push_back(key);
  if (!frame.type.empty()) known.emplace_back("type");
  for (std::size_t i = 0; i < frame.seen.size() && faults_.size() < kMaxFaults; ++i) {
    if (frame.seen[i]) continue;
    const Node::Member& member = frame.node->items()[i];
    fault(member.value.key_at, pointer(member.key),
          unknown_key(member.key, known, frame.type.empty() ? "" : fmt::format(" of '{}'", frame.type)) +
              frame.hint);
  }
}

}  // namespace hearsay::scenarios
