#pragma once
// SCAFFOLD: FedAvg (fedavg.hpp) whose local steps are corrected by control variates, c_i of each owner and c of the
// server, all 0 at the start. In a round the owners of the cohort receive x and c, and
//
//   y_i  = x after K local steps along Q_k + grad g + c - c_i                       local_training.hpp
//   c_i <- I:  grad f_i(x) + grad g(x)
//          II: c_i - c + (x - y_i)/(eta_0 + ... + eta_{K-1}),  the mean of the directions Q_k + grad g
//   answer y_i - x and the new c_i
//
//   x <- as in FedAvg;   c <- sum_i w_i c^_i / sum_i w_i,  over all owners
//
// c^_i: the last c_i that the server has received from owner i, 0 at first. The paper's owners send the difference of
// their c_i instead, which is the same when every answer is used; when one is not, c^_i is corrected by the next,
// whereas a difference would be missing for good. For quadratics and full batches the limit is theta* for every K.
//
// An owner whose budget is used up is not asked again, and its last c^_i stays in c: with budgets that end at different
// times the limit is not theta*.
//
// Every message holds 2 p numbers. A crash of an owner sets its c_i to 0, and one of the server c and all c^_i; what
// the others hold stays. Option I makes one release more in a training than option II, the gradient at x over all
// records.
//
// Source: Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2020, "SCAFFOLD: Stochastic Controlled Averaging for
// Federated Learning", Algorithm 1, whose weights are `equal`.
#include "models/protocols/federated/rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

enum class ControlVariate { kGradient, kMean };

class Scaffold : public FederatedRounds {
 public:
  struct Params : RoundOptions {
    ControlVariate option = ControlVariate::kMean;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
  };
  static constexpr Entry kEntry{
      .name = "scaffold",
      .help = "SCAFFOLD: FedAvg with control variates that correct the local steps.",
      .hub = true,
      .vectors = 2,
      .any_model = true,
      .step = "protocol.step or protocol.server_step"};
  /// Throws OptionError where option II does not hold: with momentum or a box; and for option I with privacy and
  /// mini-batches, as the account's releases are all of the same kind.
  Scaffold(const Params& params, const Study& study);

  /// c.
  const Eigen::VectorXd& server_variate() const { return c_; }
  /// c_i by owner.
  const Columns& variates() const { return own_; }

 protected:
  LocalTerms terms(const Query& query, Context& context) override;
  void complete(const Query& query, std::uint64_t steps, const Eigen::VectorXd& y,
                Eigen::Ref<Eigen::VectorXd> rest) override;
  void fill(Eigen::Ref<Eigen::VectorXd> rest) override { rest = c_; }
  void receive(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& rest) override;
  void lose(sim::AgentId agent) override;

 private:
  ControlVariate option_;
  Eigen::VectorXd c_, tilt_, x_, gradient_;
  Columns own_, received_;  // c_i and c^_i by owner
  std::uint64_t first_step_ = 0;
};

ProtocolRow scaffold_row();

}  // namespace hearsay::models

template <>
struct hearsay::sim::Choices<hearsay::models::ControlVariate> {
  static constexpr std::array kValues{Choice{"I", "the gradient over all records at the server's model"},
                                      Choice{"II", "the mean of the gradients of the local steps"}};
};
