#include "scenarios/execution/audit/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hearsay::scenarios {

namespace {

// A guarantee is refuted only where it would be by accident once in 1e9 audits: no user is to see a false alarm. One run
// adds a multiple of delta to its p-value.
constexpr double kSureFailure = 1e-9, kSureRunFailure = 1e-6;

// More is certified than is stated. `sure`: also where an accident is next to impossible.
void exceed(AuditResult& result, const AuditClaim& claim, const std::string& what, bool sure) {
  const std::string text = fmt::format("certified {} is above that of the {}", what,
                                       claim.name == "linear" ? "linear reactions" : claim.name);
  if (!claim.guarantee()) {
    result.findings.push_back(text + ", which is no guarantee: " + claim.but);
  } else if (sure) {
    result.refuted.push_back(text + ", where an accident is next to impossible");
  } else {
    result.notes.push_back(fmt::format("warning: {}, which can be an accident: repeat it with {}", text,
                                       result.guesses ? "more --canaries or another seed" : "more --runs"));
  }
}

}  // namespace

void certify_canaries(AuditResult& result, double level) {
  result.level = level;
  result.epsilon = analysis::one_run_epsilon(*result.guesses, result.delta, result.level);
  for (const AuditClaim& claim : result.claims)
    if (result.epsilon > claim.epsilon)
      exceed(result, claim, fmt::format("epsilon {:.4g}", result.epsilon),
             analysis::one_run_p_value(*result.guesses, claim.epsilon, result.delta) < kSureRunFailure);
}

void certify_runs(AuditResult& result, double level) {
  using analysis::TradeOff;
  // All releases of the owner are Gaussian, and their noise is independent.
  const bool gaussian = result.delta > 0 && !std::isnan(result.claims.front().mu);
  result.level = level / (gaussian ? 2 : 1);
  const auto certify = [&](TradeOff trade_off, double failure) {
    return analysis::certify_by_runs(result.scores[0], result.scores[1],
                                     {.delta = result.delta, .failure = failure, .trade_off = trade_off});
  };
  result.any = certify(TradeOff::kAny, result.level);
  if (gaussian) result.gaussian = certify(TradeOff::kGaussian, result.level);
  for (const AuditClaim& claim : result.claims) {
    if (result.any->epsilon > claim.epsilon)
      exceed(result, claim, fmt::format("epsilon {:.4g}", result.any->epsilon),
             certify(TradeOff::kAny, kSureFailure).epsilon > claim.epsilon);
    if (gaussian && result.gaussian->mu > claim.mu)
      exceed(result, claim, fmt::format("mu {:.4g}", result.gaussian->mu),
             certify(TradeOff::kGaussian, kSureFailure).mu > claim.mu);
  }
}

}  // namespace hearsay::scenarios
