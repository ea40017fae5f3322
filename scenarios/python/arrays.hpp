#pragma once
// Arrays that a handler gets: numpy arrays of its own, reused once it has let go of them, and views of the run's memory.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "models/data/data_set.hpp"
#include "scenarios/python/heard.hpp"

namespace hearsay::scenarios {

namespace py = pybind11;

/// Whether nothing but its one owner here refers to an object.
inline bool let_go(const py::object& object) {
  return object.ref_count() == 1;
}

/// Whether an array of doubles is as it was made: a handler can set its shape, strides, type and flags.
inline bool unchanged(const py::array& array, std::span<const py::ssize_t> shape) {
  return py::array_t<double, py::array::c_style>::check_(array) && array.writeable() &&
         std::ranges::equal(std::span(array.shape(), array.ndim()), shape);
}

/// Arrays of doubles by their number of rows, or of numbers. One that is still referred to is left to who does, and
/// another takes its place.
class Arrays {
 public:
  /// Their numbers are to be written.
  py::array_t<double>& vector(py::ssize_t size) {
    return take(vectors_, std::array{size}, [size] { return new_vector(size); });
  }
  py::array_t<double>& heard(py::ssize_t rows, py::ssize_t columns) {
    return take(heard_, std::array{rows, columns}, [=] { return new_heard(rows, columns); });
  }
  py::array_t<double>& copy(std::span<const double> numbers) {
    py::array_t<double>& taken = vector(static_cast<py::ssize_t>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), taken.mutable_data());
    return taken;
  }

 private:
  using Kept = std::map<py::ssize_t, py::array_t<double>>;
  template <class Make>
  static py::array_t<double>& take(Kept& all, std::span<const py::ssize_t> shape, Make make) {
    const auto found = all.find(shape[0]);
    if (found == all.end()) return all.emplace(shape[0], make()).first->second;
    if (!let_go(found->second) || !unchanged(found->second, shape)) found->second = make();
    return found->second;
  }

  Kept vectors_, heard_;
};

/// Read-only views of an owner's records, n x d, and of their targets.
class RecordViews {
 public:
  RecordViews(const models::Records& x, const Eigen::VectorXd& y)
      : features(view(x.data(), {x.rows(), x.cols()})), targets(view(y.data(), {y.size()})) {}
  /// Throws py::value_error if a view is still referred to: the records may not outlive the run.
  void require_let_go() const {
    if (!let_go(features) || !let_go(targets))
      throw py::value_error("records were kept beyond the call: keep a copy of what is needed");
  }

  py::array features, targets;

 private:
  static py::array view(const double* data, std::vector<py::ssize_t> shape) {
    py::array made(py::dtype::of<double>(), std::move(shape), data, py::none());
    py::detail::array_proxy(made.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return made;
  }
};

/// Views of the columns of a matrix, made once each, and again if one was changed.
class ColumnViews {
 public:
  ColumnViews(double* data, py::ssize_t rows, std::size_t columns)
      : data_(data), rows_(rows), views_(columns) {}

  const py::object& view(std::size_t column) {
    py::object& view = views_[column];
    if (view && !unchanged(py::reinterpret_borrow<py::array>(view), std::array{rows_}))
      replaced_.push_back(std::exchange(view, {}));
    if (!view) {
      double* const first = data_ + static_cast<py::ssize_t>(column) * rows_;
      view = py::array_t<double>({rows_}, {static_cast<py::ssize_t>(sizeof(double))}, first, py::none());
    }
    lent_.push_back(column);
    return view;
  }
  /// Whether a view that was asked for since the last call is still referred to: its numbers would change.
  bool any_kept() {
    bool kept = false;
    for (const std::size_t column : lent_) kept |= !let_go(views_[column]);
    for (const py::object& view : replaced_) kept |= !let_go(view);
    lent_.clear();
    replaced_.clear();
    return kept;
  }

 private:
  double* data_;
  py::ssize_t rows_;
  std::vector<py::object> views_;
  std::vector<std::size_t> lent_;
  std::vector<py::object> replaced_;  // since the last call of any_kept()
};

}  // namespace hearsay::scenarios
