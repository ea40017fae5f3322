#pragma once
// DP-FTRL: federated learning with user-level privacy by a trusted server that releases running sums, whose noise is that
// of a binary tree. No sampling of owners is needed, so that the guarantee holds whatever order they come in.
//
//   owner i takes part in the rounds t = b_i, b_i + R, b_i + 2 R, ...,  b_i = i mod R   (R rounds: an epoch)
//   u_i = y_i - x, scaled down to norm_2 at most S                                      trusted_rounds.hpp
//   P_t = sum of all u_i since the last restart + tree noise of prefix t                mechanisms/tree_noise.hpp
//   v  <- momentum v + P_t/w,   w = N/R
//   x  <- Pi[ x_0 + server_step v ]
//
// x_0: the model at the last restart, after every `restart_epochs` epochs, by default never; then v = 0. All sums are one
// Gaussian release (theorems/tree.hpp), planned for all rounds; an owner that misses rounds only costs less. Without noise
// and momentum this is federated averaging of the owners in turn.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021, "Practical and Private (Deep) Learning without Sampling or
// Shuffling", Algorithm 1, Appendix D.
#include "models/protocols/federated/trusted_rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class DpFtrl : public TrustedRounds {
 public:
  struct Params : TrustedOptions {
    std::uint64_t epoch_rounds = 10;
    std::optional<std::uint64_t> restart_epochs;
    bool completion = true;
    TreeEstimate estimate = TreeEstimate::kHonaker;
    double server_momentum = 0;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
    Tree tree(const Study& study) const;
  };
  static constexpr Entry kEntry{.name = "dp_ftrl",
                                .help =
                                    "DP-FTRL: a trusted server releases running sums of the owners' updates "
                                    "with tree noise; user-level privacy without sampling.",
                                .hub = true,
                                .any_model = true,
                                .aggregates = true,
                                .step = "protocol.step or protocol.server_step"};
  DpFtrl(const Params& params, const Study& study);

 private:
  bool takes_part(std::size_t owner, std::uint64_t t, sim::Stream& stream) override;
  void apply(const Vector& released, std::uint64_t t, Context& context) override;

  Tree tree_;
  double momentum_;
  Eigen::VectorXd origin_, velocity_;  // x_0, v
};

ProtocolRow dp_ftrl_row();

}  // namespace hearsay::models
