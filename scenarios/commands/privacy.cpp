// hearsay privacy: the accountants as a calculator.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/privacy/budget/calculator.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;
using models::CostAnswer;
using models::CostQuestion;

namespace {

constexpr std::string_view kPrivacyUsage =
    "privacy --mechanism laplace|gaussian|exponential_norm (--epsilon E | --epsilon-step E) --steps T "
    "[--delta D] "
    "[--accountant A] [--sensitivity S | --bound B --records N] [--format text|json] [...]";

po::options_description privacy_options() {
  po::options_description own("Privacy");
  const auto number = [] { return po::value<double>(); };
  const auto name = [] { return po::value<std::string>(); };
  own.add_options()                                                                                   //
      ("mechanism", name()->value_name("M"), "laplace, gaussian or exponential_norm")                 //
      ("epsilon", number()->value_name("E"), "total budget: prints what it allows a step")            //
      ("epsilon-step", number()->value_name("E"), "epsilon of every step: prints what they cost")     //
      ("delta", number()->value_name("D"), "delta of the total; all but basic need one")              //
      ("steps", number()->value_name("T"), "number of releases")                                      //
      ("accountant", name()->value_name("A"), "one accountant instead of all")                        //
      ("adjacency", name()->value_name("A"), "replace_one (default) or add_remove")                   //
      ("sensitivity", number()->value_name("S"), "in the mechanism's norm: L1 for laplace, else L2")  //
      ("bound", number()->value_name("B"),
       "norm of a record's gradient, with --records: S = 2 B/N or B/N")                                    //
      ("records", number()->value_name("N"), "records that the mean is over")                              //
      ("dimension", number()->value_name("d"), "of the released vector, for exponential_norm")             //
      ("sampling", number()->value_name("q"), "share of the records that take part in a release")          //
      ("calibration", name()->value_name("C"), "gaussian: analytic (default), classic or paper")           //
      ("delta-step", number()->value_name("D"), "gaussian: delta of one release under basic and kairouz")  //
      ("format", name()->value_name("F"), "text (default) or json, with all digits");
  return own;
}

std::string list_of(std::span<const sim::Choice> choices) {
  std::string all;
  for (const sim::Choice& c : choices) all += fmt::format("{}{}", all.empty() ? "" : ", ", c.name);
  return all;
}

template <class E>
E choice_of(const po::variables_map& values, const char* option, E otherwise) {
  if (values.count(option) == 0) return otherwise;
  const auto& wanted = values[option].as<std::string>();
  constexpr auto& kValues = sim::Choices<E>::kValues;
  for (std::size_t k = 0; k < kValues.size(); ++k) {
    if (kValues[k].name == wanted) return static_cast<E>(k);
  }
  throw UsageError(
      fmt::format("--{} must be one of {}, got {}", option, list_of(kValues), printable(wanted)));
}

std::optional<double> given_number(const po::variables_map& values, const char* option) {
  if (values.count(option) == 0) return std::nullopt;
  return values[option].as<double>();
}

std::int64_t whole_of(const po::variables_map& values, const char* option, double most) {
  const double number = values[option].as<double>();
  if (!(number >= 1 && number <= most) || number != std::floor(number))
    throw UsageError(
        fmt::format("--{} must be a whole number from 1 to {:g}, got {:g}", option, most, number));
  return static_cast<std::int64_t>(number);
}

models::Mechanism mechanism_of(const po::variables_map& values) {
  const std::string wanted = values.count("mechanism") != 0 ? values["mechanism"].as<std::string>() : "";
  if (wanted == models::Laplace::kName) return models::Laplace{};
  if (wanted == models::ExponentialNorm::kName) return models::ExponentialNorm{};
  if (wanted == models::Gaussian::kName) {
    return models::Gaussian{choice_of(values, "calibration", models::GaussianCalibration::kAnalytic),
                            given_number(values, "delta-step")};
  }
  throw UsageError(fmt::format("--mechanism must be one of laplace, gaussian, exponential_norm, got {}",
                               wanted.empty() ? "none" : printable(wanted)));
}

std::optional<double> sensitivity_of(const po::variables_map& values, models::Adjacency adjacency) {
  const bool bound = values.count("bound") != 0, records = values.count("records") != 0;
  if (bound != records) throw UsageError("--bound and --records go together");
  if (!bound) return given_number(values, "sensitivity");
  if (values.count("sensitivity") != 0)
    throw UsageError("give either --sensitivity or --bound with --records");
  const auto n = static_cast<double>(whole_of(values, "records", 1e15));
  return (adjacency == models::Adjacency::kReplaceOne ? 2 : 1) * values["bound"].as<double>() / n;
}

CostQuestion question_of(const po::variables_map& values) {
  if (values.count("steps") == 0)
    throw UsageError(fmt::format("--steps is needed; usage: hearsay {}", kPrivacyUsage));
  CostQuestion q;
  q.mechanism = mechanism_of(values);
  q.epsilon = given_number(values, "epsilon");
  q.epsilon_step = given_number(values, "epsilon-step");
  q.delta = given_number(values, "delta").value_or(0);
  q.steps = whole_of(values, "steps", 1e12);
  q.adjacency = choice_of(values, "adjacency", models::Adjacency::kReplaceOne);
  q.sampling_rate = given_number(values, "sampling").value_or(1);
  if (values.count("dimension") != 0) q.dimension = static_cast<int>(whole_of(values, "dimension", 1e9));
  q.sensitivity = sensitivity_of(values, q.adjacency);
  return q;
}

nlohmann::ordered_json json_of(const CostQuestion& q, const std::vector<CostAnswer>& answers) {
  nlohmann::ordered_json out;
  out["mechanism"] = models::name_of(q.mechanism);
  out["steps"] = q.steps;
  out["delta"] = q.delta;
  out["adjacency"] = sim::Choices<models::Adjacency>::kValues[static_cast<std::size_t>(q.adjacency)].name;
  out["sampling"] = q.sampling_rate;
  out["dimension"] = q.dimension;
  out["sensitivity"] = q.sensitivity ? nlohmann::ordered_json(*q.sensitivity) : nullptr;
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
    }
    out["accountants"].push_back(std::move(row));
  }
  return out;
}

void print_text(const CostQuestion& q, const std::vector<CostAnswer>& answers) {
  const bool stated = std::holds_alternative<models::Gaussian>(q.mechanism);
  // pld is of numbers, which a vector of this noise is not: its row stands or falls with the dimension.
  const bool norm = std::holds_alternative<models::ExponentialNorm>(q.mechanism);
  fmt::print("{}{}, {} releases, {} epsilon {:g}, delta {:g}, {}{}\n\n", models::name_of(q.mechanism),
             norm ? fmt::format(" in dimension {} (--dimension)", q.dimension) : "", q.steps,
             q.epsilon ? "total" : "per-step", q.epsilon ? *q.epsilon : *q.epsilon_step, q.delta,
             sim::Choices<models::Adjacency>::kValues[static_cast<std::size_t>(q.adjacency)].name,
             q.sampling_rate < 1 ? fmt::format(", sampled at {:g}", q.sampling_rate) : "");
  const std::string scale = q.sensitivity ? "noise scale" : "scale/sensitivity";
  fmt::print("{:14} {:>12} {}{:>18} {:>14} {:>14}\n", "accountant", "epsilon/step",
             stated ? fmt::format("{:>12} ", "delta/step") : "", scale, "total epsilon", "total delta");
  for (const CostAnswer& a : answers) {
    if (!a.refusal.empty()) {
      fmt::print("{:14} {}\n", models::name_of(a.accountant), a.refusal);
      continue;
    }
    const auto shown = [](double x) { return x > 0 ? fmt::format("{:.6g}", x) : std::string("-"); };
    fmt::print("{:14} {:>12} {}{:>18} {:>14.6g} {:>14.6g}\n", models::name_of(a.accountant),
               shown(a.step.epsilon), stated ? fmt::format("{:>12} ", shown(a.step.delta)) : "",
               shown(a.noise_scale), a.total.epsilon, a.total.delta);
  }
}

}  // namespace

int privacy_command(const Arguments& arguments) {
  po::variables_map values;
  if (!parse_arguments(arguments, kPrivacyUsage, privacy_options(), values)) return kExitDone;
  if (values.count("file") != 0)
    throw UsageError(fmt::format("privacy takes options only; usage: hearsay {}", kPrivacyUsage));
  const CostQuestion question = question_of(values);
  const std::string format = values.count("format") != 0 ? values["format"].as<std::string>() : "text";
  if (format != "text" && format != "json")
    throw UsageError(fmt::format("--format must be text or json, got {}", printable(format)));
  const bool one = values.count("accountant") != 0;
  const auto accountant = choice_of(values, "accountant", models::Accountant::kBasic);
  std::vector<CostAnswer> answers;
  try {
    answers = one ? std::vector{models::cost_under(accountant, question)} : models::cost(question);
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
  if (one && !answers.front().refusal.empty()) {
    const std::string message = fmt::format("hearsay: {}", answers.front().refusal);
    if (answers.front().over_budget) throw BudgetRefusal(message);
    throw InputError(message);
  }
  if (format == "json") {
    fmt::print("{}\n", json_of(question, answers).dump(2));
  } else {
    print_text(question, answers);
  }
  return kExitDone;
}

}  // namespace hearsay::scenarios
