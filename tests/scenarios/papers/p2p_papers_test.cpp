// The scenarios of "Personalized and Private Peer-to-Peer Machine Learning", shrunk: what they are there to
// show holds in them. Their own sizes take minutes; their figures are in the pages beside them.
#include "tests/support/shipped_study.hpp"

using namespace hearsay;

namespace {

// Means over the repetitions of metrics at the end, by point.
class Ends {
 public:
  Ends(const std::string& scenario, const std::string& changes)
      : study_("papers/personalized-p2p/" + scenario, changes) {}
  std::size_t points() const { return study_.points(); }
  double operator()(const std::string& metric, std::size_t point) const { return study_.ends(metric)[point]; }

 private:
  test::ShippedStudy study_;
};

const std::string kSmall = " --set data.owners=40 --set data.features=20 --repeat 3 ";

}  // namespace

TEST_CASE("papers: figure 1, coordinate descent is ahead of ADMM at equal iterations and at equal vectors") {
  for (const char* stop : {R"('stop={"iterations":800}')", R"('stop={"vectors":12000}')"}) {
    const Ends end("fig1", kSmall + "--set " + stop);
    REQUIRE(end.points() == 2);
    CHECK(end("objective_q", 0) < end("objective_q", 1));
    CHECK(end("relative_q_gap", 0) < end("relative_q_gap", 1) / 2);
    CHECK(end("own_test_error", 0) < end("own_test_error", 1));
    CHECK(end("relative_q_gap", 0) > -1e-9);
  }
}

TEST_CASE("papers: figure 2(a), too few releases and too many are both worse than some") {
  const Ends end("fig2a",
                 kSmall + "--set sweep.privacy.epsilon='[0.5]' --set sweep.privacy.steps='[1,10,100]'");
  REQUIRE(end.points() == 3);
  CHECK(end("own_test_error", 1) < end("own_test_error", 0));
  CHECK(end("own_test_error", 1) < end("own_test_error", 2));
  CHECK(end("objective_q", 1) < end("objective_q", 2));
}

TEST_CASE("papers: figure 2(b), a private warm start is ahead where releases are few") {
  const std::string steps = kSmall + "--set sweep.privacy.steps='[1]' --set sweep.privacy.epsilon=";
  const Ends cold("fig2a", steps + "'[0.5]'"), warm("fig2b", steps + "'[0.55]'");
  CHECK(warm("own_test_error", 0) < cold("own_test_error", 0));
}

TEST_CASE("papers: figures 2(c) and 3, together is better than alone, most for those with few points") {
  const Ends end("fig3", kSmall + "--set sweep.privacy.steps='[5,20]'");
  REQUIRE(end.points() == 5);  // alone, together, and with budgets of 1.05, 0.55 and 0.15
  const auto gain = [&](const char* metric, std::size_t point) {
    return end(metric, 0) - end(metric, point);
  };
  CHECK(gain("own_test_error", 1) > 0.05);
  CHECK(gain("test_error_by_owner.q1", 1) > gain("test_error_by_owner.q4", 1));
  CHECK(gain("own_test_error", 2) > 0);
  CHECK(gain("test_error_by_owner.q1", 2) > gain("test_error_by_owner.q4", 2));
  CHECK(end("own_test_error", 1) < end("own_test_error", 2));
  CHECK(end("own_test_error", 2) < end("own_test_error", 4));
}

TEST_CASE("papers: figure 4, points perturbed themselves are worth less than one's own alone") {
  const Ends end("fig4", kSmall);
  REQUIRE(end.points() == 5);
  for (std::size_t k = 1; k < 5; ++k) CHECK(end("own_test_error", k) > end("own_test_error", 0) + 0.05);
}

TEST_CASE("papers: table 1, together is better than alone") {
  const Ends end("table1",
                 "--repeat 2 --set data.users=80 --set data.items=150 --set data.ratings=4000 "
                 "--set sweep.privacy.steps='[5,200]'");
  REQUIRE(end.points() == 10);  // alone, together and three budgets; with a usual and with a small ridge
  CHECK(end("own_test_rmse", 1) < end("own_test_rmse", 0));
  CHECK(end("own_test_rmse", 6) < end("own_test_rmse", 5));
  CHECK(end("own_test_rmse", 5) > end("own_test_rmse", 0));
  CHECK(end("own_test_rmse", 7) < end("own_test_rmse", 5));
}

TEST_CASE("papers: theorem 1, an assumed bound of 1 is the derived one of 200 at 200 times the budget") {
  const Ends end("theorem1", kSmall + "--set sweep.privacy.epsilon='[1,200]'");
  REQUIRE(end.points() == 8);  // assumed, clipped, derived, clipped with a public step; each at two budgets
  CHECK(end("own_test_error", 5) == Approx(end("own_test_error", 0)));
  CHECK(end("own_test_error", 2) > end("own_test_error", 0) + 0.1);
  CHECK(end("own_test_error", 4) > end("own_test_error", 0) + 0.1);
  CHECK(end("epsilon_spent", 5) == Approx(200).epsilon(0.01));
}

TEST_CASE("papers: proposition 2, noise that decreases is better than noise that is even or increases") {
  const Ends end("proposition2", "--repeat 5 --set sweep.privacy.steps='[20]'");
  REQUIRE(end.points() == 6);  // uniform, proposition_2, lemma_3, expected, corrected, expected corrected
  CHECK(end("q_gap", 1) > 1.3 * end("q_gap", 0));
  CHECK(end("q_gap", 4) < end("q_gap", 0) / 1.3);
  CHECK(end("q_gap", 5) < end("q_gap", 0) / 1.3);
  CHECK(end("q_gap", 2) > end("q_gap", 1));
  CHECK(end("epsilon_spent", 2) < 1);
}

TEST_CASE("papers: remark 2, Gaussian noise and its own accountant are ahead of Laplace noise") {
  const Ends end("remark2", "--repeat 3 --points 'data.features == 100 && privacy.epsilon == 10'");
  REQUIRE(end.points() == 4);
  CHECK(end("own_test_error", 3) < end("own_test_error", 0) - 0.05);
  CHECK(end("own_test_error", 2) < end("own_test_error", 0));
}

TEST_CASE("papers: measured distances to the optimum are under their bounds") {
  const Ends end("bounds", "--repeat 20 --set stop.iterations=300");
  REQUIRE(end.points() == 4);
  for (std::size_t k = 0; k < 4; ++k) CHECK(end("q_gap", k) < end("bound_theorem_2_corrected", k));
  CHECK(end("q_gap", 0) < end("bound_proposition_1", 0));
  CHECK(end("q_gap", 0) >= 0);
}
