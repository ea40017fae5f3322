#pragma once
// Gossip ADMM on personal models: the baseline without privacy.
//
// Agents minimise Q (problem/personal_problem.hpp) split over its edges. Agent i keeps its own Theta_i^i,
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
// Over the network: i computes (1), keeps what it sends and sends Theta_i^i, Theta_i^j, Lambda_ei^i, Lambda_ei^j as a
// request; j, on arrival, computes (1), does (2) and (3) at its end and replies with its own four; i does (2) and (3)
// with what it kept. `exchange: models` sends two vectors each way and takes the sums of multipliers for 0, which is
// only right where no message is lost. A lost request changes nothing; a lost reply leaves the ends of that edge
// different until the next completed exchange.
//
// Each end of an edge has one request at a time in flight (run/requests.hpp), until it is replied to or `timeout` has
// passed; a reply that comes later is stale. Other than elsewhere the peer of a request has a state that it changes
// and may have a request in flight itself, so that it judges requests too: of two that crossed, that of the lower
// number is served and the other dropped, however late it comes; one that overtakes a reply is dropped. Exchanges on
// several edges may overlap.
//
// In (1) the copies are eliminated: the inner steps need two sums over the neighbours, once, so that an exchange
// costs O(degree p + local_steps m_i p) at each end.
//
// Source: Vanhaesebrouck, Bellet, Tommasi 2017, "Decentralized Collaborative Learning of Personalized Models over
// Networks", Section 4.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "models/learning/columns.hpp"
#include "models/protocols/peer_to_peer/personal_protocol.hpp"
#include "models/protocols/peer_to_peer/start_models.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

enum class AdmmExchange { kFull, kModels };
constexpr auto choices_of(AdmmExchange) {
  return std::to_array<sim::Choice>({
      {"full", "Models, copies and multipliers: four vectors each way."},
      {"models", "Models and copies: two vectors each way; correct only without message loss."},
  });
}

class P2pAdmm : public PersonalProtocol {
 public:
  struct Params : PersonalOptions {
    std::variant<ZeroModels, ConstantModels, LocalModels> initial;
    double rho = 1;
    std::uint32_t local_steps = 10;
    AdmmExchange exchange = AdmmExchange::kFull;
    std::optional<sim::Time> timeout;
    static constexpr bool kFiniteTimeout = true;  // also on a reliable network

    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    std::vector<std::string> notes(const Study& study) const;
  };

  static constexpr Entry kEntry{
      .name = "p2p_admm",
      .help =
          "Personalised models by gossip ADMM: neighbours exchange copies; not private. Linear models, also of "
          "several classes.",
      .vectors = 4,
      .messages = {.kinds = 1},
      .joint = false,
      .any_linear = true};

  /// Throws std::invalid_argument where options and data do not fit, and with privacy: there is no private form.
  P2pAdmm(const Params& params, const Study& study);
  void on_start(Context& context);
  void on_tick(sim::AgentId i, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t number, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t position) const {
    const Request& request = exchanges_[position].request;
    return timeout_name(request.in_flight() && static_cast<std::uint16_t>(request.number()) == tag);
  }
  /// Agent i is back from a crash: the state of its edges is that of the start again.
  void reset(sim::AgentId i, Context& context);
  auto state() {
    return std::tuple_cat(
        PersonalProtocol::state(),
        std::tie(copies_, own_z_, copy_z_, own_lambda_, copy_lambda_, sent_model_, sent_copy_, exchanges_));
  }

  /// Partners instead of drawn ones, one a tick: for replaying worked examples.
  const std::vector<sim::AgentId>* prescribed_partners = nullptr;

  /// The state of an edge at one end: `position` is that of (agent, neighbour) in the topology.
  struct EdgeView {
    Eigen::MatrixXd::ConstColXpr copy, own_z, copy_z, own_lambda, copy_lambda;
  };
  EdgeView edge(sim::EdgePosition at) const {
    const auto position = static_cast<std::uint32_t>(at);
    return {copies_.col(position), own_z_.col(position), copy_z_.col(position), own_lambda_.col(position),
            copy_lambda_.col(position)};
  }

 private:
  // The lowest bit of a message's tag is its kind; the other 15 bits are those of a request number. Of a request: the
  // receiver's request that the sender replied to last, so that two requests that crossed differ from one that
  // overtakes a reply. Of a reply: the last request of the sender, which waits for no reply to it any more. The tag
  // of a timer is the last 16 bits of its request's number.
  static constexpr std::uint16_t kRequest = 0, kReply = 1;
  // An edge as one end sees it.
  struct Exchange {
    Request request;            // this end's own
    std::uint32_t replied = 0;  // the other end's request that was replied to last
    std::uint32_t over = 0;     // the other end's requests up to this one are replied to or given up
    auto state() { return std::tie(request, replied, over); }
  };

  std::uint32_t partner_of(sim::AgentId i, Context& context) const;
  void compute(sim::AgentId i, Context& context);
  void send_edge(sim::AgentId i, std::uint32_t position, std::uint16_t tag, std::uint32_t number,
                 Context& context);
  void serve(const sim::Message& request, Context& context);
  void complete(const sim::Message& reply, Context& context);
  // (2) and (3) at the end of `position`, whose models at the time of sending were own and copy, in R^p.
  void commit(std::uint32_t position, const Eigen::Ref<const Eigen::VectorXd>& own,
              const Eigen::Ref<const Eigen::VectorXd>& copy, std::span<const double> theirs);

  Params params_;
  sim::Time timeout_;
  std::vector<double> curvature_;  // sum_k (W/2) rho/(W/2 + rho), by agent
  // p x directed edges: the end (i, j)'s Theta_i^j, Z_ei^i, Z_ei^j, Lambda_ei^i, Lambda_ei^j.
  Columns copies_, own_z_, copy_z_, own_lambda_, copy_lambda_;
  Columns sent_model_, sent_copy_;   // p x directed edges: Theta_i^i, Theta_i^j as last sent in a request
  Eigen::MatrixXd start_;            // p x n
  std::vector<Exchange> exchanges_;  // by directed edge
  Eigen::VectorXd pull_, packet_, z_;
};

}  // namespace hearsay::models
