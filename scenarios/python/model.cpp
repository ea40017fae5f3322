#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

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
    has_errors_ = py::hasattr(object_, "errors");
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
    return add(gradients(shard.features, shard.target, theta), 1, bound, norm, out);
  }
  Index sum_gradients(const Shard& shard, std::span<const Index> records, In theta, double factor,
                      double bound, models::Norm norm, Out out) const override {
    out.setZero();
    if (records.empty()) return 0;
    const Index count = static_cast<Index>(records.size());
    Records x(count, shard.features.cols());
    Eigen::VectorXd y(count);
    for (Index k = 0; k < count; ++k) {
      x.row(k) = shard.features.row(records[static_cast<std::size_t>(k)]);
      y[k] = shard.target[records[static_cast<std::size_t>(k)]];
    }
    const py::gil_scoped_acquire lock;
    return add(gradients(x, y, theta), factor, bound, norm, out);
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

  // Returns f(); an exception of Python becomes one line.
  template <class F>
  std::invoke_result_t<F> guarded(const char* where, F&& f) const {
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(fmt::format("{}: {} in {}", name_, what, where));
    };
    try {
      return f();
    } catch (py::error_already_set& error) {
      fail(line_of(error));
    } catch (const py::builtin_exception& error) {
      fail(error.what());
    }
    throw;  // not reached
  }
  // What a function returns for these records, of this shape.
  Numbers call(const char* function, const Records& x, const Eigen::VectorXd& y, In theta,
               bool gradients) const {
    return guarded(function, [&] {
      const RecordViews records(x, y);
      py::array_t<double> at(p_);
      std::copy_n(theta.data(), p_, at.mutable_data());
      py::object found = object_.attr(function)(at, records.features, records.targets);
      auto numbers = Numbers::ensure(found);
      if (!numbers) throw py::error_already_set();
      const bool fits = gradients
                            ? numbers.ndim() == 2 && numbers.shape(0) == y.size() && numbers.shape(1) == p_
                            : numbers.ndim() == 1 && numbers.shape(0) == y.size();
      if (!fits) {
        throw py::value_error(fmt::format("expected an array of shape ({}{}), found {}", y.size(),
                                          gradients ? fmt::format(", {}", p_) : ",",
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
    return call("gradients", x, y, theta, true);
  }
  double total(const char* function, const Shard& shard, In theta) const {
    if (shard.target.size() == 0) return 0;
    const py::gil_scoped_acquire lock;
    const Numbers all = call(function, shard.features, shard.target, theta, false);
    return Row(all.data(), shard.target.size()).sum();
  }
  // Adds the records' gradients, as RecordModel::sum_gradients.
  Index add(const Numbers& all, double factor, double bound, models::Norm norm, Out out) const {
    Index scaled = 0;
    for (Index k = 0; k < all.shape(0); ++k) {
      const Row gradient = row(all, k);
      double weight = 1;
      if (std::isfinite(bound)) {
        weight = models::shortening(length_of(gradient, norm), bound);
        scaled += weight < 1 ? 1 : 0;
      }
      if (weight > 0) out += weight * gradient;
    }
    out *= factor;
    return scaled;
  }

  py::object object_;
  std::string name_;
  Index features_, p_ = 0;
  bool has_errors_ = false;
};

class PythonModelCode final : public models::ModelCode {
 public:
  explicit PythonModelCode(py::object type) : class_(std::move(type)) {
    class_.describe(*this, "describe_model");
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
