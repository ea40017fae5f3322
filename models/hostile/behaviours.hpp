#pragma once
// How a hostile or faulty agent behaves: what it sends in place of the vector x that its protocol makes. m and s are the mean
// and the standard deviation, coordinate by coordinate, of the honest vectors that it knows (misconduct.hpp).
#include <optional>
#include <string_view>
#include <variant>

#include "sim/laws/distribution.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct SignFlip {
  static constexpr std::string_view kName = "sign_flip";
  static constexpr std::string_view kHelp =
      "Sends -m, the mean of the honest vectors that it knows with the other sign.";
  bool own = false;
  void describe(sim::Visitor& v) { v(own, {.name = "own", .help = "Send minus its own vector instead."}); }
};

struct InnerProduct {
  static constexpr std::string_view kName = "inner_product";
  static constexpr std::string_view kHelp = "Inner product manipulation: sends -tau m.";
  double tau = 1;
  void describe(sim::Visitor& v) {
    v(tau,
      {.name = "tau", .help = "Factor.", .source = "Xie, Koyejo, Gupta 2019, \"Fall of Empires\"", .min = 0});
  }
};

struct ALittle {
  static constexpr std::string_view kName = "a_little";
  static constexpr std::string_view kHelp = "A little is enough: sends m + tau s.";
  static constexpr std::string_view kPaper = "Baruch, Baruch, Goldberg 2019, \"A Little Is Enough\"";
  std::optional<double> tau;
  std::uint32_t ddof = 1;
  void describe(sim::Visitor& v) {
    v(tau,
      {.name = "tau",
       .help =
           "Factor; by default the (n - f - q)/(n - f) quantile of the normal distribution, q = floor(n/2 + 1) "
           "- f, of n agents that hold data, f of them hostile.",
       .source = kPaper});
    v(ddof, {.name = "ddof", .help = "s has the divisor n - ddof for n vectors.", .max = 1});
  }
};

struct GaussianVectors {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "Sends a vector of independent N(0, scale^2), the same to all receivers.";
  double scale = 1;
  void describe(sim::Visitor& v) { v(scale, sim::positive("scale", "Standard deviation of each number.")); }
};

struct ConstantVectors {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "Sends a vector with the same number everywhere.";
  double value = 0;
  void describe(sim::Visitor& v) { v(value, {.name = "value", .help = "The number."}); }
};

struct InfiniteVectors {
  static constexpr std::string_view kName = "infinite";
  static constexpr std::string_view kHelp = "Sends infinities, which are lost as not_finite.";
  void describe(sim::Visitor&) {}
};

struct NotANumber {
  static constexpr std::string_view kName = "not_a_number";
  static constexpr std::string_view kHelp = "Sends what is not a number, which is lost as not_finite.";
  void describe(sim::Visitor&) {}
};

struct Mimic {
  static constexpr std::string_view kName = "mimic";
  static constexpr std::string_view kHelp = "Sends a copy of what an honest agent has sent.";
  std::optional<sim::AgentId> of;
  void describe(sim::Visitor& v) {
    v(of, {.name = "of",
           .help = "The agent; by default the first honest one of which it knows a vector.",
           .source = "Karimireddy, He, Jaggi 2022",
           .noun = sim::kAgentNumber});
  }
};

struct LabelFlip {
  static constexpr std::string_view kName = "label_flip";
  static constexpr std::string_view kHelp =
      "Follows its protocol on its training records with class C - 1 - c in place of c.";
  void describe(sim::Visitor&) {}
};

enum class Ridden { kZeros, kReceived, kOld };
constexpr auto choices_of(Ridden) {
  return std::to_array<sim::Choice>(
      {{"zeros", "zeros: of an update, that of a model that has not been trained"},
       {"received", "the vector that it received last"},
       {"old", "the first vector that it made"}});
}
struct FreeRider {
  static constexpr std::string_view kName = "free_rider";
  static constexpr std::string_view kHelp = "Sends what it has not worked for.";
  Ridden sends = Ridden::kZeros;
  void describe(sim::Visitor& v) { v(sends, {.name = "sends", .help = "What it sends."}); }
};

struct Dissensus {
  static constexpr std::string_view kName = "dissensus";
  static constexpr std::string_view kHelp =
      "Of gossip: sends to agent i x_i - eps sum_{honest j} W_ij (x_j - x_i)/sum_{hostile j} W_ij, which cancels what its "
      "neighbours do. W: the protocol's `mixing`, else metropolis. Knows all models.";
  double eps = 1;
  void describe(sim::Visitor& v) {
    v(eps,
      {.name = "eps",
       .help = "Factor.",
       .source = "He, Karimireddy, Jaggi 2022, \"Byzantine-Robust Decentralized Learning via ClippedGossip\"",
       .min = 0});
  }
};

struct Spectral {
  static constexpr std::string_view kName = "spectral";
  static constexpr std::string_view kHelp =
      "Of gossip: sends to agent i x_i + eps e_i sum_{honest j} e_j x_j, e the unit eigenvector of the second smallest "
      "eigenvalue of the honest agents' Laplacian: it drives apart what mixes most slowly. Knows all models.";
  double eps = 1;
  void describe(sim::Visitor& v) {
    v(eps, {.name = "eps", .help = "Factor.", .source = "Gaucher, Dieuleveut, Hendrikx 2025", .min = 0});
  }
};

struct Equivocate {
  static constexpr std::string_view kName = "equivocate";
  static constexpr std::string_view kHelp =
      "Sends to every receiver its vector plus independent N(0, scale^2) of the receiver's own.";
  double scale = 1;
  void describe(sim::Visitor& v) { v(scale, sim::positive("scale", "Standard deviation of each number.")); }
};

struct Stuck {
  static constexpr std::string_view kName = "stuck";
  static constexpr std::string_view kHelp =
      "A fault: sends again and again the first vector that it makes once this begins.";
  void describe(sim::Visitor&) {}
};

struct BitFlip {
  static constexpr std::string_view kName = "bit_flip";
  static constexpr std::string_view kHelp = "A fault: random bits of every message are flipped.";
  std::uint32_t bits = 1;
  void describe(sim::Visitor& v) { v(bits, {.name = "bits", .help = "Bits of a message.", .min = 1}); }
};

struct ReplayOld {
  static constexpr std::string_view kName = "replay";
  static constexpr std::string_view kHelp = "A fault: sends what it made some vectors before.";
  std::uint32_t age = 10;
  void describe(sim::Visitor& v) {
    v(age, {.name = "age", .help = "Vectors made since; before there are so many, the first.", .min = 1});
  }
};

struct Late {
  static constexpr std::string_view kName = "late";
  static constexpr std::string_view kHelp = "A fault: every message leaves later.";
  sim::Distribution delay{sim::Exponential{1}};  // s
  void describe(sim::Visitor& v) {
    v(delay, {.name = "delay", .help = "How much later, drawn for each message.", .unit = "s", .min = 0});
  }
};

struct Silent {
  static constexpr std::string_view kName = "silent";
  static constexpr std::string_view kHelp = "A fault: sends nothing, but stays up and receives.";
  void describe(sim::Visitor&) {}
};

using Behaviour = std::variant<SignFlip, InnerProduct, ALittle, GaussianVectors, ConstantVectors,
                               InfiniteVectors, NotANumber, Mimic, LabelFlip, FreeRider, Dissensus, Spectral,
                               Equivocate, Stuck, BitFlip, ReplayOld, Late, Silent>;

}  // namespace hearsay::models
