#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "scenarios/python/python_code.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::scenarios {

namespace py = pybind11;

namespace {

using Numbers = py::array_t<double, py::array::c_style>;

models::Shard shard_of(const Numbers& x, const Numbers& y) {
  return {Eigen::Map<const models::Records>(x.data(), x.shape(0), x.shape(1)),
          Eigen::Map<const Eigen::VectorXd>(y.data(), y.shape(0))};
}

class PythonDataCode final : public models::DataCode {
 public:
  explicit PythonDataCode(py::object type) : class_(std::move(type)) { class_.describe(*this, "data"); }
  models::DataSet make(const std::vector<sim::CodeValue>& values,
                       const sim::Streams& streams) const override {
    const py::gil_scoped_acquire lock;
    try {
      return in_python(
          name, [] { return std::string("owners"); }, [&] { return read(values, streams); });
    } catch (const std::runtime_error& error) {
      throw models::DataError(error.what());
    }
  }

 private:
  models::DataSet read(const std::vector<sim::CodeValue>& values, const sim::Streams& streams) const {
    const py::object random =
        py::cast(models::data_stream(streams, models::kWholeStudy, models::DataDraw::kParameters));
    const py::dict found =
        py::module_::import("hearsay.records").attr("records_of")(class_.make(values), random);
    const auto names = [&](const char* key) { return found[key].cast<std::vector<std::string>>(); };
    models::DataSet data{
        .owner_names = names("owners"), .feature_names = names("features"), .classes = names("classes")};
    for (const py::handle owner : found["records"]) {
      const auto [x, y, test_x, test_y] = owner.cast<std::tuple<Numbers, Numbers, Numbers, Numbers>>();
      data.train.push_back(shard_of(x, y));
      data.test.push_back(shard_of(test_x, test_y));
    }
    return data;
  }

  PythonClass class_;
};

}  // namespace

std::shared_ptr<models::DataCode> python_data(py::object type) {
  return std::make_shared<PythonDataCode>(std::move(type));
}

}  // namespace hearsay::scenarios
