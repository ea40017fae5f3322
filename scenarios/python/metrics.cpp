#include "scenarios/python/metrics.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "scenarios/python/python_code.hpp"

namespace hearsay::scenarios {

namespace {

// An object that measures any protocol; several threads may ask it.
class OwnMetrics final : public models::Probe {
 public:
  OwnMetrics(py::object object, const models::MetricsCode& code) : object_(std::move(object)), code_(code) {}
  ~OwnMetrics() override {
    const py::gil_scoped_acquire lock;
    object_ = {};
  }
  OwnMetrics(const OwnMetrics&) = delete;
  OwnMetrics& operator=(const OwnMetrics&) = delete;

  void measure(std::string_view metric, const models::World& world, std::span<double> out) const override {
    const py::gil_scoped_acquire lock;
    constexpr models::Entry kEntry{};
    auto& seen = const_cast<models::World&>(world);  // read only while it is measured
    models::Context context(seen);
    const auto run = std::make_shared<Run>(context, seen, kEntry, false);
    const std::unique_ptr<Run, void (*)(Run*)> ending(run.get(), [](Run* r) { r->end(); });
    in_python(
        code_.name, [&] { return fmt::format("{} at {:g} s", metric, world.engine.now()); },
        [&] {
          measure_in_python(object_, *run, py::cast(run),
                            *std::ranges::find(code_.metrics, metric, &models::ProtocolMetric::name), out);
        });
  }

 private:
  py::object object_;
  const models::MetricsCode& code_;  // of the scenario, which outlives its runs
};

class PythonMetricsCode final : public models::MetricsCode {
 public:
  explicit PythonMetricsCode(py::object type) : class_(std::move(type)) {
    metrics = metrics_of(class_.describe(*this, "metrics"), texts_);
  }
  std::shared_ptr<const models::Probe> make(const std::vector<sim::CodeValue>& values) const override {
    const py::gil_scoped_acquire lock;
    return std::make_shared<OwnMetrics>(class_.make(values), *this);
  }

 private:
  PythonClass class_;
  std::deque<std::string> texts_;
};

}  // namespace

std::vector<models::ProtocolMetric> metrics_of(const py::dict& about, std::deque<std::string>& texts) {
  std::vector<models::ProtocolMetric> all;
  for (const py::handle one : about["metrics"]) {
    const auto text = [&](const char* key) -> std::string_view {
      return texts.emplace_back(one[key].cast<std::string>());
    };
    const auto higher = one["higher_is_better"].cast<std::optional<bool>>();
    all.push_back({.name = text("name"),
                   .help = text("help"),
                   .unit = text("unit"),
                   .per_agent = one["per_agent"].cast<bool>(),
                   .lower_is_better = higher == false,
                   .higher_is_better = higher == true});
  }
  return all;
}

void measure_in_python(const py::object& object, Run& run, const py::object& run_object,
                       const models::ProtocolMetric& metric, std::span<double> out) {
  const Run::ReadOnly looking(run);
  const py::object found = object.attr(std::string(metric.name).c_str())(run_object);
  if (!metric.per_agent) {
    out[0] = PyFloat_AsDouble(found.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return;
  }
  using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
  const auto numbers = Numbers::ensure(found);
  if (!numbers) throw py::error_already_set();
  if (numbers.ndim() != 1 || numbers.size() != static_cast<py::ssize_t>(out.size())) {
    throw py::value_error(fmt::format("expected {} numbers, one of each owner, found an array of shape {}",
                                      out.size(), std::string(py::str(numbers.attr("shape")))));
  }
  std::copy_n(numbers.data(), out.size(), out.begin());
}

std::shared_ptr<models::MetricsCode> python_metrics(py::object type) {
  return std::make_shared<PythonMetricsCode>(std::move(type));
}

}  // namespace hearsay::scenarios
