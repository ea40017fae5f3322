#include "models/learning/networks/parameter_names.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace hearsay;
using namespace hearsay::models;
using Eigen::VectorXd;

namespace {

// One record, x = (2, 3), of class "no"; another class is "yes".
Problem problem_of(Loss loss, NetworkOptions network, double target = 0) {
  DataSet data;
  data.feature_names = {"a", "b"};
  if (!loss.scalar()) data.classes = {"no", "yes"};
  Shard shard{Records(1, 2), VectorXd::Constant(1, target)};
  shard.features << 2, 3;
  data.train = {shard};
  data.test = {{Records(0, 2), VectorXd(0)}};
  data.owner_names = {"one"};
  ModelOptions model;
  model.loss = loss;
  model.network = network;
  return {std::move(data), model};
}

// The parameters of a problem by their names.
struct Named {
  explicit Named(const Problem& p)
      : problem(p), names(parameter_names(p)), theta(VectorXd::Zero(p.p())), gradient(theta) {}
  Eigen::Index at(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    REQUIRE(found != names.end());
    return found - names.begin();
  }
  double slope(const std::string& name) {
    problem.mean_gradient(0, theta, gradient);
    return gradient[at(name)];
  }
  const Problem& problem;
  std::vector<std::string> names;
  VectorXd theta, gradient;
};

}  // namespace

TEST_CASE("parameter names: one score has the features, classes have a feature each") {
  CHECK(parameter_names(problem_of(SquaredLoss{}, LinearScores{})) == std::vector<std::string>{"a", "b"});
  const Problem softmax = problem_of(SoftmaxLoss{}, LinearScores{});
  Named of(softmax);
  CHECK(of.names == std::vector<std::string>{"no:a", "no:b", "yes:a", "yes:b"});
  // At 0 both classes have probability 1/2: the gradient is (1/2 - 1) x for the record's class, x/2 for the other.
  CHECK(of.slope("no:a") == -1);
  CHECK(of.slope("no:b") == -1.5);
  CHECK(of.slope("yes:a") == 1);
  CHECK(of.slope("yes:b") == 1.5);
}

TEST_CASE("parameter names: of a hidden layer they belong to the weights that they name") {
  const Problem problem = problem_of(SoftmaxLoss{}, Mlp{3, HiddenFunction::kRelu});
  Named of(problem);
  REQUIRE(of.names.size() == 3 * 2 + 2 * 3 + 2);
  // Only the second hidden unit sees the record, a = relu(3); scores are 0, so that d loss/d s = (-1/2, 1/2).
  of.theta[of.at("hidden2:b")] = 1;
  CHECK(of.slope("no:hidden2") == -1.5);
  CHECK(of.slope("yes:hidden2") == 1.5);
  CHECK(of.slope("no:hidden1") == 0);
  CHECK(of.slope("yes:hidden3") == 0);
  CHECK(of.slope("no:1") == -0.5);
  CHECK(of.slope("yes:1") == 0.5);
  // With a weight t from that unit to "yes", s = (0, 3 t): its slope is q_yes t x.
  of.theta[of.at("yes:hidden2")] = std::log(2.0) / 3;  // q_yes = 2/3
  CHECK(of.slope("hidden2:a") == Approx(2.0 / 3 * std::log(2.0) / 3 * 2).epsilon(1e-12));
  CHECK(of.slope("hidden1:a") == 0);
}

TEST_CASE("parameter names: a hidden layer of one score") {
  const std::vector<std::string> names =
      parameter_names(problem_of(SquaredLoss{}, Mlp{2, HiddenFunction::kTanh}));
  CHECK(names == std::vector<std::string>{"hidden1:a", "hidden1:b", "hidden2:a", "hidden2:b", "score:hidden1",
                                          "score:hidden2", "score:1"});
}
