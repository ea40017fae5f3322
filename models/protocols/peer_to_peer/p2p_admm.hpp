#pragma once
// Gossip ADMM on personal models: the baseline without privacy.
//
// Agents minimise Q (models/protocols/peer_to_peer/problem/personal_problem.hpp) split over its edges. Agent i keeps its own Theta_i^i,
// a copy Theta_i^j of each neighbour's model and, per edge e = (i, j), Z_ei^i, Z_ei^j and the multipliers
// Lambda_ei^i, Lambda_ei^j, all in R^p. With the local function
//
//   F_i = 1/4 sum_j W_ij norm_2(Theta_i^i - Theta_i^j)^2 + mu D_ii c_i L_i(Theta_i^i)
//
// (1/4 as both ends of an edge carry it) its augmented Lagrangian is
//
//   F_i + sum_j [ Lambda_ei^i.(Theta_i^i - Z_ei^i) + Lambda_ei^j.(Theta_i^j - Z_ei^j)
//                 + rho/2 ( norm_2(Theta_i^i - Z_ei^i)^2 + norm_2(Theta_i^j - Z_ei^j)^2 ) ]
//
// Start: Theta_i^i = Z_ei^i = the start of i, Theta_i^j = Z_ei^j = that of j (known without a message), Lambda = 0.
// On i's tick, with a neighbour j drawn uniformly:
//
//   (1) i, then j, each over all its copies, `local_steps` times: for every neighbour k
//         Theta_i^k = ( W_ik/2 Theta_i^i + rho Z_ei^k - Lambda_ei^k )/( W_ik/2 + rho ),
//       then Theta_i^i -= (1/L) [ sum_k W_ik/2 (Theta_i^i - Theta_i^k) + mu D_ii c_i grad L_i(Theta_i^i)
//                                 + sum_k ( Lambda_ei^i + rho (Theta_i^i - Z_ei^i) ) ],
//       L = D_ii/2 + rho degree_i + mu D_ii c_i Lloc_i; all copies once more at the end
//   (2) at both ends, e = (i, j):  Z_e^i = 1/2 [ (Lambda_ei^i + Lambda_ej^i)/rho + Theta_i^i + Theta_j^i ],
//                                  Z_e^j = 1/2 [ (Lambda_ei^j + Lambda_ej^j)/rho + Theta_i^j + Theta_j^j ]
//   (3) Lambda_ei^i += rho (Theta_i^i - Z_e^i),  Lambda_ei^j += rho (Theta_i^j - Z_e^j),  likewise at j
//
// After each completed exchange Lambda_ei^i + Lambda_ej^i = 0 and Lambda_ei^j + Lambda_ej^j = 0.
//
// Over the network: i computes (1), keeps what it sends and sends Theta_i^i, Theta_i^j, Lambda_ei^i, Lambda_ei^j;
// j, on arrival, computes (1), does (2) and (3) at its end and answers with its own four; i does (2) and (3) with
// what it kept. `exchange: models` sends two vectors each way and takes the sums of multipliers for 0, which is
// only right where no message is lost. A lost request changes nothing; a lost answer leaves the ends of that edge
// different until the next completed exchange. One exchange per edge at a time: an agent whose request on an edge
// is under way does not make another until it is answered or `timeout` has passed, and then discards the answer;
// where the requests of both ends cross, that of the lower number is served and the other dropped, however
// late it comes; one that overtakes an answer is dropped. Exchanges on several edges may overlap.
//
// In (1) the copies are eliminated: the inner steps need two sums over the neighbours, once, so that an exchange
// costs O(degree p + local_steps m_i p) at each end.
//
// Source: Vanhaesebrouck, Bellet, Tommasi 2017, "Decentralized Collaborative Learning of Personalized Models over
// Networks", Section 4.
#include <Eigen/Core>

#include <cstdint>
#include <variant>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/peer_to_peer/personal_metrics.hpp"
#include "models/protocols/peer_to_peer/start_models.hpp"

namespace hearsay::models {

enum class AdmmExchange { kFull, kModels };

class P2pAdmm {
 public:
  struct Params {
    PersonalOptions personal;
    std::variant<ZeroModels, ConstantModels, LocalModels> initial;
    double rho = 1;
    std::uint32_t local_steps = 10;
    AdmmExchange exchange = AdmmExchange::kFull;
    sim::Time timeout = 1;

    void describe(sim::Visitor& v);
    std::vector<std::string> fitted_on_private_data(const Study& study) const;
  };

  static constexpr Entry kEntry{
      .name = "p2p_admm",
      .help = "Personal models by gossip ADMM: neighbours exchange copies; not private.",
      .vectors = 4,
      .joint = false};
  static constexpr std::array kMetrics = kPersonalMetrics;

  /// Throws std::invalid_argument where options and data do not fit, and with privacy: there is no private form.
  P2pAdmm(const Params& params, const Study& study);
  P2pAdmm(const P2pAdmm&) = delete;
  P2pAdmm& operator=(const P2pAdmm&) = delete;

  void on_start(Context& context);
  void on_tick(sim::AgentId i, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number, Context& context);
  /// Agent i is back from a crash: all that it keeps of its edges is that of the start again.
  void reset(sim::AgentId i, Context& context);
  void measure(std::size_t metric, const World& world, std::span<double> out) const;

  const PersonalProblem& personal() const { return personal_; }

  /// Neighbours to turn to instead of drawn ones, one a tick: for replaying worked examples.
  const std::vector<sim::AgentId>* prescribed_partners = nullptr;

  /// What an agent keeps of an edge: `position` is that of (agent, neighbour) in the topology.
  struct EdgeView {
    Eigen::MatrixXd::ConstColXpr copy, own_z, copy_z, own_lambda, copy_lambda;
  };
  EdgeView edge(std::uint32_t position) const {
    const auto e = static_cast<Eigen::Index>(position);
    return {copies_.col(e), own_z_.col(e), copy_z_.col(e), own_lambda_.col(e), copy_lambda_.col(e)};
  }

 private:
  // A tag is what a message is; its other 15 bits are those of a conversation. Of a request: the receiver's own
  // request that the sender answered last, so that two requests that crossed are told from one that overtakes an
  // answer. Of an answer: the last request of the sender, none of which it waits for any more.
  static constexpr std::uint16_t kRequest = 0, kAnswer = 1;
  // Of an edge as one end sees it.
  struct Exchange {
    std::uint32_t conversation = 0;  // this end's own requests so far
    std::uint32_t answered = 0;      // conversation of the other end's request that was answered last
    std::uint32_t over = 0;          // up to this one the other end's requests are answered or given up
    std::uint32_t kept = kNone;      // column of kept_ with what the request under way said; kNone: none is
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t partner_of(sim::AgentId i, Context& context) const;
  void compute(sim::AgentId i, Context& context);
  void send_edge(sim::AgentId i, std::uint32_t position, std::uint16_t tag, std::uint32_t conversation,
                 Context& context);
  void serve(const sim::Message& request, Context& context);
  void complete(const sim::Message& answer, Context& context);
  // (2) and (3) at the end of `position`, whose models at the time of sending were own and copy.
  void commit(std::uint32_t position, const double* own, const double* copy, std::span<const double> theirs);
  std::uint32_t keep(const double* own, const double* copy);
  void forget(Exchange& exchange);

  Params params_;
  PersonalProblem personal_;
  PersonalProbe probe_;
  std::vector<double> curvature_;  // sum_k (W/2) rho/(W/2 + rho), by agent
  // p x directed edges: the end (i, j)'s Theta_i^j, Z_ei^i, Z_ei^j, Lambda_ei^i, Lambda_ei^j.
  Eigen::MatrixXd copies_, own_z_, copy_z_, own_lambda_, copy_lambda_;
  Eigen::MatrixXd start_;            // p x n
  std::vector<Exchange> exchanges_;  // by directed edge
  Eigen::MatrixXd kept_;             // 2p x exchanges under way: own model and copy as they were sent
  std::vector<std::uint32_t> free_;  // columns of kept_ that hold nothing
  Eigen::VectorXd pull_, packet_, z_;
};

ProtocolRow p2p_admm_row();

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::AdmmExchange> {
  static constexpr std::array kValues{
      Choice{"full", "Models, copies and multipliers: four vectors each way."},
      Choice{"models", "Models and copies: two vectors each way, right only where nothing is lost."},
  };
};
