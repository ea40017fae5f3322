#include "scenarios/runner/conclusion_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/theory/central_bounds.hpp"
#include "models/protocols/central/central_async.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/member_names.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/scenario.hpp"
#include "scenarios/runner/sweep/condition.hpp"

namespace hearsay::scenarios {

namespace {

using analysis::ConclusionOptions;

// "/analysis/slopes/1/over" -> where that stands.
[[noreturn]] void refuse(const Plan& plan, const std::string& pointer, const std::string& message) {
  std::string dotted = pointer.substr(1);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  const Node* node = plan.document.root.find_path(dotted);
  if (node == nullptr) node = plan.document.root.find_path("analysis");
  if (node == nullptr) node = &plan.document.root;
  throw InputError(located(plan.document.where(node->at), pointer, message));
}

// Whether a condition holds at each point.
std::vector<bool> holding(const Plan& plan, const std::string& where, const std::string& pointer) {
  if (where.empty()) return std::vector<bool>(plan.points.size(), true);
  try {
    Condition condition(where, plan.axes, plan.numeric);
    std::vector<bool> all;
    for (const PlannedPoint& p : plan.points) {
      std::vector<double> numbers = p.numbers;
      for (double& n : numbers) n = std::isnan(n) ? 0 : n;  // no condition may name such an axis
      all.push_back(condition.holds(numbers));
    }
    return all;
  } catch (const std::invalid_argument& error) {
    refuse(plan, pointer, error.what());
  }
}

template <class F>
void each_condition(const ConclusionOptions& options, F&& f) {
  for (std::size_t s = 0; s < options.slopes.size(); ++s)
    f(options.slopes[s].where, fmt::format("/analysis/slopes/{}/where", s), s, true);
  for (std::size_t b = 0; b < options.bounds.size(); ++b)
    f(options.bounds[b].where, fmt::format("/analysis/bounds/{}/where", b), b, false);
}

// The protocol's T and rho, where it has them.
void add_protocol(const Scenario& scenario, analysis::CentralSetting& setting) {
  const nlohmann::ordered_json all = write_all(scenario);
  const nlohmann::ordered_json& protocol = all["protocol"];
  const auto number = [&](const char* name) -> std::optional<double> {
    if (!protocol.contains(name) || !protocol[name].is_number()) return std::nullopt;
    return protocol[name].get<double>();
  };
  if (const auto horizon = number("horizon")) {
    setting.horizon = *horizon;
  } else if (scenario.stop.iterations) {
    setting.horizon = static_cast<double>(*scenario.stop.iterations);
  }
  if (const auto sigma = number("sigma")) setting.sigma = *sigma;
  if (const auto rho = number("rho")) {
    setting.rho = *rho;
  } else if (protocol.contains("rho") && protocol["rho"].is_object() && protocol["rho"]["type"] == "auto") {
    if (protocol["type"] == "central_sync") {
      setting.rho = setting.horizon * setting.horizon / (setting.hessian_max + setting.sigma);
    } else {
      double parties = setting.owners();
      for (const auto& group : protocol.value("groups", nlohmann::ordered_json::array()))
        parties -= static_cast<double>(group.size()) - 1;
      setting.rho = models::AutoRho::value(parties, setting.horizon, setting.sigma, setting.hessian_min);
    }
  }
}

}  // namespace

bool asks_for_conclusions(const Scenario& scenario) {
  return scenario.analysis.any();
}

void require_conclusions(const Plan& plan) {
  const ConclusionOptions& options = plan.points.front().scenario->analysis;
  for (std::size_t s = 0; s < options.slopes.size(); ++s) {
    const std::string pointer = fmt::format("/analysis/slopes/{}/over", s);
    const std::string& over = options.slopes[s].over;
    const auto found = std::find(plan.axes.begin(), plan.axes.end(), over);
    if (found == plan.axes.end())
      refuse(plan, pointer, fmt::format("expected an axis of the sweep, found '{}'", printable(over)));
    if (!plan.numeric[static_cast<std::size_t>(found - plan.axes.begin())])
      refuse(plan, pointer, fmt::format("expected a numeric axis, found '{}'", over));
  }
  each_condition(options, [&](const std::string& where, const std::string& pointer, std::size_t, bool) {
    holding(plan, where, pointer);
  });
}

analysis::ConclusionInput conclusion_input(const Plan& plan, analysis::StoredStudy& study) {
  analysis::ConclusionInput input;
  input.options = plan.points.front().scenario->analysis;
  input.groups = plan.groups;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    analysis::PointFacts facts{.axes = plan.points[p].numbers,
                               .setting = analysis::setting_of(study.point(p))};
    add_protocol(*plan.points[p].scenario, facts.setting);
    input.points.push_back(std::move(facts));
  }
  each_condition(input.options,
                 [&](const std::string& where, const std::string& pointer, std::size_t, bool slope) {
                   const std::vector<bool> all = holding(plan, where, pointer);
                   for (std::size_t p = 0; p < all.size(); ++p) {
                     analysis::PointFacts& facts = input.points[p];
                     (slope ? facts.slope_where : facts.bound_where).push_back(all[p]);
                   }
                 });
  return input;
}

}  // namespace hearsay::scenarios
