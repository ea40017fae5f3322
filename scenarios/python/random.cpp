// hearsay.Random: the random streams of a run.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>

#include "scenarios/python/run.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

void require(bool is_allowed, const char* what) {
  if (!is_allowed) throw py::value_error(what);
}

// Numbers of a stream, one or an array.
template <class Draw>
py::object drawn(sim::Stream& stream, const std::optional<py::ssize_t>& size, Draw draw) {
  if (!size) return py::cast(draw(stream));
  py::array_t<decltype(draw(stream))> all(*size);
  auto* const out = all.mutable_data();
  for (py::ssize_t k = 0; k < *size; ++k) out[k] = draw(stream);
  return all;
}

}  // namespace

void define_random(py::module_& module) {
  using Size = std::optional<py::ssize_t>;
  const auto one = py::arg("size") = py::none();
  py::class_<sim::Stream>(module, "Random",
                          "A random stream of the run's seed: the draws of the built-in protocols.")
      .def(
          "uniform",
          [](sim::Stream& s, double low, double high, Size size) {
            require(low <= high && std::isfinite(high - low),
                    "uniform: expected low <= high, with a finite difference");
            return drawn(s, size, [=](sim::Stream& t) { return sim::uniform(t, low, high); });
          },
          py::arg("low") = 0.0, py::arg("high") = 1.0, one, "Uniform on [low, high).")
      .def(
          "normal",
          [](sim::Stream& s, double mean, double deviation, Size size) {
            require(deviation >= 0, "normal: expected a deviation from 0");
            return drawn(s, size, [=](sim::Stream& t) { return sim::normal(t, mean, deviation); });
          },
          py::arg("mean") = 0.0, py::arg("deviation") = 1.0, one, "Normal.")
      .def(
          "exponential",
          [](sim::Stream& s, double mean, Size size) {
            require(mean >= 0, "exponential: expected a mean from 0");
            return drawn(s, size, [=](sim::Stream& t) { return sim::exponential(t, mean); });
          },
          py::arg("mean") = 1.0, one, "Exponential of the given mean.")
      .def(
          "gamma",
          [](sim::Stream& s, double shape, double scale, Size size) {
            require(shape > 0 && std::isfinite(shape) && scale > 0,
                    "gamma: expected a finite shape and a scale above 0");
            return drawn(s, size, [=](sim::Stream& t) { return sim::gamma(t, shape, scale); });
          },
          py::arg("shape"), py::arg("scale") = 1.0, one, "Gamma.")
      .def(
          "index",
          [](sim::Stream& s, std::uint64_t count, Size size) {
            require(count > 0, "index: expected at least 1 number to draw from");
            return drawn(s, size, [=](sim::Stream& t) {
              return static_cast<std::int64_t>(sim::uniform_index(t, count));
            });
          },
          py::arg("count"), one, "Uniform on 0, ..., count - 1.")
      .def(
          "bernoulli",
          [](sim::Stream& s, double p, Size size) {
            require(p >= 0 && p <= 1, "bernoulli: expected a probability from 0 to 1");
            return drawn(s, size, [=](sim::Stream& t) { return sim::bernoulli(t, p); });
          },
          py::arg("p"), one, "True with probability p.");
}

}  // namespace hearsay::scenarios
