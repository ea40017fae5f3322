#include "scenarios/python/heard.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hearsay::scenarios {

namespace py = pybind11;

namespace {

bool is_zero(PyObject* number) {
  return PyLong_CheckExact(number) && PyLong_AsLong(number) == 0;
}

PyObject* general_mean() {
  static PyObject* const mean =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(py::detail::npy_api::get().PyArray_Type_), "mean");
  return mean;
}

// mean(axis=0) and mean(0) row by row, as numpy adds them: to the same bits. All else is numpy's, as are single columns, of
// which it sums 8 numbers and more by pairs.
PyObject* mean(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  const bool over_rows =
      count + named == 1 && is_zero(arguments[0]) &&
      (named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "axis") == 0);
  using Array = py::array_t<double, py::array::c_style>;
  const auto array = py::reinterpret_borrow<py::array>(self);
  constexpr py::ssize_t kByPairs = 8;
  if (over_rows && Array::check_(array) && array.ndim() == 2 && array.shape(0) > 0 &&
      (array.shape(1) > 1 || array.shape(0) < kByPairs)) {
    const py::ssize_t rows = array.shape(0), columns = array.shape(1);
    py::array_t<double> means(columns);
    double* const out = means.mutable_data();
    const auto* row = static_cast<const double*>(array.data());
    std::copy_n(row, columns, out);
    for (py::ssize_t k = 1; k < rows; ++k) {
      row += columns;
      for (py::ssize_t j = 0; j < columns; ++j) out[j] += row[j];
    }
    for (py::ssize_t j = 0; j < columns; ++j) out[j] /= static_cast<double>(rows);
    return means.release().ptr();
  }
  std::vector<PyObject*> all{self};
  all.insert(all.end(), arguments, arguments + count + named);
  return PyObject_Vectorcall(general_mean(), all.data(), static_cast<std::size_t>(count + 1), names);
}

PyTypeObject* heard_type() {
  static PyTypeObject* const type = [] {
    static PyMethodDef methods[] = {
        {"mean", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&mean)),
         METH_FASTCALL | METH_KEYWORDS, "As that of numpy.ndarray."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    static PyType_Spec spec{"hearsay.Heard", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    const auto bases =
        py::make_tuple(py::handle(reinterpret_cast<PyObject*>(py::detail::npy_api::get().PyArray_Type_)));
    PyObject* const made = PyType_FromSpecWithBases(&spec, bases.ptr());
    if (made == nullptr) throw py::error_already_set();
    return reinterpret_cast<PyTypeObject*>(made);
  }();
  return type;
}

}  // namespace

void prepare_arrays() {
  general_mean();
  heard_type();
}

namespace {

template <std::size_t N>
py::array_t<double> new_array(PyTypeObject* type, const std::array<Py_intptr_t, N>& shape) {
  PyObject* const made = py::detail::npy_api::get().PyArray_NewFromDescr_(
      type, py::dtype::of<double>().release().ptr(), static_cast<int>(N), shape.data(), nullptr, nullptr, 0,
      nullptr);
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::array_t<double>>(made);
}

}  // namespace

py::array_t<double> new_heard(py::ssize_t rows, py::ssize_t columns) {
  return new_array<2>(heard_type(), {rows, columns});
}

py::array_t<double> new_vector(py::ssize_t size) {
  return new_array<1>(py::detail::npy_api::get().PyArray_Type_, {size});
}

}  // namespace hearsay::scenarios
