#pragma once
// Broadcast coordinate descent on personal models, with and without privacy.
//
// n agents on a weighted graph minimise Q (problem/personal_problem.hpp, which defines all symbols).
// When agent i's clock ticks, Theta_j being the last model of neighbour j that has reached it,
//
//   Theta_i <- (1 - alpha_i) Theta_i
//              + alpha_i ( sum_j (W_ij/D_ii) Theta_j - mu c_i ( g_i + eta_i + 2 lambda_i Theta_i ) )      (4), (6)
//
// and publishes Theta_i to all neighbours. g_i is the mean gradient of its points' losses at Theta_i, each bounded
// as the scenario's privacy says; eta_i its noise, all in R^p: Laplace(0, 2 L0/(eps m_i)) on each coordinate where a
// record is replaced and L0 bounds the L1 norm of a point's gradient, or that of another mechanism; 0 without
// privacy. 2 lambda Theta_i does not depend on the points: it is neither clipped nor perturbed. Only (g_i + eta_i)
// leaves an agent, inside Theta_i: the rest is public.
//
// Agent i makes T_i (`privacy.steps`) releases. After them it publishes no more: with `after_budget: freeze` it stops,
// with `local` it keeps updating its own model without noise. A lost publication stays spent. An agent without
// records has nothing to protect: it never stops publishing.
//
// The start Theta(0) is public (`initial_exchange: free`), or published at time 0, a neighbour counting as 0 until it
// has arrived (`sent`):
//   zeros, constant      the same for all
//   local                each agent's own minimiser of L_i: from private data without noise
//   private_warm_start   one private release each (problem/private_local_models.hpp), of epsilon
//                        `privacy.epsilon_warm` out of `privacy.epsilon`, then model propagation to its limit
//                        (problem/propagation.hpp), which costs nothing more
//
// With zero latency, no loss and everyone up a run is the paper's sequential algorithm.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, "Personalized and Private Peer-to-Peer Machine Learning".
#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/protocols/peer_to_peer/problem/private_local_models.hpp"
#include "models/protocols/peer_to_peer/problem/utility_bounds.hpp"
#include "models/protocols/peer_to_peer/start_models.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class InitialExchange { kFree, kSent };
constexpr auto choices_of(InitialExchange) {
  return std::to_array<sim::Choice>(
      {{"free", "The initial models are public."},
       {"sent", "Initial models are published at time 0; a neighbour uses 0 until one arrives."}});
}

enum class AfterBudget { kFreeze, kLocal };
constexpr auto choices_of(AfterBudget) {
  return std::to_array<sim::Choice>(
      {{"freeze", "The agent stops."},
       {"local", "The agent keeps updating its own model, without noise, and publishes nothing."}});
}

enum class RunLength { kStop, kTicks, kUntilSpent };
constexpr auto choices_of(RunLength) {
  return std::to_array<sim::Choice>({{"stop", "At the limits of `stop`."},
                                     {"ticks",
                                      "After as many ticks as the releases of all agents together; "
                                      "some agents do not make all of their releases."},
                                     {"until_spent", "Until all budgets are exhausted."}});
}

struct PrivateWarmStart {
  static constexpr std::string_view kName = "private_warm_start";
  static constexpr std::string_view kHelp =
      "Private local models, smoothed over the network by model propagation.";
  LocalRelease method = LocalRelease::kNoisyGradient;
  void describe(sim::Visitor& v);
};

class P2pCoordinateDescent : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    std::variant<ZeroModels, ConstantModels, LocalModels, PrivateWarmStart> initial;
    InitialExchange initial_exchange = InitialExchange::kFree;
    AfterBudget after_budget = AfterBudget::kFreeze;
    RunLength run_length = RunLength::kStop;

    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    /// That clocks differ, where the metrics of a bound are recorded.
    std::optional<std::string> warning(const World& world) const;
  };

  static constexpr Entry kEntry{
      .name = "p2p_coordinate_descent",
      .help =
          "Personalised models by coordinate descent, coupled to the models of the neighbours; private. Linear "
          "models, also of several classes.",
      .schedules = true,
      .broadcasts = true,
      .joint = false,
      .any_linear = true,
      .linear = true};

  static constexpr std::array kBounds{
      ProtocolMetric{"bound_proposition_1", "Bound on Q - Q* without noise: C^k (Q(0) - Q*)."},
      ProtocolMetric{"bound_theorem_2", "Bound on the expectation of Q - Q* with noise, as printed."},
      ProtocolMetric{"bound_theorem_2_corrected",
                     "bound_theorem_2 with the noise weighted by C^(k-1-t) and its full energy."},
  };
  static constexpr std::array kMetrics = with_personal_metrics(kBounds);

  /// Throws std::invalid_argument where options, data and privacy do not fit together, BudgetError where a budget
  /// has no room for its releases.
  P2pCoordinateDescent(const Params& params, const Study& study);
  void on_start(Context& context);
  void on_tick(sim::AgentId i, Context& context);
  void prepare(sim::AgentId i, sim::Moment at, const Context& context, Prepared& out) const;
  /// Agent i is back from a crash: its model is that of the start again; what it has spent stays spent.
  void reset(sim::AgentId i, Context&) { changed(i); }
  bool finished(const Context& context) const;
  void measure(std::size_t metric, const World& world, std::span<double> out) const;
  auto state() { return PersonalProtocol::state(); }

 private:
  void open_accounts(Context& context);
  void warm_start(LocalRelease method, Context& context);
  void move(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& gradient, const Prepared& ready,
            Context& context);
  UtilityBounds bounds() const;
  double noise(std::uint64_t round, const World& world, bool corrected) const;

  Params params_;
  std::optional<Step> upfront_;  // the warm start's release
  std::uint64_t ticks_ = 0;      // T = sum of T_i
  Eigen::VectorXd zero_;
  LocalVector kept_;
};

}  // namespace hearsay::models
