#include "models/data/similarity.hpp"
#include "tests/support/error_of.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace hearsay;
using namespace hearsay::models;

namespace {

using Pairs = std::vector<std::pair<unsigned, unsigned>>;

Pairs pairs(const sim::WeightedEdges& graph) {
  Pairs all;
  for (const sim::Edge& e : graph.edges) all.emplace_back(e.a, e.b);
  return all;
}

// Minus the distance on a line.
Closeness on_line(const std::vector<double>& at) {
  return [at](std::size_t i, Eigen::VectorXd& to) {
    for (std::size_t j = 0; j < at.size(); ++j) to[static_cast<Eigen::Index>(j)] = -std::abs(at[i] - at[j]);
  };
}

Closeness row_of(const Eigen::MatrixXd& w) {
  return [w](std::size_t i, Eigen::VectorXd& to) { to = w.col(static_cast<Eigen::Index>(i)); };
}

// Two pairs of weight 1, and between them the given weights.
Eigen::MatrixXd two_pairs(double one, double others) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Constant(4, 4, others);
  w(0, 1) = w(1, 0) = w(2, 3) = w(3, 2) = 1;
  w(0, 2) = w(2, 0) = one;
  return w;
}

}  // namespace

TEST_CASE("nearest neighbours: an edge if one is among the nearest of the other") {
  // 0 -> 1, 1 -> 0, 2 -> 1, 3 -> 2: node 3 is nearest to no other node, and still has an edge.
  const auto graph = nearest_neighbours(4, 1, on_line({0, 1, 3, 10}));
  CHECK(pairs(graph) == Pairs{{0, 1}, {1, 2}, {2, 3}});
  CHECK(graph.weights == std::vector<double>(3, 1.0));
  // 0 -> 1 2, 1 -> 0 2, 2 -> 1 0, 3 -> 2 1.
  CHECK(pairs(nearest_neighbours(4, 2, on_line({0, 1, 3, 10}))) ==
        Pairs{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
}

TEST_CASE("nearest neighbours: ties go to the smaller number, and k >= owners - 1 links all") {
  CHECK(pairs(nearest_neighbours(4, 1, on_line({0, 0, 0, 0}))) == Pairs{{0, 1}, {0, 2}, {0, 3}});
  CHECK(nearest_neighbours(4, 9, on_line({0, 1, 3, 10})).edges.size() == 6);
  CHECK(nearest_neighbours(1, 3, on_line({0})).edges.empty());
}

TEST_CASE("algebraic connectivity: closed forms") {
  const auto complete = [](Eigen::Index n, double w) {
    return Eigen::MatrixXd(Eigen::MatrixXd::Constant(n, n, w));
  };
  CHECK(algebraic_connectivity(complete(2, 0.3)) == Approx(0.6));
  CHECK(algebraic_connectivity(complete(7, 2)) == Approx(14));  // n w
  Eigen::MatrixXd path = Eigen::MatrixXd::Zero(5, 5), star = path, apart = path;
  for (Eigen::Index i = 0; i < 4; ++i) {
    path(i, i + 1) = path(i + 1, i) = 1;
    star(0, i + 1) = star(i + 1, 0) = 1;
  }
  apart(0, 1) = apart(1, 0) = apart(2, 3) = apart(3, 2) = 1;
  CHECK(algebraic_connectivity(path) == Approx(2 - 2 * std::cos(M_PI / 5)));
  CHECK(algebraic_connectivity(star) == Approx(1));
  CHECK(std::abs(algebraic_connectivity(apart)) < 1e-12);
}

TEST_CASE("weighted graph: edges below the threshold are dropped, those equal to it kept") {
  const auto graph = weighted_graph(4, MinWeight{0.05}, row_of(two_pairs(0.05, 0.02)));
  CHECK(pairs(graph) == Pairs{{0, 1}, {0, 2}, {2, 3}});
  CHECK(graph.weights == std::vector<double>{1, 0.05, 1});
  CHECK(weighted_graph(4, MinWeight{0}, row_of(two_pairs(0.05, 0.02))).edges.size() == 6);
  // A weight of 0 is no edge.
  CHECK(weighted_graph(4, MinWeight{0}, row_of(two_pairs(0.05, 0))).edges.size() == 3);
}

TEST_CASE("weighted graph: connected takes the largest of max(W) 10^(-k/2) that connects") {
  // 0.32 and 0.1 leave two components; 0.032 keeps one link of 0.05, and drops those of 0.02.
  CHECK(pairs(weighted_graph(4, ConnectedWeights{}, row_of(two_pairs(0.05, 0.02)))) ==
        Pairs{{0, 1}, {0, 2}, {2, 3}});
  // Unscaled: with weights 4 times as large, the thresholds are too, and the same edges remain.
  CHECK(weighted_graph(4, ConnectedWeights{}, row_of(4 * two_pairs(0.05, 0.02))).edges.size() == 3);
  // At 0.032 a link of 0.04, at 0.01 three more of 0.03.
  CHECK(weighted_graph(4, ConnectedWeights{}, row_of(two_pairs(0.04, 0.03))).edges.size() == 3);
}

TEST_CASE("weighted graph: connected requires a second eigenvalue above 1e-3, not only connectivity") {
  // A link of 4e-4 between the pairs connects them, with an eigenvalue of 4e-4 (two masses of 2 on a spring:
  // 4e-4 (1/2 + 1/2)); the next threshold 1e-4 adds three of 3e-4, and 1.3e-3 is enough.
  CHECK(weighted_graph(4, ConnectedWeights{}, row_of(two_pairs(4e-4, 3e-4))).edges.size() == 6);
  CHECK(weighted_graph(4, ConnectedWeights{}, row_of(10 * two_pairs(4e-4, 3e-4))).edges.size() == 3);
}

TEST_CASE("weighted graph: it is an error if no threshold connects the owners") {
  const auto message = Catch::Contains("no threshold connects the owners");
  CHECK_THROWS_WITH(weighted_graph(4, ConnectedWeights{}, row_of(two_pairs(0, 0))), message);
  CHECK_THROWS_WITH(weighted_graph(2, ConnectedWeights{}, row_of(Eigen::MatrixXd::Constant(2, 2, 4e-4))),
                    message);  // eigenvalue 8e-4
  CHECK_THROWS_WITH(weighted_graph(3, ConnectedWeights{}, row_of(Eigen::MatrixXd::Zero(3, 3))), message);
  const std::string option = "similarity/weights/weight_threshold";
  CHECK_THAT(test::error_at<DataError>(
                 [&] { weighted_graph(4, ConnectedWeights{}, row_of(two_pairs(0, 0)), option); }),
             Catch::StartsWith(option + ": "));
  CHECK_THROWS_WITH(weighted_graph(5001, ConnectedWeights{}, [](std::size_t, Eigen::VectorXd&) {}),
                    Catch::Contains("connected is for at most 5000 owners, found 5001: set a number"));
  CHECK_NOTHROW(weighted_graph(2, ConnectedWeights{}, row_of(Eigen::MatrixXd::Constant(2, 2, 6e-4))));
  CHECK(weighted_graph(1, ConnectedWeights{}, row_of(Eigen::MatrixXd::Zero(1, 1))).edges.empty());
}
