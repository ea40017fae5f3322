#pragma once
// The options of the asynchronous central learner.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/core/world.hpp"
#include "models/protocols/central/given_step.hpp"

namespace hearsay::models {

enum class Initiative { kOwner, kLearner };
enum class WhenBusy { kQueue, kRefuse };
enum class StaleBase { kCurrent, kSent };
enum class LearnerStep { kPrinted, kProof };
enum class BudgetFor { kHorizon, kExpectedShare };

using GivenRho = GivenStep;
/// rho = 5 rho_1, rho_1 = (N + 1) T sigma/h_min, h_min the least eigenvalue of the Hessian of the pooled mean
/// loss.
struct AutoRho {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "5 (N + 1) T sigma/h_min, from the private data's Hessian; squared loss only.";
  void describe(sim::Visitor&) {}
  static double value(double parties, double horizon, double sigma, double h_min) {
    return 5 * (parties + 1) * horizon * sigma / h_min;
  }
};

struct CentralAsyncOptions {
  std::variant<GivenRho, AutoRho> rho;
  std::optional<std::uint64_t> horizon;
  std::optional<double> sigma;
  LearnerStep learner_step = LearnerStep::kPrinted;
  Initiative initiative = Initiative::kOwner;
  std::optional<sim::Time> interval;
  WhenBusy when_busy = WhenBusy::kQueue;
  bool interleave = false;
  StaleBase stale_base = StaleBase::kCurrent;
  sim::Time timeout = 1;
  std::vector<std::vector<std::uint32_t>> groups;
  bool reweight_by_frequency = false;
  BudgetFor budget_for = BudgetFor::kHorizon;
  std::uint32_t overlap = 1;
  std::optional<std::uint32_t> learner_is_owner;

  void describe(sim::Visitor& v);
  std::vector<std::string> fitted_on_private_data(const Study& study) const;

  /// Seconds between the learner's queries. Throws std::invalid_argument where it is to ask and they are not
  /// given.
  sim::Time queried_every() const;
  /// rho/(T^2 sigma) among N fictitious owners. Throws std::invalid_argument without T, without strong
  /// convexity, or where rho can not be worked out.
  double step(std::size_t parties, const Study& study) const;
  /// How many answers each owner's budget is spread over: T, or T_i = ceil(T/N + 3 sqrt(T/N)) if that is
  /// less. An owner is drawn Binomial(T, 1/N) times in T uniform draws; T_i is three standard deviations, a
  /// little more, above the mean.
  std::uint64_t planned_answers(std::uint64_t horizon, std::size_t parties) const;
};

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::Initiative> {
  static constexpr std::array kValues{Choice{"owner", "an owner's clock begins a conversation"},
                                      Choice{"learner", "the learner queries every owner at an interval"}};
};
template <>
struct Choices<models::WhenBusy> {
  static constexpr std::array kValues{Choice{"queue", "requests wait, first come first served"},
                                      Choice{"refuse", "a request that finds the learner busy is dropped"}};
};
template <>
struct Choices<models::StaleBase> {
  static constexpr std::array kValues{
      Choice{"current", "the mean of the copies as they are when the answer comes"},
      Choice{"sent", "the mean that was asked about: undoes what others did meanwhile"}};
};
template <>
struct Choices<models::LearnerStep> {
  static constexpr std::array kValues{Choice{"printed", "(N-1)/N, as in equation (7)"},
                                      Choice{"proof", "1/2, as its proof has it"}};
};
template <>
struct Choices<models::BudgetFor> {
  static constexpr std::array kValues{
      Choice{"horizon", "T answers, as if each owner gave all of them"},
      Choice{"expected_share", "ceil(T/N + 3 sqrt(T/N)) answers, about an owner's share of them"}};
};
}  // namespace hearsay::sim
