#include "scenarios/runner/plan.hpp"

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/merge.hpp"
#include "scenarios/language/writer.hpp"
#include "scenarios/runner/sweep.hpp"

namespace hearsay::scenarios {

namespace {

Scenario read_scenario(const Document& document, const ReadOptions& options) {
  Scenario scenario;
  read(document, document.root, scenario, options);
  return scenario;
}

// What the data and the model of a point depend on.
std::string problem_key(const Scenario& s) {
  return canonical(write_changes(s.data)) + canonical(write_changes(s.model)) + std::to_string(s.seed);
}

}  // namespace

nlohmann::ordered_json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return nullptr;
    case Node::Kind::kBoolean:
      return node.boolean;
    case Node::Kind::kNumber:
      return nlohmann::ordered_json::parse(node.text);
    case Node::Kind::kText:
      return node.text;
    case Node::Kind::kList: {
      auto list = nlohmann::ordered_json::array();
      for (const auto& item : node.items()) list.push_back(to_json(item.value));
      return list;
    }
    case Node::Kind::kObject: {
      auto object = nlohmann::ordered_json::object();
      for (const auto& item : node.items()) object[item.key] = to_json(item.value);
      return object;
    }
  }
  return nullptr;
}

Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const ReadOptions& options) {
  Plan plan{.file = file, .document = load(file, sets)};
  const Node* written_sweep = plan.document.root.find("sweep");
  const nlohmann::ordered_json sweep_json = written_sweep != nullptr ? to_json(*written_sweep) : nullptr;
  const Sweep sweep = take_sweep(plan.document);
  plan.axes = sweep.axes;
  for (std::size_t p = 0; p < sweep.points.size(); ++p) {
    const Document document = at_point(plan.document, sweep.points[p], static_cast<std::uint32_t>(p));
    PlannedPoint point{.scenario = read_scenario(document, options), .labels = sweep.points[p].labels};
    point.problem_key = problem_key(point.scenario);
    plan.points.push_back(std::move(point));
  }
  // The scenario itself need not be complete: a swept option may be given by the sweep alone.
  plan.resolved = write_all(plan.points.front().scenario);
  if (!sweep_json.is_null()) plan.resolved["sweep"] = sweep_json;
  return plan;
}

std::string Plan::locate(const AssemblyError& error) const {
  const Node* node = &document.root;
  std::string dotted = error.part.substr(error.part.empty() ? 0 : 1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  if (const Node* inner = document.root.find_path(dotted)) node = inner;
  return located(document.where(node->at), error.part, error.what());
}

}  // namespace hearsay::scenarios
