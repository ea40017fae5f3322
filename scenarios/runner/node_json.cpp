#include "scenarios/runner/node_json.hpp"

namespace hearsay::scenarios {

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

}  // namespace hearsay::scenarios
