// The module hearsay._core: all commands in a Python process, and protocols written in Python.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cerrno>
#include <exception>
#include <string>
#include <vector>

#include "scenarios/commands/command_line.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/workers/process_workers.hpp"
#include "scenarios/python/python_code.hpp"
#include "scenarios/python/run.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace py = pybind11;
using namespace hearsay::scenarios;

namespace {

void flush() {
  for (const char* name : {"stdout", "stderr"}) {
    const py::object stream = py::module_::import("sys").attr(name);
    if (!stream.is_none()) stream.attr("flush")();
  }
}

int fork_python() {
  const py::gil_scoped_acquire lock;
  try {
    flush();  // else both processes write what is there
    return py::module_::import("os").attr("fork")().cast<int>();
  } catch (py::error_already_set&) {
    errno = EAGAIN;  // too many processes, or too little memory
    return -1;
  }
}

void leave_python() {
  const py::gil_scoped_acquire lock;
  flush();
}

// Runs a command without the interpreter's lock. `write(error, text)` gets what it prints; None: the standard streams.
int command(const std::vector<std::string>& words, const py::object& write) {
  std::vector<const char*> arguments{"hearsay"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  Sink sink;
  if (!write.is_none()) {
    sink = [&write](bool error, std::string_view text) {
      const py::gil_scoped_acquire lock;
      try {
        write(error, py::str(text.data(), text.size()));
      } catch (py::error_already_set& failure) {
        // An interrupt ends the study in order, whatever is being printed.
        if (!failure.matches(PyExc_KeyboardInterrupt)) failure.discard_as_unraisable("hearsay");
      }
    };
  }
  // A handler that does not return is interrupted, too.
  InterruptGuard::embed(write.is_none() ? nullptr : &PyErr_SetInterrupt);
  const py::gil_scoped_release unlocked;
  const SinkGuard guard(std::move(sink));
  return command_line(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The simulator in this process.";
  // Of code that is called by code.
  py::register_exception_translator([](std::exception_ptr exception) {
    try {
      if (exception) std::rethrow_exception(exception);
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  add_python(load_python);
  set_forker({fork_python, leave_python});
  Run::define(module);
  module.def("command", &command, py::arg("words"), py::arg("write") = py::none(),
             "Runs a command; returns its exit code. write(error, text) gets what it prints.");
}
