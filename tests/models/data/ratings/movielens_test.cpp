#include "models/data/ratings/movielens.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "models/data/ratings/ratings.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

Ratings ratings(std::vector<std::vector<Rating>> of_user, std::size_t items) {
  return {.of_user = std::move(of_user), .items = items};
}

// 12 users, each with 20 ratings of 30 items: user i's k-th rating is 2^k + i/16, so that a sum or difference
// of ratings identifies them.
std::string recognisable() {
  std::string text;
  for (int k = 0; k < 20; ++k) {
    for (int i = 0; i < 12; ++i)
      text += fmt::format("{}\t{}\t{}\t88125{}\n", 100 - i, 7 + (i + k) % 30, std::pow(2, k) + i / 16.0, k);
  }
  return text;
}

std::vector<double> sorted(const Eigen::VectorXd& a, const Eigen::VectorXd& b = {}) {
  std::vector<double> all(a.data(), a.data() + a.size());
  all.insert(all.end(), b.data(), b.data() + b.size());
  std::sort(all.begin(), all.end());
  return all;
}

// The mean that was subtracted from the ratings, from the sum of the centred ones if all are present.
double shift_of_all(const DataSet& d, std::size_t user) {
  const auto all = sorted(d.train[user].target, d.test[user].target);
  double sum = 0;
  for (int k = 0; k < 20; ++k) sum += std::pow(2, k);
  return (sum - std::accumulate(all.begin(), all.end(), 0.0)) / 20;
}

}  // namespace

TEST_CASE("als: one sweep computed by hand") {
  // Two users, three items, one factor, ridge 1/2, started from 1, 2, 5.
  //   u_1 = (2 1 + 1 2)/(1 + 4 + 1) = 2/3,              u_2 = -1 1/(1 + 1/2) = -2/3
  //   v_1 = (2 2/3 + 1 2/3)/(4/9 + 4/9 + 1) = 18/17,    v_2 = (2/3)/(4/9 + 1/2) = 12/17,   v_3 = 0: not rated
  const Ratings r = ratings({{{0, 2}, {1, 1}}, {{0, -1}}}, 3);
  Eigen::MatrixXd v(1, 3);
  v << 1, 2, 5;
  alternate_least_squares(r, 0.5, 1, v);
  CHECK(v(0, 0) == Approx(18 / 17.0).epsilon(1e-14));
  CHECK(v(0, 1) == Approx(12 / 17.0).epsilon(1e-14));
  CHECK(v(0, 2) == 0);
}

TEST_CASE("als: in the limit the gradient of its objective vanishes") {
  const Ratings r =
      ratings({{{0, 1}, {1, -2}, {2, 0.5}}, {{1, 1.5}, {2, 1}}, {{0, -1}, {2, 2}}, {{0, 0.5}, {1, 1}}}, 3);
  Eigen::MatrixXd v(2, 3);
  v << 1, 0.5, -0.3, 0.2, -1, 0.7;
  alternate_least_squares(r, 0.05, 5000, v);
  // The users for these items, by the normal equations written out.
  Eigen::MatrixXd u(2, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    Eigen::Matrix2d a = Eigen::Matrix2d::Identity() * (0.05 * static_cast<double>(r.of_user[i].size()));
    Eigen::Vector2d b = Eigen::Vector2d::Zero();
    for (const Rating& x : r.of_user[i]) {
      const Eigen::Vector2d item = v.col(static_cast<Eigen::Index>(x.item));
      a += item * item.transpose();
      b += x.value * item;
    }
    u.col(static_cast<Eigen::Index>(i)) = a.inverse() * b;
  }
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(2, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    for (const Rating& x : r.of_user[i]) {
      const auto j = static_cast<Eigen::Index>(x.item), user = static_cast<Eigen::Index>(i);
      gradient.col(j) += (u.col(user).dot(v.col(j)) - x.value) * u.col(user) + 0.05 * v.col(j);
    }
  }
  CHECK(v.norm() > 0.5);
  CHECK(gradient.norm() < 1e-9);
}

TEST_CASE("rating cosine: products over items that both have rated, norms over all") {
  const Ratings r = ratings({{{0, 3}, {1, 4}}, {{1, 4}, {2, 3}}, {{0, -3}, {1, -4}}, {{3, 1}}, {{0, 0}}}, 4);
  const auto cosine = rating_cosine(r);
  Eigen::VectorXd to;
  cosine(0, to);
  CHECK(to[1] == Approx(16 / 25.0));
  CHECK(to[2] == Approx(-1));
  CHECK(to[3] == 0);
  CHECK(to[4] == 0);
  cosine(4, to);
  CHECK(to.isZero(0));
}

TEST_CASE(
    "movielens: a fifth of each user's ratings is for testing, and the training mean is subtracted from "
    "both") {
  const TextFile file(recognisable(), "u.data");
  MovieLens o;
  o.path = file.input();
  o.features = 3;
  o.neighbours = 2;
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.owners() == 12);
  CHECK(d.p() == 3);
  CHECK(d.owner_names.front() == "user 89");  // by number, not in file order
  std::set<double> chosen;
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(d.train[i].target.size() == 16);
    CHECK(d.test[i].target.size() == 4);
    CHECK(std::abs(d.train[i].target.mean()) < 1e-9);
    const auto all = sorted(d.train[i].target, d.test[i].target);
    for (std::size_t k = 1; k < 20; ++k)
      CHECK(all[k] - all[0] == Approx(std::pow(2, k) - 1));  // all are present, once
    chosen.insert(d.test[i].target[0] - d.test[i].target[1]);
  }
  CHECK(chosen.size() > 6);  // users' splits are drawn separately
  CHECK(d.fitted_on_private_data.size() == 2);
  CHECK_THAT(d.similarity_from, Catch::Contains("nearest by cosine of ratings"));
  CHECK(d.notes.empty());
}

TEST_CASE("movielens: validation splits the training part and uses no test rating") {
  const TextFile file(recognisable(), "u.data");
  MovieLens o;
  o.path = file.input();
  o.features = 3;
  o.neighbours = 2;
  const DataSet test = make_data(o, kStreams);
  o.instances = Instances::kValidation;
  const DataSet validation = make_data(o, kStreams);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(validation.train[i].target.size() == 13);  // round(0.2 16) = 3 of 16
    CHECK(validation.test[i].target.size() == 3);
    CHECK(std::abs(validation.train[i].target.mean()) < 1e-9);
    // The same 16 ratings as the training part, except for their mean.
    const auto part = sorted(validation.train[i].target, validation.test[i].target);
    const auto train = sorted(test.train[i].target);
    REQUIRE(part.size() == train.size());
    for (std::size_t k = 1; k < part.size(); ++k) CHECK(part[k] - part[0] == Approx(train[k] - train[0]));
    CHECK(std::isfinite(shift_of_all(test, i)));
  }
}

TEST_CASE("movielens: the records of an item have its features for every user") {
  const TextFile file(recognisable(), "u.data");
  MovieLens o;
  o.path = file.input();
  o.features = 3;
  const DataSet d = make_data(o, kStreams);
  std::set<std::vector<double>> rows;
  for (const auto* part : {&d.train, &d.test}) {
    for (const Shard& s : *part) {
      for (Eigen::Index k = 0; k < s.target.size(); ++k)
        rows.insert({s.features(k, 0), s.features(k, 1), s.features(k, 2)});
    }
  }
  CHECK(rows.size() == 30);
}

TEST_CASE("movielens: users are linked with their nearest by centred training ratings") {
  // Without test ratings, and two tastes: users 1, 2 and 3 like odd items, 4 and 5 even ones.
  std::string text;
  for (int user = 1; user <= 5; ++user) {
    for (int item = 1; item <= 4; ++item) {
      const bool likes = (item % 2 == 1) == (user <= 3);
      text += fmt::format("{}\t{}\t{}\t0\n", user, item, (likes ? 5 : 1) + (item == user ? 0.5 : 0.0));
    }
  }
  const TextFile file(text, "u.data");
  MovieLens o;
  o.path = file.input();
  o.features = 1;
  o.test_fraction = 0;
  o.neighbours = 1;
  const DataSet d = make_data(o, kStreams);
  for (const sim::Edge& e : d.similarity->edges) CHECK((e.a < 3) == (e.b < 3));
  o.neighbours = 4;
  CHECK(make_data(o, kStreams).similarity->edges.size() == 10);
}

TEST_CASE("generated ratings: the shape of MovieLens-100K") {
  const RatingsShape shape;
  const Ratings r = generate_ratings(shape, kStreams);
  CHECK(r.users() == 943);
  CHECK(r.items == 1682);
  CHECK(r.count() == 100'000);
  std::size_t least = 1682, most = 0;
  std::vector<double> sum(1682), number(1682);
  for (const auto& own : r.of_user) {
    least = std::min(least, own.size());
    most = std::max(most, own.size());
    double mean = 0;
    for (const Rating& x : own) mean += x.value / static_cast<double>(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      CHECK_FALSE((k > 0 && own[k].item <= own[k - 1].item));
      CHECK_FALSE((own[k].value != std::round(own[k].value) || own[k].value < 1 || own[k].value > 5));
      sum[own[k].item] += own[k].value - mean;
      ++number[own[k].item];
    }
  }
  CHECK(least >= 20);
  CHECK(most <= 737);
  CHECK(least < 30);
  CHECK(most > 500);
  // Items differ by N(0, 1/4); a mean of 100 centred ratings has a variance of about 0.01, and the variance
  // of more than 200 such means is known to 10 %: 0.1 is over 5 deviations below 0.26.
  double count = 0, mean = 0, square = 0;
  for (std::size_t j = 0; j < 1682; ++j) {
    if (number[j] < 100) continue;
    ++count;
    mean += sum[j] / number[j];
    square += std::pow(sum[j] / number[j], 2);
  }
  CHECK(count > 200);
  CHECK(square / count - std::pow(mean / count, 2) > 0.1);
}

TEST_CASE("generated ratings: minimum and maximum number, and seeds") {
  CHECK(generate_ratings({.users = 7, .items = 40, .ratings = 140}, kStreams).count() == 140);
  CHECK(generate_ratings({.users = 7, .items = 40, .ratings = 280}, kStreams).count() == 280);
  const Ratings a = generate_ratings({.users = 7, .items = 40, .ratings = 200}, kStreams);
  const Ratings b = generate_ratings({.users = 7, .items = 40, .ratings = 200}, sim::Streams(4, 0));
  CHECK(a.count() == 200);
  CHECK(a.of_user[0].front().value + a.of_user[1].front().value +
            10.0 * static_cast<double>(a.of_user[0][3].item) !=
        b.of_user[0].front().value + b.of_user[1].front().value +
            10.0 * static_cast<double>(b.of_user[0][3].item));
}

TEST_CASE("movielens: without a file the ratings are generated, and a note says so") {
  MovieLens o;
  o.generated = {.users = 30, .items = 60, .ratings = 900};
  o.features = 4;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.owners() == 30);
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::StartsWith("warning: GENERATED ratings, not MovieLens"));
  CHECK(make_data(o, kStreams).train[3].features == d.train[3].features);
  CHECK(make_data(o, sim::Streams(4, 0)).train[3].features(0, 0) != d.train[3].features(0, 0));
  for (std::size_t i = 0; i < 30; ++i) {
    // Ratings are whole numbers: centred ones of a user differ by whole numbers.
    for (const double y : d.test[i].target) {
      const double apart = y - d.train[i].target[0];
      CHECK(apart == Approx(std::round(apart)).margin(1e-9));
    }
  }
}

TEST_CASE("movielens errors: lines other than ratings") {
  const auto failure = [](const std::string& text) -> std::string {
    const TextFile file(text, "u.data");
    const std::string message = error_of<DataError>([&] { read_ratings(file.input()); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
  };
  CHECK(failure("") == "u.data: expected rows, found an empty file");
  CHECK(failure("1,2,3,4\n") ==
        "u.data:1: expected user, item, rating and timestamp, separated by tabs, found 1 fields");
  CHECK(failure("1\t2\t3\t4\n1\t3\t3\n") == "u.data:2: expected 4 fields, found 3");
  CHECK(failure("1\t2\t3\t4\nx\t3\t3\t4\n") ==
        "u.data:2: column '1': expected the whole number of the user, found 'x'");
  CHECK(failure("1\t2.5\t3\t4\n") ==
        "u.data:1: column '2': expected the whole number of the item, found '2.5'");
  CHECK(failure("1\t2\t1e308\t4\n") ==
        "u.data:1: column '3': expected a number of magnitude at most 1e+150, found 1e+308");
  CHECK(failure("1\t2\tgood\t4\n") == "u.data:1: column '3': expected a number, found 'good'");
  CHECK(failure("1\t2\t3\t4\n2\t2\t3\t4\n1\t2\t5\t4\n") ==
        "u.data:3: user 1 has already rated item 2; remove one of the ratings");
  const TextFile without_time("5\t9\t3\n4\t8\t1\n");
  const Ratings r = read_ratings(without_time.input());
  CHECK(r.users() == 2);
  CHECK(r.of_user[0][0].item == 0);
  CHECK(r.of_user[1][0].value == 3);
}
