// hearsay privacy: the accountants as a calculator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "scenarios/commands/command.hpp"
#include "scenarios/commands/privacy_request.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

using models::CostAnswer;
using models::CostQuestion;

namespace {

std::vector<models::Mechanism> mechanisms() {
  std::vector<models::Mechanism> all;
  models::for_each_mechanism([&](const models::Mechanism& m) {
    if (models::is_private(m)) all.push_back(m);
  });
  return all;
}

Names mechanism_names() {
  Names names;
  for (const models::Mechanism& m : mechanisms()) names.emplace_back(models::name_of(m));
  return names;
}

const Syntax& privacy_syntax() {
  static const Syntax syntax{
      fmt::format(
          "privacy --mechanism {} (--epsilon E | --epsilon-step E | --noise Z) --steps T "
          "[--tree L --epoch R] [--delta D] [--accountant A] [--sensitivity S | --bound B --records N] "
          "[--format text|json] [...]",
          fmt::join(mechanism_names(), "|")),
      {{"mechanism", "M", "noise of a release", nullptr, false, mechanism_names},
       {"epsilon", "E", "total budget: prints the epsilon and noise of each step"},
       {"epsilon-step", "E", "epsilon of each step: prints the total cost"},
       {"noise", "Z", "gaussian: noise multiplier of each step: prints the total cost"},
       {"delta", "D", "delta of the total; required by all accountants but basic"},
       {"steps", "T", "number of releases"},
       {"accountant", "A", "one accountant instead of all", nullptr, false, choice_names<models::Accountant>},
       {"adjacency", "A", "replace_one (default) or add_remove", nullptr, false,
        choice_names<models::Adjacency>},
       {"sensitivity", "S", "in the mechanism's norm: L1 for laplace, else L2"},
       {"bound", "B", "norm of a record's gradient, with --records: S = 2 B/(q N) or B/(q N)"},
       {"records", "N", "records of the owner"},
       {"dimension", "d", "of the released vector, for exponential_norm"},
       {"sampling", "q", "fraction of the records in each release"},
       {"tree", "L", "running sums by binary trees (DP-FTRL), restarted after L steps; gaussian only"},
       {"epoch", "R",
        "with --tree: a record takes part once in R steps, always at the same position; default 1"},
       {"completion", "on|off", "with --tree: complete every tree but the last to a power of two", "on",
        false,
        [] {
          return Names{"on", "off"};
        }},
       {"calibration", "C", "gaussian: analytic (default), classic or paper", nullptr, false,
        choice_names<models::GaussianCalibration>},
       {"delta-step", "D", "gaussian: delta of one release under basic and kairouz"},
       {"format", "F", "text or json, with all digits", "text", false, [] {
          return Names{"text", "json"};
        }}}};
  return syntax;
}

std::int64_t whole_of(const Parsed& values, const char* option, double most) {
  return static_cast<std::int64_t>(values.whole(option, 1, static_cast<std::uint64_t>(most)));
}

models::Mechanism mechanism_of(const Parsed& values) {
  models::Mechanism chosen = mechanisms()[values.index("mechanism")];
  auto* const gaussian = std::get_if<models::Gaussian>(&chosen);
  for (const char* option : {"calibration", "delta-step"}) {
    if (values.has(option) && gaussian == nullptr)
      throw UsageError(
          fmt::format("--{}: expected --mechanism gaussian, found {}", option, values.text("mechanism")));
  }
  if (values.has("completion") && !values.has("tree") && values.text("completion") != "on")
    throw UsageError("--completion requires --tree");
  if (gaussian != nullptr)
    *gaussian = {values.choice("calibration", gaussian->calibration), values.number("delta-step")};
  return chosen;
}

std::optional<double> sensitivity_of(const Parsed& values, models::Adjacency adjacency) {
  const bool bound = values.has("bound"), records = values.has("records");
  if (bound != records) throw UsageError("--bound and --records must be given together");
  if (!bound) return values.number("sensitivity");
  if (values.has("sensitivity")) throw UsageError("give either --sensitivity or --bound with --records");
  const double q = values.number("sampling").value_or(1);  // others than in (0, 1] are refused as such
  const double n = static_cast<double>(whole_of(values, "records", 1e15)) * (q > 0 && q <= 1 ? q : 1);
  return (adjacency == models::Adjacency::kReplaceOne ? 2 : 1) * *values.number("bound") / n;
}

std::optional<models::Tree> tree_of(const Parsed& values, std::int64_t steps) {
  if (!values.has("tree")) {
    if (values.has("epoch")) throw UsageError("--epoch requires --tree");
    return std::nullopt;
  }
  constexpr double kMaxRounds = 1e7;
  if (static_cast<double>(steps) > kMaxRounds)
    throw UsageError(fmt::format("--steps: expected at most {:g} with --tree, found {}", kMaxRounds, steps));
  const auto whole = [&](const char* option) {
    return static_cast<std::uint64_t>(whole_of(values, option, kMaxRounds));
  };
  const bool complete = values.index("completion") == 0;
  return models::Tree{.rounds = static_cast<std::uint64_t>(steps),
                      .leaves = whole("tree"),
                      .epoch = values.has("epoch") ? whole("epoch") : 1,
                      .complete = complete};
}

CostQuestion question_of(const Parsed& values) {
  if (!values.has("steps"))
    throw UsageError(fmt::format("--steps is missing; usage: hearsay {}", privacy_syntax().usage));
  CostQuestion q;
  q.mechanism = mechanism_of(values);
  q.epsilon = values.number("epsilon");
  q.epsilon_step = values.number("epsilon-step");
  q.noise = values.number("noise");
  q.delta = values.number("delta").value_or(0);
  q.steps = whole_of(values, "steps", models::kMaxSteps);
  q.adjacency = values.choice("adjacency", models::Adjacency::kReplaceOne);
  q.sampling_rate = values.number("sampling").value_or(1);
  if (models::law_of(q.mechanism).scalar) values.only("with --mechanism exponential_norm", {"dimension"});
  if (values.has("dimension")) q.dimension = static_cast<int>(whole_of(values, "dimension", 1e9));
  q.sensitivity = sensitivity_of(values, q.adjacency);
  q.tree = tree_of(values, q.steps);
  return q;
}

nlohmann::ordered_json json_of(const CostQuestion& q, const std::vector<CostAnswer>& answers) {
  nlohmann::ordered_json out{
      {"mechanism", models::name_of(q.mechanism)},
      {"steps", q.steps},
      {"delta", q.delta},
      {"adjacency", models::name_of(q.adjacency)},
      {"sampling", q.sampling_rate},
      {"dimension", q.dimension},
      {"sensitivity", q.sensitivity ? nlohmann::ordered_json(*q.sensitivity) : nullptr}};
  if (q.tree) {
    out["tree"] = {
        {"restart_after", q.tree->leaves}, {"epoch", q.tree->epoch}, {"completion", q.tree->complete}};
  }
  for (const CostAnswer& a : answers) {
    nlohmann::ordered_json row;
    row["accountant"] = models::name_of(a.accountant);
    if (!a.refusal.empty()) {
      row["refused"] = a.refusal;
    } else {
      if (a.step.epsilon > 0) row["epsilon_step"] = a.step.epsilon;
      if (a.step.delta > 0) row["delta_step"] = a.step.delta;
      row[q.sensitivity ? "noise_scale" : "noise_scale_over_sensitivity"] = a.noise_scale;
      row["epsilon_total"] = a.total.epsilon;
      row["delta_total"] = a.total.delta;
      if (!a.warning.empty()) row["warning"] = a.warning;
    }
    out["accountants"].push_back(std::move(row));
  }
  return out;
}

void print_text(const CostQuestion& q, const std::vector<CostAnswer>& answers) {
  const bool stated = !models::law_of(q.mechanism).pure;
  // Whether pld applies depends on the dimension: it holds for scalars only.
  const bool norm = !models::law_of(q.mechanism).scalar;
  const auto given = q.epsilon        ? fmt::format("total epsilon {:g}", *q.epsilon)
                     : q.epsilon_step ? fmt::format("per-step epsilon {:g}", *q.epsilon_step)
                                      : fmt::format("noise multiplier {:g}", *q.noise);
  print_out("{}{}, {} releases, {}, delta {:g}, {}{}{}\n\n", models::name_of(q.mechanism),
            norm ? fmt::format(" in dimension {} (--dimension)", q.dimension) : "", q.steps, given, q.delta,
            models::name_of(q.adjacency),
            q.sampling_rate < 1 ? fmt::format(", sampled at {:g}", q.sampling_rate) : "",
            q.tree ? fmt::format(", trees of {} with epochs of {}", q.tree->leaves, q.tree->epoch) : "");
  const std::string scale = q.sensitivity ? "noise scale" : "scale/sensitivity";
  print_out("{:14} {:>12} {}{:>18} {:>14} {:>14}\n", "accountant", "epsilon/step",
            stated ? fmt::format("{:>12} ", "delta/step") : "", scale, "total epsilon", "total delta");
  for (const CostAnswer& a : answers) {
    if (!a.refusal.empty()) {
      print_out("{:14} {}\n", models::name_of(a.accountant), a.refusal);
      continue;
    }
    const auto shown = [](double x) { return x > 0 ? fmt::format("{:.6g}", x) : std::string("-"); };
    print_out("{:14} {:>12} {}{:>18} {:>14.6g} {:>14.6g}\n", models::name_of(a.accountant),
              shown(a.step.epsilon), stated ? fmt::format("{:>12} ", shown(a.step.delta)) : "",
              shown(a.noise_scale), a.total.epsilon, a.total.delta);
    if (!a.warning.empty()) print_out("{:14} warning: {}\n", "", a.warning);
  }
}

}  // namespace

std::optional<PrivacyRequest> privacy_request(const Arguments& arguments) {
  const auto values = parse_arguments(arguments, privacy_syntax());
  if (!values) return std::nullopt;
  PrivacyRequest request{.question = question_of(*values), .json = values->index("format") == 1};
  if (values->has("accountant"))
    request.accountant = values->choice("accountant", models::Accountant::kBasic);
  try {
    models::require_valid(request.question);
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
  return request;
}

int privacy_command(const Arguments& arguments) {
  const auto request = privacy_request(arguments);
  if (!request) return kExitDone;
  const CostQuestion& question = request->question;
  const auto one = request->accountant;
  std::vector<CostAnswer> answers;
  try {
    answers = one ? std::vector{models::cost_under(*one, question)} : models::cost(question);
  } catch (const std::invalid_argument& e) {  // what only an accountant can tell
    throw UsageError(e.what());
  }
  if (one && !answers.front().refusal.empty()) {
    using enum sim::Error::Kind;
    throw sim::Error(answers.front().over_budget ? kOverBudget : kInvalid, {},
                     "hearsay: " + answers.front().refusal);
  }
  if (request->json) {
    print_json(json_of(question, answers).dump(2) + "\n");
  } else {
    print_text(question, answers);
  }
  return kExitDone;
}

}  // namespace hearsay::scenarios
