#pragma once
// The linear classification task of Vanhaesebrouck, Bellet, Tommasi, "Decentralized Collaborative Learning of
// Personalized Models over Networks" (2017), as used in Bellet, Guerraoui, Taziki, Tommasi, "Personalized and
// Private Peer-to-Peer Machine Learning" (2018), section 5.1.
//
//   theta_i in R^p: N(0, 1/2) in the first two coordinates, 0 in the others; the owner's target separator
//   m_i records:    x uniform on [-s, s]^p, or N(0, s^2/2 I);  y = sign(theta_i . x), each then flipped with
//                   probability f, or exactly floor(f m_i) of them, chosen uniformly
//   test records:   x likewise; y without noise unless test_label_noise
//   W_ij = exp((cos(angle(theta_i, theta_j)) - 1)/gamma), small ones dropped: the similarity graph
//
// With separators by_position, theta_i depends on owner i's place z_i in topology random_geometric, in units of the
// side: each of the two coordinates is a random Fourier sum (Rahimi and Recht, 2007) of K = 256 waves,
//   theta_i = (2K)^(-1/2) sum_k (a_k cos(w_k . z_i) + b_k sin(w_k . z_i)),   a_k, b_k ~ N(0, I_2), w_k ~ N(0, I_2/l^2)
// so that theta_i is still N(0, 1/2 I), and E theta_i . theta_j = exp(-norm_2(z_i - z_j)^2/(2 l^2)).
//
// Declared bounds: |y| = 1 and, for uniform features, norm_1(x) <= s p and norm_2(x) <= s sqrt(p). No owner
// has the true separators: a graph computed from them is an oracle's, and the data set says so.
//
// Streams: all of owner i's from (kData, i, ...); places from those of the topology, waves from (kData, kWholeStudy). An owner's data depend on its number only: adding owners
// does not change them, and adding records keeps the first ones (except the labels under exact_floor).
// Changing p changes them. Validation instances are drawn from separate streams.
#include <variant>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/similarity.hpp"

namespace hearsay::models {

enum class PointLaw { kUniform, kNormal };
constexpr auto choices_of(PointLaw) {
  return std::to_array<sim::Choice>(
      {{"uniform", "Uniform on [-s, s]."}, {"normal", "Normal with mean 0 and variance s^2/2."}});
}

enum class Flip { kBernoulli, kExactFloor };
constexpr auto choices_of(Flip) {
  return std::to_array<sim::Choice>(
      {{"bernoulli", "Each label is flipped independently with probability flip_probability."},
       {"exact_floor", "Exactly floor(flip_probability * m) of m labels are flipped, drawn uniformly."}});
}

enum class SeparatorGraph { kAngle, kNone };
constexpr auto choices_of(SeparatorGraph) {
  return std::to_array<sim::Choice>(
      {{"angle", "Edges weighted by the angle between the owners' true separators."},
       {"none", "No edges; for other topologies with very many owners."}});
}

struct IndependentSeparators {
  static constexpr std::string_view kName = "independent";
  static constexpr std::string_view kHelp = "Independent of each other.";
  void describe(sim::Visitor&) {}
};
struct SeparatorsByPosition {
  static constexpr std::string_view kName = "by_position";
  static constexpr std::string_view kHelp =
      "A smooth random function of the owner's position in topology random_geometric, so that neighbours "
      "have similar "
      "separators.";
  double length = 0.2;  ///< l
  void describe(sim::Visitor& v);
};

struct LinearSeparators {
  static constexpr std::string_view kName = "linear_separators";
  static constexpr std::string_view kHelp =
      "Synthetic classification: one linear separator per owner, some of them similar.";

  std::size_t owners = 100;
  OwnerSizes records = OwnerSizes(OwnerSizes::Law(UniformInteger{.min = 10, .max = 100}));
  std::size_t features = 100;  ///< p
  std::variant<IndependentSeparators, SeparatorsByPosition> separators = {};
  PointLaw feature_law = PointLaw::kUniform;
  double feature_scale = 1;  ///< s
  double flip_probability = 0.05;
  Flip flip = Flip::kBernoulli;
  std::size_t test_records = 100;  ///< of each owner
  bool test_label_noise = false;
  SeparatorGraph similarity = SeparatorGraph::kAngle;
  double gamma = 0.1;
  WeightThreshold weight_threshold;
  Instances instances = Instances::kTest;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// The two coordinates of theta_i, by owner.
std::vector<Eigen::Vector2d> draw_separators(const LinearSeparators& options, const sim::Streams& streams);

/// Cost O(n p), and that of weighted_graph. Throws DataError when the graph cannot be made.
DataSet make_data(const LinearSeparators& options, const sim::Streams& streams);

}  // namespace hearsay::models
