// Real data, from the folder that HEARSAY_DATA_DIR names.
#include <catch2/catch.hpp>

#include <cmath>

#include "models/data/csv/csv_data.hpp"
#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "tests/support/outside_files.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

// Heart disease in four hospitals; nothing without the data.
std::optional<CsvData> hospitals() {
  CsvData o;
  for (const char* site : {"cleveland", "hungarian", "switzerland", "va"}) {
    const auto file = data_file(std::string("heart4sites/processed.") + site + ".data");
    if (!file) return std::nullopt;
    o.files.push_back(*file);
  }
  o.columns = {"age",     "sex",   "cp",      "trestbps", "chol", "fbs",  "restecg",
               "thalach", "exang", "oldpeak", "slope",    "ca",   "thal", "num"};
  o.target = "num";
  o.positive = PositiveAbove{0};
  return o;
}

}  // namespace

TEST_CASE("parkinsons: least squares on the voice features has the known error") {
  const auto file = data_file("parkinsons/parkinsons_updrs.data");
  if (!file) return;
  CsvData o;
  o.path = file;
  o.owner = OwnerColumn{"subject#"};
  o.drop = {"age", "sex", "test_time"};
  o.bias = true;
  // Mean squared errors and variances from an independent program.
  const struct {
    const char *target, *other;
    double error, variance;
  } cases[] = {{"motor_UPDRS", "total_UPDRS", 58.96898, 66.07397},
               {"total_UPDRS", "motor_UPDRS", 102.96376, 114.47657}};
  for (const auto& c : cases) {
    CsvData with = o;
    with.target = c.target;
    with.drop.emplace_back(c.other);
    const DataSet d = make_data(with, kStreams);
    CHECK(d.owners() == 42);
    CHECK(d.p() == 17);
    const Problem problem(d, {.l2 = 0});
    CHECK(problem.n() == 5875);
    CHECK(minimise(problem).value == Approx(c.error).margin(6e-6));
    double sum = 0, squares = 0;
    for (const Shard& s : d.train) {
      sum += s.target.sum();
      squares += s.target.squaredNorm();
    }
    CHECK(squares / 5875 - sum * sum / 5875 / 5875 == Approx(c.variance).margin(6e-6));
  }
}

TEST_CASE("parkinsons: patients linked by age and sex, or by their records") {
  const auto file = data_file("parkinsons/parkinsons_updrs.data");
  if (!file) return;
  CsvData o;
  o.path = file;
  o.owner = OwnerColumn{"subject#"};
  o.target = "motor_UPDRS";
  o.drop = {"age", "sex", "test_time", "total_UPDRS"};
  o.standardise = true;
  o.bias = true;
  o.test_fraction = 0.2;
  for (const bool profile : {true, false}) {
    o.similarity = CsvSimilarity{.weights = GaussianWeights{}};
    if (profile) o.similarity->from = ProfileColumns{{"age", "sex"}};
    const DataSet d = make_data(o, kStreams);
    CHECK(d.p() == 17);
    REQUIRE(d.similarity);
    const auto graph = sim::Topology::from_edges(42, d.similarity->edges, d.similarity->weights);
    CHECK(graph.components() == 1);
    // Beside the means and variances of the features.
    CHECK(d.fitted_on_private_data.size() == 1);
    CHECK(d.similarity_from.empty() == profile);
  }
  o.similarity = CsvSimilarity{.from = ProfileColumns{{"test_time"}}, .weights = NearestWeights{}};
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("expected the same profile in all rows"));
}

TEST_CASE("heart disease: four hospitals, their sizes and numbers of positives") {
  const auto options = hospitals();
  if (!options) return;
  CsvData o = *options;
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("expected a value, found none"));
  o.impute = Impute::kMedian;
  o.standardise = true;
  o.bias = true;
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.owners() == 4);
  const Eigen::Index sizes[] = {303, 294, 123, 200}, diseased[] = {139, 106, 115, 149};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(d.train[i].target.size() == sizes[i]);
    CHECK((d.train[i].target.array() > 0).count() == diseased[i]);
  }
  const Problem svm(d, {.loss = HingeLoss{}, .l2 = 1e-3});
  CHECK(minimise(svm).gap < 1e-7);
  const Problem logistic(d, {.loss = LogisticLoss{}, .l2 = 1e-3});
  CHECK(minimise(logistic).kkt_residual < 1e-10);
}

TEST_CASE("heart disease: complete rows with categories as 0/1 columns, as in FLamby") {
  const auto options = hospitals();
  if (!options) return;
  CsvData o = *options;
  o.drop = {"slope", "ca", "thal"};
  o.impute = Impute::kDropRows;
  o.categorical = {"cp", "restecg"};
  o.encode = Encode::kOneHot;
  o.drop_first = true;
  o.standardise = true;
  o.standardise_by = StandardiseBy::kOwner;
  o.test_fraction = 0.3424;
  o.test_split = TestSplit::kStratified;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.p() == 13);
  // Numbers of FLamby's description of the data set.
  const Eigen::Index train[] = {199, 172, 30, 85}, test[] = {104, 89, 16, 45};
  REQUIRE(d.owners() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(d.train[i].target.size() == train[i]);
    CHECK(d.test[i].target.size() == test[i]);
    const double positive = 0.5 * (1 + d.train[i].target.mean()),
                 tested = 0.5 * (1 + d.test[i].target.mean());
    CHECK(std::abs(positive - tested) <
          1.0 / static_cast<double>(train[i]) + 1.0 / static_cast<double>(test[i]));
  }
}

TEST_CASE("digits: ten classes of 64 pixels") {
  const auto file = data_file("digits/digits.csv");
  if (!file) return;
  CsvData o;
  o.path = file;
  o.header = Header::kNo;
  o.target = "65";
  o.classes = ClassesFound{};
  o.owner = DirichletOwners{20, 0.1, 10};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.p() == 64);
  CHECK(d.classes == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
  CHECK(d.owners() == 20);
  Eigen::Index records = 0;
  for (const Shard& one : d.train) records += one.target.size();
  CHECK(records == 1797);
}

TEST_CASE("lending club: ordinal codes, principal components, three banks") {
  const auto file = data_file("lendingclub/lending_club.csv");
  if (!file) return;
  CsvData o;
  o.path = file;
  o.target = "int_rate";
  o.owner = OwnerBlocks{3};
  o.standardise = true;
  o.pca = PcaOptions{.components = 10, .fit_on_last = 5000, .whiten = true};
  o.target_transform = TargetTransform::kCentre;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.p() == 10);
  CHECK(d.train[0].target.size() == 3286);
  CHECK(d.train[2].target.size() == 3285);
  CHECK(d.fitted_on_private_data.size() == 6 + 3);  // columns of text, and what is fitted
  o.pca.reset();
  o.owner = OwnerColumn{"addr_state"};
  o.min_records = 100;
  const DataSet states = make_data(o, kStreams);
  CHECK(states.p() == 21);
  CHECK(states.notes.size() >= 1);
}

TEST_CASE("eicu: ages above 89 are text and must be listed as missing or categorical") {
  const auto file = data_file("eicu_demo/patient.csv");
  if (!file) return;
  CsvData o;
  o.path = file;
  o.target = "unitdischargeoffset";
  o.owner = OwnerColumn{"hospitalid"};
  o.features = {"age", "gender", "admissionweight", "unittype"};
  o.impute = Impute::kMedian;
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("column 'age': expected a number, found '> 89'"));
  o.missing.emplace_back("> 89");
  o.encode = Encode::kOneHot;
  CHECK(make_data(o, kStreams).owners() == 186);
}
