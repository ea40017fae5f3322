#pragma once
// The arguments of `hearsay privacy`, read.
#include <optional>

#include "models/privacy/budget/calculator.hpp"
#include "scenarios/commands/arguments.hpp"

namespace hearsay::scenarios {

struct PrivacyRequest {
  models::CostQuestion question;
  std::optional<models::Accountant> accountant{};  ///< nothing: all
  bool json = false;
};

/// Nothing if --help is given; the help is then printed. Throws UsageError, also for a question that no accountant can
/// answer.
std::optional<PrivacyRequest> privacy_request(const Arguments& arguments);

}  // namespace hearsay::scenarios
