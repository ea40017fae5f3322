#pragma once
// Classes in Python that a scenario names: how they are loaded, and what they are used as.
#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "models/data/python_data.hpp"
#include "models/learning/networks/record_model.hpp"
#include "models/run/code_metrics.hpp"
#include "models/run/code_protocol.hpp"
#include "scenarios/study/errors.hpp"

namespace hearsay::scenarios {

/// A function of the package's module hearsay.code.
pybind11::object helper(const char* name);
/// One line of what went wrong in Python. Throws Interrupted.
std::string line_of(pybind11::error_already_set& error);

/// Returns f(), which calls something of a class. An exception of Python becomes std::runtime_error, a line that says where()
/// it was, or Interrupted.
template <class Where, class F>
std::invoke_result_t<F> in_python(const std::string& name, Where&& where, F&& f) {
  std::string what;
  try {
    return f();
  } catch (pybind11::error_already_set& error) {
    what = line_of(error);
  } catch (const pybind11::builtin_exception& error) {
    what = error.what();
  }
  throw std::runtime_error(name + ": " + what + " in " + where());
}

/// A class of Python and its objects. All functions take the interpreter's lock.
class PythonClass {
 public:
  explicit PythonClass(pybind11::object type) : type_(std::move(type)) {}
  ~PythonClass();
  PythonClass(const PythonClass&) = delete;
  PythonClass& operator=(const PythonClass&) = delete;

  /// Name, help and options, and further members of the class, which it returns.
  pybind11::dict describe(sim::Code& code, const char* kind) const;
  /// Throws std::invalid_argument for an exception of the class.
  pybind11::object make(const std::vector<sim::CodeValue>& values) const;

 private:
  pybind11::object type_;
};

std::shared_ptr<models::ProtocolCode> python_protocol(pybind11::object type);
std::shared_ptr<models::ModelCode> python_model(pybind11::object type);
std::shared_ptr<models::DataCode> python_data(pybind11::object type);
std::shared_ptr<models::MetricsCode> python_metrics(pybind11::object type);

/// A CodeLoader. Needs the package hearsay.
std::shared_ptr<const sim::Code> load_python(const sim::CodePlace& place, sim::CodeKind kind);

}  // namespace hearsay::scenarios
