// hearsay audit: what an adversary at a position of the network certifies about epsilon.
#include "scenarios/execution/audit/audit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "scenarios/commands/command.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/progress.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

using Json = nlohmann::ordered_json;

const Syntax& audit_syntax() {
  static const Syntax syntax{
      "audit SCENARIO (--adversary A | --final) [--runs N | --canaries M] [--owner AGENT] [--point N] "
      "[--repetition R] [--level P] [--json] [-j N] [...]",
      with_input_options(
          {{"adversary", "A",
            "who sees what: agent:3, agents:3+7, link:1-2, links:1-2+2-1, hub, hostile or everybody; agents by "
            "number or name"},
           {"final", nullptr, "an adversary that sees the final models of all agents, and nothing else"},
           {"owner", "AGENT",
            "whose privacy is audited, by number or name (default: the nearest to the adversary; with "
            "--canaries all others)"},
           {"runs", "N", "runs with each of two neighbouring data sets (default: 10000)"},
           {"canaries", "M", "one run instead, with so many canaries, each in the data or not"},
           {"guesses", "R", "canaries that are guessed (default: a tenth of them, at least 10)"},
           {"record", "K", "a record of the owner's data, from 0, instead of a planted one; with --runs"},
           {"level", "P", "probability, at most, that more is certified than is true", "0.05"},
           {"point", "N", "number of the point of a sweep (see show --runs)"},
           {"repetition", "R", "repetition whose events all runs have, from 0", "0"},
           {"json", nullptr, "print JSON, with all digits"},
           {"jobs,j", "N", "threads (default: all processors)"},
           {"no-progress", nullptr, "print no progress line"},
           {"json-progress", nullptr,
            "print the progress as a line of JSON every second, on standard error"}}),
      "one scenario", 1, 1};
  return syntax;
}

// Refuses another kind of adversary before anything is made; its agents are known later.
std::string adversary_argument(const std::string& text) {
  const Names kinds{"agent:", "agents:", "link:", "links:", "hub", "hostile", "everybody"};
  const std::string kind = text.substr(0, text.find(':') + (text.find(':') == text.npos ? 0 : 1));
  if (std::ranges::find(kinds, kind) == kinds.end())
    throw UsageError(fmt::format("--adversary: expected {}, found '{}'{}", models::kAdversaryForms,
                                 printable(text, 200), did_you_mean(kind, kinds)));
  return text;
}

AuditOptions audit_options(const Parsed& values) {
  if (values.has("adversary") == values.has("final"))
    throw UsageError(values.has("final") ? "give either --adversary or --final"
                                         : "--adversary is missing: such as --adversary agent:3");
  if (values.has("runs") && values.has("canaries")) throw UsageError("give either --runs or --canaries");
  if (values.has("guesses") && !values.has("canaries")) throw UsageError("--guesses requires --canaries");
  if (values.has("record") && values.has("canaries")) throw UsageError("--record requires --runs");
  AuditOptions options;
  constexpr std::uint64_t kMostRuns = 10'000'000, kMostCanaries = 1'000'000;
  if (values.has("runs")) options.runs = values.whole("runs", 4, kMostRuns);
  if (values.has("canaries")) options.canaries = values.whole("canaries", 1, kMostCanaries);
  if (values.has("guesses")) options.guesses = values.whole("guesses", 1, options.canaries);
  if (values.has("record")) options.record = values.whole("record", 0, kMostRuns);
  options.level = values.number("level", 1e-9, 0.5);
  if (values.has("adversary")) options.adversary = adversary_argument(values.text("adversary"));
  if (values.has("owner")) options.owner = values.text("owner");
  options.threads = values.has("jobs") ? static_cast<unsigned>(values.whole("jobs", 1, 1024))
                                       : std::max(1u, std::thread::hardware_concurrency());
  return options;
}

Json json_of(const analysis::ManyRunsCertificate& c) {
  return {{"epsilon", c.epsilon},
          {"mu", c.mu},
          {"threshold", c.threshold},
          {"guessed_with", c.above ? "from threshold" : "below threshold"},
          {"runs_without", c.runs0},
          {"runs_with", c.runs1},
          {"false_positives", c.false_positives},
          {"false_negatives", c.false_negatives},
          {"fpr", c.fpr},
          {"fnr", c.fnr}};
}

// NaN becomes null.
Json json_of(const AuditResult& r) {
  Json out{{"adversary", r.adversary}, {"owners", r.owners}, {"delta", r.delta}};
  for (const AuditClaim& claim : r.claims)
    out[claim.name] = {{"epsilon", claim.epsilon}, {"mu", claim.mu}, {"guarantee", claim.guarantee()}};
  if (out.contains("view")) out["view"]["label"] = r.label;
  out["one_label_mu"] = r.one_label;
  out["level"] = r.level;
  if (r.any) out["any"] = json_of(*r.any);
  if (r.gaussian) out["gaussian"] = json_of(*r.gaussian);
  if (r.guesses)
    out["one_run"] = {{"epsilon", r.epsilon},
                      {"canaries", r.guesses->canaries},
                      {"guessed", r.guesses->guessed},
                      {"right", r.guesses->right}};
  out["auroc"] = r.auroc;
  out["fingerprint"] = fmt::format("{:016x}", r.fingerprint);
  for (const auto& [name, lines] :
       {std::pair("notes", &r.notes), std::pair("findings", &r.findings), std::pair("refuted", &r.refuted)})
    out[name] = *lines;
  return out;
}

void print_row(const std::string& name, double epsilon, double mu) {
  const auto shown = [](double x) { return std::isnan(x) ? std::string("-") : fmt::format("{:.4g}", x); };
  print_out("{:56} {:>9} {:>9}\n", name, shown(epsilon), shown(mu));
}

void print_audit(const std::string& adversary, const AuditResult& r) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  print_out("{} towards {}, delta {:g}, {}\n\n{:56} {:>9} {:>9}\n",
            r.owners.size() > 1 ? counted(r.owners.size(), "owner") : r.owners.front(), adversary, r.delta,
            r.guesses ? fmt::format("one run with {} canaries", r.guesses->canaries)
                      : fmt::format("{} with each of two data sets", counted(r.scores[0].size(), "run")),
            "", "epsilon", "mu");
  for (const AuditClaim& claim : r.claims)
    print_row(claim.name == "ledger" ? claim.guarantee() ? "ledger: everybody sees every release"
                                                         : "ledger: not a guarantee here"
              : claim.name == "view" ? "view, " + r.label + (claim.guarantee() ? "" : ": not a guarantee")
                                     : "view, linear reactions, a changed label",
              claim.epsilon, claim.mu);
  if (!std::isnan(r.one_label)) print_row("  attained by the worst direction", kNone, r.one_label);
  if (r.any) print_row(fmt::format("certified, any mechanism, level {:g}", r.level), r.any->epsilon, kNone);
  if (r.gaussian)
    print_row(fmt::format("certified, if Gaussian, level {:g}", r.level), r.gaussian->epsilon,
              r.gaussian->mu);
  if (r.guesses) print_row(fmt::format("certified, level {:g}", r.level), r.epsilon, kNone);
  print_out("\n");
  for (const auto& [name, c] : {std::pair("any mechanism", &r.any), std::pair("if Gaussian", &r.gaussian)})
    if (*c)
      print_out("{}: with the canary {} {:.4g}; wrong in {} of {} runs without it, {} of {} with it\n", name,
                (*c)->above ? "from" : "below", (*c)->threshold, (*c)->false_positives, (*c)->runs0,
                (*c)->false_negatives, (*c)->runs1);
  if (r.guesses) print_out("{} of {} guesses are right\n", r.guesses->right, r.guesses->guessed);
  print_out("AUROC {:.4f}\n", r.auroc);
  for (const std::string& note : r.notes) print_out("{}\n", note);
  for (const std::string& finding : r.findings) print_out("finding: {}\n", finding);
}

}  // namespace

int audit_command(const Arguments& arguments) {
  const auto parsed = parse_arguments(arguments, audit_syntax());
  if (!parsed) return kExitDone;
  const Parsed& values = *parsed;
  AuditOptions options = audit_options(values);
  const InputArguments input = input_arguments(values);
  const Plan plan = make_plan(input.files.front(), input.sets, input.folders);
  if (plan.points.size() > 1 && !values.has("point"))
    throw UsageError(fmt::format("--point is missing: {} has {} (see hearsay show --runs)", plan.file,
                                 counted(plan.points.size(), "point")));
  const PlannedPoint& point =
      plan.points[values.has("point") ? values.whole("point", 0, plan.points.size() - 1) : 0];
  if (point.past != nullptr)
    throw InputError(plan.locate("/branches", "an audit is of undisturbed runs: remove branches"));
  const auto repetition = static_cast<std::uint32_t>(values.whole("repetition", 0, point.repeat - 1));
  const InterruptGuard guard;
  const MemoryLimit limit(1);
  options.interrupted = &InterruptGuard::flag();
  AuditResult result;
  try {
    const std::uint64_t runs = options.canaries > 0 ? 0 : 2 * options.runs;
    Progress progress(values.has("json-progress") ? ProgressStyle::kJson
                      : values.has("no-progress") ? ProgressStyle::kNone
                                                  : ProgressStyle::kLine,
                      runs, runs);
    options.finished = [&](const analysis::RunResult& run) { progress.finished(run); };
    result = audit(*point.scenario, repetition, options);
  } catch (const sim::Error& e) {
    throw plan.located(e);
  }
  if (values.has("json")) {
    print_json(json_of(result).dump(2) + "\n");
  } else {
    print_audit(options.adversary.empty() ? result.adversary : options.adversary, result);
  }
  Arguments words = arguments;
  words.insert(words.begin(), "audit");
  for (const std::string& claim : result.refuted)
    print_error("hearsay: internal error: {}; to reproduce: {} with {}\n", claim, command_text(words),
                version_line());
  return result.refuted.empty() ? kExitDone : kExitInternal;
}

}  // namespace hearsay::scenarios
