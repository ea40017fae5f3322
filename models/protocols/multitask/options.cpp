#include "models/protocols/multitask/options.hpp"

#include <fmt/format.h>

#include "models/protocols/multitask/sensitivity.hpp"

namespace hearsay::models {

namespace {
constexpr std::string_view kPaper = "Xie, Baytas, Lin, Zhou, Algorithm 1";
}

void MultitaskOptions::describe(sim::Visitor& v) {
  v(alpha_1,
    {.name = "alpha_1", .help = "Step of q_t; below 1/L.", .source = kPaper, .min = 0, .open_min = true});
  v(alpha_2, {.name = "alpha_2", .help = "Step of P.", .source = kPaper, .min = 0, .open_min = true});
  v(tau, {.name = "tau", .help = "Weight of the regulariser of Q.", .source = kPaper, .min = 0});
  v(threshold, {.name = "threshold",
                .help = "Threshold h of the server's proximal step (the paper's mu); by default 1.5e-3.",
                .source = "Xie, Baytas, Lin, Zhou, section 4.1",
                .min = 0});
  v(lambda,
    {.name = "lambda", .help = "The same as alpha_2 lambda, from the weight lambda of r(P).", .min = 0});
  v(regulariser, {.name = "regulariser", .help = "What couples the tasks: r(P)."});
  v(own_regulariser, {.name = "own_regulariser", .help = "Regulariser of the tasks' own parts: g(Q)."});
  v(q_update, {.name = "q_update", .help = "How a task moves q_t in a turn."});
  v(gradient_at, {.name = "gradient_at", .help = "Where the gradient that is sent is taken."});
  v(start, {.name = "start", .help = "q_t before the first turn; P starts at 0."});
  v(start_ridge, {.name = "start_ridge",
                  .help = "Weight tau_0 of (tau_0/2) norm_2(q)^2 in the single-task start; by default tau.",
                  .min = 0});
  v(turns, {.name = "turns",
            .help = "Turns of each task, lost ones included; then it stops.",
            .min = 1,
            .max = 4e9});
  v(tolerance, {.name = "tolerance",
                .help = "End once an update moves P + Q by no more than this in Frobenius norm (nu).",
                .source = kPaper,
                .min = 0});
  v(sensitivity, {.name = "sensitivity", .help = "What the noise of a turn is scaled to."});
  v(released_1, {.name = "released_1",
                 .help = "S_1 of sensitivity released; 1e-3/1.2 is the published code's for 60 records.",
                 .min = 0,
                 .open_min = true});
  v(released_2, {.name = "released_2", .help = "S_2 of sensitivity released.", .min = 0, .open_min = true});
  v(c_3, {.name = "c_3",
          .help = "Regression: declared bound on norm_2(p_t + q_t); violations are counted.",
          .source = "Xie, Baytas, Lin, Zhou, Theorem 3.6",
          .min = 0});
  v(c_4, {.name = "c_4",
          .help = "Regression: declared bound on norm_2(p_t + q_t + z_1); violations are counted.",
          .source = "Xie, Baytas, Lin, Zhou, Theorem 3.6",
          .min = 0});
  v(q_noise,
    {.name = "q_noise", .help = "Whether the gradient is taken at a noisy q_t (z_1); epsilon_1 if so."});
  v(trusted_server,
    {.name = "trusted_server",
     .help = "Tasks send exact gradients; each column that the server sends is noisy, at epsilon_2."});
  v(batch_fraction,
    {.name = "batch_fraction",
     .help = "Each turn uses one Poisson subsample, every record with this probability; divisor q n_t.",
     .min = 0,
     .max = 1,
     .open_min = true});
  v(objective_lambda, {.name = "objective_lambda",
                       .help = "lambda of the objective metrics; by default threshold/alpha_2.",
                       .min = 0});
  v.check(!threshold || !lambda, "lambda", "give one of threshold and lambda");
  v.check(batch_fraction == 1 || (sensitivity == TurnSensitivity::kPaper && q_update == OwnUpdate::kStep),
          "batch_fraction", "subsampling goes with sensitivity paper and q_update step only");
  v.check(sensitivity != TurnSensitivity::kAccumulated || own_regulariser == OwnPenalty::kRidge,
          "sensitivity", "accumulated is known for own_regulariser ridge only");
  v.check(sensitivity != TurnSensitivity::kAccumulated || (q_noise && !trusted_server), "sensitivity",
          "accumulated is what z_1 pays for: it needs q_noise, and no trusted_server");
  const bool start_counts = sensitivity == TurnSensitivity::kAccumulated ||
                            (q_update == OwnUpdate::kExact && gradient_at == GradientAt::kOldQ);
  v.check(
      !start_counts || start == TaskStart::kZero || ridge_of_start() > 0, "start_ridge",
      "must be above 0 where the single-task start enters a release (sensitivity accumulated, or q_update "
      "exact with gradient_at old_q)");
  v.check(
      !trusted_server || batch_fraction == 1, "batch_fraction",
      "a trusted server's columns hold old subsamples too, which are not sampled anew: no subsampling with "
      "trusted_server");
  v.check(q_update == OwnUpdate::kStep || (own_regulariser == OwnPenalty::kRidge && tau > 0), "q_update",
          "exact needs own_regulariser ridge and tau above 0");
}

std::vector<std::string> MultitaskOptions::notes(const Study& study) const {
  std::vector<std::string> all;
  if (study.problem.sigma() != 2 * ModelOptions{}.l2)
    all.emplace_back("model.l2 has no part in multi-task learning: see protocol.tau and protocol.threshold");
  if (const double longest = 2 / smoothness(study.problem); !(alpha_2 < longest))
    all.push_back(fmt::format(
        "warning: protocol.alpha_2: not below 2/L = {:.6g}, where steps converge for certain", longest));
  if (!study.privacy.active()) return all;
  all.emplace_back(
      "privacy: epsilon_1 and epsilon_2 are of one turn; epsilon_spent composes them over all turns");
  if (trusted_server) {
    all.emplace_back(
        "warning: protocol.trusted_server: the guarantee is per iteration, earlier P held fixed; "
        "epsilon_spent "
        "adds up the columns that a task has been sent and is no guarantee over the run, as P keeps what all "
        "have told");
  } else if (!q_noise) {
    all.emplace_back("warning: protocol.q_noise off: epsilon_2 holds q_t fixed, which depends on the data");
  }
  if (sensitivity == TurnSensitivity::kReleased)
    all.emplace_back(
        "warning: protocol.sensitivity released: constants of the published code for its own data, which do "
        "not "
        "know the number of records: epsilon holds only where they are as large as the proof's");
  if (sensitivity == TurnSensitivity::kPaper && q_update == OwnUpdate::kStep && q_noise && !trusted_server)
    all.emplace_back(
        "warning: protocol.sensitivity paper: Lemma 1 holds q_t before the turn fixed, but it is kept "
        "without "
        "noise; accumulated does not");
  const bool declared =
      study.privacy.source == BoundSource::kProtocol && sensitivity != TurnSensitivity::kReleased;
  if (declared && (c_3 || c_4))
    all.emplace_back(
        "warning: protocol.c_3, c_4: the guarantee holds while p_t + q_t keeps within them; "
        "bound_violations counts");
  return all;
}

}  // namespace hearsay::models
