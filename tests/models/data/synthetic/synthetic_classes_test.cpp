#include "models/data/synthetic/synthetic_classes.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/data/data_facts.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::kStreams;

namespace {

// Mean of squares or products of normal variables: five standard errors from the sample. Each check below fails with
// probability below 1e-6; the seeds are fixed.
bool agrees(const test::Mean& m, double expected) {
  return std::abs(m.mean() - expected) < 5 * m.standard_error();
}

}  // namespace

TEST_CASE("synthetic: alpha and beta are standard deviations, and W and b have one mean") {
  SyntheticClasses o{.owners = 20000, .alpha = 2, .beta = 3, .features = 3, .classes = 2};
  test::Mean w, ww, wb, v, vv, bb;
  for (std::size_t i = 0; i < o.owners; ++i) {
    const OwnerClasses c = draw_owner_classes(o, i, kStreams);
    w.add(c.weights(0, 0) * c.weights(0, 0));
    ww.add(c.weights(0, 1) * c.weights(1, 0));
    wb.add(c.weights(1, 2) * c.offsets[0]);
    bb.add(c.offsets[1] * c.offsets[1]);
    v.add(c.mean[0] * c.mean[0]);
    vv.add(c.mean[0] * c.mean[2]);
  }
  CHECK(agrees(w, 4 + 1));
  CHECK(agrees(bb, 4 + 1));
  CHECK(agrees(ww, 4));
  CHECK(agrees(wb, 4));
  CHECK(agrees(v, 9 + 1));
  CHECK(agrees(vv, 9));
}

TEST_CASE("synthetic: features have the owner's mean and variances j^-1.2, the target is the largest score") {
  const SyntheticClasses o{.owners = 2, .records = 20000, .features = 4, .classes = 3, .test_records = 50};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.classes == std::vector<std::string>{"0", "1", "2"});
  CHECK(d.p() == 5);
  CHECK(d.bias);
  const OwnerClasses c = draw_owner_classes(o, 1, kStreams);
  for (const Shard* shard : {&d.train[1], &d.test[1]}) {
    CHECK((shard->features.col(4).array() == 1).all());
    for (Eigen::Index k = 0; k < shard->target.size(); ++k) {
      const Eigen::VectorXd s = c.weights * shard->features.row(k).head(4).transpose() + c.offsets;
      const auto y = static_cast<Eigen::Index>(shard->target[k]);
      CHECK(s[y] == s.maxCoeff());
    }
  }
  for (Eigen::Index j = 0; j < 4; ++j) {
    test::Mean first, second;
    for (const double x : d.train[1].features.col(j)) {
      first.add(x - c.mean[j]);
      second.add((x - c.mean[j]) * (x - c.mean[j]));
    }
    CHECK(agrees(first, 0));
    CHECK(agrees(second, std::pow(static_cast<double>(j + 1), -1.2)));
  }
}

TEST_CASE("synthetic: alpha moves the weights, but no target") {
  SyntheticClasses o{.owners = 5, .records = 200, .alpha = 0};
  const DataSet d = make_data(o, kStreams);
  const OwnerClasses c = draw_owner_classes(o, 2, kStreams);
  o.alpha = 3;
  const DataSet moved = make_data(o, kStreams);
  const OwnerClasses m = draw_owner_classes(o, 2, kStreams);
  const double u = m.offsets[0] - c.offsets[0];
  CHECK(u != 0);
  CHECK((m.weights - c.weights).isApproxToConstant(u, 1e-12));
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(moved.train[i].features == d.train[i].features);
    CHECK(moved.train[i].target == d.train[i].target);
  }
}

TEST_CASE("synthetic: iid owners share the model and have features of mean 0") {
  const SyntheticClasses o{.owners = 2, .records = 5000, .iid = true, .features = 2};
  const DataSet d = make_data(o, kStreams);
  const OwnerClasses a = draw_owner_classes(o, 0, kStreams), b = draw_owner_classes(o, 1, kStreams);
  CHECK(a.weights == b.weights);
  CHECK(a.offsets == b.offsets);
  CHECK(a.mean.isZero(0));
  CHECK(d.train[0].features != d.train[1].features);
  test::Mean x;
  for (const double value : d.train[0].features.col(0)) x.add(value);
  CHECK(agrees(x, 0));
}

TEST_CASE("synthetic: an owner's records depend on its number only, more records keep the first") {
  SyntheticClasses o{.owners = 2, .records = 30};
  const DataSet d = make_data(o, kStreams);
  o.owners = 4;
  o.records = 50;
  const DataSet more = make_data(o, kStreams);
  CHECK(more.train[1].features.topRows(30) == d.train[1].features);
  CHECK(more.train[1].target.head(30) == d.train[1].target);
  CHECK(more.test[1].features == d.test[1].features);
  const DataSize size = size_of(o, kStreams).value();
  CHECK(size.owners == 4);
  CHECK(size.records == 200);
  CHECK(size.test_records == 400);
  CHECK(size.features == 61);
  CHECK(size.classes == 10);
}

TEST_CASE("synthetic: sizes are floor(X) + 50 with X lognormal") {
  const SyntheticClasses o;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < 5000; ++i) sizes.push_back(static_cast<double>(o.records.size(i, kStreams)));
  // P(size <= s) = P(X < s - 49).
  const auto law = [](double s) {
    const double x = std::floor(s) - 49;
    return x <= 0 ? 0.0 : 0.5 * std::erfc(-(std::log(x) - 4) / (2 * std::sqrt(2.0)));
  };
  CHECK(test::ks_distance(sizes, law) < test::dkw_threshold(sizes.size()));
}
