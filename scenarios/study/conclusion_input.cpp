#include "scenarios/study/conclusion_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

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
    Condition condition(where, plan.axes, plan.numeric, plan.units);
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

// Makes of the owners N parties. A group is a fictitious owner: its answer, sum (n_i/n_G) Q_i, has the noise of
// 1/epsilon_G^2 = sum 1/epsilon_i^2.
void form_parties(const nlohmann::ordered_json& protocol, std::vector<double>& epsilon) {
  std::vector<double> parties;
  for (const auto& group : protocol.value("groups", nlohmann::ordered_json::array())) {
    double squares = 0;
    for (const auto& member : group) {
      const double own = std::exchange(epsilon.at(member.get<std::size_t>() - 1), 0);  // it is in a party
      squares += 1 / (own * own);
    }
    parties.push_back(1 / std::sqrt(squares));
  }
  std::ranges::copy_if(epsilon, std::back_inserter(parties), [](double own) { return own != 0; });
  epsilon = std::move(parties);
}

// Sets T and rho of the protocol, if it has them, and forms its parties.
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
  setting.rule = central_rule(scenario.protocol);
  if (!setting.epsilon.empty()) form_parties(protocol, setting.epsilon);
  if (const auto rho = number("rho")) {
    setting.rho = *rho;
  } else if (protocol.contains("rho") && protocol["rho"].is_object() && protocol["rho"]["type"] == "auto") {
    if (protocol["type"] == "central_sync") {
      setting.rho = setting.horizon * setting.horizon / (setting.hessian_max + setting.sigma);
    } else {
      setting.rho =
          models::AutoRho::value(setting.owners(), setting.horizon, setting.sigma, setting.hessian_min);
    }
  }
}

// A point; where each repetition draws its data or network, with the scalars of its runs, NaN where these differ.
analysis::PointResult with_scalars(const Plan& plan, analysis::StoredStudy& study, std::size_t number) {
  analysis::PointResult point = study.point(number);
  const PlannedPoint& planned = plan.points[number];
  if (planned.scenario->analysis.bounds.empty() || !planned.scenario->draws_anew()) return point;
  constexpr double kRounding = 1e-12, kNone = std::numeric_limits<double>::quiet_NaN();
  std::map<std::pair<std::string, std::optional<sim::AgentId>>, std::vector<double>> of_runs;
  std::size_t runs = 0;
  study.runs(number, [&](const analysis::RunResult& run) {
    ++runs;
    for (const analysis::Scalar& s : run.scalars) of_runs[{s.name, s.agent}].push_back(s.value);
  });
  for (const auto& [name, values] : of_runs) {
    const double first = values.front();
    const bool equal = values.size() == runs && std::ranges::all_of(values, [first](double value) {
                         return value == first || std::abs(value - first) <= kRounding * std::abs(first);
                       });
    point.scalars.push_back({name.first, name.second, equal ? first : kNone});
  }
  return point;
}

}  // namespace

analysis::CentralRule central_rule(const models::ProtocolChoice& protocol) {
  using enum analysis::CentralRule;
  if (protocol->entry().name == "central_async") return kAsynchronous;
  if (protocol->entry().name != "central_sync") return kAny;
  return write_all(protocol)["algorithm"] == "averaged" ? kAveraged : kStronglyConvex;
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
  each_condition(plan, [](const std::vector<bool>&, bool) {});
}

analysis::ConclusionInput conclusion_input(const Plan& plan, analysis::StoredStudy& study) {
  analysis::ConclusionInput input;
  input.options = plan.points.front().scenario->analysis;
  input.groups = plan.groups;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    analysis::PointFacts facts{.axes = plan.points[p].numbers,
                               .setting = analysis::setting_of(with_scalars(plan, study, p))};
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
