#include "scenarios/python/python_code.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <utility>

#include "analysis/metrics/metric.hpp"
#include "scenarios/python/heard.hpp"

namespace hearsay::scenarios {

namespace py = pybind11;

namespace {

sim::CodeOption option_of(py::handle one) {
  sim::CodeOption option{.name = one.attr("name").cast<std::string>(),
                         .help = one.attr("help").cast<std::string>(),
                         .unit = one.attr("unit").cast<std::string>()};
  const py::object standard = one.attr("default");
  if (py::isinstance<py::bool_>(standard)) {
    option.standard = standard.cast<bool>();
  } else if (py::isinstance<py::int_>(standard)) {
    option.standard = standard.cast<std::int64_t>();
  } else if (py::isinstance<py::float_>(standard)) {
    option.standard = standard.cast<double>();
  } else {
    option.standard = standard.cast<std::string>();
  }
  if (const py::object min = one.attr("min"); !min.is_none()) option.min = min.cast<double>();
  if (const py::object max = one.attr("max"); !max.is_none()) option.max = max.cast<double>();
  option.open_min = one.attr("open_min").cast<bool>();
  option.open_max = one.attr("open_max").cast<bool>();
  for (const py::handle choice : one.attr("choices")) option.choices.push_back(choice.cast<std::string>());
  return option;
}

}  // namespace

py::object helper(const char* name) {
  return py::module_::import("hearsay.code").attr(name);
}

std::string line_of(py::error_already_set& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) throw Interrupted();
  error.restore();
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const auto held = py::reinterpret_steal<py::object>(value), of = py::reinterpret_steal<py::object>(type),
             where = py::reinterpret_steal<py::object>(trace);
  if (where) PyException_SetTraceback(held.ptr(), where.ptr());
  return helper("line_of")(held).cast<std::string>();
}

PythonClass::~PythonClass() {
  const py::gil_scoped_acquire lock;
  type_ = {};
}

py::dict PythonClass::describe(sim::Code& code, const char* kind) const {
  const py::dict about = helper("describe_as")(kind, type_);
  code.name = about["name"].cast<std::string>();
  code.help = about["help"].cast<std::string>();
  for (const py::handle one : about["options"]) code.options.push_back(option_of(one));
  return about;
}

py::object PythonClass::make(const std::vector<sim::CodeValue>& values) const {
  py::list all;
  for (const sim::CodeValue& value : values)
    all.append(std::visit([](const auto& held) -> py::object { return py::cast(held); }, value));
  try {
    return helper("make")(type_, all);
  } catch (py::error_already_set& error) {
    throw std::invalid_argument(line_of(error));
  }
}

std::shared_ptr<const sim::Code> load_python(const sim::CodePlace& place, sim::CodeKind kind) {
  const py::gil_scoped_acquire lock;
  try {
    prepare_arrays();
    constexpr const char* kNames[] = {"protocol", "model", "data", "metrics"};
    const py::tuple found =
        helper("load")(place.file.resolved, place.name, place.digest, kNames[static_cast<std::size_t>(kind)]);
    std::shared_ptr<sim::Code> code;
    const auto declared = [](auto loaded) {
      analysis::declare(loaded->metrics);
      return loaded;
    };
    switch (kind) {
      case sim::CodeKind::kProtocol:
        code = declared(python_protocol(found[0]));
        break;
      case sim::CodeKind::kMetrics:
        code = declared(python_metrics(found[0]));
        break;
      case sim::CodeKind::kModel:
        code = python_model(found[0]);
        break;
      case sim::CodeKind::kData:
        code = python_data(found[0]);
        break;
    }
    code->digest = found[1].cast<std::string>();
    return code;
  } catch (py::error_already_set& error) {
    throw std::runtime_error(line_of(error));
  }
}

}  // namespace hearsay::scenarios
