#include "models/data/ratings/als.hpp"

#include "models/solvers/dense.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Lists = std::vector<std::vector<Rating>>;

// The same ratings by item; Rating::item is then the user.
Lists transposed(const Ratings& ratings) {
  Lists of_item(ratings.items);
  for (std::size_t i = 0; i < ratings.users(); ++i) {
    for (const Rating& r : ratings.of_user[i]) of_item[r.item].push_back({i, r.value});
  }
  return of_item;
}

// Every column of `out` by ridge regression of its ratings on the columns of `given`.
void regress(const Lists& lists, double ridge, const Eigen::MatrixXd& given, Eigen::MatrixXd& out) {
  const Index p = given.rows();
  Eigen::MatrixXd moments(p, p);
  Eigen::VectorXd target(p);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto column = out.col(static_cast<Index>(i));
    column.setZero();
    if (lists[i].empty()) continue;
    moments.setZero();
    moments.diagonal().setConstant(ridge * static_cast<double>(lists[i].size()));
    target.setZero();
    for (const Rating& r : lists[i]) {
      const auto v = given.col(static_cast<Index>(r.item));
      moments.selfadjointView<Eigen::Lower>().rankUpdate(v);
      target += r.value * v;
    }
    column = solve_symmetric(moments, target);
  }
}

}  // namespace

void alternate_least_squares(const Ratings& ratings, double ridge, std::size_t sweeps,
                             Eigen::MatrixXd& items) {
  const Lists of_item = transposed(ratings);
  Eigen::MatrixXd users(items.rows(), static_cast<Index>(ratings.users()));
  for (std::size_t s = 0; s < sweeps; ++s) {
    regress(ratings.of_user, ridge, items, users);
    regress(of_item, ridge, users, items);
  }
}

}  // namespace hearsay::models
