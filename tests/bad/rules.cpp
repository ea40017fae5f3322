#include "tests/bad/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hearsay::test {

namespace {

using Json = nlohmann::ordered_json;
using scenarios::Outline;
using scenarios::OutlineAlternative;

// A number with its SI unit, as messages show it; only for units that options have.
std::string shown(double x, const std::string& unit) {
  if (unit == "s" && x == 1e-9) return "1 ns";
  if (unit == "1/s") return fmt::format("{} /s", x);
  return unit.empty() ? fmt::format("{}", x) : fmt::format("{} {}", x, unit);
}

std::string range(const Outline& o) {
  const bool low = std::isfinite(o.min), high = std::isfinite(o.max);
  if (o.min == o.max) return shown(o.min, o.unit);
  if (low && high) {
    return fmt::format("a value in {}{}, {}{}", o.open_min ? '(' : '[', shown(o.min, o.unit),
                       shown(o.max, o.unit), o.open_max ? ')' : ']');
  }
  if (low) return fmt::format("a value {} {}", o.open_min ? "above" : "of at least", shown(o.min, o.unit));
  return fmt::format("a value {} {}", o.open_max ? "below" : "of at most", shown(o.max, o.unit));
}

// A valid value.
Json right_value(const Outline& o) {
  switch (o.kind) {
    case Outline::Kind::kBoolean:
      return true;
    case Outline::Kind::kNumber:
    case Outline::Kind::kWhole: {
      const bool low = std::isfinite(o.min), high = std::isfinite(o.max);
      const double x = low && high ? (o.min + std::min(o.max, o.min + 2)) / 2
                       : low       ? o.min + 1
                       : high      ? o.max - 1
                                   : 1;
      if (o.kind == Outline::Kind::kWhole) return static_cast<std::int64_t>(x);
      return x;
    }
    case Outline::Kind::kText:
      return "y";
    case Outline::Kind::kFile:
      return "data.csv";
    case Outline::Kind::kChoice:
      return o.choices.front().name;
    case Outline::Kind::kObject: {
      Json object = Json::object();
      for (const Outline& m : o.members) {
        if (m.required) object[m.name] = right_value(m);
      }
      return object;
    }
    case Outline::Kind::kList:
      return Json::array({o.members.empty() ? Json(1) : right_value(o.members[0])});
    case Outline::Kind::kByAgent:
      return Json{{"1", right_value(o.members.at(0))}};
    case Outline::Kind::kVariant: {
      Json object{{"type", o.alternatives.front().name}};
      for (const Outline& m : o.alternatives.front().members) {
        if (m.required) object[m.name] = right_value(m);
      }
      return object;
    }
  }
  return nullptr;
}

class Walker {
 public:
  Walker(std::vector<BrokenRule>& all, const Json& base) : all_(all), scenario_(base) {}

  void members(const std::vector<Outline>& members, const Json::json_pointer& at) {
    for (const Outline& m : members) option(m, at / m.name);
  }

 private:
  void option(const Outline& o, const Json::json_pointer& at) {
    if (o.name == "version") return whole_or_number(o, at);
    switch (o.kind) {
      case Outline::Kind::kBoolean:
        return add(at, 3, "expected true or false, found 3");
      case Outline::Kind::kNumber:
      case Outline::Kind::kWhole:
        return whole_or_number(o, at);
      case Outline::Kind::kText:
        return add(at, 3, "expected text, found 3");
      case Outline::Kind::kFile:
        return add(at, 3, "expected the path of a file, found 3");
      case Outline::Kind::kChoice:
        return add(at, true, one_of(o, at));
      case Outline::Kind::kObject: {
        add(at, 3, "expected an object such as {");
        const Json before = scenario_;
        if (!scenario_.contains(at)) scenario_[at] = right_value(o);
        members(o.members, at);
        scenario_ = before;
        return;
      }
      case Outline::Kind::kList: {
        add(at, 3, "expected a list, found 3");
        if (o.members.empty()) return;
        const Json before = scenario_;
        scenario_[at] = Json::array({right_value(o.members[0])});
        option(o.members[0], at / 0);
        scenario_ = before;
        return;
      }
      case Outline::Kind::kByAgent: {
        add(at, 3, "expected an object of agents and values such as {\"3\": 1}, found 3");
        for (const char* key : {"x", "01", "-1"}) {
          // The schema does not know whether there is an agent of a name.
          const bool digits = std::string_view(key) == "01";
          add_raw(at, Json{{key, right_value(o.members[0])}}, at / key,
                  fmt::format("expected the number {}, found '{}'",
                              digits ? "or name of an agent as key"
                                     : "of an agent, because the network's graph has no names",
                              key),
                  digits);
        }
        const Json before = scenario_;
        scenario_[at] = right_value(o);
        option(o.members[0], at / "1");
        scenario_ = before;
        return;
      }
      case Outline::Kind::kVariant:
        return variant(o, at);
    }
  }

  void variant(const Outline& o, const Json::json_pointer& at) {
    add(at, Json{{"type", "no such thing"}},
        fmt::format("expected one of {}, found \"no such thing\"", names(o.alternatives)), "/type");
    for (const OutlineAlternative& a : o.alternatives) {
      if (!visited_.insert(identity(a)).second) continue;
      const Json before = scenario_;
      const bool held =
          scenario_.contains(at) && scenario_[at].is_object() && scenario_[at].value("type", "") == a.name;
      if (!held) scenario_[at] = Json{{"type", a.name}};
      for (const Outline& m : a.members) {
        if (m.required && !scenario_[at].contains(m.name)) scenario_[at][m.name] = right_value(m);
      }
      if (!a.open) {
        Json strange = scenario_[at];
        strange["no_such_option"] = 1;
        add_raw(at, strange, at / "no_such_option",
                fmt::format("unknown key 'no_such_option' of '{}'", a.name), true);
      }
      for (const Outline& m : a.members) missing(m, at);
      members(a.members, at);
      scenario_ = before;
    }
  }

  void missing(const Outline& m, const Json::json_pointer& at) {
    if (!m.required) return;
    Json without = scenario_[at];
    without.erase(m.name);
    // The schema does not check it: without a member that identifies it, this is another alternative.
    add_raw(at, without, at / m.name, "required key is missing; expected ", false);
  }

  void whole_or_number(const Outline& o, const Json::json_pointer& at) {
    const bool whole = o.kind == Outline::Kind::kWhole;
    const auto value = [&](double x) { return whole ? Json(static_cast<std::int64_t>(x)) : Json(x); };
    const auto text = [&](double x) { return value(x).dump(); };
    if (is_agent(at)) {
      for (const double wrong : {-1.0, 4294967296.0, 1.5}) {
        const Json number = wrong == 1.5 ? Json(wrong) : value(wrong);
        add(at, number, fmt::format("expected the number or name of an agent, found {}", number.dump()));
      }
      return;
    }
    if (std::isfinite(o.min)) {
      const double below = o.open_min ? o.min : o.min - 1;
      add(at, value(below), fmt::format("expected {}, found {}", range(o), text(below)));
    }
    if (std::isfinite(o.max) && std::abs(o.max) < 4e15) {
      const double above = o.open_max ? o.max : o.max + 1;
      add(at, value(above), fmt::format("expected {}, found {}", range(o), text(above)));
    }
    if (whole)
      add(at, 1.5,
          fmt::format("expected a whole number{}, found 1.5", o.unit.empty() ? "" : " of " + o.unit));
    if (!o.unit.empty()) add(at, "1 furlong", "found \"1 furlong\"");
  }

  // Lists of agents, links, and single agents.
  bool is_agent(const Json::json_pointer& at) const {
    static const std::set<std::string> kLists{"agents", "crash", "partition", "join", "leave"};
    return at.to_string() == "/record/trace/agent" || at.to_string().ends_with("/behaviour/of") ||
           at.to_string().find("/links/") != std::string::npos ||
           (scenario_[at.parent_pointer()].is_array() && kLists.contains(at.parent_pointer().back()));
  }

  void add(const Json::json_pointer& at, const Json& value, const std::string& message,
           const char* below = "") {
    add_raw(at, value, Json::json_pointer(at.to_string() + below), message, true);
  }

  void add_raw(const Json::json_pointer& at, const Json& value, const Json::json_pointer& pointer,
               const std::string& message, bool schema_sees_it) {
    Json broken = scenario_;
    broken[at] = value;
    all_.push_back({std::move(broken), pointer.to_string() + ": " + message, schema_sees_it});
  }

  template <class Named>
  static std::string names(const std::vector<Named>& all) {
    std::string text;
    for (const Named& one : all) text += (text.empty() ? "" : ", ") + one.name;
    return text;
  }

  // Of many names, the number and how to list them.
  static std::string one_of(const Outline& o, const Json::json_pointer& at) {
    if (o.choices.size() <= 20) return fmt::format("expected one of {}, found true", names(o.choices));
    const bool element = at.back().find_first_not_of("0123456789") == std::string::npos;
    std::string path = (element ? at.parent_pointer() : at).to_string().substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    return fmt::format("expected one of {} names, found true; for all names run `hearsay explain {}`",
                       o.choices.size(), path);
  }

  static std::string identity(const OutlineAlternative& a) {
    std::string text = a.name;
    for (const Outline& m : a.members)
      text += fmt::format(";{} {} {} {} {}", m.name, m.min, m.max, m.open_min, m.unit);
    return text;
  }

  std::vector<BrokenRule>& all_;
  Json scenario_;
  std::set<std::string> visited_;
};

}  // namespace

std::vector<BrokenRule> broken_rules(const Outline& root, const Json& base) {
  std::vector<BrokenRule> all;
  Walker(all, base).members(root.members, Json::json_pointer());
  return all;
}

}  // namespace hearsay::test
