#include "scenarios/execution/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/store/output_file.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/study/build_info.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

namespace {

nlohmann::ordered_json privacy_of(const models::PrivacyOptions& options, bool any_private) {
  nlohmann::ordered_json privacy{{"statement", any_private ? "simulated differential privacy: not for release"
                                                           : "mechanism \"none\": no privacy guarantee"},
                                 {"mechanism", models::name_of(options.mechanism)}};
  if (!models::is_private(options.mechanism)) return privacy;
  privacy.update(nlohmann::ordered_json{
      {"norm", models::name_of(models::norm_of(options.mechanism))},
      {"accountant", models::name_of(options.accountant)},
      {"delta", options.needs_delta() ? options.delta : 0},
      {"adjacency", options.adjacency == models::Adjacency::kReplaceOne ? "replace_one" : "add_remove"},
      {"schedule", sim::Choices<models::Schedule>::kValues[static_cast<std::size_t>(options.schedule)].name},
      {"sensitivity", options.clip              ? "clip: every record's gradient is scaled to the bound"
                      : options.gradient_bound  ? "gradient_bound: given, not enforced"
                      : options.bound_from_data ? "bound_from_data: the stated epsilon does not hold"
                      : options.by_turn()       ? "computed by the protocol from the bounds in its options"
                                          : "derived from declared bounds of features, target and theta_max"},
      {"budget", options.by_turn() ? "epsilon_1 and epsilon_2 of each turn; composed per owner"
                                   : "per owner, over the whole run"}});
  return privacy;
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
      {"privacy", privacy_of(in.scenario.privacy, in.any_private)},
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
