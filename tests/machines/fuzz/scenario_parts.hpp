#pragma once
// A scenario and what the command line says about it. Parts of an input are separated by lines of %%: the scenario, the
// file base.json that it may extend, the values of --set (one a line), a condition for --points.
#include <tuple>

#include "scenarios/language/json/merge.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

struct ScenarioParts {
  std::string_view scenario, base;
  std::vector<std::string> sets;
  std::string condition;

  explicit ScenarioParts(std::string_view input) {
    constexpr std::string_view kNext = "\n%%\n";
    std::string_view rest, lines;
    std::tie(scenario, rest) = split(input, kNext);
    std::tie(base, rest) = split(rest, kNext);
    std::tie(lines, rest) = split(rest, kNext);
    sets = lines_of(lines);
    condition = rest;
  }
};

/// The scenario merged with the base, and --set applied. Calls f(text, root) for each text. Throws InputError.
template <class F>
scenarios::Document document_of(const ScenarioParts& input, F&& f) {
  scenarios::Document document;
  scenarios::Limits left;
  std::vector<scenarios::Node> layers;
  for (const std::string_view text : {input.scenario, input.base}) {
    if (!layers.empty() && text.empty()) break;
    const char* name = layers.empty() ? "scenario.json" : "base.json";
    const auto source = document.add_source({scenarios::Source::Kind::kFile, name, "."});
    layers.push_back(scenarios::parse_object(text, document, source, left));
    f(text, layers.back());
  }
  document.root = scenarios::merge_layers(std::move(layers));
  for (const std::string& set : input.sets) scenarios::apply_set(document, set);
  return document;
}

}  // namespace hearsay::fuzz
