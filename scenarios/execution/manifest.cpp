#include "scenarios/execution/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/store/output_file.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/study/build_info.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

namespace {

nlohmann::ordered_json privacy_of(const Scenario* scenario) {
  if (scenario == nullptr)
    return {{"statement", "mechanism \"none\": no privacy guarantee"}, {"mechanism", models::NoNoise::kName}};
  const models::Budget budget = settled_budget(*scenario);
  return {{"statement", "simulated differential privacy: not for release"},
          {"guarantee", budget.meaning()},
          {"mechanism", models::name_of(budget.mechanism)},
          {"norm", models::name_of(budget.norm())},
          {"accountant", models::name_of(budget.accountant)},
          {"delta", budget.delta},
          {"unit", models::name_of(budget.unit)},
          {"trust", models::name_of(budget.trust)},
          {"adjacency", models::name_of(budget.adjacency)},
          {"schedule", models::name_of(budget.schedule)},
          {"sensitivity", models::describe(budget.source)},
          {"budget", budget.by_turn() ? "epsilon_1 and epsilon_2 of each turn; composed per owner"
                                      : "per owner, over the whole run"}};
}

}  // namespace

void write_manifest(const ManifestInput& in, const std::filesystem::path& path) {
  const analysis::Totals& t = in.totals;
  nlohmann::ordered_json m{
      {"hearsay",
       {{"version", build_info::kVersion},
        {"commit", build_info::kCommit},
        {"compiler", build_info::kCompiler},
        {"flags", build_info::kFlags}}},
      {"command", in.command},
      {"scenario_file", in.file},
      {"host", host()},
      {"threads", in.threads},
      {"wall_s", in.wall},
      {"peak_memory_bytes", peak_memory()},
      {"events", t.events},
      {"events_per_s_and_thread", t.wall > 0 ? static_cast<double>(t.events) / t.wall : 0},
      {"seed", in.scenario.seed},
      {"points", t.points},
      {"runs", t.runs},
      {"done", t.done},
      {"diverged", t.diverged},
      {"failed", t.failed},
      {"interrupted", t.interrupted},
      {"planned_runs", in.planned},
      {"delivery", in.scenario.protocol->entry().broadcasts
                       ? "publications: computed when read where the network allows it, else events"
                       : "events"},
      {"privacy", privacy_of(in.private_point)},
      {"fitted_on_private_data_without_accounting", t.unaccounted},
      {"notes", t.notes}};
  if (!in.selection.empty()) m["selection"] = nlohmann::ordered_json::parse(in.selection);
  m["diagnostics"] =
      "objective, fitness, distance and errors are exact and without noise: a real network could not publish "
      "them";
  if (!in.conclusions.empty()) m["analysis"] = nlohmann::ordered_json::parse(in.conclusions);
  m["fingerprint"] = fmt::format("{:016x}", t.fingerprint);
  m["scenario"] = nlohmann::ordered_json::parse(in.resolved);
  analysis::OutputFile file(path);
  file.write(m.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

}  // namespace hearsay::scenarios
