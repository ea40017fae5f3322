#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "models/data/records_of.hpp"
#include "scenarios/python/arrays.hpp"
#include "scenarios/python/python_code.hpp"

namespace hearsay::scenarios {

namespace {

using Eigen::Index;
using models::Records;
using models::Shard;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// The losses and gradients of an object. Every call takes the interpreter's lock.
class PythonModel final : public models::RecordModel {
 public:
  PythonModel(py::object object, std::string name, Index features)
      : object_(std::move(object)), name_(std::move(name)), features_(features) {
    p_ = guarded("size", [&] { return object_.attr("size")(features).cast<Index>(); });
    if (p_ < 1)
      throw std::invalid_argument(fmt::format("{}: size: expected at least 1, found {}", name_, p_));
    const auto has = [&](const char* what) { return !py::getattr(object_, what, py::none()).is_none(); };
    has_errors_ = has("errors");
    has_sum_ = has("sum_gradients");
    has_norms_ = has("gradient_norms");
  }
  ~PythonModel() override {
    const py::gil_scoped_acquire lock;
    object_ = {};
  }
  PythonModel(const PythonModel&) = delete;
  PythonModel& operator=(const PythonModel&) = delete;

  Index p() const override { return p_; }
  Index scores() const override { return 1; }
  Index inputs(Index) const override { return features_; }

  double total_loss(const Shard& shard, In theta) const override { return total("loss", shard, theta); }
  double total_error(const Shard& shard, In theta) const override {
    return total(has_errors_ ? "errors" : "loss", shard, theta);
  }
  Index sum_gradients(const Shard& shard, In theta, double bound, models::Norm norm, Out out) const override {
    out.setZero();
    if (shard.target.size() == 0) return 0;
    const py::gil_scoped_acquire lock;
    return add(shard.features, shard.target, theta, 1, bound, norm, out);
  }
  Index sum_gradients(const Shard& shard, std::span<const Index> records, In theta, double factor,
                      double bound, models::Norm norm, Out out) const override {
    out.setZero();
    if (records.empty()) return 0;
    const Shard some = models::records_of(shard, records);
    const py::gil_scoped_acquire lock;
    return add(some.features, some.target, theta, factor, bound, norm, out);
  }
  double largest_gradient(const Shard& shard, In theta, models::Norm norm) const override {
    if (shard.target.size() == 0) return 0;
    const py::gil_scoped_acquire lock;
    const Numbers all = gradients(shard.features, shard.target, theta);
    double largest = 0;
    for (Index k = 0; k < shard.target.size(); ++k) largest = std::max(largest, length_of(row(all, k), norm));
    return largest;
  }

 private:
  using Row = Eigen::Map<const Eigen::VectorXd>;
  static double length_of(const Row& x, models::Norm norm) {
    return norm == models::Norm::kL1 ? x.lpNorm<1>() : x.norm();
  }
  Row row(const Numbers& all, Index k) const { return {all.data() + k * p_, p_}; }

  using Shape = std::vector<py::ssize_t>;
  // Returns f(), which calls a function of the object.
  template <class F>
  std::invoke_result_t<F> guarded(const char* function, F&& f) const {
    return in_python(
        name_, [function] { return std::string(function); }, f);
  }
  // What a function returns for these records, of this shape.
  template <class... More>
  Numbers call(const char* function, const Shape& shape, const Records& x, const Eigen::VectorXd& y, In theta,
               const More&... more) const {
    return guarded(function, [&] {
      const RecordViews records(x, y);
      py::array_t<double> at(p_);
      std::copy_n(theta.data(), p_, at.mutable_data());
      py::object found = object_.attr(function)(at, records.features, records.targets, more...);
      auto numbers = Numbers::ensure(found);
      if (!numbers) throw py::error_already_set();
      if (!std::equal(shape.begin(), shape.end(), numbers.shape(), numbers.shape() + numbers.ndim())) {
        throw py::value_error(fmt::format("expected an array of shape {}, found {}",
                                          std::string(py::str(py::tuple(py::cast(shape)))),
                                          std::string(py::str(numbers.attr("shape")))));
      }
      if (!let_go(records.features) || !let_go(records.targets)) {
        numbers = Numbers(numbers.attr("copy")());  // perhaps a part of a view
        found = py::none();
        records.require_let_go();
      }
      return numbers;
    });
  }
  Numbers gradients(const Records& x, const Eigen::VectorXd& y, In theta) const {
    return call("gradients", {y.size(), p_}, x, y, theta);
  }
  double total(const char* function, const Shard& shard, In theta) const {
    if (shard.target.size() == 0) return 0;
    const py::gil_scoped_acquire lock;
    const Numbers all = call(function, {shard.target.size()}, shard.features, shard.target, theta);
    // In the order of the records: Eigen's sum() groups them by where numpy has put the array.
    return std::accumulate(all.data(), all.data() + shard.target.size(), 0.0);
  }
  // Adds the records' gradients, as RecordModel::sum_gradients.
  Index add(const Records& x, const Eigen::VectorXd& y, In theta, double factor, double bound,
            models::Norm norm, Out out) const {
    const bool clips = std::isfinite(bound);
    py::array_t<double> weights(y.size());
    Eigen::Map<Eigen::VectorXd> weight(weights.mutable_data(), y.size());
    const auto weigh = [&](auto length) {
      for (Index k = 0; k < y.size(); ++k) weight[k] = clips ? models::shortening(length(k), bound) : 1;
      return clips ? (weight.array() < 1).count() : 0;
    };
    if (has_sum_ && (has_norms_ || !clips)) {
      Numbers lengths;
      if (clips) lengths = call("gradient_norms", {y.size()}, x, y, theta, norm == models::Norm::kL1 ? 1 : 2);
      if (!clips || Row(lengths.data(), y.size()).allFinite()) {
        const Index scaled = weigh([&](Index k) { return lengths.data()[k]; });
        out = factor * Row(call("sum_gradients", {p_}, x, y, theta, weights).data(), p_);
        return scaled;
      }
    }
    const Numbers all = gradients(x, y, theta);
    const Index scaled = weigh([&](Index k) { return length_of(row(all, k), norm); });
    for (Index k = 0; k < y.size(); ++k)
      if (weight[k] > 0) out += weight[k] * row(all, k);
    out *= factor;
    return scaled;
  }

  py::object object_;
  std::string name_;
  Index features_, p_ = 0;
  bool has_errors_ = false, has_sum_ = false, has_norms_ = false;
};

class PythonModelCode final : public models::ModelCode {
 public:
  explicit PythonModelCode(py::object type) : class_(std::move(type)) {
    has_errors = class_.describe(*this, "model")["has_errors"].cast<bool>();
  }
  std::shared_ptr<const models::RecordModel> make(const std::vector<sim::CodeValue>& values,
                                                  Index features) const override {
    const py::gil_scoped_acquire lock;
    return std::make_shared<PythonModel>(class_.make(values), name, features);
  }

 private:
  PythonClass class_;
};

}  // namespace

std::shared_ptr<models::ModelCode> python_model(py::object type) {
  return std::make_shared<PythonModelCode>(std::move(type));
}

}  // namespace hearsay::scenarios
