#include "models/protocols/multitask/options.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/privacy/accountants/step.hpp"
#include "models/protocols/multitask/sensitivity.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {
constexpr std::string_view kPaper = "Xie, Baytas, Lin, Zhou, Algorithm 1";
}

void CouplingOptions::describe(sim::Visitor& v) {
  v(threshold, {.name = "threshold",
                .help = "Threshold h of the server's proximal step (the paper's mu); by default 1.5e-3.",
                .source = "Xie, Baytas, Lin, Zhou, section 4.1",
                .min = 0});
  v(lambda,
    sim::non_negative("lambda",
                      "Weight lambda of r, alternative to threshold: h = (server's step size) * lambda."));
  v(regulariser, {.name = "regulariser", .help = "Regulariser r that couples the tasks."});
  v(start, {.name = "start", .help = "Initial models of the tasks."});
  v(start_ridge,
    sim::non_negative(
        "start_ridge",
        "Weight tau_0 of (tau_0/2) norm_2^2 in the single-task start; by default tau, 1e-3 in amtl."));
  v(turns, {.name = "turns",
            .help = "Maximum number of turns of each task, including lost ones.",
            .min = 1,
            .max = 4e9});
  v(objective_lambda,
    sim::non_negative("objective_lambda",
                      "Weight of r in the objective metrics; by default threshold in objective_sum, and "
                      "threshold/(server's step size) in objective_joint."));
  v.check(!threshold || !lambda, "lambda", "give one of threshold and lambda");
}

void CouplingOptions::require_no_box(const Setting& setting) {
  if (setting.model.theta_max)
    throw std::invalid_argument("multi-task protocols do not project: leave out model.theta_max");
}

void MultitaskOptions::describe(sim::Visitor& v) {
  v(alpha_1, {.name = "alpha_1",
              .help = "Step size of q_t; choose it below 1/L.",
              .source = kPaper,
              .min = 0,
              .open_min = true});
  v(alpha_2, {.name = "alpha_2",
              .help = "Step size of P, at the server.",
              .source = kPaper,
              .min = 0,
              .open_min = true});
  v(tau, {.name = "tau", .help = "Weight tau of the regulariser of Q.", .source = kPaper, .min = 0});
  CouplingOptions::describe(v);
  v(own_regulariser, {.name = "own_regulariser", .help = "Regulariser g of the tasks' own parts Q."});
  v(q_update, {.name = "q_update", .help = "Update of q_t in a turn."});
  v(gradient_at, {.name = "gradient_at", .help = "Value of q_t at which the sent gradient is evaluated."});
  v(tolerance, {.name = "tolerance",
                .help = "Tolerance nu: end the run when an update changes P + Q by at most this in Frobenius "
                        "norm; by default never. The test uses q_t without noise and is not accounted for.",
                .source = kPaper,
                .min = 0});
  v(sensitivity, {.name = "sensitivity",
                  .help = "Source of the sensitivities S_1 and S_2 that scale the noise of a turn."});
  v(released_1,
    sim::positive(
        "released_1",
        "S_1 for sensitivity released; 1e-3/1.2 is the value of the published code for 60 records."));
  v(released_2, sim::positive("released_2", "S_2 for sensitivity released."));
  v(c_3, {.name = "c_3",
          .help = "Regression: declared bound on norm_2(p_t + q_t); violations are counted.",
          .source = "Xie, Baytas, Lin, Zhou, Theorem 3.6",
          .min = 0});
  v(c_4, {.name = "c_4",
          .help = "Regression: declared bound on norm_2(p_t + q_t + z_1); violations are counted.",
          .source = "Xie, Baytas, Lin, Zhou, Theorem 3.6",
          .min = 0});
  v(q_noise,
    {.name = "q_noise", .help = "Evaluate the gradient at the noisy q_t + z_1, which spends epsilon_1."});
  v(trusted_server, {.name = "trusted_server",
                     .help = "Trust the server: tasks send exact gradients; each column that the server "
                             "sends is noisy and spends epsilon_2."});
  v(batch_fraction,
    {.name = "batch_fraction",
     .help =
         "Probability q of each record in the Poisson subsample of a turn; gradients are divided by q n_t.",
     .min = 0,
     .max = 1,
     .open_min = true});
  v.check(batch_fraction == 1 || (sensitivity == TurnSensitivity::kPaper && q_update == OwnUpdate::kStep),
          "batch_fraction", "subsampling needs sensitivity paper and q_update step");
  v.check(sensitivity != TurnSensitivity::kAccumulated || own_regulariser == OwnPenalty::kRidge,
          "sensitivity", "accumulated needs own_regulariser ridge");
  v.check(sensitivity != TurnSensitivity::kAccumulated || (q_noise && !trusted_server), "sensitivity",
          "accumulated sets the noise z_1: it needs q_noise, and no trusted_server");
  const bool start_counts = sensitivity == TurnSensitivity::kAccumulated ||
                            (q_update == OwnUpdate::kExact && gradient_at == GradientAt::kOldQ);
  v.check(!start_counts || start == TaskStart::kZero || ridge_of_start() > 0, "start_ridge",
          "expected a value above 0: the single-task start enters a release (sensitivity accumulated, or "
          "q_update exact with gradient_at old_q)");
  v.check(
      !trusted_server || batch_fraction == 1, "batch_fraction",
      "not with trusted_server: its columns also contain earlier subsamples, so that subsampling does not "
      "amplify");
  v.check(q_update == OwnUpdate::kStep || (own_regulariser == OwnPenalty::kRidge && tau > 0), "q_update",
          "exact needs own_regulariser ridge and tau above 0");
}

void MultitaskOptions::require(const Setting& setting) const {
  setting.model.loss.require_smooth();
  require_no_box(setting);
  if (!setting.privacy.active()) return;
  if (setting.privacy.epsilon_warm)
    throw std::invalid_argument(
        "multi-task protocols make no release up front: leave out privacy.epsilon_warm");
  if (releases_q() && !(setting.privacy.epsilon_1 > 0))
    throw sim::OptionError("q_noise",
                           "needs privacy.epsilon_1 with epsilon_2: a turn releases q_t + z_1 too");
  require_turn_bounds(*this, setting);
}

std::vector<std::string> MultitaskOptions::notes(const Study& study) const {
  std::vector<std::string> all;
  if (study.problem.sigma() != 2 * ModelOptions{}.l2)
    all.emplace_back(
        "model.l2 has no effect in multi-task learning: use protocol.tau and protocol.threshold");
  if (const double longest = 2 / smoothness(study); !(alpha_2 < longest))
    all.push_back(fmt::format(
        "warning: protocol.alpha_2: steps may diverge, convergence is only proved below 2/L = {:.6g}",
        longest));
  if (!study.privacy.active()) return all;
  all.emplace_back(
      "privacy: epsilon_1 and epsilon_2 are of one turn; epsilon_spent composes them over all turns");
  if (trusted_server) {
    all.emplace_back(
        "warning: protocol.trusted_server: the guarantee is per iteration, with earlier P held fixed; "
        "epsilon_spent adds up the columns sent to a task and is no guarantee over the run, as P keeps the "
        "gradients of all");
  } else if (!q_noise) {
    all.emplace_back("warning: protocol.q_noise off: epsilon_2 holds q_t fixed, which depends on the data");
  }
  if (sensitivity == TurnSensitivity::kReleased) {
    all.emplace_back(
        "warning: protocol.sensitivity released: constants of the published code for its own data, whatever "
        "the number of records: epsilon holds only where they are at least the proof's");
    if (const double factor = released_shortfall(*this, study); factor > 1)
      all.back() +=
          fmt::format("; here those are up to {:.3g} times as large: multiply epsilon by that", factor);
  }
  if (sensitivity == TurnSensitivity::kPaper && q_update == OwnUpdate::kStep && releases_q())
    all.emplace_back(
        "warning: protocol.sensitivity paper: Lemma 1 holds q_t before the turn fixed, but it is kept "
        "without noise; accumulated does not");
  const bool declared =
      study.privacy.source == BoundSource::kProtocol && sensitivity != TurnSensitivity::kReleased;
  if (declared && (c_3 || c_4))
    all.emplace_back(
        "warning: protocol.c_3, c_4: the guarantee holds while p_t + q_t keeps within them; "
        "bound_violations counts");
  return all;
}

MultitaskObjective MultitaskOptions::objective() const {
  MultitaskObjective all = CouplingOptions::objective(alpha_2);
  all.own = own_regulariser;
  all.tau = tau;
  return all;
}

double MultitaskOptions::epsilon_turn(const Study& study) const {
  const Budget& privacy = study.privacy;
  if (!privacy.active()) return 0;
  const double epsilon = (releases_q() ? privacy.epsilon_1 : 0) + privacy.epsilon_2;
  return amplified_turn(epsilon, batch_fraction, privacy.adjacency);
}

}  // namespace hearsay::models
