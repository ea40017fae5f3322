#pragma once
// Metrics written in Python: methods of a protocol, or of a class of their own.
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "scenarios/python/run.hpp"

namespace hearsay::scenarios {

/// Those of a class, as it is described; `texts` holds their texts.
std::vector<models::ProtocolMetric> metrics_of(const py::dict& about, std::deque<std::string>& texts);

/// Calls the method of the metric's name with the run, which it only sees. Throws exceptions of Python.
void measure_in_python(const py::object& object, Run& run, const py::object& run_object,
                       const models::ProtocolMetric& metric, std::span<double> out);

}  // namespace hearsay::scenarios
