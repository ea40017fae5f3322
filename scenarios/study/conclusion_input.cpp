#include "scenarios/study/conclusion_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/theory/central_bounds.hpp"
#include "models/protocols/central/central_async.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/condition.hpp"

namespace hearsay::scenarios {

namespace {

using analysis::ConclusionOptions;

[[noreturn]] void refuse(const Plan& plan, const std::string& pointer, const std::string& message) {
  throw InputError(plan.locate(pointer, message));
}

// Whether a condition holds at each point.
std::vector<bool> holding(const Plan& plan, const std::string& where, const std::string& pointer) {
  if (where.empty()) return std::vector<bool>(plan.points.size(), true);
  try {
    Condition condition(where, plan.axes, plan.numeric);
    std::vector<bool> all;
    for (const PlannedPoint& p : plan.points) {
      std::vector<double> numbers = p.numbers;
      for (double& n : numbers) n = std::isnan(n) ? 0 : n;  // conditions name numeric axes only
      all.push_back(condition.holds(numbers));
    }
    return all;
  } catch (const std::invalid_argument& error) {
    refuse(plan, pointer, error.what());
  }
}

// Calls f(condition at each point, whether it is of a slope) for all conditions of slopes and bounds.
template <class F>
void each_condition(const Plan& plan, F&& f) {
  const ConclusionOptions& options = plan.points.front().scenario->analysis;
  for (std::size_t s = 0; s < options.slopes.size(); ++s)
    f(holding(plan, options.slopes[s].where, fmt::format("/analysis/slopes/{}/where", s)), true);
  for (std::size_t b = 0; b < options.bounds.size(); ++b)
    f(holding(plan, options.bounds[b].where, fmt::format("/analysis/bounds/{}/where", b)), false);
}

// Sets T and rho of the protocol, if it has them.
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
  each_condition(plan, [](const std::vector<bool>&, bool) {});
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
  each_condition(plan, [&](const std::vector<bool>& all, bool slope) {
    for (std::size_t p = 0; p < all.size(); ++p)
      (slope ? input.points[p].slope_where : input.points[p].bound_where).push_back(all[p]);
  });
  return input;
}

}  // namespace hearsay::scenarios
