#include "scenarios/language/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "scenarios/language/expected.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/language/units.hpp"
#include "sim/check.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kMaxFaults = 100;

// For an object in place of a list, that a path such as "events.0.at" makes where there is no list.
std::string no_element(const Node& node) {
  if (!node.is(Node::Kind::kObject) || node.items().empty()) return "";
  const std::string& key = node.items().front().key;
  if (key.find_first_not_of("0123456789") != key.npos) return "";
  return fmt::format(": there is no element {} to set or sweep", key);
}

}  // namespace

void Reader::finish() const {
  if (unnamed_ && faults_.empty()) names_(document_, folders_);  // throws what hides the names
  sim::check(!unnamed_ || !faults_.empty(), "an error that hides the names of agents was not reported");
  if (faults_.empty()) return;
  std::vector<Fault> sorted = faults_;
  // A missing key may be misspelt elsewhere: that error comes first.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.missing, a.at) < std::tie(b.missing, b.at);
  });
  std::vector<std::string> lines;
  lines.reserve(sorted.size());
  for (const Fault& f : sorted) lines.push_back(located(document_.where(f.at), f.pointer, f.message));
  throw InputError(std::move(lines));
}

const Node* Reader::find(std::string_view name, bool note) {
  Frame& frame = frames_.back();
  if (frame.node == nullptr) return nullptr;
  if (frame.kind == Frame::Kind::kBare) return frame.key.empty() || frame.key == name ? frame.node : nullptr;
  if (frame.kind == Frame::Kind::kList) return &frame.node->items()[frame.index].value;
  const auto position = frame.node->position(frame.written(name));
  if (!position) return nullptr;
  if (note) frame.seen[*position] = true;
  return &frame.node->items()[*position].value;
}

// given() if it is of that kind; reports other kinds.
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
    if (frames_[i - 1].kind != Frame::Kind::kBare)
      out += pointer_step(frames_[i - 1].written(frames_[i].name));
  }
  if (frames_.back().kind != Frame::Kind::kBare && !name.empty())
    out += pointer_step(frames_.back().written(name));
  return out;
}

// The path of an option for `hearsay explain`; that of the list for its elements.
std::string Reader::explained(std::string_view name) const {
  std::string path = pointer(name);
  const auto last = path.rfind('/');
  if (last != path.npos && path.find_first_not_of("0123456789", last + 1) == path.npos) path.resize(last);
  std::replace(path.begin(), path.end(), '/', '.');
  return path.substr(std::min<std::size_t>(1, path.size()));
}

void Reader::fault(Position at, std::string pointer, std::string message) {
  if (faults_.size() < kMaxFaults) faults_.push_back({at, std::move(pointer), std::move(message), 0});
}

void Reader::wrong(const Node& node, const sim::About& about, std::string_view expected) {
  fault(node.at, pointer(about.name), fmt::format("expected {}, found {}", expected, found(node)));
}

void Reader::boolean(bool& value, const sim::About& about) {
  if (const Node* node = given_as(about, Node::Kind::kBoolean, "true or false")) value = node->boolean;
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
  std::vector<sim::Choice> listed;
  std::ranges::copy_if(all, std::back_inserter(listed), &sim::Choice::listed);
  const Node* node = given(about, [&] { return one_of_text(names_of(listed), explained(about.name)); });
  if (node == nullptr) return;
  const std::size_t chosen = index_of(all, *node);
  if (chosen < all.size()) {
    index = chosen;
  } else {
    fault(node->at, pointer(about.name),
          expected_one_of(names_of(listed), *node, explained(about.name), names_of(all)));
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
  const Node* node = given(about, "a list");
  if (node == nullptr) return;
  if (!node->is(Node::Kind::kList))
    return fault(node->at, pointer(about.name),
                 fmt::format("expected a list, found {}{}", found(*node), no_element(*node)));
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
  if (faults_.size() > frames_.back().faults || !frames_.back().missing.empty() || unnamed_) return;
  if (faults_.size() == kMaxFaults) return;
  std::string path = pointer({});
  Position at = frames_.back().at;
  const Node* node = nullptr;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find('/', begin), key.size());
    const std::string_view step = key.substr(begin, end - begin);
    if (begin == 0) {
      path = pointer(step);
      node = find(step, false);
    } else if (node == nullptr || !node->is(Node::Kind::kList) || sim::whole_number<std::size_t>(step)) {
      // A list that is short for an object has no step for its key.
      path += pointer_step(step);
      const auto inside = node != nullptr ? node->position(step) : std::nullopt;
      node = inside ? &node->items()[*inside].value : nullptr;
    }
    if (node != nullptr && !node->is(Node::Kind::kNull)) at = node->at;
    begin = end + 1;
  }
  fault(at, std::move(path), message);
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
  // The members of an alternative whose code was not loaded are unknown.
  const auto own = [this](const Fault& f) { return f.checked_at == frames_.size(); };
  const bool known = !done.open || std::none_of(faults_.begin() + static_cast<std::ptrdiff_t>(done.faults),
                                                faults_.end(), own);
  if (known && std::find(done.seen.begin(), done.seen.end(), false) != done.seen.end()) {
    // A missing or inconsistent option may be a misspelt one.
    const auto mine = faults_.begin() + static_cast<std::ptrdiff_t>(done.faults);
    faults_.erase(std::remove_if(mine, faults_.end(), own), faults_.end());
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
  if (frames_.size() == 2) known.insert(known.end(), others_.begin(), others_.end());
  for (std::size_t i = 0; i < frame.seen.size() && faults_.size() < kMaxFaults; ++i) {
    if (frame.seen[i]) continue;
    const Node::Member& member = frame.node->items()[i];
    const auto other = std::ranges::find(frame.others, std::string_view(member.key),
                                         [](const sim::Alternative& a) { return a.shorthand.key; });
    if (other != frame.others.end()) {
      fault(member.value.key_at, pointer(member.key),
            fmt::format("give only one of '{}' and '{}'", frame.key, member.key));
      continue;
    }
    const std::string path = member.key + ".";
    const auto below =
        std::ranges::find_if(known, [&](const std::string& key) { return key.starts_with(path); });
    if (below != known.end()) {
      fault(member.value.key_at, pointer(member.key),
            fmt::format("expected the path of an option, such as '{}', found '{}'; known keys: {}", *below,
                        printable(member.key), fmt::join(known, ", ")));
      continue;
    }
    fault(member.value.key_at, pointer(member.key),
          unknown_key(member.key, known, frame.type.empty() ? "" : fmt::format(" of '{}'", frame.type)) +
              frame.hint);
  }
}

}  // namespace hearsay::scenarios
