// What rows of releases reveal: the projector onto what was seen.
#include "models/views/view.hpp"

#include <catch2/catch.hpp>

#include "sim/random/random.hpp"

using namespace hearsay;
using Eigen::Index;
using Eigen::VectorXd;
using models::View;

namespace {

void see(View& view, const std::vector<double>& row) {
  view.add(row);
}

double mu(View& view, const std::vector<Index>& columns) {
  return view.mu_squared(columns, std::vector<double>(columns.size(), 1));
}

VectorXd drawn_row(sim::Stream& stream, Index width) {
  VectorXd row = VectorXd::Zero(width);
  for (double& x : row)
    if (sim::bernoulli(stream, 0.4)) x = sim::uniform(stream, -1, 1);
  return row;
}

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

// Releases y_0, y_1, y_2 of the first round, y_3, y_4, y_5 of the second. Agent 0 knows y_0 and y_3. It receives y_1, then
// (y_0 + y_1 + y_2)/3 + y_4. Of what it does not know, y_2/3 + y_4 remains: a unit vector (1, 3)/sqrt(10).
TEST_CASE("view: two rounds on a path, by hand") {
  View view(6);
  view.know(0);
  see(view, {0, 1, 0, 0, 0, 0});
  CHECK(mu(view, {1}) == Approx(1).margin(1e-12));
  CHECK(mu(view, {2}) == 0);
  view.know(3);
  see(view, {1. / 3, 1. / 3, 1. / 3, 0, 1, 0});
  CHECK(mu(view, {1, 4}) == Approx(1.9).margin(1e-12));
  CHECK(mu(view, {2, 5}) == Approx(0.1).margin(1e-12));
  CHECK(view.certain());
}

// y_0 + y_1, with sigma 1 and 2: u = (1, 2)/sqrt(5) in the noise, X_00 = 1/5, X_01 = 2/5, X_11 = 4/5.
TEST_CASE("view: noise of other scales, by hand") {
  View view(2);
  view.scale(1, 2);
  see(view, {1, 1});
  CHECK(mu(view, {0}) == Approx(0.2).margin(1e-12));
  CHECK(mu(view, {1}) == Approx(0.8).margin(1e-12));
  CHECK(mu(view, {0, 1}) == Approx(0.2 + 0.8 + 2 * 0.4).margin(1e-12));
}

// A column that becomes known leaves rows that were seen before: y_0 + y_1, then y_1, give y_0.
TEST_CASE("view: a column that becomes known later opens earlier rows") {
  View view(3);
  see(view, {1, 1, 0});
  see(view, {0, 1, 1});
  CHECK(mu(view, {0}) == Approx(2. / 3).margin(1e-12));
  view.know(1);
  CHECK(mu(view, {0}) == Approx(1).margin(1e-12));
  CHECK(mu(view, {2}) == Approx(1).margin(1e-12));
}

TEST_CASE("view: what is seen twice changes nothing, nor does a sum of what was seen") {
  View view(4), again(4);
  for (View* v : {&view, &again}) {
    see(*v, {1, 2, 0, 1});
    see(*v, {0, 1, 3, 1});
  }
  see(again, {1, 2, 0, 1});
  see(again, {2, 5, 3, 3});
  for (Index c = 0; c < 4; ++c) CHECK(mu(again, {c}) == Approx(mu(view, {c})).margin(1e-12));
  CHECK(again.certain());
  CHECK(again.contains(std::vector<double>{1, 1, -3, 0}));
  CHECK_FALSE(again.contains(std::vector<double>{1, 1, -3, 1e-6}));
}

// Rows that differ by a relative 1e-11 may be two or one: the rank is in doubt. By 1e-15 they are one, by 1e-7 two.
TEST_CASE("view: a singular value near rounding leaves the rank in doubt") {
  const auto with_difference = [](double x) {
    View view(3);
    see(view, {1, 1, 1});
    see(view, {1 + x, 1, 1 - x});
    return view;
  };
  CHECK_FALSE(with_difference(1e-11).certain());
  View one = with_difference(1e-15), two = with_difference(1e-7);
  CHECK(one.certain());
  CHECK(mu(one, {0}) == Approx(1. / 3).margin(1e-12));
  CHECK(two.certain());
  CHECK(mu(two, {0}) == Approx(1. / 3 + 1. / 2).margin(1e-6));
}

// The projector onto fewer rows is at most that onto more, as matrices: so is sum e_s e_t X_st for any signs e. The trace
// of the projector is its rank, and no release counts more than by itself.
TEST_CASE("view: laws of random views") {
  constexpr Index kWidth = 12;
  for (std::uint32_t n = 0; n < 300; ++n) {
    sim::Stream stream = sim::Streams(n, 0).protocol(0, 0, 0, 0);
    std::vector<VectorXd> rows(1 + sim::uniform_index(stream, 9));
    for (VectorXd& row : rows) row = drawn_row(stream, kWidth);
    const VectorXd signs = drawn_row(stream, kWidth).unaryExpr([](double x) { return x < 0 ? -1. : 1.; });
    View view(kWidth);
    double before = 0, rank = 0;
    std::vector<Index> all;
    for (Index c = 0; c < kWidth; ++c) all.push_back(c);
    for (const VectorXd& row : rows) {
      view.add(span_of(row));
      const double form = view.sum_of_blocks(all, {signs.data(), static_cast<std::size_t>(kWidth)}, 1)(0, 0);
      CHECK(form >= before - 1e-9);
      CHECK(form <= mu(view, all) + 1e-9);
      before = form;
    }
    for (const Index c : all) {
      const double single = mu(view, {c});
      CHECK(single >= -1e-12);
      CHECK(single <= 1 + 1e-9);
      rank += single;
    }
    CHECK(rank == Approx(std::round(rank)).margin(1e-8));
    CHECK(rank <= static_cast<double>(rows.size()) + 1e-8);
    for (const VectorXd& row : rows) CHECK(view.contains(span_of(row)));
  }
}
